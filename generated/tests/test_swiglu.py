# Generated from specs/gated/swiglu.yaml by `fusewise generate`. Do not edit.
"""Tests of swiglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, y):
    """The formula as the spec has it."""
    return x * torch.sigmoid(x) * y


def oracle(x, y):
    """The reference that the spec gives."""
    return torch.nn.functional.silu(x) * y


CASE = OpCase(
    op=fusewise_ops.swiglu,
    dispatcher="fusewise::swiglu",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
        Input("y", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "y"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSwiglu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
