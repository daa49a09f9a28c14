# Generated from specs/recurrent/lltm_cell.yaml by `fusewise generate`. Do not edit.
"""Tests of lltm_cell."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(gates, old_cell):
    """The formula as the spec has it."""
    i, o, c = gates.chunk(3, dim=-1)
    cell = old_cell + torch.sigmoid(i) * torch.where(c <= 0, 1 * torch.expm1(c.clamp(max=0)), c)
    return torch.tanh(cell) * torch.sigmoid(o), cell


def oracle(gates, old_cell):
    """The reference that the spec gives."""
    i, o, c = gates.chunk(3, dim=-1)
    return (
        (torch.tanh(old_cell + torch.sigmoid(torch.chunk(gates, 3, -1)[0]) *
        torch.nn.functional.elu(torch.chunk(gates, 3, -1)[2])) * torch.sigmoid(torch.chunk(gates, 3,
        -1)[1]), old_cell + torch.sigmoid(torch.chunk(gates, 3, -1)[0]) *
        torch.nn.functional.elu(torch.chunk(gates, 3, -1)[2]))
    )


CASE = OpCase(
    op=fusewise_ops.lltm_cell,
    dispatcher="fusewise::lltm_cell",
    inputs=(
        Input("gates", domain=(-8.0, 8.0), parts=3),
        Input("old_cell", domain=(-3.0, 3.0)),
    ),
    params={},
    outputs=(Output("new_h"), Output("new_cell")),
    saves=("gates", "new_cell"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestLltmCell(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
