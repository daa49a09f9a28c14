"""`out=` of the sample ops (tests/torch/ops): shared memory, subclasses, functionalization."""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from sample_ops import C, lltm_cell, swiglu
from torch.overrides import TorchFunctionMode

pytestmark = pytest.mark.usefixtures("sample_ops")


@pytest.mark.parametrize("begin", [1, 3, 4, 9, 12, 15])
def test_out_that_overlaps_a_packed_input_is_refused(begin: int) -> None:
    base = torch.randn(5, 20)
    cell, hidden = torch.randn(5, 4), torch.empty(5, 4)
    before = base.clone()
    with pytest.raises(RuntimeError, match="lltm_cell: out may share memory with gates; clone"):
        C.lltm_cell(base[:, 4:16], cell, out=(base[:, begin : begin + 4], hidden))
    assert torch.equal(base, before)


def test_a_packed_input_is_not_its_own_out() -> None:
    gates = torch.randn(5, 12)
    cell = torch.randn(5, 4)
    with pytest.raises(RuntimeError, match="out may share memory with gates"):
        C.lltm_cell(gates, cell, out=(gates[:, :4], torch.empty(5, 4)))


def test_out_beside_the_input_in_each_row() -> None:
    base = torch.randn(5, 20)
    gates, cell = base[:, 4:16].clone(), torch.randn(5, 4)
    results = C.lltm_cell(base[:, 4:16], cell, out=(base[:, :4], base[:, 16:]))
    torch.testing.assert_close(results, lltm_cell(gates, cell))
    rows = torch.randn(3, 6, 20)
    x, y = rows[:, ::2, :4].clone(), rows[:, 1::2, :4].clone()
    C.swiglu(rows[:, ::2, :4], rows[:, 1::2, :4], out=rows[:, ::2, 8:12])
    torch.testing.assert_close(rows[:, ::2, 8:12], swiglu(x, y))


def test_out_in_place_of_an_input_of_any_strides() -> None:
    for view in (lambda t: t, lambda t: t[:, 2:5], lambda t: t.t(), lambda t: t[::2, ::3]):
        x = view(torch.randn(8, 8))
        y = torch.randn(x.shape)
        expected = swiglu(x.clone(), y)
        assert C.swiglu(x, y, out=x) is x
        torch.testing.assert_close(x, expected)


def test_out_that_is_a_row_of_a_broadcast_input_is_refused() -> None:
    base = torch.randn(4, 4)
    for shifted in (base[1:, :], base[:, 1:], base.t()):
        out = base[: shifted.shape[0], : shifted.shape[1]]
        with pytest.raises(RuntimeError, match="out may share memory with x"):
            C.swiglu(shifted, torch.randn(shifted.shape), out=out)
    with pytest.raises(RuntimeError, match="out may share memory with y"):
        C.swiglu(torch.randn(4, 4), base[0], out=base)


def test_outs_that_interleave() -> None:
    base = torch.zeros(5, 8)
    gates, cell = torch.randn(5, 12), torch.randn(5, 4)
    C.lltm_cell(gates, cell, out=(base[:, ::2], base[:, 1::2].contiguous()))
    with pytest.raises(RuntimeError, match="two tensors of out may share memory"):
        C.lltm_cell(gates, cell, out=(base[:, :4], base[:, 3:7]))


class Asked(torch.Tensor):
    """Records the functions for which `__torch_function__` is called."""

    functions: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.functions.append(str(func))
        return super().__torch_function__(func, types, args, kwargs or {})


def test_a_subclass_as_out_is_asked() -> None:
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    Asked.functions.clear()
    out = torch.empty(3, 4).as_subclass(Asked)
    C.swiglu(x, y, out=out)
    assert any("swiglu" in name for name in Asked.functions)
    torch.testing.assert_close(out.as_subclass(torch.Tensor), swiglu(x, y))
    Asked.functions.clear()
    outs = (torch.empty(3, 4), torch.empty(3, 4).as_subclass(Asked))
    C.lltm_cell(torch.randn(3, 12), x, out=outs)
    assert any("lltm_cell" in name for name in Asked.functions)


def test_a_mode_sees_out() -> None:
    seen = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), set(kwargs or {})))
            return func(*args, **(kwargs or {}))

    x, out = torch.randn(3, 4), torch.empty(3, 4)
    with Mode():
        C.swiglu(x, x, out=out)
    assert any("swiglu" in name and "out" in names for name, names in seen)
    torch.testing.assert_close(out, swiglu(x, x))


def test_out_is_a_plain_tensor() -> None:
    x = torch.randn(3, 4)
    for out, layout in ((x.to_sparse(), "Sparse"), (x.to_mkldnn(), "Mkldnn")):
        message = f"swiglu: out has layout {layout}; supported is strided"
        with pytest.raises(NotImplementedError, match=message):
            C.swiglu(x, x, out=out)
    jagged = torch.nested.nested_tensor_from_jagged(x, torch.tensor([0, 1, 3]))
    for y in (x, jagged):
        with pytest.raises(NotImplementedError, match="swiglu: out= takes no nested tensors"):
            C.swiglu(y, x, out=jagged)


def test_functionalize_takes_out() -> None:
    x, y = torch.randn(3, 4), torch.randn(4)

    def call(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = torch.empty(3, 4)
        C.swiglu(x, y, out=out)
        return out * 2

    expected = 2 * swiglu(x, y)
    torch.testing.assert_close(torch.func.functionalize(call)(x, y), expected)
    out = torch.empty(3, 4)
    torch.func.functionalize(lambda x, y, out: C.swiglu(x, y, out=out))(x, y, out)
    torch.testing.assert_close(2 * out, expected)


def test_out_gets_its_pages_as_it_is_written() -> None:
    # A file that is larger than the memory of the machine would be read and written twice.
    count = 2**21
    memory = mmap.mmap(-1, 4 * count, mmap.MAP_PRIVATE)
    out = torch.frombuffer(memory, dtype=torch.float)
    x, y = torch.randn(count), torch.randn(count)
    assert torch.equal(C.swiglu(x, y, out=out), C.swiglu(x, y))
    assert "hg" not in memory_flags(out.data_ptr())  # huge pages were not asked for


def memory_flags(address: int) -> list[str]:
    """The flags of the mapping of an address."""
    is_here = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if bounds := re.match("([0-9a-f]+)-([0-9a-f]+) ", line):
            is_here = int(bounds[1], 16) <= address < int(bounds[2], 16)
        elif is_here and line.startswith("VmFlags:"):
            return line.split()[1:]
    raise ValueError(f"nothing is mapped at {address:x}")


def test_large_out_in_place_of_an_input_with_half_of_its_pages() -> None:
    count = 2**21 + 13
    memory = mmap.mmap(-1, 4 * count, mmap.MAP_PRIVATE)
    x = torch.frombuffer(memory, dtype=torch.float)
    x[: count // 2] = torch.randn(count // 2)
    halves = torch.cat([x[: count // 2], torch.zeros(count - count // 2)])
    y = torch.randn(count)
    pieces = [C.swiglu(a, b) for a, b in zip(halves.split(1000), y.split(1000), strict=True)]
    assert torch.equal(C.swiglu(x, y, out=x), torch.cat(pieces))
