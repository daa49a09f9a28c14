# Generated from specs/gated/glu.yaml by `fusewise generate`. Do not edit.
"""Tests of glu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    value, gate = x.chunk(2, dim=-1)
    return value * torch.sigmoid(gate)


def oracle(x):
    """The reference that the spec gives."""
    value, gate = x.chunk(2, dim=-1)
    return torch.nn.functional.glu(x, -1)


CASE = OpCase(
    op=fusewise_ops.glu,
    dispatcher="fusewise::glu",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGlu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
