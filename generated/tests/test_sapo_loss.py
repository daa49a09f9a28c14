# Generated from specs/losses/sapo_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of sapo_loss."""

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


class TestSapoLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
