"""Tests of the outputs of an op: values, dtypes, strides and rounding."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from .case import SEED, Call, OpCase, is_differentiable, skip_composed, stored
from .compare import are_equal, check_gradients, check_values, gradients
from .gradients import incoming
from .inputs import Input, Shape
from .layouts import ARRANGE, LENGTHS, broadcasts, layout_call
from .noise import Values

_SPECIAL = (torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 1.0, -1.0)
_TIE_SHAPE = (64, 96)
_TIE_ROWS = 3  # terms of each sum
_WIDE = (torch.float32, torch.float64)


class ValueTests:
    def test_forward(self, case: OpCase, device: str, dtype: torch.dtype, layout: str) -> None:
        """The values agree with the reference, for every param and omitted input."""
        for variant in case.variants():
            check_values(case, layout_call(case, layout, dtype, device, variant=variant, wide=True))

    def test_lengths(self, case: OpCase, device: str, dtype: torch.dtype) -> None:
        """The values agree at every length, with whole vectors and a tail."""
        skip_composed(case, "its shapes are fixed")
        for length in LENGTHS:
            for shape in ((length,), (3, length)):
                check_values(case, case.call(shape, dtype, device))

    def test_broadcast(self, case: OpCase, device: str, dtype: torch.dtype, broadcast: str) -> None:
        """A broadcast input gives the right values, and its gradient is summed to its shape."""
        for variant in case.variants():
            call = case.call(broadcasts(case)[broadcast], dtype, device, variant=variant)
            check_values(case, call)
            if dtype.is_floating_point and case.differentiable:
                check_gradients(case, call, incoming(case, call))

    def test_special_values(self, case: OpCase, device: str, dtype: torch.dtype) -> None:
        """A NaN or an infinity in any input gives a NaN or an infinity where the reference does.

        If an infinite input makes the reference NaN, a kernel may return the limit instead.
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
                        continue  # a NaN or an infinity as an integer is undefined
                    if got.itemsize == 1:  # PyTorch has few operations of float8
                        got, want = got.float(), want.float()
                    known = ~want.isnan() | strict.isnan()
                    same = (got.isnan() == want.isnan()) & (
                        got.isposinf() == want.to(dtype).isposinf()
                    )
                    same &= got.isneginf() == want.to(dtype).isneginf()
                    wrong = known & ~same
                    name = case.inputs[i].name
                    assert not wrong.any(), (
                        f"special values as {name}: got {got[wrong][0]}, expected {want[wrong][0]}"
                    )

    def test_promotion(self, case: OpCase, device: str, dtypes: str) -> None:
        """Inputs of two dtypes give right values in the dtype of PyTorch's promotion."""
        skip_composed(case, "they promote as they do")
        kinds = [getattr(torch, name) for name in dtypes.split("_")]
        positions = [
            i for i, operand in enumerate(case.inputs) if operand.kind in ("float", "number")
        ]
        if len(positions) < 2:
            pytest.skip("promotion needs two inputs with a dtype of their own")
        for rank_0 in (None, *positions):
            for first in (0, 1):
                call = case.call((3, 19), torch.float64, device)
                for count, i in enumerate(positions):
                    tensor = call.tensors[i]
                    assert tensor is not None
                    # the 0-dim form of an input that is not packed and no row tensor
                    if i == rank_0 and case.inputs[i].parts == 1 and not case.inputs[i].is_row:
                        tensor = tensor[0, 0]
                    call = call.with_tensor(i, stored(tensor, kinds[(count + first) % 2]))
                check_values(case, call)

    def test_strides(self, case: OpCase, device: str, layout: str) -> None:
        """Outputs have the order of dimensions of eager PyTorch, and fake tensors agree."""
        skip_composed(case, "the strides are theirs")
        call = layout_call(
            case, layout, torch.float32 if case.takes_floats else torch.int64, device
        )
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
                return  # the inputs disagree on the order: only fake and real must agree
            # The sum of the inputs has the expected order; some eager functions lose it.
            want = functools.reduce(torch.add, _parts(case, call), torch.zeros((), device=device))
            for output, got in zip(case.outputs, real, strict=True):
                if output.parts == 1:  # torch.cat, which packs in eager PyTorch, loses it too
                    strides = f"{output.name}: strides {got.stride()}"
                    model = _row_of(want, output.keepdim) if output.is_row else want
                    assert _strides(got) == _strides(model), f"{strides}, eager {model.stride()}"

    def test_out(self, case: OpCase, device: str) -> None:
        """`out=` writes into the given tensors, keeps their strides, and rejects wrong tensors."""
        skip_composed(case, "there is no out=")
        dtype = torch.float32 if case.takes_floats else torch.int64
        call = case.call((5, 7), dtype, device)
        expected = call.run(case.op)

        def write(*outs: Tensor, to: Call = call) -> tuple[Tensor, ...]:
            return replace(to, params={**to.params, "out": outs if outs[1:] else outs[0]}).run(
                case.op
            )

        for layout in ("contiguous", "transposed", "narrowed", "sliced", "offset_3"):
            outs = [ARRANGE[layout](torch.zeros_like(value)) for value in expected]
            before = [(out.data_ptr(), out.stride()) for out in outs]
            returned = write(*outs)
            for out, got, want, was in zip(outs, returned, expected, before, strict=True):
                assert (out.data_ptr(), out.stride()) == was, "out= was moved"
                assert got.data_ptr() == out.data_ptr(), "out= returned another tensor"
                assert are_equal(out, want), f"out= has wrong values in a {layout} tensor"

        outs = [torch.zeros_like(value) for value in expected]
        first, others = outs[0], outs[1:]
        wrong_dtype = torch.float16 if first.dtype != torch.float16 else torch.float32
        with pytest.raises(RuntimeError):
            write(first.new_zeros((4, 7)), *others)
        with pytest.raises(RuntimeError):
            write(first.to(wrong_dtype), *others)
        with pytest.raises(RuntimeError):
            write(first[(slice(1),) * first.dim()].expand(first.shape), *others)
        leaves = call.leaves()
        if any(out.requires_grad for out in leaves.run(case.op)):
            with pytest.raises(RuntimeError):
                write(*outs, to=leaves)


