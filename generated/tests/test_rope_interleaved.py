# Generated from specs/rotary/rope_interleaved.yaml by `fusewise generate`. Do not edit.
"""Tests of rope_interleaved:
    out = [x1 * cosine - x2 * sine, x2 * cosine + x1 * sine]
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, cosine, sine):
    """The formula as the spec has it."""
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return (
        torch.stack(torch.broadcast_tensors(x1 * cosine - x2 * sine, x2 * cosine + x1 * sine),
        dim=-1).flatten(-2)
    )


def oracle(x, cosine, sine):
    """The reference that the spec gives."""
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return (
        torch.flatten(torch.stack([x[..., 0::2] * cosine - x[..., 1::2] * sine, x[..., 1::2] *
        cosine + x[..., 0::2] * sine], -1), -2)
    )


CASE = OpCase(
    op=fusewise_ops.rope_interleaved,
    dispatcher="fusewise::rope_interleaved",
    inputs=(
        Input("x", domain=(-10.0, 10.0), parts=2),
        Input("cosine", domain=(-1.0, 1.0)),
        Input("sine", domain=(-1.0, 1.0)),
    ),
    params={},
    outputs=(Output("out", parts=2),),
    saves=("x", "cosine", "sine"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRopeInterleaved:
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
