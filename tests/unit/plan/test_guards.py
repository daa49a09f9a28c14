"""Infinities in a branch not taken do not reach the gradients of ATen's autograd."""

from __future__ import annotations

import pytest
import torch
from fusewise.graph.dag import Dag, Node, topological
from fusewise.language.formula import parse_formula
from fusewise.plan.guards import guard_branches
from torch import Tensor


def in_torch(root: Node, x: Tensor) -> Tensor:
    """The value of the node in PyTorch, for the few functions that these tests use."""
    functions = {
        "where": torch.where,
        "sqrt": torch.sqrt,
        "log": torch.log,
        "exp": torch.exp,
        "div": torch.div,
        "mul": torch.mul,
        "add": torch.add,
        "neg": torch.neg,
        "gt": torch.gt,
        "lt": torch.lt,
        "stop_grad": torch.detach,
    }
    values: dict[Node, Tensor] = {}
    for node in topological([root]):
        if node.kind == "const":
            assert node.value is not None
            values[node] = x.new_tensor(float(node.value))
        elif node.kind == "input":
            values[node] = x
        else:
            values[node] = functions[node.name](*(values[arg] for arg in node.args))
    return values[root]


@pytest.mark.parametrize(
    ("formula", "at", "gradient"),
    [
        ("where(x > 0, sqrt(x), 0)", 0.0, 0.0),
        ("where(x > 0, sqrt(x), x)", -1.0, 1.0),
        ("where(x > 0, log(x) * x, -x)", -1.0, -1.0),
        ("where(x < 0, 1 / x, 2 * x)", 0.0, 2.0),
        ("where(x > 0, where(x > 1, sqrt(x) + 1, 1 / x), x * x)", -2.0, -4.0),
        ("where(x < 9, exp(x) + where(x > 0, log(x), 1), x)", 1000.0, 1.0),
    ],
)
def test_a_branch_not_taken_has_no_say(formula: str, at: float, gradient: float) -> None:
    dag = Dag()
    root = dag.build(parse_formula(formula), {"x": dag.input("x")})
    guarded = guard_branches(dag, [root])[root]
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.grad(in_torch(guarded, x), x)[0].item() == gradient
    assert in_torch(guarded, x).item() == in_torch(root, x).item()


def test_harmless_branches_stay_as_they_are() -> None:
    dag = Dag()
    root = dag.build(parse_formula("where(x > 0, x, 0.2 * x)"), {"x": dag.input("x")})
    assert guard_branches(dag, [root])[root] is root
