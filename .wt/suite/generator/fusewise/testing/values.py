"""Checks of what an op computes: its values, dtypes and strides."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from .case import Call, OpCase, stored
from .compare import check_values
from .layouts import ARRANGE, LENGTHS, layout_call

_SPECIAL = (torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 1.0, -1.0)


def check_forward(case: OpCase, device: str, dtype: torch.dtype, layout: str) -> None:
    """The values are those of the reference, for every param and omitted input."""
    for variant in case.variants():
        check_values(case, layout_call(case, layout, dtype, device, variant=variant, wide=True))


def check_lengths(case: OpCase, device: str, dtype: torch.dtype) -> None:
    """No length falls between the vectors and their tail."""
    if case.composed:
        pytest.skip("composed of other ops: its shapes are fixed")
    for length in LENGTHS:
        for shape in ((length,), (3, length)):
            check_values(case, case.call(shape, dtype, device))


def check_special_values(case: OpCase, device: str, dtype: torch.dtype) -> None:
    """A NaN or an infinity in any input comes out where the reference has one.

    Where an infinity is the input and the reference says NaN, a kernel may know the limit.
    """
    if not dtype.is_floating_point:
        pytest.skip("integers have no NaN and no infinity")
    for variant in case.variants():
        usual = case.call((35,), dtype, device, variant=variant)
        for i, tensor in enumerate(usual.tensors):
            if tensor is None or not tensor.is_floating_point():
                continue
            which = torch.arange(tensor.numel(), device=device) % len(_SPECIAL)
            special = torch.tensor(_SPECIAL, dtype=dtype, device=device)[which].view_as(tensor)
            call = usual.with_tensor(i, special)
            expected = call.cast(torch.float64).run(case.reference)
            nan_inputs = call.map(lambda t: torch.where(t.isinf(), torch.ones_like(t), t))
            must_be_nan = nan_inputs.cast(torch.float64).run(case.reference)
            for got, want, strict in zip(call.run(case.op), expected, must_be_nan, strict=True):
                if got.dtype == torch.bool:
                    assert torch.equal(got, want)
                if not got.is_floating_point():
                    continue  # which integer a NaN or an infinity becomes is not defined
                if got.itemsize == 1:  # of these types few operations are there
                    got, want = got.float(), want.float()
                known = ~want.isnan() | strict.isnan()
                same = (got.isnan() == want.isnan()) & (got.isposinf() == want.to(dtype).isposinf())
                same &= got.isneginf() == want.to(dtype).isneginf()
                wrong = known & ~same
                name = case.inputs[i].name
                assert not wrong.any(), (
                    f"special values as {name}: got {got[wrong][0]}, expected {want[wrong][0]}"
                )


def check_promotion(case: OpCase, device: str, dtypes: str) -> None:
    """Inputs of several dtypes give the dtype that PyTorch's promotion gives, and right values."""
    if case.composed:
        pytest.skip("composed of other ops: they promote as they do")
    kinds = [getattr(torch, name) for name in dtypes.split("_")]
    positions = [i for i, operand in enumerate(case.inputs) if operand.kind in ("float", "number")]
    if len(positions) < 2:
        pytest.skip("promotion needs two inputs with a dtype of their own")
    for rank_0 in (None, *positions):
        for first in (0, 1):
            call = case.call((3, 19), torch.float64, device)
            for count, i in enumerate(positions):
                tensor = call.tensors[i]
                assert tensor is not None
                if i == rank_0 and case.inputs[i].parts == 1:  # a packed input has no 0-dim form
                    tensor = tensor[0, 0]
                call = call.with_tensor(i, stored(tensor, kinds[(count + first) % 2]))
            check_values(case, call)


def check_strides(case: OpCase, device: str, layout: str) -> None:
    """Outputs keep the order of dimensions that eager PyTorch keeps, and a fake tensor agrees."""
    if case.composed:
        pytest.skip("composed of other ops: the strides are theirs")
    call = layout_call(case, layout, torch.float32 if case.takes_floats else torch.int64, device)
    with torch.no_grad():
        real = call.run(case.op)
        with FakeTensorMode() as mode:
            fake = call.map(mode.from_tensor).run(case.op)
        for output, got, faked in zip(case.outputs, real, fake, strict=True):
            assert (got.shape, got.dtype) == (faked.shape, faked.dtype), "fake tensor"
            strides = f"{output.name}: strides {got.stride()}"
            assert got.stride() == faked.stride(), f"{strides}, of the fake {faked.stride()}"
            assert got.device.type == faked.device.type == torch.device(device).type
        if layout == "mixed":
            return  # several orders compete: only the agreement above is fixed
        # A sum stands for the formula: some functions of eager PyTorch forget the order.
        want = functools.reduce(torch.add, _parts(case, call), torch.zeros((), device=device))
        for output, got in zip(case.outputs, real, strict=True):
            if output.parts == 1:  # torch.cat, which packs in eager PyTorch, forgets it too
                strides = f"{output.name}: strides {got.stride()}"
                assert _strides(got) == _strides(want), f"{strides}, eager {want.stride()}"


def _parts(case: OpCase, call: Call) -> Iterator[Tensor]:
    """The tensors that broadcast together."""
    for operand, tensor in zip(case.inputs, call.tensors, strict=True):
        if tensor is not None:
            yield from tensor.chunk(operand.parts, dim=-1) if operand.parts > 1 else (tensor,)


def _strides(tensor: Tensor) -> list[int]:
    """The strides that mean something: of a dimension of size 1, any stride is right."""
    if not tensor.numel():
        return []
    return [s for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1]


def check_out(case: OpCase, device: str) -> None:
    """`out=` writes where it is told, keeps the strides, and refuses what it must."""
    if case.composed:
        pytest.skip("composed of other ops: there is no out=")
    dtype = torch.float32 if case.takes_floats else torch.int64
    call = case.call((5, 7), dtype, device)
    expected = call.run(case.op)

    def write(*outs: Tensor, to: Call = call) -> tuple[Tensor, ...]:
        return replace(to, params={**to.params, "out": outs if outs[1:] else outs[0]}).run(case.op)

    for layout in ("contiguous", "transposed", "narrowed", "sliced", "offset_3"):
        outs = [ARRANGE[layout](torch.zeros_like(value)) for value in expected]
        before = [(out.data_ptr(), out.stride()) for out in outs]
        returned = write(*outs)
        for out, got, want, was in zip(outs, returned, expected, before, strict=True):
            assert (out.data_ptr(), out.stride()) == was, "out= was moved"
            assert got.data_ptr() == out.data_ptr(), "out= returned another tensor"
            assert torch.equal(out, want), f"out= has wrong values in a {layout} tensor"

    outs = [torch.zeros_like(value) for value in expected]
    first, others = outs[0], outs[1:]
    wrong_dtype = torch.float16 if first.dtype != torch.float16 else torch.float32
    with pytest.raises(RuntimeError):
        write(first.new_zeros((4, 7)), *others)
    with pytest.raises(RuntimeError):
        write(first.to(wrong_dtype), *others)
    with pytest.raises(RuntimeError):
        write(first[:1, :1].expand(first.shape), *others)
    leaves = call.leaves()
    if any(out.requires_grad for out in leaves.run(case.op)):
        with pytest.raises(RuntimeError):
            write(*outs, to=leaves)
