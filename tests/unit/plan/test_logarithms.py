"""Sums of log_softmax are planned beside the sum of exponentials."""

from __future__ import annotations

import pytest
from fusewise.graph.passes import build_graph
from fusewise.language.spec import parse_spec
from fusewise.plan.kernels import plan_kernels


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
    text = f"op: f\ninputs: {{x: tensor, y: tensor}}\noutputs: {{out: '{formula} + sum(x * y)'}}"
    (plan,) = plan_kernels([build_graph(parse_spec(text))])
    assert plan.row_pass is not None
    assert len(plan.row_pass.totals) == phases
