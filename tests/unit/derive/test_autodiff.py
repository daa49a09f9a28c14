"""Derivatives: against differences in many digits, at kinks, and across branches not taken."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import mpmath
import pytest
import torch
from derivatives import (
    FORMULAS,
    check_both,
    formulas,
    forward_of,
    numbers,
    reference,
    torch_values,
    values,
)
from fusewise.derive.autodiff import differentiate
from fusewise.graph.dag import topological
from fusewise.language.functions import ROWS, Function
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DIFFERENTIABLE = [row for row in ROWS.values() if any(row.derivatives)]


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(first=FORMULAS, second=FORMULAS, third=FORMULAS, seed=st.integers(0, 1000))
def test_any_formula(first: str, second: str, third: str, seed: int) -> None:
    forward = forward_of(
        f"out: {second} * step + x * z; other: tanh(step) + {third}",
        "x; y; z",
        let=f"step: {first} + sin(y)",
    )
    check_both(forward, numbers(random.Random(seed), ["x", "y", "z"]))


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_every_primitive_alone(row: Function) -> None:
    differentiable = [name for name, d in zip(row.params, row.derivatives, strict=True) if d]
    others = [name for name in row.params if name not in differentiable]
    params = "; ".join(f"{name}: float" for name in others)
    plain = forward_of(f"out: {' + '.join(row.params)}", "; ".join(differentiable), params=params)
    nodes = {node.name: node for node in topological(plain.roots)}
    call = plain.dag.call(row.name, *(nodes[name] for name in row.params))
    forward = replace(plain, writes=(replace(plain.writes[0], parts=(call,)),))
    for shares in ((0.23, 0.61, 0.47), (0.81, 0.19, 0.83)):
        env = {
            name: mpmath.mpf(float(low) + share * float(high - low))
            for name, share, (low, high) in zip(row.params, shares, row.domain, strict=False)
        }
        env |= {name: mpmath.mpf(3) for name in others}
        check_both(forward, env)


# Kinks

# Points at the steps, edges and ties, where a choice was made.
KINKS = {
    "abs": [(0,)],
    "sign": [(0,), (2,)],
    "floor": [(1,), (0.5,)],
    "ceil": [(1,)],
    "trunc": [(-1,)],
    "round": [(0.5,), (1.5,)],
    "minimum": [(2, 2), (1, 2)],
    "maximum": [(2, 2), (1, 2)],
    "clamp": [(-1, -1, 1), (1, -1, 1), (2, -1, 1)],
    "relu": [(0,), (1,)],
    "relu6": [(0,), (6,)],
    "leaky_relu": [(0, 0.1)],
    "elu": [(0, 1)],
    "selu": [(0,)],
    "hardsigmoid": [(-3,), (3,)],
    "hardswish": [(-3,), (3,)],
    "hardtanh": [(-1, -1, 1), (1, -1, 1)],
    "softsign": [(0,)],
    "sqrt": [(0,)],
    "atan2": [(0, 1), (1, 0)],
    "pow": [(0, 0), (0, 2), (2, 0)],
    "xlogy": [(0, 2), (0, 0)],
    "logaddexp": [(1, 1)],
}


@pytest.mark.parametrize(
    ("name", "point"), [(name, point) for name, points in KINKS.items() for point in points]
)
def test_at_a_kink_as_pytorch(name: str, point: tuple[float, ...]) -> None:
    """The first argument's gradient, and the second's where there are two tensors."""
    row = ROWS[name]
    backward = differentiate(
        forward_of(f"out: {name}({', '.join(row.params)})", "; ".join(row.params))
    )
    leaves = [torch.tensor(float(v), dtype=torch.float64, requires_grad=True) for v in point]
    expected = torch.autograd.grad(reference(row, leaves), leaves, allow_unused=True)
    env = dict(zip(row.params, [leaf.detach() for leaf in leaves], strict=True))
    found = torch_values(backward, {**env, "grad_out": 1})
    for param, gradient in list(zip(row.params, expected, strict=True))[:2]:
        right = torch.zeros((), dtype=torch.float64) if gradient is None else gradient
        if not torch.isnan(right):  # PyTorch's NaN of xlogy at (0, 0): the table has a value
            torch.testing.assert_close(found[f"grad_{param}"], right)


# Branches not taken

# The formula, a point, and both derivatives in x there: those of the branch taken.
LEAKS = [
    ("where(x > 0, sqrt(x), x)", -1, 1, 0),
    ("where(x > 0, log(x), x * x)", -1, -2, 2),
    ("where(x > 0, log(x), x * x)", 0, 0, 2),
    ("where(x == 0, 1, 1 / x)", 0, 0, 0),
    ("where(x == 0, 1, sin(x) / x)", 0, 0, 0),
    ("x ** 1.5 if x > 0 else x ** 3", -2, 12, -12),
    ("where(x < 1, x * x, acosh(x))", 0.5, 1, 2),
    ("where(x < 700, x, exp(x * x))", 100, 1, 0),
    ("where(x > 0, where(x > 1, log(x - 1), sqrt(x)), 3 * x)", -1, 3, 0),
    ("where(x > 0, where(x > 1, log(x - 1), x * x), sqrt(-x))", 0.5, 1, 2),
    ("where(x > 0, sqrt(x) * log(x), 2)", -1, 0, 0),
    ("exp(where(x > 0, sqrt(x), x))", 0, 1, 1),
    ("sqrt(maximum(x, 0))", -1, 0, 0),
    ("log(minimum(x, -1) + 1)", 0, 0, 0),
    ("1 / clamp(x, 0, 1)", -1, 0, 0),
    ("tanh(where(x > 0, 1 / x, x)) * where(x > 0, 1 / x, 1)", 0, 1, 0),
    # One expression in several branches, of which none is taken.
    ("where(x > 0, sqrt(x), 0) + where(x > 1, sqrt(x), 0)", -1, 0, 0),
    ("where(x > 0, sqrt(x), 0) - where(x > 1, sqrt(x), x)", -1, -1, 0),
    ("where(x > 0, sqrt(x), 1) * where(x > 1, sqrt(x), x)", -1, 1, 0),
    ("where(x > 0, where(x > 5, 1, sqrt(x)), 0) + where(x > 5, sqrt(x), x)", -1, 1, 0),
    ("where(x > 0, log(x), x) + where(x < -5, log(x), x) + where(x > 9, log(x), x)", -1, 3, 0),
    ("relu(where(x > 0, sqrt(x), 0)) + abs(where(x > 1, sqrt(x), 0))", -1, 0, 0),
    # The halves of two choices meet in one: where(y > 0, where(x > 0, ...), ...).
    ("where(y > 0, where(x > 0, 0, sqrt(x)), 0) + where(x > 0, sqrt(x), x * x)", -1, -2, 2),
]


@pytest.mark.parametrize(("formula", "x", "first", "second"), LEAKS)
def test_a_branch_not_taken_leaks_nothing(
    formula: str, x: float, first: float, second: float
) -> None:
    forward = forward_of(f"out: {formula}", "x; y" if "y" in formula else "x")
    backward = differentiate(forward)
    double = differentiate(backward)
    env = {"x": x, "y": -1, "grad_out": 1, "grad_grad_x": 1, "grad_grad_y": 1}
    assert torch_values(backward, env)["grad_x"].item() == first
    found = torch_values(double, env)
    assert found["grad_grad_out"].item() == first
    assert found.get("grad_x", torch.zeros(())).item() == second


def test_an_infinite_incoming_gradient_of_a_branch_not_taken_stays_out() -> None:
    backward = differentiate(forward_of("out: where(m, x * 2, 0)", "x; m: bool tensor"))
    assert torch_values(backward, {"m": False, "grad_out": torch.inf})["grad_x"].item() == 0


def test_a_long_chain_of_kinks_is_quick_and_small() -> None:
    lets = "; ".join(f"l{i}: relu({f'l{i - 1}' if i else 'x'}) + 1" for i in range(1500))
    backward = differentiate(forward_of("out: l1499", let=lets))
    assert len(topological(backward.roots)) < 12 * 1500


def test_masks_of_shared_branches_do_not_multiply() -> None:
    lets = [
        f"l{i}: where(x > {i}, l{i - 1}, 0) + where(y > {i}, l{i - 1}, 0)" for i in range(1, 60)
    ]
    backward = differentiate(forward_of("out: l59", "x; y", let="; ".join(["l0: sqrt(x)", *lets])))
    assert len(topological(backward.roots)) < 60 * 15


# stop_grad and straight_through


def gradient(formula: str, inputs: str = "x", **env: float) -> dict[str, Any]:
    names = [name.partition(":")[0] for name in inputs.split("; ")]
    backward = differentiate(forward_of(f"out: {formula}", inputs))
    return values(backward, {**dict.fromkeys(names, 0.0), **env, "grad_out": 1})


def test_stop_grad_has_a_value_and_no_derivative() -> None:
    assert gradient("stop_grad(x * x) * x", x=3)["grad_x"] == 9
    assert gradient("stop_grad(x)", x=3)["grad_x"] == 0


def test_straight_through_has_the_derivative_of_its_carrier() -> None:
    assert gradient("straight_through(round(x), x * x)", x=3)["grad_x"] == 6
    found = gradient("straight_through(y, x)", "x; y", x=3, y=4)
    assert (found["grad_x"], found["grad_y"]) == (1, 0)


def test_the_double_backward_of_a_stopped_gradient() -> None:
    backward = differentiate(forward_of("out: stop_grad(x) * x"))
    double = differentiate(backward)
    assert set(formulas(double)) == {"grad_grad_out"}  # the gradient is stop_grad(x): constant
    # PyTorch says so as well
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x.detach() * x, x, create_graph=True)
    assert not first.requires_grad
