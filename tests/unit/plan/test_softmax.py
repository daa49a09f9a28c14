"""The cheaper forms of the parts of a softmax."""

from __future__ import annotations

import pytest
from fusewise.graph.passes import build_graph
from fusewise.language.spec import parse_spec
from fusewise.plan.kernels import plan_kernels
from fusewise.plan.statements import RowPass


def row_pass(formula: str) -> RowPass:
    text = f"op: f\ninputs: {{x: tensor, y: tensor}}\noutputs: {{out: '{formula} + sum(x * y)'}}"
    (plan,) = plan_kernels([build_graph(parse_spec(text))])
    assert plan.row_pass is not None
    return plan.row_pass


@pytest.mark.parametrize(
    ("formula", "is_bounded"),
    [
        ("sum(exp(x - amax(x)))", True),
        ("sum(exp(2 * x - amax(2 * x)))", True),
        ("softmax(x * y)", True),
        ("log_softmax(x)", True),
        ("sum(exp(x - amax(y)))", False),
        ("sum(exp(amax(x) - x))", False),
        ("sum(exp(x - amin(x)))", False),
        ("logsumexp(x)", False),  # it takes exp(inf) of a row with infinity
    ],
)
def test_exponentials_below_the_maximum(formula: str, is_bounded: bool) -> None:
    parts = row_pass(formula).parts
    called = {node.name for part in parts for node in part.kernel.used if node.kind == "call"}
    assert called & {"exp", "exp_negative"} == {"exp_negative" if is_bounded else "exp"}


@pytest.mark.parametrize(
    ("formula", "phases"),
    [
        ("sum(log_softmax(x))", 2),
        ("mean(-log_softmax(x) / 3)", 2),
        ("sum(y * log_softmax(x) if index > 3 else 0)", 2),
        ("sum(0 if y > 0 else log_softmax(x * y))", 2),
        ("sum(softmax(x) * log_softmax(x))", 3),  # the factors wait for the sum of exponentials
        ("sum(log_softmax(x) * log_softmax(y))", 3),
        ("sum(log_softmax(x) + y)", 3),
    ],
)
def test_phases(formula: str, phases: int) -> None:
    """Sums of log_softmax have their place beside the sum of exponentials."""
    assert len(row_pass(formula).totals) == phases
