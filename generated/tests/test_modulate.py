# Generated from specs/bias/modulate.yaml by `fusewise generate`. Do not edit.
"""Tests of modulate:
    out = x * (1 + scale) + shift
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, shift, scale):
    """The formula as the spec has it."""
    return x * (1 + scale) + shift


def oracle(x, shift, scale):
    """The reference that the spec gives."""
    return x * (1 + scale) + shift


CASE = OpCase(
    op=fusewise_ops.modulate,
    dispatcher="fusewise::modulate",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("shift", domain=(-4.0, 4.0)),
        Input("scale", domain=(-2.0, 2.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "scale"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestModulate:
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

    def test_ties(self, case, device, half):
        testing.check_ties(case, device, half)

    def test_gradient(self, case, device, dtype, layout):
        testing.check_gradient(case, device, dtype, layout)

    def test_incoming(self, case, device, dtype, grad_layout):
        testing.check_incoming(case, device, dtype, grad_layout)

    def test_gradient_lengths(self, case, device, dtype):
        testing.check_gradient_lengths(case, device, dtype)

    def test_gradcheck(self, case, device):
        testing.check_gradcheck(case, device)

    def test_gradgradcheck(self, case, device):
        testing.check_gradgradcheck(case, device)

    def test_third_order(self, case, device):
        testing.check_third_order(case, device)

    def test_kinks(self, case, device):
        testing.check_kinks(case, device)

    def test_subsets(self, case, device):
        testing.check_subsets(case, device)

    def test_saved(self, case, device):
        testing.check_saved(case, device)

    def test_second_backward(self, case, device):
        testing.check_second_backward(case, device)

    def test_reproducible(self, case, device):
        testing.check_reproducible(case, device)

    def test_func(self, case, device, transform):
        testing.check_func(case, device, transform)
