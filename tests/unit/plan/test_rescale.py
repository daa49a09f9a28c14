"""Sums relative to maxima of some elements, rescaled to those of the row."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import mpmath
import pytest
from fusewise.graph.passes import build_graph
from fusewise.language.formula import INDEX, LENGTH
from fusewise.language.spec import parse_spec
from fusewise.numeric.points import evaluate
from fusewise.plan.kernels import plan_kernels
from fusewise.plan.statements import KernelPlan, RowPass, total_name
from repository import PLAIN, SPECS

LENGTH_OF_ROW = 7
TILES = (range(3), range(3, LENGTH_OF_ROW))

RELATIVE = {
    "logsumexp": "logsumexp(x)",
    "sum of log_softmax": "sum(log_softmax(x))",
    "entropy": "sum(exp(x - amax(x)) * (x - amax(x))) / sum(exp(x - amax(x)))",
    "divergence": (
        "sum(exp(x - amax(x)) * ((x - amax(x)) - (y - amax(y)))) / sum(exp(x - amax(x)))"
        " + log(sum(exp(y - amax(y))))"
    ),
    "weighted exponentials": "sum(exp(x - amax(x)) * y) / sum(exp(x - amax(x)))",
    "a multiple": "sum(2 * (x - amax(x)))",
    "half the exponent": "sum(exp((x - amax(x)) / 2))",
    "a divisor": "sum(exp(x - amax(x)) / s) - sum((x - amax(x)) / 4)",
    "squares": "sum(exp(x - amax(x)) * exp(x - amax(x)))",
    "elements above minus infinity": (
        "sum(0 if x == -inf else exp(x - amax(x)) * (x - amax(x))) + sum(exp(x - amax(x)))"
    ),
    "a choice of finite exponents": (
        "sum(exp(x - (0 if abs(amax(x)) == inf else amax(x))) if y > 0 else 0)"
    ),
    "an exponential of zero": (
        "sum(0 if exp(x - amax(x)) == 0 else exp(x - amax(x)) * (x - amax(x)))"
        " + sum(exp(x - amax(x)))"
    ),
    "the greatest and the least": "sum(exp(x - amax(x))) + sum(amin(y) - y)",
    "differences from the least": "sum(exp(x - amax(x))) * sum(y - amin(y))",
    "beside sums": "sum(exp(x - amax(x))) + sum(x * y)",
}
OTHERS = {
    "another power": "sum(square(x - amax(x)))",
    "another exponential": "sum(exp((x - amax(x)) * y))",
    "a difference and an exponential": "sum(2 * (x - amax(x)) + exp(x - amax(x)))",
    "a sum of weights that is not there": "sum((x - amax(x)) * y)",
    "a condition on the maximum": "sum(x if x == amax(x) else 0)",
    "the maximum of other values": "sum(exp(y - amax(x)))",
    "differences from the maximum of others": "sum(2 * (y - amax(x)))",
    "the maximum of some": "sum(exp(x - amax(x if y > 0 else -inf)))",
    "the other side": "sum(exp(amax(x) - x))",
    "more than the maximum": "sum(exp(2 * amax(x) - x))",
    "exponentials of both sides": "sum(exp(x - amax(x)) * exp(amax(x) - y))",
    "a choice that may be none": "sum(exp(x - amax(x)) if y > 0 else 0)",
    "some of the maximum's values": "sum(0 if x > y else exp(x - amax(x)))",
    "both branches": "sum(exp(x - amax(x)) if y > 0 else x - amax(x))",
    "sums of sums": "sum(exp(x - amax(x)) * mean(x))",
    "no maxima": "var(x)",
    "a third phase": "-sum(softmax(x) * log_softmax(x))",
    "elements": "softmax(x)",
}


Totals = dict[str, Any]  # an mpf: mpmath has no types
Row = Sequence[Totals]


def row_pass(formula: str) -> RowPass:
    text = (
        "op: sample\ninputs: {x: tensor, y: tensor, s: row tensor}\n"
        f"outputs: {{out: '{formula} + 0 * sum(y) * s'}}\n"
    )
    (plan,) = plan_kernels([build_graph(parse_spec(text))])
    assert plan.row_pass is not None
    return plan.row_pass


def row_of(seed: int) -> Row:
    """The elements of a row, some of them so far below others that their exponentials vanish."""
    draw = random.Random(seed)
    row = {"s": mpmath.mpf(draw.uniform(0.5, 2))}
    spread = draw.choice((1, 10, 1000))
    return [
        row | {name: mpmath.mpf(draw.uniform(-spread, spread)) for name in "xy"} | {INDEX: k}
        for k in range(LENGTH_OF_ROW)
    ]


def valued(plan: KernelPlan, elements: Row, totals: Totals) -> Row:
    """The writes of a pass, for each element."""
    found = []
    for element in elements:
        values = element | totals | {LENGTH: LENGTH_OF_ROW}
        leaves = (*plan.reads, *plan.params)
        point = {node: values[node.name] for node in leaves if node.name in values}
        results = evaluate(plan.kernel.writes, point)
        writes = zip(plan.write_names, plan.kernel.writes, strict=True)
        found.append({name: results[node] for name, node in writes})
    return found


def reduced(rows: RowPass, phase: int, elements: Row, totals: Totals) -> Totals:
    """The totals of a phase over some elements."""
    plan, maxima = rows.totals[phase], rows.maxima[phase]
    values = valued(plan, elements, totals)
    return {
        total_name(name): (max if name in maxima else mpmath.fsum)([each[name] for each in values])
        for name in plan.write_names
    }


def sums_by_tiles(rows: RowPass, row: Row, of_row: Totals) -> Totals:
    """The totals of the second phase: sums relative to the maxima of each tile, rescaled."""
    assert rows.rescaled is not None
    added: Totals = {}
    for tile in TILES:
        elements = [row[k] for k in tile]
        of_tile = reduced(rows, 0, elements, {})
        bases = {name: 0 if value == -mpmath.inf else value for name, value in of_tile.items()}
        given = reduced(rows, 1, elements, bases) | {"tile_length": mpmath.mpf(len(elements))}
        given |= of_tile | {f"row_{name}": value for name, value in of_row.items()}
        (sums,) = valued(rows.rescaled, [given], {})
        for name, value in sums.items():
            added[name] = added.get(name, mpmath.mpf(0)) + value
    return added


@pytest.mark.parametrize("formula", RELATIVE.values(), ids=RELATIVE)
def test_sums_are_those_relative_to_the_maxima_of_the_row(formula: str) -> None:
    rows = row_pass(formula)
    for seed in range(20):
        row = row_of(seed)
        of_row = reduced(rows, 0, row, {})
        wanted = reduced(rows, 1, row, of_row)
        for name, value in sums_by_tiles(rows, row, of_row).items():
            assert mpmath.almosteq(value, wanted[total_name(name)], 1e-9, 1e-9)


INFINITE = {
    "a tile without a number": [-mpmath.inf] * 3,
    "a row without a number": [-mpmath.inf] * LENGTH_OF_ROW,
    "infinity": [mpmath.inf],
    "both": [-mpmath.inf, mpmath.inf],
    "NaN": [mpmath.nan],
}


@pytest.mark.parametrize("values", INFINITE.values(), ids=INFINITE)
@pytest.mark.parametrize("names", ["x", "y", "xy"])
@pytest.mark.parametrize("formula", RELATIVE.values(), ids=RELATIVE)
def test_infinite_values(formula: str, names: str, values: Sequence[Any]) -> None:
    rows = row_pass(formula)
    row = row_of(0)
    for element, value in zip(row, values, strict=False):
        element.update(dict.fromkeys(names, value))
    of_row = reduced(rows, 0, row, {})
    wanted = reduced(rows, 1, row, of_row)
    for name, value in sums_by_tiles(rows, row, of_row).items():
        other = wanted[total_name(name)]
        is_nan = mpmath.isnan(value) and mpmath.isnan(other)
        assert is_nan or value == other or mpmath.almosteq(value, other, 1e-9, 1e-9)


@pytest.mark.parametrize("formula", OTHERS.values(), ids=OTHERS)
def test_other_sums_wait_for_the_maxima_of_the_row(formula: str) -> None:
    assert row_pass(formula).rescaled is None


@pytest.mark.parametrize(
    ("kind", "formula"),
    [
        ("int", "sum(2 * (x - amax(x)))"),  # integers have no infinity
        ("float", "sum(x - amax(x) if index == t else 0)"),  # a single element, at a known place
    ],
)
def test_sums_that_need_no_rescaling(kind: str, formula: str) -> None:
    text = f"op: f\ninputs: {{x: {kind} tensor, t: int row tensor}}\n"
    text += f"outputs: {{out: '{formula} + 0 * t'}}\n"
    (plan,) = plan_kernels([build_graph(parse_spec(text))])
    assert plan.row_pass is not None
    assert len(plan.row_pass.totals) == 2
    assert plan.row_pass.rescaled is None


def test_the_losses_of_the_repository_read_their_logits_once() -> None:
    found = set()
    for name in PLAIN:
        (forward, *_) = plan_kernels([build_graph(SPECS[name])])
        if forward.row_pass and forward.row_pass.rescaled:
            found.add(name)
    assert found == {
        "cross_entropy",
        "cross_entropy_z_loss",
        "kl_divergence",
        "softcapped_cross_entropy",
        "token_logprob",
        "weighted_cross_entropy",
    }
