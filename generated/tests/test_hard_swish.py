# Generated from specs/activations/hard_swish.yaml by `fusewise generate`. Do not edit.
"""Tests of hard_swish."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return x * torch.where(x <= -3, 0.0, torch.where(x >= 3, 1.0, (x + 3) / 6))


def oracle(x):
    """The reference that the spec gives."""
    return x * torch.nn.functional.relu6(x + 3) / 6


CASE = OpCase(
    op=fusewise_ops.hard_swish,
    dispatcher="fusewise::hard_swish",
    inputs=(
        Input("x", domain=(-6.0, 6.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestHardSwish(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
