# Generated from specs/norms/gemma_rms_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of gemma_rms_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight, *, eps=1e-06):
    """The formula as the spec has it."""
    x, weight, index = testing.rows(x, weight)
    length = index.numel()
    rstd = torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps)
    return x * rstd * (1 + weight)


def oracle(x, weight, *, eps=1e-06):
    """The reference that the spec gives."""
    return x / torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + eps) * (1 + weight)


CASE = OpCase(
    op=fusewise_ops.gemma_rms_norm,
    dispatcher="fusewise::gemma_rms_norm",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={"eps": (1e-06, 0.0005005)},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGemmaRmsNorm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
