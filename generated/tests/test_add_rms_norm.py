# Generated from specs/norms/add_rms_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of add_rms_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, residual, weight, *, eps=1e-06):
    """The formula as the spec has it."""
    x, residual, weight, index = testing.rows(x, residual, weight)
    length = index.numel()
    s = x + residual
    rstd = torch.rsqrt(torch.mean(s * s, dim=-1, keepdim=True) + eps)
    return s * rstd * weight, torch.broadcast_tensors(s, weight)[0]


def oracle(x, residual, weight, *, eps=1e-06):
    """The reference that the spec gives."""
    return (
        ((x + residual) * torch.rsqrt(torch.mean((x + residual) ** 2, dim=-1, keepdim=True) + eps) *
        weight, x + residual)
    )


CASE = OpCase(
    op=fusewise_ops.add_rms_norm,
    dispatcher="fusewise::add_rms_norm",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("residual", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={"eps": (1e-06, 0.0005005)},
    outputs=(Output("out"), Output("added")),
    saves=("weight", "added"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.AddRMSNorm,
    sizes={"features": 12},
    shapes={"weight": ("features",)},
    initial={"weight": (1, 1)},
    text="AddRMSNorm(features=12, eps=1e-06)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestAddRmsNorm(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
