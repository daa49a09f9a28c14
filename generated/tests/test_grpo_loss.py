# Generated from specs/losses/grpo_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of grpo_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logp, old_logp, ref_logp, advantage, *, eps_low=0.2, eps_high=0.2, beta=0.04):
    """The formula as the spec has it."""
    a = advantage.detach()
    ratio = torch.exp(logp - old_logp.detach())
    bound = torch.where(a > 0, logp.new_tensor(1 + eps_high), logp.new_tensor(1 - eps_low))
    is_clipped = torch.where(a > 0, ratio > bound, ratio < bound)
    d = ref_logp.detach() - logp
    divergence = torch.expm1(d) - d
    return (
        beta * divergence - testing.where(is_clipped, lambda advantage, logp, old_logp:
        torch.where(advantage.detach() > 0, logp.new_tensor(1 + eps_high), logp.new_tensor(1 -
        eps_low)), lambda advantage, logp, old_logp: torch.exp(logp - old_logp.detach()), advantage,
        logp, old_logp) * a, torch.broadcast_tensors(divergence, old_logp, advantage)[0],
        torch.broadcast_tensors(is_clipped, ref_logp)[0]
    )


def oracle(logp, old_logp, ref_logp, advantage, *, eps_low=0.2, eps_high=0.2, beta=0.04):
    """The reference that the spec gives."""
    return (
        (-torch.minimum(torch.exp(logp - old_logp) * advantage, torch.clamp(torch.exp(logp -
        old_logp), 1 - eps_low, 1 + eps_high) * advantage) + beta * (torch.expm1(ref_logp - logp) -
        (ref_logp - logp)), torch.expm1(ref_logp - logp) - (ref_logp - logp), torch.where(advantage
        > 0, torch.exp(logp - old_logp) > 1 + eps_high, torch.exp(logp - old_logp) < 1 - eps_low))
    )


CASE = OpCase(
    op=fusewise_ops.grpo_loss,
    dispatcher="fusewise::grpo_loss",
    inputs=(
        Input("logp", domain=(-8.0, -0.01)),
        Input("old_logp", domain=(-8.0, -0.01)),
        Input("ref_logp", domain=(-8.0, -0.01)),
        Input("advantage", domain=(-3.0, 3.0)),
    ),
    params={"eps_low": (0.2, 0.1), "eps_high": (0.2, 0.25), "beta": (0.04, 0.05)},
    outputs=(Output("loss"), Output("kl"), Output("clipped", dtype="bool")),
    saves=("logp", "old_logp", "ref_logp", "advantage"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGrpoLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
