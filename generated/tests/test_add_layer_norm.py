# Generated from specs/norms/add_layer_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of add_layer_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, residual, weight=None, bias=None, *, eps=1e-05):
    """The formula as the spec has it."""
    weight = x.new_tensor(1) if weight is None else weight
    bias = x.new_tensor(0) if bias is None else bias
    x, residual, weight, bias, index = testing.rows(x, residual, weight, bias)
    length = index.numel()
    s = x + residual
    rstd = torch.rsqrt(torch.var(s, dim=-1, correction=0, keepdim=True) + eps)
    return (
        (s - torch.mean(s, dim=-1, keepdim=True)) * rstd * weight + bias, torch.broadcast_tensors(s,
        weight, bias)[0]
    )


def oracle(x, residual, weight=None, bias=None, *, eps=1e-05):
    """The reference that the spec gives."""
    weight = x.new_tensor(1) if weight is None else weight
    bias = x.new_tensor(0) if bias is None else bias
    return (
        ((x + residual - torch.mean(x + residual, -1, keepdim=True)) / torch.sqrt(torch.var(x +
        residual, -1, correction=0, keepdim=True) + eps) * weight + bias, x + residual)
    )


CASE = OpCase(
    op=fusewise_ops.add_layer_norm,
    dispatcher="fusewise::add_layer_norm",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("residual", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0), optional=True),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={"eps": (1e-05, 0.0005005)},
    outputs=(Output("out"), Output("added")),
    saves=("weight", "added"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestAddLayerNorm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
