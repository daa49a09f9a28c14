"""The value of a formula in mpmath, to as many digits as the working precision asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
from mpmath.libmp import NoConvergence

from fusewise.formula import Expr, Name, Number
from fusewise.primitives import PRIMITIVES

_CONSTANTS = {"inf": mpmath.mpf("inf"), "nan": mpmath.mpf("nan")}


def evaluate(expr: Expr, env: Mapping[str, Any]) -> Any:
    """The value where names have the values of `env`: an mpf, or a bool for a condition.

    A branch that is not taken is not evaluated. Outside a function's domain the value is NaN, and
    `round_to` changes nothing, since the value is the exact one.
    """
    if isinstance(expr, Number):
        return mpmath.mpf(expr.value.numerator) / expr.value.denominator
    if isinstance(expr, Name):
        return env[expr.id] if expr.id in env else _constant(expr.id)
    if expr.function == "where":
        condition, chosen, other = expr.args
        return evaluate(chosen if evaluate(condition, env) else other, env)
    if expr.function in ("stop_grad", "straight_through", "round_to"):
        return evaluate(expr.args[0], env)
    return apply(expr.function, *(evaluate(arg, env) for arg in expr.args))


def apply(function: str, *args: Any) -> Any:
    """The value of a primitive."""
    primitive = PRIMITIVES[function]
    defaults = primitive.defaults[len(primitive.defaults) + len(args) - len(primitive.params) :]
    args += tuple(evaluate(default, {}) for default in defaults)
    if primitive.mp is None:
        assert primitive.body is not None
        return evaluate(primitive.body, dict(zip(primitive.params, args, strict=True)))
    try:
        value = primitive.mp(*args)
    except (ValueError, ZeroDivisionError, NoConvergence):
        return mpmath.nan
    if isinstance(value, bool):
        return value
    value = mpmath.mpmathify(value)
    return value if isinstance(value, mpmath.mpf) else mpmath.nan


def _constant(name: str) -> Any:
    return +mpmath.pi if name == "pi" else _CONSTANTS[name]
