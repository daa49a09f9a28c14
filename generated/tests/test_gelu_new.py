# Generated from specs/activations/gelu_new.yaml by `fusewise generate`. Do not edit.
"""Tests of gelu_new."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return x * torch.sigmoid((8 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3))


def oracle(x):
    """The reference that the spec gives."""
    return torch.nn.functional.gelu(x, approximate='tanh')


CASE = OpCase(
    op=fusewise_ops.gelu_new,
    dispatcher="fusewise::gelu_new",
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


class TestGeluNew(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
