# Generated from specs/quantised/quantise_ste.yaml by `fusewise generate`. Do not edit.
"""Tests of quantise_ste:
    step = stop_grad(scale)
    out = straight_through(clamp(round(x * step), -128, 127) / step, x)
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, scale):
    """The formula as the spec has it."""
    step = scale.detach()
    return testing.straight_through(torch.clamp(torch.round(x * step), -128, 127) / step, x)


def oracle(x, scale):
    """The reference that the spec gives."""
    return torch.clamp(torch.round(x * scale), -128, 127) / scale


CASE = OpCase(
    op=fusewise_ops.quantise_ste,
    dispatcher="fusewise::quantise_ste",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("scale", domain=(20.0, 40.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad and straight_through change the gradient on purpose",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestQuantiseSte:
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

    def test_beyond_32_bits(self, case, gpu, span):
        testing.check_beyond_32_bits(case, gpu, span)

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
