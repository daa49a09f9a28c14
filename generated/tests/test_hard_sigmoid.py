# Generated from specs/activations/hard_sigmoid.yaml by `fusewise generate`. Do not edit.
"""Tests of hard_sigmoid."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return torch.where(x <= -3, 0.0, torch.where(x >= 3, 1.0, (x + 3) / 6))


def oracle(x):
    """The reference that the spec gives."""
    return torch.clamp(x + 3, 0, 6) / 6


CASE = OpCase(
    op=fusewise_ops.hard_sigmoid,
    dispatcher="fusewise::hard_sigmoid",
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


class TestHardSigmoid(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
