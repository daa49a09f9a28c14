# Generated from specs/activations/weighted_squared_relu.yaml by `fusewise generate`. Do not edit.
"""Tests of weighted_squared_relu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight):
    """The formula as the spec has it."""
    return torch.square(torch.relu(x)) * weight


def oracle(x, weight):
    """The reference that the spec gives."""
    return torch.square(torch.relu(x)) * weight


CASE = OpCase(
    op=fusewise_ops.weighted_squared_relu,
    dispatcher="fusewise::weighted_squared_relu",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestWeightedSquaredRelu(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
