"""Rows in other dimensions than the last one: values, derivatives, strides, out=, errors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from fusewise import testing
from row_dims_ops import (
    LAYOUTS,
    Op,
    channel_norm,
    channels_last,
    check,
    draw,
    each_layout,
    load,
    plane_norm,
    sliced,
    statistics,
    targets,
    transposed,
)
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ops(op_cache: Path) -> dict[str, Op]:
    return load(op_cache)


@each_layout
@pytest.mark.parametrize("shape", [(), (4,), (3, 4), (3, 1, 5), (2, 3, 4, 5)], ids=str)
def test_every_dimension(ops: dict[str, Op], shape: tuple[int, ...], layout: Op) -> None:
    op, x = ops["any_softmax"], layout(draw(*shape))
    rank = max(1, len(shape))
    for dim in range(-rank, rank):
        check(lambda x, dim=dim: op(x, dim=dim), lambda x, dim=dim: torch.softmax(x, dim), [x])
        scaled = op(x, scale=0.5, dim=dim)
        torch.testing.assert_close(scaled, torch.softmax(0.5 * x, dim))
    assert torch.equal(op(x), op(x, dim=-1))


@each_layout
@pytest.mark.parametrize(
    ("name", "reference", "shapes"),
    [
        ("plane_norm", plane_norm, [(2, 3, 4, 5)]),
        ("plane_norm", plane_norm, [(4, 5), (4, 5), (4, 5)]),
        ("plane_norm", plane_norm, [(3, 4, 5), (3, 1, 1), (5,)]),
        ("plane_norm", plane_norm, [(4, 5), (2, 3, 1, 1), (4, 1)]),
        ("plane_norm", plane_norm, [(3, 1, 5), (), (1,)]),
        ("channel_norm", channel_norm, [(2, 3, 4, 5)]),
        ("channel_norm", channel_norm, [(3, 4, 5), (3, 1, 1), (3, 1, 1)]),
        ("channel_norm", channel_norm, [(3, 4, 5), (2, 1, 4, 1), (5,)]),
        ("channel_norm", channel_norm, [(3, 1, 5), (), (4, 1)]),
    ],
)
def test_norms(
    ops: dict[str, Op], name: str, reference: Op, shapes: list[tuple[int, ...]], layout: Op
) -> None:
    check(ops[name], reference, [layout(draw(*shape)) for shape in shapes])


ROW_SHAPES = [
    ((2, 3, 4), (3,), (3,)),
    ((5, 2, 3, 4), (5, 3), None),
    ((5, 2, 3, 4), (3,), ()),
    ((2, 3, 4), (5, 1), (1,)),
    ((2, 1, 4), (5, 3), None),
    ((1, 3, 1), (), (3,)),
]


@each_layout
@pytest.mark.parametrize(("x", "target", "scale"), ROW_SHAPES)
def test_row_tensors(
    ops: dict[str, Op],
    x: tuple[int, ...],
    target: tuple[int, ...],
    scale: tuple[int, ...] | None,
    layout: Op,
) -> None:
    row = None if scale is None else draw(*scale)
    check(ops["statistics"], statistics, [layout(draw(*x)), targets(*target, most=8), row])


@pytest.mark.parametrize("dim", range(-3, 3))
def test_row_tensors_of_a_named_dimension(ops: dict[str, Op], dim: int) -> None:
    x, sizes = draw(2, 3, 4), [2, 3, 4]
    length = sizes.pop(dim)
    inputs = [x, targets(*sizes, most=length), draw(*sizes)]
    negative = dim if dim < 0 else dim - 3
    check(
        functools.partial(ops["named_statistics"], dim=dim),
        functools.partial(statistics, dims=(negative,)),
        inputs,
    )


def test_finite_differences(ops: dict[str, Op]) -> None:
    checks = (torch.autograd.gradcheck, torch.autograd.gradgradcheck)
    x, plane, channel = draw(2, 3, 2, 2), draw(2, 2), draw(3, 1, 1)
    for t in (x, plane, channel):
        t.requires_grad_()
    scale = draw(2, 2).requires_grad_()
    target = targets(2, 2, most=6)
    for by in checks:
        for dim in range(4):
            assert by(functools.partial(ops["any_softmax"], dim=dim), x)
        assert by(ops["plane_norm"], (x, plane, channel))
        assert by(ops["channel_norm"], (x, channel, plane))
        assert by(lambda x, s: ops["statistics"](x, target, s), (x, scale))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_types(ops: dict[str, Op], dtype: torch.dtype) -> None:
    x, w = draw(2, 3, 4, 5, dtype=dtype), draw(3, 1, 1)
    found = ops["channel_norm"](x, w.to(dtype))
    assert found.dtype == dtype
    torch.testing.assert_close(found, channel_norm(x.double(), w.to(dtype).double()).to(dtype))
    number = torch.tensor(2.0, dtype=torch.double)  # without dimensions it promotes no other tensor
    assert ops["channel_norm"](x, number).dtype == dtype
    assert ops["plane_norm"](x, None, number).dtype == dtype
    assert ops["plane_norm"](x, None, number[None]).dtype == torch.double


def test_bits_of_a_row_depend_on_the_row_alone(ops: dict[str, Op]) -> None:
    x = draw(4, 70, 90, dtype=torch.float32)
    rows = ops["any_softmax"](x)
    for dim in (0, 1):
        moved = x.movedim(-1, dim)
        assert torch.equal(ops["any_softmax"](moved, dim=dim).movedim(dim, -1), rows)
        moved = moved.contiguous()
        assert torch.equal(ops["any_softmax"](moved, dim=dim).movedim(dim, -1), rows)
    whole = ops["plane_norm"](x)
    assert torch.equal(ops["plane_norm"](x[2:3]), whole[2:3])
    assert torch.equal(ops["plane_norm"](x.mT.contiguous().mT), whole)


@pytest.mark.parametrize("layout", [*LAYOUTS[:4], transposed])
def test_results_have_the_order_of_the_inputs(ops: dict[str, Op], layout: Op) -> None:
    """As those of PyTorch have, unless a row is several dimensions without a common stride."""
    x = layout(draw(2, 3, 4, 5))
    order = torch.empty_like(x).stride()
    for dim in range(4):
        assert ops["any_softmax"](x, dim=dim).stride() == order
    assert ops["channel_norm"](x).stride() == order
    if layout is not transposed:
        assert ops["plane_norm"](x).stride() == order


def test_a_row_is_read_in_place(ops: dict[str, Op]) -> None:
    """Rows of a common stride are views of the input, and no copy is saved."""
    saved: list[Tensor] = []

    def save(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    x = draw(2, 3, 4, 5).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        for name in ("channel_norm", "plane_norm"):
            ops[name](x)
    assert [t.data_ptr() for t in saved] == [x.data_ptr()] * 2


def test_a_result_is_no_view(ops: dict[str, Op]) -> None:
    x = draw(2, 3, 4).requires_grad_()
    for op in (functools.partial(ops["any_softmax"], dim=1), ops["plane_norm"]):
        result = op(x)
        assert not result._is_view()
        assert not result.detach_().requires_grad
    result = ops["any_softmax"](x, dim=1)  # its backward reads the result
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.exp_().sum().backward()
    result = ops["plane_norm"](x)
    result.exp_().sum().backward()
    expected = torch.autograd.grad(ops["plane_norm"](x).exp().sum(), x)[0]
    torch.testing.assert_close(x.grad, expected)


@pytest.mark.parametrize("name", ["any_softmax", "plane_norm", "channel_norm", "statistics"])
def test_out(ops: dict[str, Op], name: str) -> None:
    op = functools.partial(ops[name], dim=1) if name == "any_softmax" else ops[name]
    inputs = [draw(2, 3, 4, 5)]
    if name == "statistics":
        inputs.append(targets(2, 4, most=15))
    expected = op(*inputs)
    many = isinstance(expected, tuple)
    wanted = expected if many else (expected,)

    def write(outs: Sequence[Tensor], inputs: Sequence[Tensor] = inputs) -> None:
        returned = op(*inputs, out=tuple(outs) if many else outs[0])
        for got, out in zip(returned if many else (returned,), outs, strict=True):
            assert got.data_ptr() == out.data_ptr()
            assert got.stride() == out.stride()

    for layout in (Tensor.contiguous, transposed, sliced, channels_last):
        outs = [layout(torch.zeros_like(want)) for want in wanted]
        versions = [out._version for out in outs]
        write(outs)
        torch.testing.assert_close(outs, list(wanted), rtol=0, atol=0)
        assert all(out._version > before for out, before in zip(outs, versions, strict=True))
    empty = [want.new_empty(0) for want in wanted]
    write(empty)
    torch.testing.assert_close(empty, list(wanted), rtol=0, atol=0)
    outs = [torch.zeros_like(want) for want in wanted]
    with pytest.raises(RuntimeError, match=rf"{name}: out must have shape \[.*\], got \[7\]"):
        write([want.new_zeros(7) for want in wanted])
    with pytest.raises(RuntimeError, match=f"{name}: out must have dtype"):
        write([out.float() for out in outs])
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        write(outs, [inputs[0].clone().requires_grad_(), *inputs[1:]])
    with pytest.raises(RuntimeError):
        write([torch.zeros_like(want).requires_grad_() for want in wanted])


def test_out_is_the_input(ops: dict[str, Op]) -> None:
    x = draw(2, 3, 4)
    expected = torch.softmax(x, 1)
    torch.testing.assert_close(ops["any_softmax"](x, dim=1, out=x), expected)
    torch.testing.assert_close(x, expected)
    with pytest.raises(RuntimeError, match="any_softmax: out may share memory with x"):
        ops["any_softmax"](x[:, :2], dim=1, out=x[:, 1:])


@pytest.mark.parametrize(
    ("name", "shape", "params", "error"),
    [
        ("any_softmax", (3, 4), {"dim": 2}, "dim is 2, expected a dimension from -2 to 1"),
        ("any_softmax", (3, 4), {"dim": -3}, "dim is -3, expected a dimension from -2 to 1"),
        ("any_softmax", (), {"dim": 1}, "dim is 1, expected a dimension from -1 to 0"),
        ("plane_norm", (4,), {}, "a row is the dimensions -2, -1, but the inputs have 1"),
        ("channel_norm", (3, 4), {}, "a row is the dimension -3, but the inputs have 2"),
        ("channel_norm", (), {}, "a row is the dimension -3, but the inputs have 0"),
    ],
)
def test_missing_dimensions(
    ops: dict[str, Op], name: str, shape: tuple[int, ...], params: dict[str, int], error: str
) -> None:
    with pytest.raises(IndexError, match=f"{name}: {error}"):
        ops[name](draw(*shape), **params)
    with FakeTensorMode(), pytest.raises(IndexError, match=f"{name}: {error}"):
        ops[name](torch.empty(shape), **params)


def test_wrong_arguments(ops: dict[str, Op]) -> None:
    with pytest.raises(TypeError, match="dim must be an int"):
        ops["any_softmax"](draw(3, 4), dim=0.5)
    with pytest.raises(TypeError, match="dim must be an int"):
        ops["any_softmax"](draw(3, 4), dim=(0, 1))
    with pytest.raises(RuntimeError, match="must match"):
        ops["plane_norm"](draw(3, 4, 5), draw(4, 4))
    with pytest.raises(RuntimeError, match="must match"):
        ops["statistics"](draw(2, 3, 4), targets(2, most=8))


def test_empty(ops: dict[str, Op]) -> None:
    for shape in ((0, 3, 4), (2, 0, 4), (2, 3, 0)):
        x = draw(*shape)
        for dim in range(3):
            check(lambda x, dim=dim: ops["any_softmax"](x, dim=dim), lambda x: x.clone(), [x])
        assert ops["plane_norm"](x).shape == ops["channel_norm"](x).shape == shape
    found = ops["statistics"](draw(5, 2, 0, 4), targets(5, 0, most=8))
    assert [tuple(t.shape) for t in found] == [(5, 0), (5, 1, 0, 1), (5, 2, 0, 4)]
    with pytest.raises(IndexError, match="statistics: a row has no elements, but a maximum needs"):
        ops["statistics"](draw(0, 3, 4), targets(3, most=8))


def test_generated_tests_see_the_last_dimension(ops: dict[str, Op]) -> None:
    """`testing.rows_last` makes an op of the last dimension from one of other dimensions."""
    rows = {"row_inputs": (1, 2), "row_outputs": (0,)}
    reference = functools.partial(statistics, dims=(-1,))
    several = testing.rows_last(ops["statistics"], (-3, -1), **rows)
    named = testing.rows_last(ops["named_statistics"], (-2,), **rows, dim=-2)
    for op in (several, named):
        for x, target, scale in (((4,), (), ()), ((3, 4), (3,), None), ((2, 1, 6), (3,), (2, 1))):
            row = None if scale is None else draw(*scale)
            check(op, reference, [draw(*x), targets(*target, most=4), row])
        wide = draw(3, 4), targets(3, most=4), draw(3)
        outs = tuple(map(torch.zeros_like, op(*wide)))
        returned = op(*wide, out=outs)
        assert [t.data_ptr() for t in returned] == [t.data_ptr() for t in outs]
        torch.testing.assert_close(outs, reference(*wide))


def test_results_may_be_changed_in_place(ops: dict[str, Op]) -> None:
    """They are views of what the kernel has written, which no backward reads here."""
    x = draw(2, 3, 4, 5).requires_grad_()
    for name in ("channel_norm", "plane_norm"):
        changed = ops[name](x).mul_(2)
        expected = ops[name](x) * 2
        torch.testing.assert_close(
            torch.autograd.grad(changed.sin().sum(), x),
            torch.autograd.grad(expected.sin().sum(), x),
        )
    softmax = ops["any_softmax"](x, dim=1).mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        softmax.sum().backward()


def test_out_of_fake_tensors(ops: dict[str, Op]) -> None:
    with FakeTensorMode():
        x = torch.empty(2, 3, 4)
        for out in (torch.empty(0), torch.empty(4, 3, 2).permute(2, 1, 0)):
            returned = ops["any_softmax"](x, dim=1, out=out)
            assert returned is out
            assert out.shape == x.shape
        with pytest.raises(RuntimeError, match=r"out must have shape \[2, 3, 4\], got \[5\]"):
            ops["any_softmax"](x, dim=1, out=torch.empty(5))
