# Generated from specs/norms/rms_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of rms_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, weight=None, *, eps=1e-06):
    """The formula as the spec has it."""
    weight = x.new_tensor(1) if weight is None else weight
    x, weight, index = testing.rows(x, weight)
    length = index.numel()
    rstd = torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps)
    return x * rstd * weight


def oracle(x, weight=None, *, eps=1e-06):
    """The reference that the spec gives."""
    weight = x.new_tensor(1) if weight is None else weight
    return x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps) * weight


CASE = OpCase(
    op=fusewise_ops.rms_norm,
    dispatcher="fusewise::rms_norm",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0), optional=True),
    ),
    params={"eps": (1e-06, 0.0005005)},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.RMSNorm,
    sizes={"features": 12},
    shapes={"weight": ("features",)},
    initial={"weight": (1, 1)},
    text="RMSNorm(features=12, eps=1e-06, weight=True)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestRmsNorm(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
