"""Fits the polynomials of functions/*.h, functions.cuh and low_precision.h, and prints them.

A polynomial is fitted at Chebyshev nodes by weighted least squares, which comes close to the
minimax fit. The weight turns the error of the polynomial into the relative error of the function.
The coefficients are then rounded to float one at a time, the lowest first. After each rounding the
remaining coefficients are fitted again, which compensates the error of the rounding.
"""

from __future__ import annotations

import struct
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import mpmath
from mpmath import mpf

Function = Callable[[Any], Any]
DIGITS = 30


@dataclass(frozen=True, slots=True)
class Fit:
    """A polynomial that approximates `function` from `low` to `high`.

    The weight at x is that of the error at x in the fit.
    """

    name: str
    function: Function
    low: str
    high: str
    degree: int
    weight: Function

    def coefficients(self) -> list[float]:
        """The coefficients rounded to float, lowest power first."""
        with mpmath.workdps(DIGITS):
            nodes = self._nodes(4 * (self.degree + 1))
            weights = [self.weight(x) for x in nodes]
            rest = [self.function(x) for x in nodes]
            rounded: list[float] = []
            for power in range(self.degree + 1):
                terms = [
                    [w * x**k for k in range(power, self.degree + 1)]
                    for x, w in zip(nodes, weights, strict=True)
                ]
                targets = [w * y for w, y in zip(weights, rest, strict=True)]
                lowest = to_float(least_squares(terms, targets)[0])
                rest = [y - lowest * x**power for x, y in zip(nodes, rest, strict=True)]
                rounded.append(lowest)
            return rounded

    def _nodes(self, count: int) -> list[Any]:
        low, high = mpf(self.low), mpf(self.high)
        angles = [mpmath.pi * (2 * i + 1) / (2 * count) for i in range(count)]
        return [(low + high) / 2 + (high - low) / 2 * mpmath.cos(angle) for angle in angles]


def least_squares(terms: list[list[Any]], targets: list[Any]) -> Any:
    size = len(terms[0])
    columns = list(zip(*terms, strict=True))
    products = mpmath.matrix(size)
    for i in range(size):
        for j in range(i, size):
            products[i, j] = products[j, i] = mpmath.fdot(columns[i], columns[j])
    return mpmath.lu_solve(products, [mpmath.fdot(column, targets) for column in columns])


def to_float(value: Any) -> float:
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def odd(function: Function) -> Function:
    """The function square -> (function(x) / x - 1) / square, with x = sqrt(square)."""

    def ratio(square: Any) -> Any:
        x = mpmath.sqrt(square)
        return (function(x) / x - 1) / square

    return ratio


def itself(x: Any) -> Any:
    return x


def log2_of_ratio_rest(square: Any) -> Any:
    x = mpmath.sqrt(square)
    return (mpmath.atanh(x) / x - 1 - square / 3) / square**2 * 2 / mpmath.log(2)


def sin_squared_rest(square: Any) -> Any:
    return (mpmath.sin(mpmath.sqrt(square)) ** 2 - square) / square**2


def half_sin_squared_rest(square: Any) -> Any:
    return sin_squared_rest(square / 4) / 16


def exp_rest(x: Any) -> Any:
    return (mpmath.expm1(x) - x) / x**2


def exp2_rest(x: Any) -> Any:
    scaled = x * mpmath.log(2)
    return (mpmath.expm1(scaled) - scaled) / x**2


def log1p_unit_rest(x: Any) -> Any:
    return (mpmath.log1p(x) - x) / x**2


def log1p_rest(x: Any) -> Any:
    return (mpmath.log1p(x) - x + x**2 / 2) / x**3


def scaled_erfc(x: Any) -> Any:
    return mpmath.exp(x * x) * mpmath.erfc(x)


def erfc_ratio(shifted: Any) -> Any:
    """exp(x * x) * erfc(x) / t as a function of shifted = t - 25 / 128, with t = 1 / (x + 2)."""
    t = shifted + mpf(25) / 128
    return scaled_erfc(1 / t - 2) / t


def low_precision_erfc_ratio(t: Any) -> Any:
    """exp(x * x) * erfc(x) / t as a function of t = 1 / (0.44 * x + 1)."""
    return scaled_erfc((1 / t - 1) / mpf("0.44")) / t


