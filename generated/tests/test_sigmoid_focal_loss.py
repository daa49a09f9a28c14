# Generated from specs/losses/sigmoid_focal_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of sigmoid_focal_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, target, *, gamma=2, alpha=0.25):
    """The formula as the spec has it."""
    z = torch.where(target, x, -x)
    weight = torch.where(target, x.new_tensor(alpha), x.new_tensor(1 - alpha))
    modulation = torch.exp(gamma * torch.nn.functional.logsigmoid(-z))
    return -weight * modulation * torch.nn.functional.logsigmoid(z)


def oracle(x, target, *, gamma=2, alpha=0.25):
    """The reference that the spec gives."""
    return (
        torch.where(target, -alpha * torch.sigmoid(-x) ** gamma * torch.nn.functional.logsigmoid(x),
        (alpha - 1) * torch.sigmoid(x) ** gamma * torch.nn.functional.logsigmoid(-x))
    )


CASE = OpCase(
    op=fusewise_ops.sigmoid_focal_loss,
    dispatcher="fusewise::sigmoid_focal_loss",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
        Input("target", kind="bool"),
    ),
    params={"gamma": (2, 0), "alpha": (0.25, 0.5)},
    outputs=(Output("out"),),
    saves=("x", "target"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSigmoidFocalLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
