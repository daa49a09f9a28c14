# Generated from specs/norms/rms_norm_rounded.yaml by `fusewise generate`. Do not edit.
"""Tests of rms_norm_rounded."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight, *, eps=1e-06):
    """The formula as the spec has it."""
    x, weight, index = testing.rows(x, weight)
    length = index.numel()
    rstd = torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps)
    return testing.round_to(x * rstd, x) * weight


CASE = OpCase(
    op=fusewise_ops.rms_norm_rounded,
    dispatcher="fusewise::rms_norm_rounded",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={"eps": (1e-06, 0.0005005)},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRmsNormRounded(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
