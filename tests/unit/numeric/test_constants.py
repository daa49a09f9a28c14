"""Constants are rounded once, are limited in digits and time, and have errors with a location."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from fusewise.derive.simplify import simplify
from fusewise.graph.dag import MAX_BITS, Dag, Node, OutOfRangeError
from fusewise.graph.passes import build_graph
from fusewise.language.errors import SpecError
from fusewise.language.formula import parse_formula
from fusewise.language.functions import INTRINSICS, Function
from fusewise.language.spec import parse_spec
from fusewise.numeric.constants import folded
from fusewise.pipeline import compile_spec

SECONDS = 2.0  # for any formula here; without limits each takes minutes or more


def squared(base: str, times: int) -> str:
    return "(" * times + base + ") ** 2" * times


def spec_text(formula: str) -> str:
    return f"op: f\ninputs: {{x: tensor}}\noutputs:\n  out: {formula}\n"


def constant(formula: str) -> Node:
    """The constant to which a formula is folded."""
    (root,) = simplify(build_graph(parse_spec(spec_text(f"x * ({formula})")))).roots
    return root.args[1]


@pytest.mark.parametrize(
    "formula",
    [
        *("x * 9 ** 9 ** 9", "x * 3 ** 100000000", "x * cosh(1e9)", "x * exp(10000)"),
        *("x + 10 ** 5000", "x * 0.5 ** 20000", "x * 10 ** 400", "x ** 10 ** 400"),
        *("x * exp(1e300)", "x * exp(-1e300)", "x * 2 ** -1e300", "x * exp(exp(exp(10)))"),
        *("x * sinh(1e300)", "x * exp2(1e9)", "x * expm1(1e9)", "x * (expm1(1e9) - 1e9)"),
        *("x * gaussian(1e10)", "x * normal_pdf(1e300)", "x * erfc(1e5)", "x * sech2(1e4)"),
        *("clamp(x, 0, 9 ** 9 ** 9)", "x if x > 9 ** 9 ** 9 else 0", "x * (1e300 // 1e-300)"),
        *(f"x * {squared('3.3', 45)}", f"x * {squared('0.3', 45)}"),
    ],
)
def test_a_constant_out_of_range_is_refused_at_its_place(formula: str) -> None:
    start = time.perf_counter()
    with pytest.raises(SpecError) as raised:
        compile_spec(parse_spec(spec_text(formula), "f.yaml"))
    assert time.perf_counter() - start < SECONDS
    for problem in raised.value.problems:
        assert problem.location.line == 4
        assert problem.message.startswith("this constant is ")


@pytest.mark.parametrize(
    "formula",
    [
        *("zeta(100000, 0.5)", "zeta(1e300, 2)", "lgamma(1e300)", "digamma(-1e15 - 0.5)"),
        *("sin(1e300)", "1e300 % 1e-300", "10 ** 400 / 10 ** 399", "exp(1000) / exp(999)"),
        *("tanh(1e300)", "softplus(1e300)", squared("1.0000001", 30), "log(0)", "1 / 0"),
    ],
)
def test_other_constants_are_quick(formula: str) -> None:
    start = time.perf_counter()
    compile_spec(parse_spec(spec_text(f"x * ({formula})")))
    assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize(
    ("formula", "exact"),
    [
        ("sqrt(2 / pi)", lambda: mpmath.sqrt(2 / mpmath.pi)),
        ("exp(700.123)", lambda: mpmath.exp(mpmath.mpf(700123) / 1000)),
        ("sin(1e300)", lambda: mpmath.sin(mpmath.mpf(10) ** 300)),
        ("tan(1e200)", lambda: mpmath.tan(mpmath.mpf(10) ** 200)),
        ("1.0000001 ** 1e9", lambda: mpmath.power(1 + mpmath.mpf(10) ** -7, 10**9)),
        ("1e300 % 17", lambda: mpmath.mpf(10**300 % 17)),
        ("mod(-1e300, 7)", lambda: mpmath.mpf(-(10**300) % 7)),
        ("10 ** 400 / 3 ** 830", lambda: mpmath.mpf(10) ** 400 / mpmath.mpf(3) ** 830),
        (squared("1.0000001", 20), lambda: mpmath.power(1 + mpmath.mpf(10) ** -7, 2**20)),
    ],
)
def test_a_constant_is_the_nearest_double(formula: str, exact: Callable[[], Any]) -> None:
    with mpmath.workdps(600):
        expected = float(exact())
    found = constant(formula).value
    assert isinstance(found, Fraction)
    assert float(found) == expected


def test_a_constant_keeps_its_bits_within_bounds() -> None:
    dag = Dag()
    value = Fraction(10, 3)
    for _ in range(13):
        value *= value
    node = dag.const(value)
    assert isinstance(node.value, Fraction)
    assert sum(part.bit_length() for part in node.value.as_integer_ratio()) <= 2 * MAX_BITS
    assert abs(node.value / value - 1) < Fraction(1, 2**1000)
    for size in (Fraction(2) ** 40_000, Fraction(1, 2**40_000)):
        with pytest.raises(OutOfRangeError):
            dag.const(size)


@pytest.mark.parametrize(
    "row",
    [row for row in INTRINSICS.values() if row.large == "exponent" and not row.bounded],
)
def test_internal_forms_of_large_constants_are_out_of_range(row: Function) -> None:
    dag = Dag()
    node = dag.call(row.name, *(dag.const(10**9) for _ in row.params))
    with pytest.raises(OutOfRangeError):
        folded(dag, node)


def test_what_has_no_value_is_left_to_the_kernel() -> None:
    dag = Dag()
    for text in ("log(0)", "sqrt(-1)", "mod(1, 0)", "acosh(0.5)", "zeta(1e300, 2)"):
        node = dag.build(parse_formula(text), {})
        assert folded(dag, node) is node
