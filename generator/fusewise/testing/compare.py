"""The comparison of a result with the reference, and its tolerance.

The reference runs in float64 on the stored inputs. A result passes if

    |actual - expected| <= ULPS * ulp(expected) + 2 * noise + smallest normal number

The first term is the promise: 1.5 ulp of a 16-bit type (computed in float, rounded once), 4 ulp of
float and double.

The second term is the noise of the formula, which no implementation avoids. The reference runs
again in float64, and the inputs and every result of an operation are moved up or down at random by
two ulp of the compute type, the error of a good exp. A logarithm of a sum is also moved by the
rounding of that sum. On a GPU, functions of 16-bit operands have errors up to 2^-14.9
(docs/numerics.md) and are moved by that much. The noise is the largest error of these runs and of
PyTorch's run in the compute type. It matters near a zero of the result and where the formula
cancels. A gradient that is a sum is rounded with each term: four roundings of the sum of magnitudes
are allowed.

The last term lets results below the smallest normal number of the compute type be flushed to zero.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from .case import Call, OpCase, is_differentiable, promoted

ULPS = {torch.float64: 4.0, torch.float32: 4.0, torch.float16: 1.5, torch.bfloat16: 1.5}
ULPS |= {torch.float8_e4m3fn: 1.5, torch.float8_e5m2: 1.5}
NOISY_RUNS = 12
# The relative error of functions on a GPU if all operands have 16 bits.
LOW_PRECISION = 2.0**-14.9
# ATen operations that are exact, or correctly rounded to float. All others count as functions.
ARITHMETIC = {
    "_to_copy", "abs", "add", "cat", "ceil", "clamp", "clone", "copy", "cumsum", "empty_like",
    "expand", "floor", "floor_divide", "full", "full_like", "ge", "gt", "le", "lt", "masked_fill",
    "maximum", "minimum", "mul", "neg", "new_zeros", "ones_like", "relu", "round", "rsub",
    "scalar_tensor", "select_backward", "sgn", "sign", "slice_backward", "square", "stack", "sub",
    "sum", "threshold_backward", "trunc", "where", "zeros", "zeros_like",
}  # fmt: skip
# ATen operations that add the logarithm of a sum. Near zero the sum is near 1, and its rounding is
# many units of the logarithm.
LOGARITHMS_OF_SUMS = {"_log_softmax", "logsumexp"}

Values = tuple[Tensor, ...]


def compare(actual: Values, expected: Values, moved: Sequence[Values], what: str) -> None:
    """Fail if `actual` differs from `expected` by more than the tolerance.

    moved: the results of the noisy runs. what: the start of the message.
    """
    assert len(actual) == len(expected), f"{what}: {len(actual)} results, not {len(expected)}"
    for i, (got, want) in enumerate(zip(actual, expected, strict=True)):
        name = f"{what} {i}"
        assert got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}"
        if not got.dtype.is_floating_point:
            _compare_integers(got, want, [values[i] for values in moved], name)
            continue
        _compare_floats(got, want, [values[i] for values in moved], name)


def _compare_integers(got: Tensor, want: Tensor, moved: list[Tensor], name: str) -> None:
    """Fail unless every value is in the range of the expected and the moved values."""
    steps = torch.stack([value.cpu().to(got.dtype) for value in (want, *moved)]).long()
    actual = got.cpu().long()
    right = (steps.amin(0) <= actual) & (actual <= steps.amax(0))
    assert right.all(), f"{name}: {int((~right).sum())} of {right.numel()} values differ"


def _compare_floats(got: Tensor, want: Tensor, moved: list[Tensor], name: str) -> None:
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
    if not right.all():
        at = tuple(int(i) for i in (~right).nonzero()[0])
        raise AssertionError(
            f"{name}: {int((~right).sum())} of {right.numel()} values are wrong; at {list(at)} got "
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


def is_low_precision(call: Call) -> bool:
    """True if a GPU computes with low-precision functions: all floating tensors have 16 bits."""
    return call.present[0].is_cuda and all(tensor.itemsize == 2 for tensor in call.floats)


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


@functools.cache
def _factors(by: float) -> Tensor:
    """A million numbers, each 1 + by or 1 - by at random."""
    generator = torch.Generator().manual_seed(0)
    return 1 + by * (2 * torch.randint(2, (1 << 20,), generator=generator).double() - 1)


class _Rounding(TorchDispatchMode):
    """Moves the result of every operation but views by two ulp, up or down at random.

    Results of functions are moved by the relative error `of_functions` if it is larger.
    """

    def __init__(self, eps: float, of_functions: float, seed: int) -> None:
        super().__init__()
        self.arithmetic, self.functions = 2 * eps, max(2 * eps, of_functions)
        self.random = random.Random(seed)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if any(returned.alias_info for returned in func._schema.returns):
            return out  # a view, or an operation in place
        name = func._schema.name.removeprefix("aten::")
        by = self.arithmetic if name in ARITHMETIC else self.functions
        if name in LOGARITHMS_OF_SUMS:
            out = out + (self.factors(out, by) - 1)
        if isinstance(out, Tensor):
            return self.move(out, by)
        return tree_map_only(Tensor, lambda tensor: self.move(tensor, by), out)

    def run(self, function: Callable[[Call], Values], call: Call) -> Values:
        """The results of `function` for the call, with moved inputs."""
        inputs = call.map(lambda tensor: self.move(tensor, self.arithmetic))
        with self:
            return function(inputs)

    def move(self, tensor: Tensor, by: float) -> Tensor:
        """The tensor with every value moved; integers and 8-bit floats are unchanged."""
        if not is_differentiable(tensor):
            return tensor
        return tensor * self.factors(tensor, by)

    def factors(self, tensor: Tensor, by: float) -> Tensor:
        """1 + by or 1 - by at random for every value: a part of the same numbers, from a random
        place on, since drawing each of them would take most of the time of the tests."""
        count = tensor.numel()
        factors = _factors(by)
        if count > factors.numel():
            factors = factors.repeat(1 + count // factors.numel())
        first = self.random.randint(0, factors.numel() - count)
        return factors[first : first + count].view(tensor.shape).to(tensor.dtype)


def noisy(
    case: OpCase, function: Callable[[Call], Values], call: Call, dtype: torch.dtype
) -> tuple[Values, list[Values]]:
    """The results of `function` in float64, and the results of the runs with noise of `dtype`.

    All runs are on the CPU. The noisy runs are one run with a new first dimension, except for a
    composed op: its inputs do not broadcast.
    """
    of_functions = LOW_PRECISION if is_low_precision(call) else 0.0
    call = call.to("cpu")
    exact = call.cast(torch.float64)
    expected, moved = function(exact), [function(call.cast(dtype))]
    eps = torch.finfo(dtype).eps
    if case.composed:
        seeds = range(NOISY_RUNS)
        runs = [_Rounding(eps, of_functions, seed).run(function, exact) for seed in seeds]
        return expected, moved + runs
    missing = iter(case.missing_dims(exact))

    def repeat(tensor: Tensor) -> Tensor:
        return tensor.expand(NOISY_RUNS, *(1,) * next(missing), *tensor.shape)

    runs = _Rounding(eps, of_functions, 0).run(function, exact.map(repeat))
    for values, want in zip(runs, expected, strict=True):
        assert values.numel() == NOISY_RUNS * want.numel(), "the reference mixes first dimensions"
    each = [
        values.reshape(NOISY_RUNS, *want.shape) for values, want in zip(runs, expected, strict=True)
    ]
    return expected, moved + list(zip(*each, strict=True))


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
            compare(actual, wide.run(case.reference), (), f"{case.name}: output")
            return actual
        for reference in filter(None, (case.reference, case.oracle)):
            run = functools.partial(Call.run, function=reference)
            whole = case.reduces and reference is case.oracle  # which may not expand its rows
            given = _expanded(case, call) if whole else call
            expected, moved = noisy(case, run, given, noise_dtype(case, call))
            if reference is case.oracle:
                # Each output has the broadcast shape of all inputs, even of inputs it ignores.
                shapes = [value.shape for value in actual]
                expected = tuple(map(torch.broadcast_to, expected, shapes))
                moved = [tuple(map(torch.broadcast_to, values, shapes)) for values in moved]
                # Native functions have errors of this size in their tails.
                eps = 8 * torch.finfo(compute_dtype(call)).eps
                moved += [tuple(want + eps * largest(want) for want in expected)]
            compare(actual, expected, moved, f"{case.name}: output")
    return actual


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
    if _is_summed(case, call):
        each = _of_each_element(case)
        moved += noisy(case, lambda near: gradients(each, near, grads), call, dtype)[1]
        eps = torch.finfo(compute_dtype(call)).eps  # two roundings, of which the double is allowed
        sizes = magnitudes(case, call, grads)
        moved.append(tuple(want + eps * size for want, size in zip(expected, sizes, strict=True)))
    compare(actual, expected, moved, f"{case.name}: gradient")
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
