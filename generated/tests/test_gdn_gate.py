# Generated from specs/gates/gdn_gate.yaml by `fusewise generate`. Do not edit.
"""Tests of gdn_gate."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(g, a_log, dt_bias=None):
    """The formula as the spec has it."""
    dt_bias = g.new_tensor(0) if dt_bias is None else dt_bias
    return -torch.exp(a_log) * -torch.nn.functional.logsigmoid(-(g + dt_bias))


def oracle(g, a_log, dt_bias=None):
    """The reference that the spec gives."""
    dt_bias = g.new_tensor(0) if dt_bias is None else dt_bias
    return -torch.exp(a_log) * torch.nn.functional.softplus(g + dt_bias, threshold=40)


CASE = OpCase(
    op=fusewise_ops.gdn_gate,
    dispatcher="fusewise::gdn_gate",
    inputs=(
        Input("g", domain=(-20.0, 20.0)),
        Input("a_log", domain=(-4.0, 4.0)),
        Input("dt_bias", domain=(-4.0, 4.0), optional=True),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("g", "a_log", "dt_bias"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGdnGate(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
