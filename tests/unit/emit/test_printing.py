"""Printed expressions mean what the DAG means: read back, they are the same."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest
from cpp_formulas import as_formula
from fusewise.emit.printing import WIDTH, DecompositionPrinter, KernelPrinter, wrapped
from fusewise.graph.dag import Dag, Node
from fusewise.language.formula import parse_formula

NAMES = ("a", "b", "c")


def built(text: str) -> tuple[Dag, Node]:
    dag = Dag()
    return dag, dag.build(parse_formula(text), {name: dag.input(name) for name in NAMES})


def printed(text: str, printer: KernelPrinter) -> str:
    """The formula in C++."""
    dag, root = built(text)
    for name in NAMES:
        printer.name(dag.input(name), name)
    return printer.show(root)


ASSOCIATION = [
    *("a - (b - c)", "a - b - c", "a - (b + c)", "a / (b / c)", "a / b / c", "a / (b * c)"),
    *("a * (b / c)", "a * b / c", "(a + b) * c", "a + b * c", "a * (b + c)", "a + (b + c)"),
    *("-(a + b)", "-a - b", "-(a / b)", "a - b * -c", "exp(-a)", "-exp(a)", "-(-a * b) + c"),
    *("(a - b) / (b - c)", "a / (b - 1)", "1 / a", "0.25 * a", "-2 * a", "a - 0.1"),
    *("where(a < b, a, b)", "where(a < b and b < c, a, b)", "where(a < b or not b < c, a, c)"),
    *("where(not (a < b or b < c), a, b)", "where((a < b or b < c) and c > a, a, b)"),
    *("where(a < b and (b < c and a < c), a, c)", "where(a + b <= c * 2, a, b)"),
    *("where((a if b > 0 else c) != 0, a, b) * 2", "(a if b > 0 else c) + 1", "a ** b ** c"),
    *("(a ** b) ** c", "a // b % c", "clamp(a, -inf, b)", "maximum(a, nan)"),
]


@pytest.mark.parametrize("text", ASSOCIATION)
@pytest.mark.parametrize("printer", [KernelPrinter, lambda: DecompositionPrinter(like="a")])
def test_cpp_reads_back_as_the_same_expression(text: str, printer: Any) -> None:
    dag, root = built(text)
    back = as_formula(printed(text, printer()))
    back = re.sub(r"constant\((.*?), a\)", r"\1", back)  # a number where ATen takes tensors only
    names = {name: dag.input(name) for name in NAMES}
    copy = dag.build(parse_formula(back), names)
    assert copy is root, back


@pytest.mark.parametrize(
    ("text", "cpp"),
    [
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("a * (b * c)", "a * (b * c)"),  # never reassociated
        ("-(a * b)", "-(a * b)"),
        ("1 / (1 + exp(-a))", "T(1) / (T(1) + rt::exp(-a))"),
        pytest.param(
            "where(a < b and not c > 0, a, 0)",
            "rt::where((a < b) & (!(c > T(0))), a, T(0))",
        ),
        ("a * 0.1 - 1 / 3", "a * T(0.1) - T(0.3333333333333333)"),
    ],
)
def test_kernel_text(text: str, cpp: str) -> None:
    assert printed(text, KernelPrinter()) == cpp


@pytest.mark.parametrize(
    ("text", "cpp"),
    [
        ("2 - a * -3", "2 - a * -3"),
        ("where(a > 0, a, 0)", "aten::where(a > 0, a, 0)"),
        ("where(a > 0, 1, 0)", "aten::where(a > 0, constant(1, a), constant(0, a))"),
        ("where(a > 0 and b > 0, a, b)", "aten::where(aten::logical_and(a > 0, b > 0), a, b)"),
        ("a ** 2.5", "aten::pow(a, 2.5)"),
        ("2 ** a", "aten::pow(constant(2, a), a)"),
        ("a // b", 'aten::div(a, b, "floor")'),
        ("stop_grad(a) + 1", "aten::detach(a) + 1"),
        ("maximum(a, 0)", "aten::maximum(a, constant(0, a))"),
        ("a * (-1 / 0)", "a * (-1 / 0.0)"),
        ("where(a > 0, a, 0 / 0)", "aten::where(a > 0, a, 0 / 0.0)"),
    ],
)
def test_decomposition_text(text: str, cpp: str) -> None:
    assert printed(text, DecompositionPrinter(like="a")) == cpp


CONSTANTS = [
    *("0", "1", "-1", "0.1", "-0.1", "1e-5", "1e300", "5e-324", "2.2250738585072014e-308"),
    *("1.7976931348623157e308", "9007199254740991", "9007199254740992", "123456789012345678901"),
    *("0.30000000000000004", "1e22", "1e23", "3.141592653589793238462643383279502884197"),
]


@pytest.mark.parametrize("text", CONSTANTS)
def test_a_constant_is_the_same_double(text: str) -> None:
    value = Fraction(text)
    kernel = KernelPrinter().const(value).text
    assert float(kernel[2:-1]) == float(value)
    assert float(DecompositionPrinter(like="a").const(value).text) == float(value)
    with_point = re.sub(r"^-?\d+$", "", kernel[2:-1])
    assert with_point == "" or re.search(r"[.e]", with_point)  # an int or a double of C++


@pytest.mark.parametrize(("value", "text"), [(math.inf, "INFINITY"), (math.nan, "NAN")])
def test_constants_that_are_no_number(value: float, text: str) -> None:
    assert KernelPrinter().const(value).text == f"T({text})"


def test_wrapping_keeps_every_word() -> None:
    line = "const T x = " + " + ".join(f"name{i}" for i in range(60)) + ";"
    pieces = wrapped(line, 4)
    assert " ".join(piece.strip() for piece in pieces) == line
    assert all(len(piece) <= WIDTH - 4 for piece in pieces)
    assert all(piece.startswith("    ") for piece in pieces[1:])
