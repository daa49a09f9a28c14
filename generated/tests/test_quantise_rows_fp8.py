# Generated from specs/quantised/quantise_rows_fp8.yaml by `fusewise generate`. Do not edit.
"""Tests of quantise_rows_fp8."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, smallest=1e-05):
    """The formula as the spec has it."""
    x, index = testing.rows(x)
    length = index.numel()
    s = torch.maximum(torch.amax(torch.abs(x), dim=-1, keepdim=True), x.new_tensor(smallest)) / 448
    return (
        testing.to_float8(torch.clamp(x / s, -448, 448), torch.float8_e4m3fn),
        ((s.detach()).squeeze(-1)).to(torch.float32)
    )


def oracle(x, *, smallest=1e-05):
    """The reference that the spec gives."""
    return (
        (torch.clamp(x * 448 / torch.clamp(torch.amax(torch.abs(x), -1, keepdim=True),
        min=smallest), -448, 448), torch.clamp(torch.amax(torch.abs(x), -1), min=smallest) / 448)
    )


CASE = OpCase(
    op=fusewise_ops.quantise_rows_fp8,
    dispatcher="fusewise::quantise_rows_fp8",
    inputs=(
        Input("x", domain=(-8.0, 8.0)),
    ),
    params={"smallest": (1e-05, 5.05e-05)},
    outputs=(Output("q", dtype="float8_e4m3fn"), Output("scale", dtype="float32", is_row=True)),
    saves=(),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestQuantiseRowsFp8(testing.Values, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
