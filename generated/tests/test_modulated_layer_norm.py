# Generated from specs/norms/modulated_layer_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of modulated_layer_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, scale, shift, *, eps=1e-06):
    """The formula as the spec has it."""
    x, scale, shift, index = testing.rows(x, scale, shift)
    length = index.numel()
    rstd = torch.rsqrt(torch.var(x, dim=-1, correction=0, keepdim=True) + eps)
    return (x - torch.mean(x, dim=-1, keepdim=True)) * rstd * (1 + scale) + shift


def oracle(x, scale, shift, *, eps=1e-06):
    """The reference that the spec gives."""
    return (
        (x - torch.mean(x, -1, keepdim=True)) / torch.sqrt(torch.var(x, -1, correction=0,
        keepdim=True) + eps) * (1 + scale) + shift
    )


CASE = OpCase(
    op=fusewise_ops.modulated_layer_norm,
    dispatcher="fusewise::modulated_layer_norm",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("scale", domain=(-2.0, 2.0)),
        Input("shift", domain=(-2.0, 2.0)),
    ),
    params={"eps": (1e-06, 0.0005005)},
    outputs=(Output("out"),),
    saves=("x", "scale"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestModulatedLayerNorm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
