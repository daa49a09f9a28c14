# Generated from specs/losses/sapo_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of sapo_loss:
    a = stop_grad(advantage)
    tau = tau_positive if a > 0 else tau_negative
    ratio = exp(logp - stop_grad(old_logp))
    out = -a * (4 / tau) * sigmoid(tau * (ratio - 1))
    grad_logp = -4 * grad_out * a * ratio * dsigmoid(tau * (ratio - 1))
"""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logp, old_logp, advantage, *, tau_positive=1, tau_negative=1.05):
    """The formula as the spec has it."""
    a = advantage.detach()
    tau = torch.where(a > 0, logp.new_tensor(tau_positive), logp.new_tensor(tau_negative))
    ratio = torch.exp(logp - old_logp.detach())
    return -a * (4 / tau) * torch.sigmoid(tau * (ratio - 1))


def oracle(logp, old_logp, advantage, *, tau_positive=1, tau_negative=1.05):
    """The reference that the spec gives."""
    return (
        -4 * advantage * torch.where(advantage > 0, torch.sigmoid(tau_positive * torch.expm1(logp -
        old_logp)) / tau_positive, torch.sigmoid(tau_negative * torch.expm1(logp - old_logp)) /
        tau_negative)
    )


CASE = OpCase(
    op=fusewise_ops.sapo_loss,
    dispatcher="fusewise::sapo_loss",
    inputs=(
        Input("logp", domain=(-8.0, -0.01)),
        Input("old_logp", domain=(-8.0, -0.01)),
        Input("advantage", domain=(-3.0, 3.0)),
    ),
    params={"tau_positive": (1, 1.25), "tau_negative": (1.05, 1.25)},
    outputs=(Output("out"),),
    saves=("logp", "old_logp", "advantage"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSapoLoss:
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
