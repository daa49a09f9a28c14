# Generated from specs/bias/bias_gelu.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_gelu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, bias=None):
    """The formula as the spec has it."""
    bias = x.new_tensor(0) if bias is None else bias
    return (
        (x + bias) * torch.sigmoid((8 / torch.pi) ** 0.5 * (x + bias + 0.044715 * (x + bias) ** 3))
    )


def oracle(x, bias=None):
    """The reference that the spec gives."""
    bias = x.new_tensor(0) if bias is None else bias
    return torch.nn.functional.gelu(x + bias, approximate='tanh')


CASE = OpCase(
    op=fusewise_ops.bias_gelu,
    dispatcher="fusewise::bias_gelu",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "bias"),
    reference=reference,
    oracle=oracle,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.BiasGELU,
    sizes={"features": 12},
    shapes={"bias": ("features",)},
    initial={"bias": (0, 0)},
    text="BiasGELU(features=12, bias=True)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestBiasGelu(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