def normal_tail_ratio(shifted: Any) -> Any:
    """exp(x * x / 2) * normal_cdf(-x) / t as a function of x * t - 1.5, t = 1 / (1 + 0.265 * x)."""
    product = shifted + mpf("1.5")
    t = 1 - mpf("0.265") * product
    return scaled_erfc(product / t / mpmath.sqrt(2)) / (2 * t)


# log(1 + x) = x + x * x * kLog1pUnit(x) for x from 0 to 1
LOG1P_UNIT = Fit("kLog1pUnit", log1p_unit_rest, "0", "1", 8, lambda x: x * x / mpmath.log1p(x))

# tanh(x) = x + x * x * x * kTanh(x * x) up to 0.6
TANH = Fit("kTanh", odd(mpmath.tanh), "0", "0.36", 4, itself)

# sin(x) * sin(x) = x * x + x**4 * kSinSquared(x * x) up to a quarter of pi, and a little beyond
SIN_SQUARED = Fit("kSinSquared", sin_squared_rest, "0", "0.63", 3, itself)

# sin(x) = x + x * x * x * kSine(x * x) up to half of pi; this range and weight give the smallest
# error after rounding
SINE = Fit("kSine", odd(mpmath.sin), "0", "2.6", 3, mpmath.sqrt)

# normal_cdf(-x) = exp(-x * x / 2) * t * kNormalTail(x * t - 1.5), t = 1 / (1 + 0.265 * x), to where
# it vanishes
NORMAL_TAIL = Fit(
    "kNormalTail",
    normal_tail_ratio,
    "-1.5",
    "1.485",
    8,
    lambda shifted: 1 / normal_tail_ratio(shifted),
)

FITS = (
    # exp(x) = 1 + x + x * x * kExp(x); exp2(x) = 1 + log(2) * x + x * x * kExp2(x)
    Fit("kExp", exp_rest, "-0.347", "0.347", 4, itself),
    Fit("kExp2", exp2_rest, "-0.5", "0.5", 4, itself),
    # log(1 + x) = x - x * x / 2 + x * x * x * kLog(x)
    Fit("kLog", log1p_rest, "-0.3125", "0.375", 8, lambda x: x**2),
    LOG1P_UNIT,
    # log2((1 + x) / (1 - x)) = c0 * x + c1 * x**3 + x**5 * kLog2OfRatio(x * x)
    Fit("kLog2OfRatio", log2_of_ratio_rest, "0", "0.0344", 3, lambda square: square**2),
    # function(x) = x + x * x * x * kFunction(x * x)
    TANH,
    Fit("kSinh", odd(mpmath.sinh), "0", "1", 3, itself),
    Fit("kSin", odd(mpmath.sin), "0", "0.63", 2, itself),
    SINE,
    Fit("kTan", odd(mpmath.tan), "0", "0.63", 6, itself),
    Fit("kAtan", odd(mpmath.atan), "0", "1", 9, itself),
    Fit("kAsin", odd(mpmath.asin), "0", "0.25", 4, itself),
    Fit("kAsinh", odd(mpmath.asinh), "0", "1", 9, itself),
    Fit("kAtanh", odd(mpmath.atanh), "0", "0.25", 5, itself),
    # cos(x) = 1 - x * x / 2 + x * x * x * x * kCos(x * x)
    Fit(
        "kCos",
        lambda square: (mpmath.cos(mpmath.sqrt(square)) - 1 + square / 2) / square**2,
        "0",
        "0.63",
        2,
        lambda square: square**2,
    ),
    SIN_SQUARED,
    # erf(x) = x + x * kErf(x * x); erf(x) = 1 - exp(-x * kErfTail(x)) from 0.96 on
    Fit(
        "kErf",
        lambda square: mpmath.erf(mpmath.sqrt(square)) / mpmath.sqrt(square) - 1,
        "0",
        "0.95",
        6,
        lambda square: mpf(1),
    ),
    Fit(
        "kErfTail",
        lambda x: -mpmath.log(mpmath.erfc(x)) / x,
        "0.96",
        "4",
        7,
        lambda x: x * mpmath.erfc(x),
    ),
    # erfc(x) = exp(-x * x) * t * kErfc(t - 25 / 128), t = 1 / (x + 2), from 0.75 on
    Fit("kErfc", erfc_ratio, "-0.1153125", "0.168325", 8, lambda x: 1 / erfc_ratio(x)),
    NORMAL_TAIL,
)

