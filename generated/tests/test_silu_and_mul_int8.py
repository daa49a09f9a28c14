# Generated from specs/quantised/silu_and_mul_int8.yaml by `fusewise generate`. Do not edit.
"""Tests of silu_and_mul_int8."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, scale):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return (
        (torch.clamp(torch.round(gate * torch.sigmoid(gate) * up / scale), -128,
        127)).to(torch.int8)
    )


CASE = OpCase(
    op=fusewise_ops.silu_and_mul_int8,
    dispatcher="fusewise::silu_and_mul_int8",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
        Input("scale", domain=(0.1, 2.0)),
    ),
    params={},
    outputs=(Output("out", dtype="int8"),),
    saves=(),
    reference=reference,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSiluAndMulInt8(testing.Values, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
