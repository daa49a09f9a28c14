# Generated from specs/bias/modulate.yaml by `fusewise generate`. Do not edit.
"""Tests of modulate."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, shift, scale):
    """The formula as the spec has it."""
    return x * (1 + scale) + shift


def oracle(x, shift, scale):
    """The reference that the spec gives."""
    return x * (1 + scale) + shift


CASE = OpCase(
    op=fusewise_ops.modulate,
    dispatcher="fusewise::modulate",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("shift", domain=(-4.0, 4.0)),
        Input("scale", domain=(-2.0, 2.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "scale"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestModulate(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
