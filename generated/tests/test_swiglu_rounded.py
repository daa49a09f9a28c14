# Generated from specs/gated/swiglu_rounded.yaml by `fusewise generate`. Do not edit.
"""Tests of swiglu_rounded."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, y):
    """The formula as the spec has it."""
    return testing.round_to(x * torch.sigmoid(x), x) * y


CASE = OpCase(
    op=fusewise_ops.swiglu_rounded,
    dispatcher="fusewise::swiglu_rounded",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
        Input("y", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "y"),
    reference=reference,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSwigluRounded(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
