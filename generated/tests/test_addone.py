# Generated from specs/addone.yaml by `fusewise generate`. Do not edit.
"""Tests of addone:
    out = x + 1
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return x + 1


def oracle(x):
    """The reference that the spec gives."""
    return torch.add(x, 1)


CASE = OpCase(
    op=fusewise_ops.addone,
    dispatcher="fusewise::addone",
    inputs=(
        Input("x", kind="number", domain=(-100.0, 100.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestAddone:
    def test_forward(self, device, dtype, layout):
        testing.check_forward(CASE, device, dtype, layout)

    def test_lengths(self, device, dtype):
        testing.check_lengths(CASE, device, dtype)

    def test_broadcast(self, device, dtype, broadcast):
        testing.check_broadcast(CASE, device, dtype, broadcast)

    def test_special_values(self, device, dtype):
        testing.check_special_values(CASE, device, dtype)

    def test_promotion(self, device, dtypes):
        testing.check_promotion(CASE, device, dtypes)

    def test_strides(self, device, layout):
        testing.check_strides(CASE, device, layout)

    def test_out(self, device):
        testing.check_out(CASE, device)

    def test_opcheck(self, device):
        testing.check_opcheck(CASE, device)

    def test_compile(self, device, form):
        testing.check_compile(CASE, device, form)

    def test_mode(self, device, mode):
        testing.check_mode(CASE, device, mode)

    def test_cuda_values(self, gpu, dtype):
        testing.check_cuda_values(CASE, gpu, dtype)

    def test_cuda(self, gpu, feature):
        testing.check_cuda(CASE, gpu, feature)

    def test_gradient(self, device, dtype, layout):
        testing.check_gradient(CASE, device, dtype, layout)

    def test_incoming(self, device, dtype, grad_layout):
        testing.check_incoming(CASE, device, dtype, grad_layout)

    def test_gradient_lengths(self, device, dtype):
        testing.check_gradient_lengths(CASE, device, dtype)

    def test_gradcheck(self, device):
        testing.check_gradcheck(CASE, device)

    def test_gradgradcheck(self, device):
        testing.check_gradgradcheck(CASE, device)

    def test_third_order(self, device):
        testing.check_third_order(CASE, device)

    def test_kinks(self, device):
        testing.check_kinks(CASE, device)

    def test_subsets(self, device):
        testing.check_subsets(CASE, device)

    def test_saved(self, device):
        testing.check_saved(CASE, device)

    def test_second_backward(self, device):
        testing.check_second_backward(CASE, device)

    def test_reproducible(self, device):
        testing.check_reproducible(CASE, device)

    def test_func(self, device, transform):
        testing.check_func(CASE, device, transform)
