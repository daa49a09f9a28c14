"""Values of functions for which mpmath, floats or fractions raise or differ from IEEE."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath


def div(x: Any, y: Any) -> Any:
    return x * mpmath.inf if y == 0 else mpmath.mpf(x) / y


def div_float64(x: float, y: float) -> float:
    """The IEEE quotient; Python raises for a divisor of 0."""
    if y != 0:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1, y)


def div_fraction(x: Fraction, y: Fraction) -> Fraction | None:
    return x / y if y else None


def floordiv_fraction(x: Fraction, y: Fraction) -> Fraction | None:
    return Fraction(x // y) if y else None


def mod_fraction(x: Fraction, y: Fraction) -> Fraction | None:
    return x % y if y else None


def power(x: Any, y: Any) -> Any:
    return mpmath.inf if x == 0 and y < 0 else mpmath.power(x, y)


def sign(x: Any) -> Any:
    return mpmath.mpf(int(x > 0) - int(x < 0))


def trunc(x: Any) -> Any:
    return mpmath.floor(x) if x > 0 else mpmath.ceil(x)


def minimum(x: Any, y: Any) -> Any:
    return x if x < y or x != x else y


def maximum(x: Any, y: Any) -> Any:
    return x if x > y or x != x else y


def clamp_fraction(x: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return min(max(x, low), high)


def exp_remainder(x: Any) -> Any:
    return x * x / 2 * mpmath.hyp1f1(1, 3, x) if abs(x) < 1 else mpmath.expm1(x) - x


def erfc(x: Any) -> Any:
    return mpmath.erfc(x) if abs(x) < 1e6 else 1 - mpmath.sign(x)


def zeta(s: Any, x: Any) -> Any:
    """Hurwitz's zeta function with the domain that PyTorch gives it.

    For x < 0 and a whole s, the terms with x + k < 0 are summed by their absolute values, apart
    from the terms with x + k > 0. `mpmath.psi` adds them one by one.
    """
    if s == 1:
        return mpmath.inf
    if not 1 < s < mpmath.inf or not x > -mpmath.inf:
        return mpmath.nan
    if x > 0:
        return mpmath.zeta(s, x) if x < mpmath.inf else mpmath.mpf(0)
    above, below = x - mpmath.floor(x), mpmath.ceil(x) - x
    if above == 0:
        return mpmath.inf
    if not mpmath.isint(s):
        return mpmath.nan
    mirrored = mpmath.zeta(s, below) - mpmath.zeta(s, 1 - x)
    return mpmath.zeta(s, above) + (mirrored if s % 2 == 0 else -mirrored)
