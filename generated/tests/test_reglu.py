# Generated from specs/gated/reglu.yaml by `fusewise generate`. Do not edit.
"""Tests of reglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return torch.relu(gate) * up


def oracle(x):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return torch.relu(torch.chunk(x, 2, -1)[0]) * torch.chunk(x, 2, -1)[1]


CASE = OpCase(
    op=fusewise_ops.reglu,
    dispatcher="fusewise::reglu",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestReglu(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
