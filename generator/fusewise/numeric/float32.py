"""What a kernel computes in float32, emulated: each step is rounded, overflows and underflows."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import mpmath

from fusewise.graph.dag import Node, topological
from fusewise.language.functions import FUNCTIONS
from fusewise.numeric.evaluate import apply

LARGEST = 2.0**128 - 2.0**104
SMALLEST = 2.0**-149
SMALLEST_NORMAL = 2.0**-126
_EXACT = ("add", "sub", "mul", "neg", "abs")  # in double, which rounds twice to the same
_DIGITS = 25


def rounded(value: float | Fraction) -> float:
    """The nearest float32, ties to even; infinity beyond the range."""
    try:
        return struct.unpack("f", struct.pack("f", float(value)))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def neighbours(value: float | Fraction) -> tuple[float, float]:
    """The float32 numbers just below and just above."""
    near = rounded(value)
    below = near if near < value else _step(near, -1)
    above = near if near > value else _step(near, 1)
    return below, above


def _step(value: float, by: int) -> float:
    if value == 0:
        return by * SMALLEST
    (bits,) = struct.unpack("i", struct.pack("f", value))
    return struct.unpack("f", struct.pack("i", bits + (by if value > 0 else -by)))[0]


def run(roots: Iterable[Node], point: Mapping[Node, float | Fraction]) -> dict[Node, Any]:
    """The value of every node that the roots need: a float, or a bool for a condition.

    The nodes are what a kernel calls: functions without a body.
    """
    values: dict[Node, Any] = {}
    for node in topological(roots):
        if node in point:
            values[node] = rounded(point[node])
        elif node.kind == "const":
            values[node] = rounded(node.value or 0)
        else:
            args = [values[arg] for arg in node.args]
            values[node] = _apply(node.name, args)
    return values


def _apply(name: str, args: list[Any]) -> Any:
    if name == "where":
        return args[1] if args[0] else args[2]
    if name not in FUNCTIONS:  # what means something to autograd only
        return args[0]
    function = FUNCTIONS[name]
    assert function.mp is not None
    if name in _EXACT:
        return rounded(function.mp(*args))
    if function.result == "bool":
        return function.mp(*args)
    if name in ("div", "div_moderate", "div_shared"):
        return rounded(_divided(*args))
    if any(arg != arg for arg in args):
        return math.nan
    with mpmath.workdps(_DIGITS):
        return rounded(float(apply(name, *map(mpmath.mpf, args))))


def _divided(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
