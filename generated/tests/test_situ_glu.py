# Generated from specs/gated/situ_glu.yaml by `fusewise generate`. Do not edit.
"""Tests of situ_glu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, gate_cap=4, up_cap=25):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    capped_gate = gate_cap * torch.tanh(gate / gate_cap)
    capped_up = up_cap * torch.tanh(up / up_cap)
    s = torch.sigmoid(gate)
    return capped_gate * s * capped_up


def oracle(x, *, gate_cap=4, up_cap=25):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return (
        gate_cap * torch.tanh(torch.chunk(x, 2, -1)[0] / gate_cap) * torch.sigmoid(torch.chunk(x, 2,
        -1)[0]) * (up_cap * torch.tanh(torch.chunk(x, 2, -1)[1] / up_cap))
    )


CASE = OpCase(
    op=fusewise_ops.situ_glu,
    dispatcher="fusewise::situ_glu",
    inputs=(
        Input("x", domain=(-40.0, 40.0), parts=2),
    ),
    params={"gate_cap": (4, 4.5), "up_cap": (25, 15.5)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSituGlu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
