# Generated from specs/recurrent/gru_cell.yaml by `fusewise generate`. Do not edit.
"""Tests of gru_cell."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(input_gates, hidden_gates, h):
    """The formula as the spec has it."""
    r_x, z_x, n_x = input_gates.chunk(3, dim=-1)
    r_h, z_h, n_h = hidden_gates.chunk(3, dim=-1)
    r = torch.sigmoid(r_x + r_h)
    z = torch.sigmoid(z_x + z_h)
    n = torch.tanh(n_x + r * n_h)
    return (1 - z) * n + z * h


def oracle(input_gates, hidden_gates, h):
    """The reference that the spec gives."""
    r_x, z_x, n_x = input_gates.chunk(3, dim=-1)
    r_h, z_h, n_h = hidden_gates.chunk(3, dim=-1)
    return (
        torch.sigmoid(-torch.chunk(input_gates, 3, -1)[1] - torch.chunk(hidden_gates, 3, -1)[1]) *
        torch.tanh(torch.chunk(input_gates, 3, -1)[2] + torch.sigmoid(torch.chunk(input_gates, 3,
        -1)[0] + torch.chunk(hidden_gates, 3, -1)[0]) * torch.chunk(hidden_gates, 3, -1)[2]) +
        torch.sigmoid(torch.chunk(input_gates, 3, -1)[1] + torch.chunk(hidden_gates, 3, -1)[1]) * h
    )


CASE = OpCase(
    op=fusewise_ops.gru_cell,
    dispatcher="fusewise::gru_cell",
    inputs=(
        Input("input_gates", domain=(-8.0, 8.0), parts=3),
        Input("hidden_gates", domain=(-8.0, 8.0), parts=3),
        Input("h", domain=(-1.0, 1.0)),
    ),
    params={},
    outputs=(Output("h_next"),),
    saves=("input_gates", "hidden_gates", "h"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGruCell(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
