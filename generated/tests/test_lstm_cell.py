# Generated from specs/recurrent/lstm_cell.yaml by `fusewise generate`. Do not edit.
"""Tests of lstm_cell."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(gates, c):
    """The formula as the spec has it."""
    i, f, g, o = gates.chunk(4, dim=-1)
    c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next


def oracle(gates, c):
    """The reference that the spec gives."""
    i, f, g, o = gates.chunk(4, dim=-1)
    return (
        (torch.sigmoid(torch.chunk(gates, 4, -1)[3]) * torch.tanh(torch.sigmoid(torch.chunk(gates,
        4, -1)[1]) * c + torch.sigmoid(torch.chunk(gates, 4, -1)[0]) * torch.tanh(torch.chunk(gates,
        4, -1)[2])), torch.sigmoid(torch.chunk(gates, 4, -1)[1]) * c +
        torch.sigmoid(torch.chunk(gates, 4, -1)[0]) * torch.tanh(torch.chunk(gates, 4, -1)[2]))
    )


CASE = OpCase(
    op=fusewise_ops.lstm_cell,
    dispatcher="fusewise::lstm_cell",
    inputs=(
        Input("gates", domain=(-8.0, 8.0), parts=4),
        Input("c", domain=(-3.0, 3.0)),
    ),
    params={},
    outputs=(Output("h"), Output("c_out")),
    saves=("gates", "c"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestLstmCell(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
