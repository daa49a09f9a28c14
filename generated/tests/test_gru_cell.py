# Generated from specs/recurrent/gru_cell.yaml by `fusewise generate`. Do not edit.
"""Tests of gru_cell:
    r = sigmoid(r_x + r_h)
    z = sigmoid(z_x + z_h)
    n = tanh(n_x + r * n_h)
    h_next = (1 - z) * n + z * h
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(input_gates, hidden_gates, h):
    """The formula as the spec has it."""
    r_x, z_x, n_x = input_gates.chunk(3, dim=-1)
    r_h, z_h, n_h = hidden_gates.chunk(3, dim=-1)
    r = torch.sigmoid(r_x + r_h)
    z = torch.sigmoid(z_x + z_h)
    n = torch.tanh(n_x + r * n_h)
    return (1 - z) * n + z * h


def oracle(input_gates, hidden_gates, h):
    """The reference that the spec gives."""
    r_x, z_x, n_x = input_gates.chunk(3, dim=-1)
    r_h, z_h, n_h = hidden_gates.chunk(3, dim=-1)
    return (
        torch.sigmoid(-torch.chunk(input_gates, 3, -1)[1] - torch.chunk(hidden_gates, 3, -1)[1]) *
        torch.tanh(torch.chunk(input_gates, 3, -1)[2] + torch.sigmoid(torch.chunk(input_gates, 3,
        -1)[0] + torch.chunk(hidden_gates, 3, -1)[0]) * torch.chunk(hidden_gates, 3, -1)[2]) +
        torch.sigmoid(torch.chunk(input_gates, 3, -1)[1] + torch.chunk(hidden_gates, 3, -1)[1]) * h
    )


CASE = OpCase(
    op=fusewise_ops.gru_cell,
    dispatcher="fusewise::gru_cell",
    inputs=(
        Input("input_gates", domain=(-8.0, 8.0), parts=3),
        Input("hidden_gates", domain=(-8.0, 8.0), parts=3),
        Input("h", domain=(-1.0, 1.0)),
    ),
    params={},
    outputs=(Output("h_next"),),
    saves=("input_gates", "hidden_gates", "h"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGruCell:
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
