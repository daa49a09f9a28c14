# Generated from specs/activations/mish_activation.yaml by `fusewise generate`. Do not edit.
"""Tests of mish_activation."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return x * torch.tanh(torch.log(1 + torch.exp(x)))


def oracle(x):
    """The reference that the spec gives."""
    return torch.nn.functional.mish(x)


CASE = OpCase(
    op=fusewise_ops.mish_activation,
    dispatcher="fusewise::mish_activation",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestMishActivation(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
