# Generated from specs/gated/bias_swiglu.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_swiglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(y, bias):
    """The formula as the spec has it."""
    gate, up = y.chunk(2, dim=-1)
    gate_bias, up_bias = bias.chunk(2, dim=-1)
    return (gate + gate_bias) * torch.sigmoid((gate + gate_bias)) * (up + up_bias)


def oracle(y, bias):
    """The reference that the spec gives."""
    gate, up = y.chunk(2, dim=-1)
    gate_bias, up_bias = bias.chunk(2, dim=-1)
    return (
        torch.nn.functional.silu(torch.chunk(y, 2, -1)[0] + torch.chunk(bias, 2, -1)[0]) *
        (torch.chunk(y, 2, -1)[1] + torch.chunk(bias, 2, -1)[1])
    )


CASE = OpCase(
    op=fusewise_ops.bias_swiglu,
    dispatcher="fusewise::bias_swiglu",
    inputs=(
        Input("y", domain=(-20.0, 20.0), parts=2),
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
    create=fusewise_ops.BiasSwiGLU,
    sizes={"features": 12},
    shapes={"bias": ("features",)},
    initial={"bias": (0, 0)},
    text="BiasSwiGLU(features=12)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestBiasSwiglu(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
