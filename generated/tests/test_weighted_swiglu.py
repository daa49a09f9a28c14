# Generated from specs/gated/weighted_swiglu.yaml by `fusewise generate`. Do not edit.
"""Tests of weighted_swiglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return gate * torch.sigmoid(gate) * up * weight


def oracle(x, weight):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return torch.nn.functional.silu(torch.chunk(x, 2, -1)[0]) * torch.chunk(x, 2, -1)[1] * weight


CASE = OpCase(
    op=fusewise_ops.weighted_swiglu,
    dispatcher="fusewise::weighted_swiglu",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestWeightedSwiglu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
