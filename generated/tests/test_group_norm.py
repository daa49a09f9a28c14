# Generated from specs/norms/group_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of group_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight=None, bias=None, *, eps=1e-05):
    """The formula as the spec has it."""
    weight = x.new_tensor(1) if weight is None else weight
    bias = x.new_tensor(0) if bias is None else bias
    x, weight, bias, index = testing.rows(x, weight, bias)
    length = index.numel()
    rstd = torch.rsqrt(torch.var(x, dim=-1, correction=0, keepdim=True) + eps)
    return (x - torch.mean(x, dim=-1, keepdim=True)) * rstd * weight + bias


def oracle(x, weight=None, bias=None, *, eps=1e-05):
    """The reference that the spec gives."""
    weight = x.new_tensor(1) if weight is None else weight
    bias = x.new_tensor(0) if bias is None else bias
    return (
        (x - torch.mean(x, dim=[-3, -2, -1], keepdim=True)) * torch.rsqrt(torch.var(x, dim=[-3, -2,
        -1], correction=0, keepdim=True) + eps) * weight + bias
    )


CASE = OpCase(
    op=testing.rows_last(fusewise_ops.group_norm, (-3, -2, -1)),
    dispatcher="fusewise::group_norm__rows",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0), optional=True),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={"eps": (1e-05, 0.0005005)},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    oracle=testing.rows_last(oracle, (-3, -2, -1)),
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGroupNorm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
