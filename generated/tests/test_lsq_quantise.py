# Generated from specs/quantised/lsq_quantise.yaml by `fusewise generate`. Do not edit.
"""Tests of lsq_quantise."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, step, *, low=-8, high=7):
    """The formula as the spec has it."""
    steps = x / step
    v = torch.clamp(steps, low, high)
    inside = torch.logical_and(steps >= low, steps <= high)
    level = testing.straight_through(torch.round(v), v)
    return level * step


def oracle(x, step, *, low=-8, high=7):
    """The reference that the spec gives."""
    return torch.round(torch.clamp(x / step, low, high)) * step


CASE = OpCase(
    op=fusewise_ops.lsq_quantise,
    dispatcher="fusewise::lsq_quantise",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("step", domain=(0.2, 1.0)),
    ),
    params={"low": (-8, -10), "high": (7, 10)},
    outputs=(Output("out"),),
    saves=("x", "step"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="straight_through change the gradient on purpose",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestLsqQuantise(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
