"""Equations keep the value of a formula, and are typeset as in a paper."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mpmath
import pytest
import sympy
from fusewise.explain.algebra import Term, apply, case_rows, gradient, name_of, term
from fusewise.explain.equations import Equation, forward_equations, kinks, pass_equations
from fusewise.explain.latex import latex_maths
from fusewise.explain.notation import form_of
from fusewise.explain.unicode import unicode_line, unicode_maths
from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Operand, Pass
from fusewise.language.formula import parse_formula
from fusewise.language.functions import CALLABLE, ROWS
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.numeric import evaluate as numeric
from fusewise.numeric.points import evaluate
from fusewise.pipeline import compile_spec
from repository import POINTWISE, compiled

# Further formulas, each with one difficulty.
FORMULAS = {
    "powers": "x * x * y / (x * y * y) + (x + y) ** 3 / x ** 2 - 1 / x",
    "shared factors": "x * exp(y) * (1 + x) + exp(y) * x * x - x * exp(y) / y + y",
    "nested choice": "x if y > 1 else (y * exp(x) if x < 2 else x * y) - 3 * x",
    "bounds": "clamp(x * y, 1, 2) + clamp(x, -inf, 1) + clamp(y, 1, inf)",
    "written otherwise": "expm1(x) * log1p(y) + hypot(x, y) + rsqrt(x) + exp2(y) + logaddexp(x, y)",
    "constants": "0.7978845608028654 * x + 1.4142135623730951 * y + 0.1 * x * y",
    "activations": "gelu(x) + gelu_tanh(y) + mish(x * y) + selu(x) + elu(y, 2) + leaky_relu(x)",
    "cancellations": "(x - x + 1) * y / y + (-x) ** 2 / (2 * y) ** 2 - y",
    "conditions": "x if x > 1 and x <= 2 or not (y > 1) else y",
}


def spec_of(formula: str) -> Spec:
    return parse_spec(f"op: f\ninputs: {{x: tensor, y: tensor}}\noutputs:\n  out: {formula}\n")


def value(formula: Term, known: Mapping[Term, Any]) -> Any:
    """The value of a term at a point; `known` holds the values of its symbols."""
    if formula in known:
        return known[formula]
    if isinstance(formula, sympy.Symbol):
        return mpmath.mpf(formula.name)
    if formula is sympy.pi:
        return +mpmath.pi
    if isinstance(formula, sympy.Rational):
        return mpmath.mpf(formula.p) / formula.q
    name = name_of(formula)
    if name == "cases":
        rows = case_rows(formula)
        return next(value(v, known) for v, condition in rows if value(condition, known))
    args = [value(arg, known) for arg in formula.args]
    if isinstance(formula, sympy.Add):
        return mpmath.fsum(args)
    if isinstance(formula, sympy.Mul):
        return mpmath.fprod(args)
    if isinstance(formula, sympy.Pow):
        return args[0] ** int(formula.exp)
    if name in ("stop_grad", "straight_through"):
        return args[0]
    if name == "round_to":
        return args[1]
    if name == "sech":
        return mpmath.sech(*args)
    if name == "between":
        return args[0] <= args[1] <= args[2]
    return numeric.apply(ROWS[name], *args)


def parts(tensors: Iterable[Operand]) -> Iterator[tuple[Term, Node]]:
    """The parts of tensors, each with its symbol."""
    for tensor in tensors:
        of = tensor.gradient_of
        terms = map(gradient, of.part_names) if of else map(sympy.Symbol, tensor.part_names)
        yield from zip(terms, tensor.parts, strict=True)


def agree(source: Pass, equations: list[Equation]) -> None:
    """Assert that the equations have the values of the pass."""
    draw = random.Random(0)
    leaves = [node for node in topological(source.roots) if node.kind in ("input", "param")]
    for _ in range(20):
        point = {node: mpmath.mpf(draw.uniform(0.1, 3)) for node in leaves}
        expected = evaluate([*source.roots, *(node for _, node in source.lets)], point)
        known = {sympy.Symbol(node.name): number for node, number in point.items()}
        known |= {sympy.Symbol(name): expected[node] for name, node in source.lets}
        known |= {term: point[node] for term, node in parts(source.reads) if node in point}
        writes = {term: expected[node] for term, node in parts(source.writes)}
        for equation in equations:
            found = value(equation.right, known | writes)
            for left in equation.left:
                known[left] = found
                if left in writes:
                    assert mpmath.almosteq(found, writes[left], 1e-12, 1e-12), equation


@pytest.mark.parametrize("name", [*POINTWISE, *FORMULAS])
def test_gradients_as_mathematics_are_the_gradients(name: str) -> None:
    op = compile_spec(spec_of(FORMULAS[name])) if name in FORMULAS else compiled(name)
    for variant in op.variants:
        for source in variant.passes[:2]:
            steps, writes = pass_equations(source)
            agree(source, [*steps, *writes])
        if not variant.choice.values:
            agree(variant.passes[0], forward_equations(op.spec))


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("x * y * x", "x² · y"),
        ("-x * 2", "−2 · x"),
        ("x - (y - z)", "x − (y − z)"),
        ("x - x + y * x / y", "x − x + y · x / y"),
        ("(x + y) - x", "x + y − x"),
        ("(-x) ** 2 + (2 * y) ** 2", "x² + 4 · y²"),
        ("y / (x * 0)", "y / 0"),
        ("x - -(y + z) * 2", "x + 2 · (y + z)"),
        ("(x + y) * z", "(x + y) · z"),
        ("x / y / z", "x / (y · z)"),
        ("x / (1 + abs(x))", "x / (1 + |x|)"),
        ("x ** -2", "1 / x²"),
        ("1 / (1 + x)", "1 / (1 + x)"),
        ("tanh(-(x + y)) * 2 / (x * (y + 1))", "2 · tanh(−(x + y)) / (x · (y + 1))"),
        ("(x + y) ** 2", "(x + y)²"),
        ("x ** y", "x^y"),
        ("(x + 1) ** (y / 2)", "(x + 1)^(½ · y)"),
        ("0.5 * x + 0.044715 - 1e-9 * y", "½ · x + 0.044715 − 10⁻⁹ · y"),
        ("x * (1 / 3)", "x / 3"),
        ("1.2345678901234567 * x + 0.1", "1.23456… · x + 0.1"),
        ("30 * x + 1200 * y - 0.00002", "30 · x + 1200 · y − 0.00002"),
        ("x * 1e12 + 2.5e-8 * y", "10¹² · x + 2.5 · 10⁻⁸ · y"),
        ("x * 123456789.123456", "1.23456… · 10⁸ · x"),
        ("x * 99999999999 + 0.99999999999", "9.99999… · 10¹⁰ · x + 0.999999…"),
        ("x * 100000000001 + 0.50000000001", "1.00000… · 10¹¹ · x + 0.500000…"),
        ("11.107463 * x + 11.1074648151 * y", "11.107463 · x + 11.1074… · y"),
        ("1.5e-7 ** x - 1e-7 ** x + x ** 2e12", "(1.5 · 10⁻⁷)^x − (10⁻⁷)^x + x^(2 · 10¹²)"),
        ("0.5 ** x + sqrt(2.5e-8)", "½^x + √(2.5 · 10⁻⁸)"),
        ("sqrt(2) * sqrt(x + 1)", "√2 · √(x + 1)"),
        ("tanh(x) ** 2 * abs(x) ** 2", "tanh²(x) · |x|²"),
        ("sqrt(x) * sqrt(x) - pow(x, y) ** 2", "(√x)² − (x^y)²"),
        ("exp(x) ** 2 * erfinv(x) ** 3 / cbrt(y)", "exp²(x) · erf⁻¹(x)³ / ∛y"),
        ("sech2(x) + erfinv(x)", "sech²(x) + erf⁻¹(x)"),
        ("floor(x / 2) + ceil(x) + x // y", "⌊½ · x⌋ + ⌈x⌉ + ⌊x / y⌋"),
        ("maximum(x, -inf)", "max(x, −∞)"),
        ("alpha * x1 + beta_2 + c_next", "α · x₁ + β₂ + c_next"),
        ("x if x > 0 else 0.2 * x", "x if x > 0 else 0.2 · x"),
        ("(x if x > 0 else 2 * x - 1) ** 2 * y", "(x if x > 0 else 2 · x − 1)² · y"),
        ("y / (x if c else 1) ** 3", "y / (x if c else 1)³"),
        ("x if (a if b else c) else y", "x if (a if b else c) else y"),
        ("x if x >= 0 and x <= y else 0", "x if 0 ≤ x ≤ y else 0"),
        ("x if x > 0 and y > 0 or not m else 0", "x if x > 0 ∧ y > 0 ∨ ¬m else 0"),
        ("x if not x == y else 0", "x if x ≠ y else 0"),
        ("x if not x != y and not m else 0", "x if x = y ∧ ¬m else 0"),
        ("x if not x < y else 0", "x if ¬(x < y) else 0"),
        ("round_to(x + 1, y) * stop_grad(x)", "fl_y(x + 1) · sg(x)"),
        ("0 * x + 0 / x", "0 + 0"),
        ("0 / 0 * x", "0 · x / 0"),
        ("inf * 0 * x - nan * (x * 0)", "0 · ∞ · x + 0 · nan"),
        ("0 * (x + 1 / 0)", "0 · (x + 1 / 0)"),
        ("0 * (x if x < inf else inf) + 0 * (x if x < inf else 0)", "0 · (x if x < ∞ else ∞) + 0"),
        ("x * 0 * log(0) + 0 * log(x)", "0 · ln(0) + 0"),
        ("1 / (0 / 0) + (0 / 0) ** 2 + 0 / (1 - 1)", "0 / 0 + 0² / 0² + 0 / (1 − 1)"),
        ("leaky_relu(x, 0.01) + elu(x, 1) + elu(x, 2)", "LeakyReLU(x) + ELU(x) + ELU(x, 2)"),
        ("hardtanh(x, -1, 1) + hardtanh(x, -1, 2)", "hardtanh(x) + hardtanh(x, −1, 2)"),
        ("var(x, 1) + std(x, 1) + var(x, 0)", "Var(x) + std(x) + Var(x, 0)"),
        ("sum(1 if x > y else 0) * z", "#(x > y) · z"),
        ("sum(1 if x > y else 0) > 0", "any(x > y)"),
        ("sum(0 if x > y else 1) == 0", "all(x > y)"),
        ("sum(1 if x > y else 0) > 1", "#(x > y) > 1"),
        ("sum(0 if x > y else 1) > 0", "∑(0 if x > y else 1) > 0"),
    ],
)
def test_lines(formula: str, line: str) -> None:
    assert unicode_line(term(parse_formula(formula))) == line


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("g * x + g * x * y", "g · x · (1 + y)"),
        ("x / y - exp(x) / y ** 2", "(x − exp(x) / y) / y"),
        ("-x + y", "y − x"),
        ("exp(x) * x * g_out", "∂L/∂out · x · exp(x)"),
        ("x * g_out_0 + g_alpha", "∂L/∂out₀ · x + ∂L/∂α"),
        ("x * step * y", "δ · x · y"),
        ("2 * (x if c else 0) * y", "2 · x · y if c else 0"),
        ("(x if d else y) if c else z", "x if c ∧ d else y if c else z"),
        ("x if c else (y if d else z)", "x if c else y if d else z"),
        ("(x if d else 0) if c else 0", "x if c ∧ d else 0"),
        ("((x if d else 0) if c else 0) if b else 0", "x if b ∧ (c ∧ d) else 0"),
        ("(0 if d else x) if c else 0", "0 if c ∧ d else x if c else 0"),
        ("x if c else x", "x"),
        ("g_out * (0 / 0)", "0 · ∂L/∂out / 0"),
        ("x * inf / inf + x * (1 / 0) / (1 / 0)", "x · (∞ / ∞ + 0 / 0)"),
        ("x * inf - x * inf + y", "y + x · (∞ − ∞)"),
        ("x * (1 / 0) + y * (1 / 0) + y + y", "2 · y + x / 0 + y / 0"),
        ("g_out * inf + g_out * x", "∂L/∂out · (x + ∞)"),
        ("(x - x) * log(y) + y * 0", "0"),
        ("g_out * (0 if c else x) / y", "0 if c else ∂L/∂out · x / y"),
    ],
)
def test_lines_put_in_order(formula: str, line: str) -> None:
    symbols = {f"g_{name}": gradient(name) for name in ("out", "out_0", "alpha")}
    symbols["step"] = apply("gradient_step", sympy.Symbol("delta"))
    assert unicode_line(term(parse_formula(formula), symbols, tidy=True)) == line


def test_a_choice_takes_several_lines() -> None:
    formula = term(parse_formula("2 * x if x > 0 else (y if m else z)"))
    ratio = term(parse_formula("tanh(x) / (1 + exp(x))"))
    lines = unicode_maths(
        [Equation((sympy.Symbol("out"),), formula), Equation((sympy.Symbol("h"),), ratio)], 80
    )
    assert (
        "\n".join(lines)
        == """\
