# Generated from specs/gates/kda_gate.yaml by `fusewise generate`. Do not edit.
"""Tests of kda_gate."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(g, a_log, dt_bias=None, *, lower_bound=-5):
    """The formula as the spec has it."""
    dt_bias = g.new_tensor(0) if dt_bias is None else dt_bias
    rate = torch.exp(a_log)
    return lower_bound * torch.sigmoid(rate * (g + dt_bias))


def oracle(g, a_log, dt_bias=None, *, lower_bound=-5):
    """The reference that the spec gives."""
    dt_bias = g.new_tensor(0) if dt_bias is None else dt_bias
    return lower_bound * torch.sigmoid(torch.exp(a_log) * (g + dt_bias))


CASE = OpCase(
    op=fusewise_ops.kda_gate,
    dispatcher="fusewise::kda_gate",
    inputs=(
        Input("g", domain=(-10.0, 10.0)),
        Input("a_log", domain=(-4.0, 2.0)),
        Input("dt_bias", domain=(-4.0, 4.0), optional=True),
    ),
    params={"lower_bound": (-5, -4.5)},
    outputs=(Output("out"),),
    saves=("g", "a_log", "dt_bias"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestKdaGate(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
