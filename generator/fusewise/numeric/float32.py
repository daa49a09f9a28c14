"""What a kernel computes in float32, emulated: each step is rounded, overflows and underflows."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import mpmath

from fusewise.graph.dag import Node
from fusewise.language.functions import Function
from fusewise.numeric.evaluate import apply, evaluate_in_order

LARGEST = 2.0**128 - 2.0**104
SMALLEST = 2.0**-149
SMALLEST_NORMAL = 2.0**-126
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


def run(order: Iterable[Node], point: Mapping[Node, float | Fraction]) -> dict[Node, Any]:
    """The value of each node: a float, or a bool for a condition.

    Arguments come before their users. The nodes call the functions of a kernel, which have no body.
    """
    with mpmath.workdps(_DIGITS):
        return evaluate_in_order(order, point, rounded, _call)


def _call(function: Function, *args: Any) -> Any:
    if function.float64:
        return rounded(function.float64(*args))
    if function.result == "bool":
        assert function.mp is not None
        return function.mp(*args)
    if any(arg != arg for arg in args):
        return math.nan
    return rounded(float(apply(function, *map(mpmath.mpf, args))))
