# Generated from specs/gated/geglu.yaml by `fusewise generate`. Do not edit.
"""Tests of geglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Choice, Input, OpCase, Output


def reference(x, y, *, approximate=False):
    """The formula as the spec has it."""
    return (
        (x * torch.sigmoid((8 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3)) if approximate else x *
        torch.special.ndtr(x)) * y
    )


CASE = OpCase(
    op=fusewise_ops.geglu,
    dispatcher="fusewise::geglu",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("y", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    choices=(
        Choice("approximate_false", {"approximate": False}, saves=("x", "y")),
        Choice("approximate_true", {"approximate": True}, saves=("x", "y")),
    ),
    reference=reference,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGeglu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