# sin(x / 2) * sin(x / 2) = x * x * (1 / 4 + x * x * kHalfSinSquared(x * x)) up to half of pi
HALF_SIN_SQUARED = Fit(
    "kHalfSinSquared",
    half_sin_squared_rest,
    "0",
    "2.48",
    3,
    lambda square: square**2 / mpmath.sin(mpmath.sqrt(square) / 2) ** 2,
)

GPU_FITS = (
    replace(TANH, name="kShortTanh", degree=3),
    HALF_SIN_SQUARED,
    # exp(x) = 1 + x + x * x * kExpRemainder(x)
    Fit("kExpRemainder", exp_rest, "-0.347", "0.347", 5, lambda x: 1 / exp_rest(x)),
)

LOW_PRECISION_FITS = (
    replace(HALF_SIN_SQUARED, name="kLowPrecisionHalfSinSquared", degree=2),
    # tanh(x) = x + x * x * x * kLowPrecisionTanh(x * x) up to 0.6
    Fit("kLowPrecisionTanh", odd(mpmath.tanh), "0", "0.36", 2, itself),
    # erfc(x) = exp(-x * x) * t * kLowPrecisionErfc(t), t = 1 / (0.44 * x + 1), to where it vanishes
    Fit(
        "kLowPrecisionErfc",
        low_precision_erfc_ratio,
        "0.182",
        "1",
        5,
        lambda t: 1 / low_precision_erfc_ratio(t),
    ),
    # log(1 + x) = x * kLowPrecisionLog1pUnit(x) for x from 0 to 1
    Fit(
        "kLowPrecisionLog1pUnit",
        lambda x: mpmath.log1p(x) / x,
        "0",
        "1",
        5,
        lambda x: x / mpmath.log1p(x),
    ),
    # sin(x) = x + x * x * x * kLowPrecisionSine(x * x) up to half of pi
    Fit("kLowPrecisionSine", odd(mpmath.sin), "0", "2.48", 2, itself),
)


@dataclass(frozen=True, slots=True)
class Split:
    """A number as a sum of `parts` floats; the first is rounded to `bits` bits after the point."""

    name: str
    value: Callable[[], Any]
    parts: int
    bits: int = 40

    def coefficients(self) -> list[float]:
        with mpmath.workdps(DIGITS):
            rest = self.value()
            first = mpmath.ldexp(mpmath.nint(mpmath.ldexp(rest, self.bits)), -self.bits)
            parts = [to_float(first)]
            for _ in range(self.parts - 1):
                rest -= parts[-1]
                parts.append(to_float(rest))
            return parts


SPLITS = (
    Split("kTwoOverPi", lambda: 2 / mpmath.pi, 1),
    Split("kLog2", lambda: mpmath.log(2), 2),
    Split("kHalfPi", lambda: mpmath.pi / 2, 3),
    # the product of the first part and any exponent is exact
    Split("kShortLog2", lambda: mpmath.log(2), 2, 16),
    Split("kShortLog10Of2", lambda: mpmath.log10(2), 2, 14),
    Split("kLog2OfE", lambda: 1 / mpmath.log(2), 2),
    Split("kLog2OfRatio0", lambda: 2 / mpmath.log(2), 2),
    Split("kLog2OfRatio1", lambda: 2 / mpmath.log(8), 2),
    Split("kLog10OfE", lambda: mpmath.log10(mpmath.e), 2),
)

# The product of the first part and any number of turns is exact. All parts have the same sign.
GPU_SPLITS = (Split("kPi", lambda: +mpmath.pi, 3, 19),)


def declaration(constant: Fit | Split) -> str:
    numbers = ", ".join(f"{value:.8e}f" for value in constant.coefficients())
    line = f"inline constexpr float {constant.name}[] = {{{numbers}}};"
    return "\n".join(textwrap.wrap(line, 100, subsequent_indent="    ", break_on_hyphens=False))


if __name__ == "__main__":
    for constant in (*FITS, *SPLITS, *GPU_FITS, *GPU_SPLITS, *LOW_PRECISION_FITS):
        print(declaration(constant))
