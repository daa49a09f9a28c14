# Generated from specs/activations/hard_mish.yaml by `fusewise generate`. Do not edit.
"""Tests of hard_mish."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return 0.5 * x * torch.clamp(x + 2, 0, 2)


def oracle(x):
    """The reference that the spec gives."""
    return 0.5 * x * torch.clamp(x + 2, 0, 2)


CASE = OpCase(
    op=fusewise_ops.hard_mish,
    dispatcher="fusewise::hard_mish",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestHardMish(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