out = ⎧ 2 · x  if x > 0
      ⎪ y      if m
      ⎩ z      otherwise

h   = tanh(x) / (1 + exp(x))"""
    )


def test_a_choice_in_a_condition_is_in_parentheses_beside_a_brace() -> None:
    formula = term(parse_formula("x if (a if b else c) else y"))
    first, _ = unicode_maths([Equation((sympy.Symbol("out"),), formula)], 80)
    assert first == "out = ⎧ x  if (a if b else c)"


@pytest.mark.parametrize(
    ("formula", "line", "latex"),
    [
        ("x - x_", "x − x_", r"x - \mathrm{x\_}"),
        ("x1 - x_1 + x_1_", "x1 − x_1 + x_1_", r"\mathrm{x1} - \mathrm{x\_1} + \mathrm{x\_1\_}"),
        ("a_b1 - a_b_1", "a_b1 − a_b_1", r"\mathrm{a\_b1} - \mathrm{a\_b\_1}"),
        ("eps - epsilon", "eps − epsilon", r"\mathrm{eps} - \mathrm{epsilon}"),
        ("x1 - x_2 + eps_ + beta1", "x₁ − x₂ + ε + β₁", r"x_{1} - x_{2} + \varepsilon + \beta_{1}"),
    ],
)
def test_names_that_differ_are_set_differently(formula: str, line: str, latex: str) -> None:
    equation = Equation((sympy.Symbol("out"),), term(parse_formula(formula)))
    assert unicode_maths([equation], 80) == [f"out = {line}"]
    assert latex_maths([equation])[1] == rf"  \mathrm{{out}} &= {latex}"


def test_a_long_sum_is_broken_at_its_signs() -> None:
    formula = term(parse_formula("(first * second + third - fourth * fifth) * x"))
    lines = unicode_maths([Equation((sympy.Symbol("y"),), formula)], 30)
    assert (
        "\n".join(lines)
        == """\
