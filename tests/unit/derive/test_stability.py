"""Errors of stable forms and of their first and second derivatives, in float32.

The formula of each rule, each function of the table and some compositions are simplified and
differentiated as in the pipeline, run in float32 as in a kernel, and compared with exact values.
The error may exceed a few roundings of the value only by the change of the exact value that a
rounding error of one input causes. Near a zero, no float32 kernel can avoid this error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from fusewise.derive.autodiff import differentiate
from fusewise.derive.rules import RULES
from fusewise.derive.simplify import simplify
from fusewise.graph.dag import Dag, Node, expand, topological
from fusewise.graph.passes import Operand, Pass
from fusewise.language.formula import Name, format_expr, parse_formula, walk
from fusewise.language.functions import ROWS, Function
from fusewise.numeric.evaluate import evaluate_in_order
from fusewise.numeric.float32 import LARGEST, SMALLEST_NORMAL, rounded, run
from fusewise.plan.kernels import plan_kernels

DIGITS = 150
EPSILON = 2.0**-24  # the relative error of one rounding
ROUNDINGS = 16  # the number of roundings that one pass may accumulate
# The allowed absolute error; it is larger for a subnormal value, because a factor may be 0.
UNDERFLOW, SUBNORMAL = EPSILON * SMALLEST_NORMAL * ROUNDINGS, SMALLEST_NORMAL

SIZES = (
    *(0, 2.0**-126, 1e-30, 1e-20, 1e-12, 1e-8, 1e-7, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.25, 0.5, 0.75),
    *(0.9, 0.99, 0.999, 0.9999, 0.999999, 1, 1.000001, 1.0001, 1.001, 1.1, 1.25, 1.5, 2, 2.4, 3, 4),
    *(5, 7, 10, 13, 17, 20, 30, 50, 80, 87, 100, 150, 300, 1e4, 1e6, 1e9, 1e12, 1e15, 1e19, 1e25),
    1e38,
)
XS = [rounded(sign * size) for size in SIZES for sign in ((1, -1) if size else (1,))]
YS = [rounded(size) for size in (1e-12, -1e-7, 0.3, -1, 5, -60, 1e10)]

Range = tuple[float | Fraction, float | Fraction]
EVERYWHERE: Range = (-math.inf, math.inf)

# Formulas with a part that has a stable form.
COMPOSED = [
    "0.75 * (1 - x * x)",
    "sqrt(1 - x * x)",
    "(x * x - 1) ** 2",
    "1 - square(x)",
    "(1 - x) * (1 + x)",
    "(x + 1) * (x - 1)",
    "1 - sin(x) * sin(x) * x * x",
    "y - (1 - x * x)",
    "exp(x) * (1 - x * x)",
    "exp(x) * (3 + (1 - x * x))",
    "dsigmoid(x) * (1 - x * x)",
    "log((1 + x) / (1 - x)) * x",
    "x / sqrt(1 + x * x)",
]
LARGEST_COMPOSED = 1e15  # the largest x; beyond it a product of two functions may overflow
# Functions of the table, each in its domain. mpmath is slow at gamma functions.
COSTLY = ("zeta", "digamma", "lgamma", "trigamma")
FUNCTIONS = [
    row
    for row in ROWS.values()
    if any(row.derivatives) and len(row.params) < 3 and row.name not in COSTLY
]


def names_of(text: str) -> list[str]:
    """The variables of a formula."""
    found = {node.id for node in walk(parse_formula(text)) if isinstance(node, Name)}
    return sorted(found & {"x", "y"})


def passes_of(text: str) -> list[Pass]:
    """The forward, backward and double backward passes of a formula, in stable forms."""
    dag = Dag()
    nodes = {name: dag.input(name) for name in names_of(text)}
    reads = tuple(Operand(name, "input", (node,), (name,)) for name, node in nodes.items())
    out = Operand("out", "output", (dag.build(parse_formula(text), nodes),), ("out",))
    passes = [simplify(Pass(0, dag, reads, (), (out,)))]
    for _ in range(2):
        passes.append(simplify(differentiate(passes[-1])))
    return passes


class Formula:
    """The results of all passes of a formula: exact, and as a kernel computes them."""

    def __init__(self, text: str, xs: Range, ys: Range) -> None:
        self.names = names_of(text)
        self.xs = [x for x in XS if xs[0] <= x <= xs[1]]
        self.ys = [y for y in YS if ys[0] <= y <= ys[1]] if "y" in self.names else [0.0]
        self.results: list[tuple[str, Node, Node]] = []  # (name, exact, as a kernel computes it)
        passes = passes_of(text)
        roots = [root for source in passes for root in source.roots]
        # composites in their parts, of which they have many in common
        parts = expand(passes[-1].dag.copy(), roots, lambda row: None if row.mp else row.body)
        for source in passes:
            kernel = plan_kernels([source])[0].kernel.writes
            names = [name for tensor in source.writes for name in tensor.part_names]
            for name, root, lowered in zip(names, source.roots, kernel, strict=True):
                self.results.append((f"{source.name}, {name}", parts[root], lowered))
        self.exact_order = topological([root for _, root, _ in self.results])
        self.kernel_order = topological([lowered for *_, lowered in self.results])
        nodes = {*self.exact_order, *self.kernel_order}
        self.inputs = [node for node in nodes if node.kind == "input"]

    def points(self) -> Iterator[dict[str, Fraction]]:
        seeds = ["grad_grad_x", "grad_grad_y"][: len(self.names)]
        for x in self.xs:
            for y in self.ys:
                for seed in seeds:
                    yield {
                        "x": Fraction(x),
                        "y": Fraction(y),
                        "grad_out": Fraction(1),
                        **dict.fromkeys(seeds, Fraction(0)),
                        seed: Fraction(1),
                    }

    def exactly(self, point: Mapping[str, Fraction]) -> list[Any]:
        inputs = {node: point[node.name] for node in self.inputs}
        values = evaluate_in_order(self.exact_order, inputs)
        return [values[root] for _, root, _ in self.results]

    def moved(self, point: Mapping[str, Fraction]) -> Iterator[list[Any]]:
        """The exact results after one variable changes by a rounding error."""
        for name in self.names:
            for sign in (1, -1):
                near = point[name] * (1 + sign * Fraction(EPSILON))
                yield self.exactly({**point, name: near})

    def failures(self) -> Iterator[str]:
        for point in self.points():
            with mpmath.workdps(DIGITS):
                exact = self.exactly(point)
                if not mpmath.isfinite(exact[0]):  # the point is outside the domain
                    continue
                inputs = {node: point[node.name] for node in self.inputs}
                found = run(self.kernel_order, inputs)
                moved: list[list[Any]] = []
                for k, (name, _, lowered) in enumerate(self.results):
                    right, value = exact[k], found[lowered]
                    size, error = float(abs(right)), float(abs(value - right))
                    if not size < LARGEST / 4:
                        continue
                    tiny = SUBNORMAL if size < SMALLEST_NORMAL else UNDERFLOW
                    allowed = ROUNDINGS * EPSILON * size + tiny
                    if error <= allowed:
                        continue
                    moved = moved or list(self.moved(point))
                    moves = [float(abs(other[k] - right)) for other in moved]
                    allowed += ROUNDINGS * sum(filter(math.isfinite, moves))
                    if not error <= allowed:
                        place = ", ".join(f"{n}={float(point[n]):.9g}" for n in self.names)
                        yield f"{name} at {place}: {value:.9g}, exactly {mpmath.nstr(right, 9)}"


def check(text: str, xs: Range = EVERYWHERE, ys: Range = EVERYWHERE) -> None:
    wrong = list(Formula(text, xs, ys).failures())
    assert not wrong, "\n".join(wrong[:8])


@pytest.mark.parametrize("text", [format_expr(rule.pattern) for rule in RULES])
def test_a_rule_and_its_derivatives_are_right_to_rounding(text: str) -> None:
    if text == "y * exp(x) - y":  # beyond this range exp(x) overflows
        check(text, (-87, 88), (-60, 60))
    else:
        check(text)


@pytest.mark.parametrize("text", COMPOSED)
def test_a_composition_and_its_derivatives_are_right_to_rounding(text: str) -> None:
    check(text, (-LARGEST_COMPOSED, LARGEST_COMPOSED))


def test_what_vanishes_is_multiplied_first() -> None:
    """At a large negative x, exp(x) is 0 and (1 - x) * (1 + x) is -infinity: their product is 0."""
    formula = Formula("y * exp(x) * (1 - x * x)", EVERYWHERE, EVERYWHERE)
    point = {node: Fraction(-(10**25)) for node in formula.inputs}
    found = run(formula.kernel_order, point)
    assert found[formula.results[0][2]] == 0


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.name)
def test_a_function_and_its_derivatives_are_right_to_rounding(row: Function) -> None:
    text = f"{row.name}({', '.join(('x', 'y')[: len(row.params)])})"
    (low, high), *others = row.domain
    if row.name in ("exp_mul", "pow"):
        check(text, (low, high), others[0])
    else:
        check(text, (-max(-low, high), max(-low, high)))
