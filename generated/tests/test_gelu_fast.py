# Generated from specs/activations/gelu_fast.yaml by `fusewise generate`. Do not edit.
"""Tests of gelu_fast."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return 0.5 * x * (1 + torch.tanh(0.7978845608 * x * (1 + 0.044715 * x * x)))


def oracle(x):
    """The reference that the spec gives."""
    return 0.5 * x * (1 + torch.tanh(x * 0.7978845608 * (1 + 0.044715 * x * x)))


CASE = OpCase(
    op=fusewise_ops.gelu_fast,
    dispatcher="fusewise::gelu_fast",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGeluFast(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