y = (first · second + third
      − fourth · fifth) · x"""
    )


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("x / (1 + abs(x))", r"\frac{x}{1 + \lvert x \rvert}"),
        ("-0.5 * tanh(x) ** 2", r"-\tfrac{1}{2} \cdot \tanh^{2}(x)"),
        ("exp(-x) * sigmoid(alpha_1)", r"e^{-x} \cdot \sigma(\alpha_{1})"),
        (
            "g_out * new_cell",
            r"\frac{\partial L}{\partial \mathrm{out}} \cdot \mathrm{new\_cell}",
        ),
        ("tanh(x / (y + 1))", r"\tanh\left(\frac{x}{y + 1}\right)"),
        (
            "c_next if x > -1 else 0",
            r"\begin{cases} c_{\mathrm{next}} & \text{if } {x > -1} \\ "
            r"0 & \text{otherwise} \end{cases}",
        ),
        (
            "-(x if m else y) - sqrt(x) ** 2 + exp(x) ** 2",
            r"-\left(\begin{cases} x & \text{if } {m} \\ y & \text{otherwise} \end{cases}\right)"
            r" - (\sqrt{x})^{2} + (e^{x})^{2}",
        ),
        ("2e-7 * x + 1 / 3", r"2 \cdot 10^{-7} \cdot x + \frac{1}{3}"),
        ("x * 99999999999", r"9.99999\ldots \cdot 10^{10} \cdot x"),
        ("1.5e-7 ** x", r"(1.5 \cdot 10^{-7})^{x}"),
        (
            "(x if m else y) ** 2",
            r"\left(\begin{cases} x & \text{if } {m} \\ "
            r"y & \text{otherwise} \end{cases}\right)^{2}",
        ),
        (
            "x if (a if b else c) else y",
            r"\begin{cases} x & \text{if } {\left(\begin{cases} a & \text{if } {b} \\ "
            r"c & \text{otherwise} \end{cases}\right)} \\ y & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_latex(formula: str, text: str) -> None:
    right = term(parse_formula(formula), {"g_out": gradient("out")})
    equation = Equation((sympy.Symbol("y"),), right)
    assert latex_maths([equation])[1] == f"  y &= {text}"


@pytest.mark.parametrize("name", ROWS)
def test_every_function_can_be_set(name: str) -> None:
    params = ROWS[name].params
    formula = term(parse_formula(f"{name}({', '.join(params)}) * 3"), tidy=True)
    assert name not in unicode_line(formula) or "_" not in name or name == "gelu_tanh"
    (row,) = latex_maths([Equation((sympy.Symbol("out"),), formula)])[1:-1]
    assert row.count("{") == row.count("}")


@pytest.mark.parametrize("name", CALLABLE)
def test_the_latex_of_every_function_is_what_tex_reads(name: str) -> None:
    assert not re.search(r"(?<!\\)[#%$&~]|[^ -~□■]", form_of(name).latex)


@pytest.mark.parametrize("text", ["1e-300 * 1e-300 * x", "1e300 * 1e300 * x", "x ** 100000"])
def test_numbers_out_of_every_range(text: str) -> None:
    assert len(unicode_line(term(parse_formula(text), tidy=True))) < 20


def test_the_deepest_formula_can_be_set() -> None:
    deep = "x"
    for _ in range(33):
        deep = f"tanh({deep} * y + 1)"
    spec = spec_of(deep)
    steps, writes = pass_equations(compile_spec(spec).variants[0].passes[1])
    assert len(steps) >= 32
    assert sum(map(len, unicode_maths([*steps, *writes], 100))) < 20_000
    assert unicode_maths(forward_equations(spec), 100)


def test_kinks_name_the_place_and_what_holds_there() -> None:
    formula = "relu(x - y) + clamp(x, -1, inf) + hardsigmoid(y) + sqrt(y) + lgamma(x)"
    forward = compile_spec(spec_of(formula)).variants[0].passes[0]
    shown = [
        ([f"{unicode_line(a)} = {unicode_line(b)}" for a, b in kink.places], kink.function.name)
        for kink in kinks(forward)
    ]
    assert shown == [
        (["x − y = 0"], "relu"),
        (["x = −1"], "clamp"),
        (["y = −3", "y = 3"], "hardsigmoid"),
        ([], "sqrt"),
        ([], "lgamma"),
    ]


@pytest.mark.parametrize(
    ("formula", "has_kink"),
    [
        ("atan2(x, y)", True),
        ("atan2(x, -1)", True),
        ("atan2(x, 0)", True),
        ("atan2(x, 2)", False),
        ("atan2(1, x)", False),
        ("hypot(x, y)", True),
        ("hypot(x, 0)", True),
        ("hypot(x, 3)", False),
        ("x ** -2", False),
        ("x ** y", True),
    ],
)
def test_constant_arguments_rule_kinks_out(formula: str, has_kink: bool) -> None:
    forward = compile_spec(spec_of(f"{formula} + y + x")).variants[0].passes[0]
    assert bool(kinks(forward)) == has_kink
