"""Infinities in a branch not taken do not reach the gradients of ATen's autograd."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import pytest
import torch
from fusewise.graph.dag import Dag, Node, topological
from fusewise.language.formula import parse_formula
from fusewise.plan.guards import guard_branches
from torch import Tensor


def in_torch(root: Node, leaves: Mapping[str, Tensor]) -> Tensor:
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
        "any": functools.partial(torch.any, dim=-1, keepdim=True),
        "amax": functools.partial(torch.amax, dim=-1, keepdim=True),
        "mean": functools.partial(torch.mean, dim=-1, keepdim=True),
        "softmax": functools.partial(torch.softmax, dim=-1),
    }
    values: dict[Node, Tensor] = {}
    for node in topological([root]):
        if node.kind == "const":
            assert node.value is not None
            values[node] = torch.tensor(float(node.value), dtype=torch.float64)
        elif node.kind == "input":
            values[node] = leaves[node.name]
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
    assert torch.autograd.grad(in_torch(guarded, {"x": x}), x)[0].item() == gradient
    assert in_torch(guarded, {"x": x}).item() == in_torch(root, {"x": x}).item()


@pytest.mark.parametrize(
    ("formula", "gradient"),
    [
        ("where(y > 0, mean(x) / y, 0)", [1 / 3] * 3),  # a value of the row under a condition
        ("where(any(x > 5), softmax(where(x > 5, x, -inf)) * y, 0)", [0.0] * 3),
        ("where(amax(y) < 0, mean(log(x)), 0)", [0.0] * 3),
    ],
)
def test_a_row_not_taken_has_no_say(formula: str, gradient: list[float]) -> None:
    dag = Dag()
    leaves = {name: dag.input(name) for name in "xy"}
    root = dag.build(parse_formula(formula), leaves)
    guarded = guard_branches(dag, [root])[root]
    x = torch.tensor([0.0, 1, 2], dtype=torch.float64, requires_grad=True)
    values = {"x": x, "y": torch.tensor([0.0, 1, 0], dtype=torch.float64)}
    total = in_torch(guarded, values).sum()
    assert torch.autograd.grad(total, x)[0].tolist() == pytest.approx(gradient)
    assert total == in_torch(root, values).sum()


def test_the_type_of_round_to_is_not_guarded() -> None:
    dag = Dag()
    x = dag.input("x")
    root = dag.build(parse_formula("where(x > 0, sqrt(round_to(x, x)), 0)"), {"x": x})
    guarded = guard_branches(dag, [root])[root]
    (rounded,) = (node for node in topological([guarded]) if node.name == "round_to")
    assert rounded.args[0] is not x
    assert rounded.args[1] is x


def test_harmless_branches_stay_as_they_are() -> None:
    dag = Dag()
    root = dag.build(parse_formula("where(x > 0, x, 0.2 * x)"), {"x": dag.input("x")})
    assert guard_branches(dag, [root])[root] is root
