# Generated from specs/bias/modulate_rounded.yaml by `fusewise generate`. Do not edit.
"""Tests of modulate_rounded."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, shift, scale):
    """The formula as the spec has it."""
    return testing.round_to(x * testing.round_to(1 + scale, scale), x) + shift


CASE = OpCase(
    op=fusewise_ops.modulate_rounded,
    dispatcher="fusewise::modulate_rounded",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("shift", domain=(-4.0, 4.0)),
        Input("scale", domain=(-2.0, 2.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "scale"),
    reference=reference,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestModulateRounded(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
