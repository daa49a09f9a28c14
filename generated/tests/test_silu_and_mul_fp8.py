# Generated from specs/quantised/silu_and_mul_fp8.yaml by `fusewise generate`. Do not edit.
"""Tests of silu_and_mul_fp8."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, scale):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return (
        testing.to_float8(torch.clamp(gate * torch.sigmoid(gate) * up / scale, -448, 448),
        torch.float8_e4m3fn)
    )


CASE = OpCase(
    op=fusewise_ops.silu_and_mul_fp8,
    dispatcher="fusewise::silu_and_mul_fp8",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
        Input("scale", domain=(0.1, 2.0)),
    ),
    params={},
    outputs=(Output("out", dtype="float8_e4m3fn"),),
    saves=(),
    reference=reference,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSiluAndMulFp8(testing.Values, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
