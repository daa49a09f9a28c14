# Generated from specs/losses/cispo_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of cispo_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logp, old_logp, advantage, *, limit=5):
    """The formula as the spec has it."""
    weight = (
        (torch.minimum(torch.exp(logp - old_logp), logp.new_tensor(limit)) * advantage).detach()
    )
    return -weight * logp


def oracle(logp, old_logp, advantage, *, limit=5):
    """The reference that the spec gives."""
    return -torch.clamp(torch.exp(logp - old_logp), max=limit) * advantage * logp


CASE = OpCase(
    op=fusewise_ops.cispo_loss,
    dispatcher="fusewise::cispo_loss",
    inputs=(
        Input("logp", domain=(-8.0, -0.01)),
        Input("old_logp", domain=(-8.0, -0.01)),
        Input("advantage", domain=(-3.0, 3.0)),
    ),
    params={"limit": (5, 4.5)},
    outputs=(Output("out"),),
    saves=("logp", "old_logp", "advantage"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestCispoLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
