"""The reductions of a row, one table row each.

Kernels have `sum` and `amax`; every other reduction is its body. A gradient selects and never
multiplies by zero, as the derivatives of functions do. Those of logarithms are a softmax and not
the exponential of a difference, which magnifies the rounding of the logarithm.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import mpmath

from fusewise.language.functions import values
from fusewise.language.functions.row import R


def _sum(row: Sequence[Any]) -> Any:
    return sum(row, mpmath.mpf(0))


def _amax(row: Sequence[Any]) -> Any:
    return functools.reduce(values.maximum, row, -mpmath.inf)


_TIES = "(g if x == out else 0) / sum(1 if x == out else 0)"  # of NaN: 0 / 0
# The maximum keeps exp from overflow. An infinite one would give inf - inf.
_FINITE_MAX = "(0 if isinf(amax(x)) else amax(x))"
_SAME: Any = {"result": "same", "integer": True}
_EXTREME: Any = {
    **_SAME,
    "gradient": _TIES,
    "of_equal": "x",
    "finite_slope": True,
    "digits": "same",
    "convention": "the gradient is shared evenly among ties; NaN propagates",
}
_LOGICAL: Any = {
    "integer": True,
    "of_conditions": True,
    "gradient": None,
    "finite_slope": True,
    "digits": "same",
}
_NO_VARIANCE = "(x - x) / (1 if length > correction else 0)"

# fmt: off
REDUCTION_ROWS = (
    R("sum(x)", body=None, gradient="g", of_equal="length * x", finite_slope=True, mp=_sum,
      ref="torch.sum(x, dim=-1, keepdim=True)", aten="sum", aliases=("reduce_sum",),
      math=r"∑ \sum", digits="more", **_SAME),
    R("mean(x)", body="sum(x) / length", gradient="g / length", of_equal="length * x / length",
      finite_slope=True,
      ref="torch.mean(x, dim=-1, keepdim=True)", aten="mean",
      aliases=("average", "avg", "reduce_mean"), convention="NaN for a row of no elements"),
    R("amax(x)", body=None, mp=_amax, ref="torch.amax(x, dim=-1, keepdim=True)",
      aten="amax", aliases=("reduce_max",), math=r"max \max", **_EXTREME),
    R("amin(x)", body="-amax(-x)", ref="torch.amin(x, dim=-1, keepdim=True)",
      aten="amin", aliases=("reduce_min",), math=r"min \min", **_EXTREME),
    R("logsumexp(x)", body=f"log(sum(exp(x - {_FINITE_MAX}))) + {_FINITE_MAX}",
      gradient="((0 if x < inf else nan) if out == inf else softmax(x)) * g",
      of_equal="x + log(length)",
      ref="torch.logsumexp(x, dim=-1, keepdim=True)",
      aten="logsumexp", aliases=("log_sum_exp", "lse"), math="LSE",
      note="LSE(x) is the logarithm of the row's sum of exp(x)",
      convention="-inf for a row of -inf, where the gradient is NaN"),
    R("softmax(x)", extent="element", body="exp(x - amax(x)) / sum(exp(x - amax(x)))",
      gradient="out * (g - sum(g * out))", of_equal="exp(x - x) / length",
      ref="torch.softmax(x, dim=-1)", aten="softmax",
      convention="NaN for a row of -inf"),
    R("log_softmax(x)", extent="element", body="x - amax(x) - log(sum(exp(x - amax(x))))",
      gradient="g - softmax(x) * sum(g)", of_equal="x - x - log(length)",
      ref="torch.log_softmax(x, dim=-1)", aten="log_softmax", math="log-softmax",
      convention="NaN for a row of -inf"),
    # PyTorch bounds the divisor of the value alone.
    R("var(x, correction=1)",
      body="sum(square(x - mean(x))) / maximum(length - correction, 0)",
      gradient="g * (2 / (length - correction)) * (x - mean(x))", of_equal=_NO_VARIANCE,
      ref="torch.var(x, dim=-1, correction=correction, keepdim=True)", aten="var",
      aliases=("variance",),
      math="Var", convention="NaN for a row of one element, unless the correction is 0"),
    R("std(x, correction=1)", body="sqrt(var(x, correction))",
      gradient="(0 if out == 0 else g / (out * (length - correction))) * (x - mean(x))",
      of_equal=_NO_VARIANCE, ref="torch.std(x, dim=-1, correction=correction, keepdim=True)",
      aten="std",
      convention="as var; the gradient is 0 for a constant row, and the double backward gives 0"
                 " there, where PyTorch has NaN"),
    R("norm(x)", body="sqrt(sum(square(x)))", gradient="x * (0 if out == 0 else g / out)",
      of_equal="abs(x) * sqrt(length)", finite_slope=True,
      ref="torch.linalg.vector_norm(x, dim=-1, keepdim=True)",
      aten="linalg_vector_norm", aliases=("vector_norm", "l2norm"),
      fences=(("‖", "‖"), (r"\lVert ", r" \rVert")),
      convention="the gradient is 0 for a row of zeros, and the double backward gives 0 there,"
                 " where PyTorch has NaN"),
    R("any(c)", body="sum(1 if c else 0) > 0", ref="torch.any(c, dim=-1, keepdim=True)",
      aten="any", result="bool", **_LOGICAL),
    R("all(c)", body="sum(0 if c else 1) == 0", ref="torch.all(c, dim=-1, keepdim=True)",
      aten="all", result="bool", **_LOGICAL),
    R("count(c)", body="sum(1 if c else 0)", ref="torch.sum(c, dim=-1, keepdim=True)",
      result="int", math=r"# \#", **_LOGICAL),
)
# fmt: on
