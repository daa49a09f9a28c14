"""The noise of a formula: how far rounding moves its results, which no implementation avoids.

The reference runs in float64, and the inputs and every result of an operation are moved up or down
at random by two ulp of the compute type, the error of a good exp. A logarithm of a sum is also
moved by the rounding of that sum. On a GPU, functions of 16-bit operands have errors up to 2^-14.9
(docs/numerics.md) and are moved by that much. The noise is the largest error of these runs and of
PyTorch's run in the compute type.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from .case import Call, OpCase, is_differentiable

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
Moved = Callable[[], Sequence[Values]]


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
) -> tuple[Values, Moved]:
    """The results of `function` in float64, and what gives those of the runs with noise of `dtype`.

    All runs are on the CPU.
    """
    of_functions = LOW_PRECISION if is_low_precision(call) else 0.0
    call = call.to("cpu")
    exact = call.cast(torch.float64)
    expected = function(exact)

    def moved() -> list[Values]:
        eps = torch.finfo(dtype).eps
        near = function(call.cast(dtype))
        return [near, *_noisy_runs(case, function, exact, expected, eps, of_functions)]

    return expected, moved


def _noisy_runs(
    case: OpCase,
    function: Callable[[Call], Values],
    exact: Call,
    expected: Values,
    eps: float,
    of_functions: float,
) -> list[Values]:
    """They are one run with a new first dimension, except for a composed op: its inputs do not
    broadcast."""
    if case.composed:
        seeds = range(NOISY_RUNS)
        return [_Rounding(eps, of_functions, seed).run(function, exact) for seed in seeds]
    missing = iter(case.missing_dims(exact))

    def repeat(tensor: Tensor) -> Tensor:
        return tensor.expand(NOISY_RUNS, *(1,) * next(missing), *tensor.shape)

    runs = _Rounding(eps, of_functions, 0).run(function, exact.map(repeat))
    for values, want in zip(runs, expected, strict=True):
        assert values.numel() == NOISY_RUNS * want.numel(), "the reference mixes first dimensions"
    each = [
        values.reshape(NOISY_RUNS, *want.shape) for values, want in zip(runs, expected, strict=True)
    ]
    return list(zip(*each, strict=True))


def is_low_precision(call: Call) -> bool:
    """True if a GPU computes with low-precision functions: all floating tensors have 16 bits."""
    return call.present[0].is_cuda and all(tensor.itemsize == 2 for tensor in call.floats)
