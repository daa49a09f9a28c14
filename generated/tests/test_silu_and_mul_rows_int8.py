# Generated from specs/quantised/silu_and_mul_rows_int8.yaml by `fusewise generate`. Do not edit.
"""Tests of silu_and_mul_rows_int8."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, smallest=1e-05):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    gate, up, index = testing.rows(gate, up)
    length = index.numel()
    y = gate * torch.sigmoid(gate) * up
    s = torch.maximum(torch.amax(torch.abs(y), dim=-1, keepdim=True), x.new_tensor(smallest)) / 127
    return (
        (torch.clamp(torch.round(y / s), -127, 127)).to(torch.int8),
        ((s.detach()).squeeze(-1)).to(torch.float32)
    )


CASE = OpCase(
    op=fusewise_ops.silu_and_mul_rows_int8,
    dispatcher="fusewise::silu_and_mul_rows_int8",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
    ),
    params={"smallest": (1e-05, 5.05e-05)},
    outputs=(Output("q", dtype="int8"), Output("scale", dtype="float32", is_row=True)),
    saves=(),
    reference=reference,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSiluAndMulRowsInt8(testing.Values, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
