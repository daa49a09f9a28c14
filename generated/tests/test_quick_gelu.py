# Generated from specs/activations/quick_gelu.yaml by `fusewise generate`. Do not edit.
"""Tests of quick_gelu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return x * torch.sigmoid(1.702 * x)


def oracle(x):
    """The reference that the spec gives."""
    return x * torch.sigmoid(1.702 * x)


CASE = OpCase(
    op=fusewise_ops.quick_gelu,
    dispatcher="fusewise::quick_gelu",
    inputs=(
        Input("x", domain=(-12.0, 12.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.QuickGELU,
    sizes={},
    shapes={},
    initial={},
    text="QuickGELU()",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestQuickGelu(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
