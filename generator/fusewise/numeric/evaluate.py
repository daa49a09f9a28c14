"""The value of a formula in mpmath, to as many digits as the working precision asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from mpmath.libmp import NoConvergence

from fusewise.graph.dag import Node
from fusewise.language.formula import CONSTANTS, Expr, Name, Number
from fusewise.language.functions import FORMS, ROWS, Form, Function, left_out

# Before the point, of an argument that mpmath needs as many digits for; what has more is infinite.
_MAX_BITS = 4096


def evaluate(expr: Expr, env: Mapping[str, Any]) -> Any:
    """The value where names have the values of `env`: an mpf, or a bool for a condition.

    A branch that is not taken is not evaluated. Outside a function's domain the value is NaN, and
    `round_to` changes nothing, since the value is the exact one.
    """
    if isinstance(expr, Number):
        return exact(expr.value)
    if isinstance(expr, Name):
        return env[expr.id] if expr.id in env else exact(CONSTANTS[expr.id])
    form = FORMS.get(expr.function)
    if form is None:
        return apply(ROWS[expr.function], *(evaluate(arg, env) for arg in expr.args))
    first = evaluate(expr.args[0], env)
    chosen = form.chosen(first)
    return evaluate(expr.args[chosen], env) if chosen else first


def apply(function: Function, *args: Any) -> Any:
    """The value of a function of the given arguments; those left out have their defaults."""
    if len(args) < len(function.params):
        args += tuple(evaluate(default, {}) for default in left_out(function, len(args)))
    if function.mp is None:
        assert function.body is not None
        return evaluate(function.body, dict(zip(function.params, args, strict=True)))
    if function.large:
        args = tuple(map(_bounded, args))
    try:
        value = function.mp(*args)
    except (ValueError, ZeroDivisionError, NoConvergence):
        return mpmath.nan
    if isinstance(value, mpmath.mpf | bool):
        return value
    value = mpmath.mpmathify(value)
    return value if isinstance(value, mpmath.mpf) else mpmath.nan


def exact(value: Fraction | float) -> Any:
    """The mpf of a number; of a float, which is pi or no finite number, what it stands for."""
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return +mpmath.pi if value == math.pi else mpmath.mpf(value)


def _bounded(value: Any) -> Any:
    _, mantissa, exponent, bits = value._mpf_  # 0, infinities and NaN have no mantissa
    too_large = mantissa and exponent + bits > _MAX_BITS
    return mpmath.sign(value) * mpmath.inf if too_large else value


def evaluate_in_order(
    order: Iterable[Node],
    point: Mapping[Node, Any],
    number: Callable[[Any], Any] = exact,
    call: Callable[..., Any] = apply,
) -> dict[Node, Any]:
    """The value of each node, NaN where there is none. Arguments come before their users.

    number, call: give the value of a leaf and of a call; by default in mpmath.
    """
    values: dict[Node, Any] = {}
    for node in order:
        if node in point:
            values[node] = number(point[node])
        else:
            values[node] = evaluate_node(node, [values[arg] for arg in node.args], number, call)
    return values


def evaluate_node(
    node: Node, args: Sequence[Any], number: Callable[[Any], Any], call: Callable[..., Any]
) -> Any:
    """The value of a constant, or of a call of arguments with these values."""
    if isinstance(node.row, Function):
        return call(node.row, *args)
    if isinstance(node.row, Form):
        return args[node.row.chosen(args[0])]
    return number(node.value)
