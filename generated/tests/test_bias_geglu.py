# Generated from specs/gated/bias_geglu.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_geglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(y, bias):
    """The formula as the spec has it."""
    gate, up = y.chunk(2, dim=-1)
    gate_bias, up_bias = bias.chunk(2, dim=-1)
    return (
        (gate + gate_bias) * torch.sigmoid((8 / torch.pi) ** 0.5 * (gate + gate_bias + 0.044715 *
        (gate + gate_bias) ** 3)) * (up + up_bias)
    )


def oracle(y, bias):
    """The reference that the spec gives."""
    gate, up = y.chunk(2, dim=-1)
    gate_bias, up_bias = bias.chunk(2, dim=-1)
    return (
        torch.nn.functional.gelu(torch.chunk(y, 2, -1)[0] + torch.chunk(bias, 2, -1)[0],
        approximate='tanh') * (torch.chunk(y, 2, -1)[1] + torch.chunk(bias, 2, -1)[1])
    )


CASE = OpCase(
    op=fusewise_ops.bias_geglu,
    dispatcher="fusewise::bias_geglu",
    inputs=(
        Input("y", domain=(-10.0, 10.0), parts=2),
        Input("bias", domain=(-2.0, 2.0), parts=2),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("y", "bias"),
    reference=reference,
    oracle=oracle,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.BiasGEGLU,
    sizes={"features": 12},
    shapes={"bias": ("features",)},
    initial={"bias": (0, 0)},
    text="BiasGEGLU(features=12)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestBiasGeglu(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
