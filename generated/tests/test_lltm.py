# Generated from specs/recurrent/lltm.yaml by `fusewise generate`. Do not edit.
"""Tests of lltm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def lltm_cell(gates, old_cell):
    """The formula as the spec has it."""
    i, o, c = gates.chunk(3, dim=-1)
    cell = old_cell + torch.sigmoid(i) * torch.where(c <= 0, 1 * torch.expm1(c.clamp(max=0)), c)
    return torch.tanh(cell) * torch.sigmoid(o), cell


def reference(input, weights, bias, old_h, old_cell):
    """The calls as the spec has them."""
    gates = torch.nn.functional.linear(torch.cat([old_h, input], 1), weights, bias)
    new_h, new_cell = lltm_cell(gates, old_cell)
    return new_h, new_cell


CASE = OpCase(
    op=fusewise_ops.lltm,
    inputs=(
        Input("input", shape=(1, 2)),
        Input("weights", shape=(24, 10)),
        Input("bias", shape=(24,)),
        Input("old_h", shape=(1, 8)),
        Input("old_cell", shape=(1, 8)),
    ),
    params={},
    outputs=(Output("new_h"), Output("new_cell")),
    saves=(),
    reference=reference,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestLltm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
