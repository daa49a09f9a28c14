"""Ops whose row is all elements of a call: values, derivatives, shapes, types, out=, bits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import fusewise_ops
import pytest
import torch
from fusewise import testing
from row_dims_ops import Op, check, draw, each_layout, load, sliced, transposed, whole_statistics

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ops(op_cache: Path) -> dict[str, Op]:
    return load(op_cache)


@pytest.fixture
def op(ops: dict[str, Op]) -> Op:
    return ops["whole_statistics"]


@each_layout
@pytest.mark.parametrize(
    "shapes",
    [
        [()],
        [(1,)],
        [(5,)],
        [(3, 4)],
        [(2, 3, 4, 5)],
        [(3, 4), ()],
        [(), (3, 4)],
        [(3, 4), (4,)],
        [(3, 1), (4,)],
        [(5, 1, 4), (3, 4)],
        [(2, 1, 4, 5), (3, 1, 1)],
    ],
    ids=str,
)
def test_values_and_derivatives(op: Op, shapes: Sequence[tuple[int, ...]], layout: Op) -> None:
    check(op, whole_statistics, [layout(draw(*shape)) for shape in shapes])


def test_finite_differences(op: Op) -> None:
    x, y = draw(2, 3, 2).requires_grad_(), draw(3, 1).requires_grad_()
    assert torch.autograd.gradcheck(op, (x, y))
    assert torch.autograd.gradgradcheck(op, (x, y))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_types(op: Op, dtype: torch.dtype) -> None:
    x, y = draw(300, 70, dtype=dtype), draw(70).to(dtype)
    dot, largest, shifted = op(x, y)
    assert {dot.dtype, largest.dtype, shifted.dtype} == {dtype}
    wanted = whole_statistics(x.double(), y.double())
    # the sum has 21,000 terms, and is rounded once
    torch.testing.assert_close(dot, wanted[0].to(dtype))
    assert torch.equal(largest, wanted[1].to(dtype))
    torch.testing.assert_close(shifted, wanted[2].to(dtype))
    assert op(x, torch.tensor(2.0, dtype=torch.double))[0].dtype == dtype


def test_empty(op: Op) -> None:
    with pytest.raises(IndexError, match="a row has no elements, but a maximum needs"):
        op(draw(0))
    with pytest.raises(IndexError, match="a row has no elements, but a maximum needs"):
        op(draw(2, 0, 3))


def test_the_bits_depend_on_the_elements_in_their_order(op: Op) -> None:
    x = draw(64, 3000, dtype=torch.float32)
    wanted = op(x)
    for same in (transposed(x), sliced(x), x.clone()):
        assert [torch.equal(a, b) for a, b in zip(op(same), wanted, strict=True)] == [True] * 3
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        assert torch.equal(op(x)[0], wanted[0])
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(op(x.flatten())[0], wanted[0])


@each_layout
def test_out(op: Op, layout: Op) -> None:
    x = draw(2, 3, 4, 5)
    wanted = op(x)
    outs = tuple(layout(torch.zeros_like(want)) for want in wanted[:2])
    outs = (*outs, transposed(torch.zeros_like(x)))
    returned = op(x, out=outs)
    assert [a is b for a, b in zip(returned, outs, strict=True)] == [True] * 3
    torch.testing.assert_close(outs, wanted, rtol=0, atol=0)
    empty = tuple(want.new_empty(0) for want in wanted)
    op(x, out=empty)
    torch.testing.assert_close(empty, wanted, rtol=0, atol=0)
    with pytest.raises(RuntimeError, match=r"out must have shape \[\], got \[7\]"):
        op(x, out=(x.new_zeros(7), wanted[1], wanted[2]))


def test_shapes_that_do_not_broadcast(op: Op) -> None:
    with pytest.raises(RuntimeError, match="must match"):
        op(draw(3, 4), draw(3))


def test_generated_tests_see_the_last_dimension() -> None:
    """Their op is that of many rows, and their oracle goes through the rows."""
    op = testing.op_of_rows(fusewise_ops.clip_by_norm, "clip_by_norm__rows")
    assert op.__wrapped__ is fusewise_ops.clip_by_norm  # type: ignore[attr-defined]
    oracle = testing.for_each_row(fusewise_ops.clip_by_norm)
    for shape in ((), (5,), (3, 5), (2, 3, 5)):
        x = draw(*shape)
        found = op(x, max_norm=2.0)
        torch.testing.assert_close(found, oracle(x, max_norm=2.0))
        outs = tuple(map(torch.zeros_like, found))
        returned = op(x, max_norm=2.0, out=outs)
        assert [a is b for a, b in zip(returned, outs, strict=True)] == [True, True]
        torch.testing.assert_close(outs, found)
