# Generated from specs/quantised/silu_and_mul_int8.yaml by `fusewise generate`. Do not edit.
"""Tests of silu_and_mul_int8:
    out = clamp(round(silu(gate) * up / scale), -128, 127)
"""

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


class TestSiluAndMulInt8:
    def test_forward(self, case, device, dtype, layout):
        testing.check_forward(case, device, dtype, layout)

    def test_lengths(self, case, device, dtype):
        testing.check_lengths(case, device, dtype)

    def test_broadcast(self, case, device, dtype, broadcast):
        testing.check_broadcast(case, device, dtype, broadcast)

    def test_special_values(self, case, device, dtype):
        testing.check_special_values(case, device, dtype)

    def test_promotion(self, case, device, dtypes):
        testing.check_promotion(case, device, dtypes)

    def test_strides(self, case, device, layout):
        testing.check_strides(case, device, layout)

    def test_out(self, case, device):
        testing.check_out(case, device)

    def test_opcheck(self, case, device):
        testing.check_opcheck(case, device)

    def test_compile(self, case, device, form):
        testing.check_compile(case, device, form)

    def test_mode(self, case, device, mode):
        testing.check_mode(case, device, mode)

    def test_cuda_values(self, case, gpu, dtype):
        testing.check_cuda_values(case, gpu, dtype)

    def test_cuda(self, case, gpu, feature):
        testing.check_cuda(case, gpu, feature)

    def test_beyond_caches(self, case, device, stored):
        testing.check_beyond_caches(case, device, stored)

    def test_beyond_32_bits(self, case, gpu, span):
        testing.check_beyond_32_bits(case, gpu, span)
