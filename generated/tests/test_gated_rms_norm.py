# Generated from specs/norms/gated_rms_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of gated_rms_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, gate, weight, *, eps=1e-05):
    """The formula as the spec has it."""
    x, gate, weight, index = testing.rows(x, gate, weight)
    length = index.numel()
    rstd = torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps)
    return x * rstd * weight * (gate * torch.sigmoid(gate))


def oracle(x, gate, weight, *, eps=1e-05):
    """The reference that the spec gives."""
    return (
        x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps) * weight *
        torch.nn.functional.silu(gate)
    )


CASE = OpCase(
    op=fusewise_ops.gated_rms_norm,
    dispatcher="fusewise::gated_rms_norm",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("gate", domain=(-8.0, 8.0)),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={"eps": (1e-05, 0.0005005)},
    outputs=(Output("out"),),
    saves=("x", "gate", "weight"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGatedRmsNorm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
