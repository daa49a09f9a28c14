# Generated from specs/bias/fused_bias_leakyrelu.yaml by `fusewise generate`. Do not edit.
"""Tests of fused_bias_leakyrelu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, bias=None, *, negative_slope=0.2, scale=1.4142135623730951):
    """The formula as the spec has it."""
    bias = x.new_tensor(0) if bias is None else bias
    return torch.where(x + bias > 0, x + bias, negative_slope * (x + bias)) * scale


def oracle(x, bias=None, *, negative_slope=0.2, scale=1.4142135623730951):
    """The reference that the spec gives."""
    bias = x.new_tensor(0) if bias is None else bias
    return torch.where(x + bias > 0, x + bias, (x + bias) * negative_slope) * scale


CASE = OpCase(
    op=fusewise_ops.fused_bias_leakyrelu,
    dispatcher="fusewise::fused_bias_leakyrelu",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={"negative_slope": (0.2, 0.5), "scale": (1.4142135623730951, 1.25)},
    outputs=(Output("out"),),
    saves=("x", "bias"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.FusedLeakyReLU,
    sizes={"channels": 12},
    shapes={"bias": ("channels", 1, 1)},
    initial={"bias": (0, 0)},
    text="FusedLeakyReLU(channels=12, negative_slope=0.2, scale=1.4142135623730951, bias=True)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestFusedBiasLeakyrelu(
    testing.Values,
    testing.Gradients,
    testing.Ties,
    testing.Caches,
    testing.ModuleTests,
):
    """What is checked stands in `fusewise.testing`."""
