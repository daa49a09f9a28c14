# Generated from specs/quantised/rms_norm_rows_fp8.yaml by `fusewise generate`. Do not edit.
"""Tests of rms_norm_rows_fp8."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight, *, eps=1e-06, smallest=1e-05):
    """The formula as the spec has it."""
    x, weight, index = testing.rows(x, weight)
    length = index.numel()
    normed = x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + eps) * weight
    s = (
        torch.maximum(torch.amax(torch.abs(normed), dim=-1, keepdim=True), x.new_tensor(smallest)) /
        448
    )
    return (
        testing.to_float8(torch.clamp(normed / s, -448, 448), torch.float8_e4m3fn),
        ((s.detach()).squeeze(-1)).to(torch.float32)
    )


CASE = OpCase(
    op=fusewise_ops.rms_norm_rows_fp8,
    dispatcher="fusewise::rms_norm_rows_fp8",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("weight", domain=(-2.0, 2.0)),
    ),
    params={"eps": (1e-06, 0.0005005), "smallest": (1e-05, 5.05e-05)},
    outputs=(Output("q", dtype="float8_e4m3fn"), Output("scale", dtype="float32", is_row=True)),
    saves=(),
    reference=reference,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRmsNormRowsFp8(testing.Values, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
