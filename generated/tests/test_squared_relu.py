# Generated from specs/activations/squared_relu.yaml by `fusewise generate`. Do not edit.
"""Tests of squared_relu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return torch.square(torch.relu(x))


def oracle(x):
    """The reference that the spec gives."""
    return torch.square(torch.relu(x))


CASE = OpCase(
    op=fusewise_ops.squared_relu,
    dispatcher="fusewise::squared_relu",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
    exact=True,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.SquaredReLU,
    sizes={},
    shapes={},
    initial={},
    text="SquaredReLU()",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestSquaredRelu(
    testing.Values,
    testing.Gradients,
    testing.Ties,
    testing.Caches,
    testing.ModuleTests,
):
    """What is checked stands in `fusewise.testing`."""