def _parts(case: OpCase, call: Call) -> Iterator[Tensor]:
    """The tensors that broadcast against each other: inputs, and parts of packed inputs."""
    for operand, tensor in zip(case.inputs, call.tensors, strict=True):
        if tensor is not None:
            tensor = tensor.unsqueeze(-1) if operand.is_row else tensor
            yield from tensor.chunk(operand.parts, dim=-1) if operand.parts > 1 else (tensor,)


def _row_of(tensor: Tensor, keepdim: bool) -> Tensor:
    """A tensor without the last dimension, dense in the same order of the others."""
    row = torch.empty_like(tensor.select(-1, 0)) if tensor.numel() and tensor.dim() else tensor
    return row.unsqueeze(-1) if keepdim else row


def _strides(tensor: Tensor) -> list[int]:
    """The strides of the dimensions with more than one element; the others are arbitrary."""
    if not tensor.numel():
        return []
    return [s for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1]


class Ties:
    """Tests of an op whose results are exact for inputs with few digits."""

    def test_ties(self, case: OpCase, device: str, half: torch.dtype) -> None:
        """Outputs, gradients and summed gradients round ties to even, as PyTorch does.

        The inputs and incoming gradients have few digits, so that products and sums are exact in
        float32. A tie is the middle of two 16-bit numbers; the reference has it exactly, in float32
        and in float64.
        """
        if not case.exact:
            pytest.skip("the formula has functions that always round")
        found = _check_ties(case, [_TIE_SHAPE] * len(case.inputs), device, half)
        if len(case.inputs) > 1:
            rows: list[Shape] = [(_TIE_ROWS, *_TIE_SHAPE)] * len(case.inputs)
            rows[-1] = _TIE_SHAPE
            found += _check_ties(case, rows, device, half)
        if not found:
            pytest.skip("no result lies between two numbers of the type")


def _check_ties(case: OpCase, shapes: Sequence[Shape], device: str, half: torch.dtype) -> int:
    """Checks the rounding of ties of a call, and returns the number of ties."""
    generator = torch.Generator().manual_seed(SEED)
    call = case.call(shapes, half)
    for i, (operand, tensor) in enumerate(zip(case.inputs, call.tensors, strict=True)):
        if tensor is not None and tensor.is_floating_point():
            call = call.with_tensor(i, _few_digits(operand, tensor, generator))
    with torch.no_grad():
        outputs = call.to(device).run(case.op)
    rough, exact = (_outputs(case, call.cast(dtype)) for dtype in _WIDE)
    found = _compare_ties(outputs, rough, exact, "output")
    if not case.differentiable:
        return found
    anything = Input("grad")
    grads = [
        _few_digits(anything, out.cpu(), generator) for out in outputs if is_differentiable(out)
    ]
    actual = gradients(case.op, call.to(device), [grad.to(device) for grad in grads])
    rough, exact = (gradients(case.expected, call.cast(dtype), grads) for dtype in _WIDE)
    return found + _compare_ties(actual, rough, exact, "gradient")


def _outputs(case: OpCase, call: Call) -> Values:
    with torch.no_grad():
        return call.run(case.reference)


def _few_digits(operand: Input, like: Tensor, generator: torch.Generator) -> Tensor:
    """Random numbers near 1 inside the domain, with up to as many binary digits as the dtype."""
    digits = 1 - int(torch.log2(torch.tensor(torch.finfo(like.dtype).eps)))

    def draw(low: int, high: int) -> Tensor:
        return torch.randint(low, high + 1, like.shape, generator=generator).double()

    places = draw(1, digits)
    mantissa = (torch.exp2(places) * torch.rand(like.shape, generator=generator)).floor()
    values = (2 * draw(0, 1) - 1) * (mantissa + 1) * torch.exp2(1 - places + draw(-2, 1))
    low, high = operand.bounds(like.shape)
    return torch.where(low >= 0, values.abs(), values).clamp(low, high).to(like.dtype)


def _compare_ties(actual: Values, rough: Values, exact: Values, what: str) -> int:
    found = 0
    for got, near, want in zip(actual, rough, exact, strict=True):
        if got.dtype not in (torch.float16, torch.bfloat16):
            continue
        want = want.double()
        even = want.to(got.dtype).double()  # the even one of the two nearest numbers
        other = (2 * want - even).to(got.dtype).double()
        tie = (even != want) & (2 * want - even == other) & (near.double() == want)
        wrong = tie & (got.detach().cpu().double() != even)
        found += int(tie.sum())
        if wrong.any():
            at = tuple(int(i) for i in wrong.nonzero()[0])
            raise AssertionError(
                f"{what}: {int(wrong.sum())} of {int(tie.sum())} ties round to odd; at {list(at)} "
                f"{float(want[at]):.9g} gives {float(got[at]):.9g}, not {float(even[at]):.9g}"
            )
    return found
