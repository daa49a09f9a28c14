"""The comparison of a result with the reference, and its tolerance.

The reference runs in float64 on the stored inputs. A result passes if

    |actual - expected| <= ULPS * ulp(expected) + 2 * noise + smallest normal number

The first term is the promise: 1.5 ulp of a 16-bit type (computed in float, rounded once), 4 ulp of
float and double.

The second term is the noise of the formula (`noise`). It matters near a zero of the result and
where the formula cancels. The runs that measure it take most of the time of a test, and are made
only where the other terms do not do. A gradient that is a sum is rounded with each term: four
roundings of the sum of magnitudes are allowed.

The last term lets results below the smallest normal number of the compute type be flushed to zero.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from .case import Call, OpCase, is_differentiable, promoted
from .noise import Moved, Values, noisy

ULPS = {torch.float64: 4.0, torch.float32: 4.0, torch.float16: 1.5, torch.bfloat16: 1.5}
ULPS |= {torch.float8_e4m3fn: 1.5, torch.float8_e5m2: 1.5}


def compare(actual: Values, expected: Values, moved: Moved, what: str) -> None:
    """Fail if `actual` differs from `expected` by more than the tolerance.

    moved: gives the results of the noisy runs. what: the start of the message.
    """
    runs = functools.cache(moved)
    assert len(actual) == len(expected), f"{what}: {len(actual)} results, not {len(expected)}"
    for i, (got, want) in enumerate(zip(actual, expected, strict=True)):
        assert got.shape == want.shape, f"{what} {i}: shape {got.shape}, expected {want.shape}"
        difference = _of_floats if got.dtype.is_floating_point else _of_integers
        if difference(got, want, []) and (
            found := difference(got, want, [values[i] for values in runs()])
        ):
            raise AssertionError(f"{what} {i}: {found}")


def are_equal(got: Tensor, want: Tensor) -> bool:
    """True for tensors of the same shape, dtype and values, where a NaN is equal to a NaN."""
    if not got.is_floating_point() or got.dtype != want.dtype:
        return got.dtype == want.dtype and torch.equal(got, want)
    got, want = got.double(), want.double()
    return torch.equal(got.isnan(), want.isnan()) and torch.equal(
        got.nan_to_num(0, torch.inf, -torch.inf), want.nan_to_num(0, torch.inf, -torch.inf)
    )


def _of_integers(got: Tensor, want: Tensor, moved: list[Tensor]) -> str:
    """Which values are out of the range of the expected and the moved values, or nothing."""
    steps = torch.stack([value.cpu().to(got.dtype) for value in (want, *moved)]).long()
    actual = got.cpu().long()
    right = (steps.amin(0) <= actual) & (actual <= steps.amax(0))
    if right.all():
        return ""
    return f"{int((~right).sum())} of {right.numel()} values differ"


def _of_floats(got: Tensor, want: Tensor, moved: list[Tensor]) -> str:
    """Which values are off by more than the tolerance, or nothing."""
    info = torch.finfo(got.dtype)
    actual, expected = got.detach().cpu().double(), want.detach().cpu().double()
    largest = torch.full_like(expected, info.max)
    exponent = torch.frexp(expected.abs().nan_to_num().clamp(info.tiny, info.max)).exponent
    ulp = torch.ldexp(torch.full_like(expected, info.eps), exponent - 1)
    noise = torch.zeros_like(expected)
    for values in moved:
        error = (values.detach().cpu().double() - expected).abs()
        noise = torch.maximum(noise, error.nan_to_num(nan=torch.inf))
    compute = torch.float64 if got.dtype == torch.float64 else torch.float32
    bar = ULPS[got.dtype] * ulp + 2 * noise + torch.finfo(compute).tiny
    # An infinity counts as the largest number of its type: rounding may give either.
    error = (actual.clamp(-largest, largest) - expected.clamp(-largest, largest)).abs()
    right = (error <= bar) | (actual.isnan() & ~bar.isfinite())
    right = torch.where(expected.isinf(), actual == expected, right)
    right = torch.where(expected.isnan(), actual.isnan(), right)
    if right.all():
        return ""
    at = tuple(int(i) for i in (~right).nonzero()[0])
    return (
        f"{int((~right).sum())} of {right.numel()} values are wrong; at {list(at)} got "
        f"{actual[at]:.9g}, expected {expected[at]:.9g}, off by {error[at] / ulp[at]:.1f} ulp "
        f"of {got.dtype}, allowed {bar[at] / ulp[at]:.1f}"
    )


def assert_close(case: OpCase, actual: object, expected: object) -> None:
    """Fail unless the tensors agree within `case.tolerance`: for float64 results of transforms."""
    rtol = case.tolerance
    for got, want in zip(tree_leaves(actual), tree_leaves(expected), strict=True):
        if isinstance(want, Tensor) and want.is_floating_point() and want.itemsize == 1:
            assert got.dtype == want.dtype
            got, want = got.float(), want.float()
            torch.testing.assert_close(got, want, rtol=0.26, atol=0.01, equal_nan=True)
        else:
            torch.testing.assert_close(got, want, rtol=rtol, atol=0.1 * rtol, equal_nan=True)


def compute_dtype(call: Call) -> torch.dtype:
    """The dtype in which a kernel computes: float64 or float32."""
    return torch.float64 if promoted(call.present) == torch.float64 else torch.float32


def noise_dtype(case: OpCase, call: Call) -> torch.dtype:
    """The dtype to which an op rounds between operations; a composed op stores each result."""
    return promoted(call.present) if case.composed else compute_dtype(call)


def gradient_noise_dtype(case: OpCase, call: Call) -> torch.dtype:
    """The same for the backward, whose saved outputs were rounded to the promoted dtype."""
    return promoted(call.present) if case.saves_outputs else noise_dtype(case, call)


def largest(tensor: Tensor) -> float:
    """The largest finite magnitude, 0 if there is none."""
    if not tensor.is_floating_point() or not tensor.numel():
        return 0.0
    return float(torch.where(tensor.isfinite(), tensor.abs(), 0).max())


def check_values(case: OpCase, call: Call, actual: Values | None = None) -> Values:
    """Compares the outputs of a call with the reference and returns them.

    actual: the outputs, if the op has already run.
    """
    with torch.no_grad():
        if actual is None:
            actual = call.run(case.op)
        for output, value in zip(case.outputs, actual, strict=True):
            dtype = output.dtype_of(call, case.inputs)
            assert value.dtype == dtype, f"{output.name}: {value.dtype}, expected {dtype}"
        if not call.floats:  # integers are computed in 64 bits and truncated by the store
            wide = call.map(lambda t: t if t.dtype == torch.bool else t.long())
            compare(actual, wide.run(case.reference), tuple, f"{case.name}: output")
            return actual
        for reference in filter(None, (case.reference, case.oracle)):
            run = functools.partial(Call.run, function=reference)
            whole = case.reduces and reference is case.oracle  # which may not expand its rows
            given = _expanded(case, call) if whole else call
            expected, moved = noisy(case, run, given, noise_dtype(case, call))
            if reference is case.oracle:
                # Each output has the broadcast shape of all inputs, even of inputs it ignores.
                shapes = [value.shape for value in actual]
                # Native functions have errors of this size in their tails.
                eps = 8 * torch.finfo(compute_dtype(call)).eps
                expected, moved = _of_oracle(expected, moved, shapes, eps)
            compare(actual, expected, moved, f"{case.name}: output")
    return actual


def _of_oracle(
    expected: Values, moved: Moved, shapes: Sequence[torch.Size], eps: float
) -> tuple[Values, Moved]:
    """Results and noise in these shapes, with an error `eps` of the largest result as noise."""
    expanded = tuple(map(torch.broadcast_to, expected, shapes))

    def noise() -> list[Values]:
        tails = tuple(want + eps * largest(want) for want in expanded)
        return [*(tuple(map(torch.broadcast_to, values, shapes)) for values in moved()), tails]

    return expanded, noise


def recorded(
    outputs: Sequence[Tensor], grads: Sequence[Tensor | None]
) -> tuple[list[Tensor], list[Tensor]]:
    """The outputs that require a gradient and receive one, and their incoming gradients."""
    floating = filter(is_differentiable, outputs)
    pairs = [
        (out, grad.to(out.dtype).expand(out.shape))
        for out, grad in zip(floating, grads, strict=True)
        if grad is not None and out.requires_grad
    ]
    return [out for out, _ in pairs], [grad for _, grad in pairs]


def gradients(
    function: Callable[..., object], call: Call, grads: Sequence[Tensor | None]
) -> Values:
    """The gradients of all floating inputs; zeros for an input that has none.

    grads: the incoming gradients of the differentiable outputs.
    """
    leaves = call.leaves()
    outputs, arriving = recorded(leaves.run(function), grads)
    if not outputs:
        return tuple(map(torch.zeros_like, leaves.floats))
    return torch.autograd.grad(outputs, leaves.floats, arriving, materialize_grads=True)


def check_gradients(case: OpCase, call: Call, grads: Sequence[Tensor | None]) -> Values:
    """Compares the gradients of a call with autograd of the float64 reference; returns them."""
    actual = gradients(case.op, call, grads)
    for tensor, grad in zip(call.floats, actual, strict=True):
        assert grad.dtype == tensor.dtype, f"gradient of a {tensor.dtype} is {grad.dtype}"
    dtype = gradient_noise_dtype(case, call)
    grads = [None if grad is None else grad.cpu() for grad in grads]
    expected, moved = noisy(case, lambda near: gradients(case.expected, near, grads), call, dtype)

    def noise() -> list[Values]:
        runs = [*moved()]
        if _is_summed(case, call):
            each = _of_each_element(case)
            runs += noisy(case, lambda near: gradients(each, near, grads), call, dtype)[1]()
            # two roundings, of which the double is allowed
            eps = torch.finfo(compute_dtype(call)).eps
            sizes = magnitudes(case, call, grads)
            runs.append(
                tuple(want + eps * size for want, size in zip(expected, sizes, strict=True))
            )
        return runs

    compare(actual, expected, noise, f"{case.name}: gradient")
    return actual


def _is_summed(case: OpCase, call: Call) -> bool:
    """True if the gradient of some input is a sum over a broadcast dimension."""
    return not case.composed and len(set(_part_shapes(case, call.tensors))) > 1


def _part_shapes(case: OpCase, tensors: Sequence[Tensor | None]) -> list[torch.Size]:
    """The shapes of the inputs in the loop; for a packed input, the shape of one part."""
    return [
        torch.Size((*tensor.shape, 1))
        if operand.is_row
        else tensor[..., :: operand.parts].shape
        if operand.parts > 1
        else tensor.shape
        for operand, tensor in zip(case.inputs, tensors, strict=True)
        if tensor is not None
    ]


def _of_each_element(case: OpCase) -> Callable[..., Values]:
    """The reference on inputs expanded to their common shape: autograd then sums one term for each
    element, as a kernel does.

    The plain reference may sum the incoming gradient and multiply once, which rounds less.
    """

    def of_each_element(*tensors: Tensor | None, **params: Any) -> Values:
        return _expanded(case, Call(tensors, params)).run(case.expected)

    return of_each_element


def _expanded(case: OpCase, call: Call) -> Call:
    """The call with tensors in their broadcast shape; packed ones keep their last dimension."""
    shape = torch.broadcast_shapes(*_part_shapes(case, call.tensors))
    if not shape:
        return call
    operands = iter(
        operand
        for operand, tensor in zip(case.inputs, call.tensors, strict=True)
        if tensor is not None
    )

    def expand(tensor: Tensor) -> Tensor:
        operand = next(operands)
        if operand.is_row:
            return tensor.expand(shape[:-1])
        return tensor.expand(*shape[:-1], -1 if operand.parts > 1 else shape[-1])

    return call.map(expand)


def magnitudes(case: OpCase, call: Call, grads: Sequence[Tensor | None]) -> list[Tensor]:
    """For each gradient, the sum of the magnitudes of its terms."""
    exact = call.to("cpu").cast(torch.float64)
    terms = gradients(case.expected, _expanded(case, exact), grads)
    return [
        term.abs().sum_to_size(tensor.shape)
        for term, tensor in zip(terms, exact.floats, strict=True)
    ]
