"""A check that results exactly between two numbers of a 16-bit type round to the even one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from .case import SEED, Call, Input, OpCase, Shape, is_differentiable
from .compare import Values, gradients

_SHAPE = (64, 96)
_ROWS = 3  # that a sum is of


def check_ties(case: OpCase, device: str, half: torch.dtype) -> None:
    """Ties of outputs, gradients and sums of gradients round to even, as PyTorch's do.

    The inputs and incoming gradients have few digits, so that products and sums are exact in
    float32; a tie is what the reference gives exactly, in float32 and float64, between two numbers.
    """
    if not case.exact:
        pytest.skip("the formula has functions that always round")
    found = _check_ties(case, [_SHAPE] * len(case.inputs), device, half)
    if len(case.inputs) > 1:
        rows: list[Shape] = [(_ROWS, *_SHAPE)] * len(case.inputs)
        rows[-1] = _SHAPE
        found += _check_ties(case, rows, device, half)
    if not found:
        pytest.skip("no result lies between two numbers of the type")


def _check_ties(case: OpCase, shapes: Sequence[Shape], device: str, half: torch.dtype) -> int:
    """Returns the number of ties."""
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


_WIDE = (torch.float32, torch.float64)


def _outputs(case: OpCase, call: Call) -> Values:
    with torch.no_grad():
        return call.run(case.reference)


def _few_digits(operand: Input, like: Tensor, generator: torch.Generator) -> Tensor:
    """Numbers inside the domain of one to as many digits as the type has, around one."""
    digits = 1 - int(torch.log2(torch.tensor(torch.finfo(like.dtype).eps)))

    def draw(low: int, high: int) -> Tensor:
        return torch.randint(low, high + 1, like.shape, generator=generator).double()

    places = draw(1, digits)
    mantissa = (torch.exp2(places) * torch.rand(like.shape, generator=generator)).floor()
    values = (2 * draw(0, 1) - 1) * (mantissa + 1) * torch.exp2(1 - places + draw(-2, 1))
    low, high = operand.domain
    return (values.abs() if low >= 0 else values).clamp(low, high).to(like.dtype)


def _compare_ties(actual: Values, rough: Values, exact: Values, what: str) -> int:
    found = 0
    for got, near, want in zip(actual, rough, exact, strict=True):
        if got.dtype not in (torch.float16, torch.bfloat16):
            continue
        want = want.double()
        even = want.to(got.dtype).double()  # of two numbers as near
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
