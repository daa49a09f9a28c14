# Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_act:
    b = x + bias
    activated = b if act == 1 else relu(b) if act == 2 else leaky_relu(b, alpha) if act == 3 else
        tanh(b) if act == 4 else sigmoid(b) if act == 5 else elu(b) if act == 6 else selu(b) if act
        == 7 else softplus(b) if act == 8 else silu(b)
    out = clamp(activated * gain, -limit, limit)
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Choice, Input, OpCase, Output


def reference(x, bias=None, *, act=3, alpha=0.2, gain=1, limit=torch.inf):
    """The formula as the spec has it."""
    bias = x.new_tensor(0) if bias is None else bias
    b = x + bias
    activated = (
        b if act == 1 else torch.relu(b) if act == 2 else torch.where(b > 0, b, alpha * b) if act ==
        3 else torch.tanh(b) if act == 4 else torch.sigmoid(b) if act == 5 else torch.where(b <= 0,
        1 * torch.expm1(b.clamp(max=0)), b) if act == 6 else torch.nn.functional.selu(b) if act == 7
        else -torch.nn.functional.logsigmoid(-b) if act == 8 else b * torch.sigmoid(b)
    )
    return torch.clamp(activated * gain, -limit, limit)


CASE = OpCase(
    op=fusewise_ops.bias_act,
    dispatcher="fusewise::bias_act",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={"alpha": (0.2, 0.5), "gain": (1, 1.25), "limit": (torch.inf, 4.5)},
    outputs=(Output("out"),),
    choices=(
        Choice("act_3", {"act": 3}, saves=("x", "bias")),
        Choice("act_1", {"act": 1}, saves=("x", "bias")),
        Choice("act_2", {"act": 2}, saves=("x", "bias")),
        Choice("act_4", {"act": 4}, saves=("x", "bias")),
        Choice("act_5", {"act": 5}, saves=("x", "bias")),
        Choice("act_6", {"act": 6}, saves=("x", "bias")),
        Choice("act_7", {"act": 7}, saves=("x", "bias")),
        Choice("act_8", {"act": 8}, saves=("x", "bias")),
        Choice("act_9", {"act": 9}, saves=("x", "bias")),
    ),
    reference=reference,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestBiasAct:
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
