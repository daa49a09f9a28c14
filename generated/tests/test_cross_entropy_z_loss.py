# Generated from specs/losses/cross_entropy_z_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of cross_entropy_z_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logits, target, *, z_scale=0.0001, smoothing=0, ignore_index=-100):
    """The formula as the spec has it."""
    target = target.unsqueeze(-1)
    logits, index = testing.rows(logits)
    length = index.numel()
    log_p = torch.log_softmax(logits, dim=-1)
    picked = (
        torch.sum(torch.where(index == target.to(logits.dtype), log_p, 0), dim=-1, keepdim=True)
    )
    smooth = (
        smoothing * torch.mean(log_p, dim=-1, keepdim=True) if smoothing > 0 else
        logits.new_tensor(0)
    )
    smoothed = -(1 - smoothing) * picked - smooth
    largest = torch.amax(logits, dim=-1, keepdim=True).detach()
    lse = torch.log(torch.sum(torch.exp(logits - largest), dim=-1, keepdim=True)) + largest
    penalty = z_scale * torch.square(lse)
    ignored = target.to(logits.dtype) == ignore_index
    return (
        (testing.where(ignored, lambda picked, smooth, lse: 0, lambda picked, smooth, lse: -(1 -
        smoothing) * picked - smooth + z_scale * torch.square(lse), picked, smooth,
        lse)).squeeze(-1), (testing.where(ignored, lambda lse: 0, lambda lse: z_scale *
        torch.square(lse), lse)).squeeze(-1)
    )


def oracle(logits, target, *, z_scale=0.0001, smoothing=0, ignore_index=-100):
    """The reference that the spec gives."""
    return (
        (torch.where(target == ignore_index, 0, z_scale * torch.logsumexp(logits, -1) ** 2 -
        smoothing * torch.mean(torch.log_softmax(logits, -1), -1) - (1 - smoothing) *
        torch.sum(torch.where(torch.cumsum(torch.ones_like(logits), -1) - 1 ==
        torch.unsqueeze(target, -1), torch.log_softmax(logits, -1), 0), -1)), torch.where(target ==
        ignore_index, 0, z_scale * torch.logsumexp(logits, -1) ** 2))
    )


CASE = OpCase(
    op=fusewise_ops.cross_entropy_z_loss,
    dispatcher="fusewise::cross_entropy_z_loss",
    inputs=(
        Input("logits", domain=(-8.0, 8.0)),
        Input("target", kind="int", domain=(0.0, 4.0), is_row=True),
    ),
    params={"z_scale": (0.0001, 0.05), "smoothing": (0, 0.1), "ignore_index": (-100, -49)},
    outputs=(Output("loss", is_row=True), Output("z_loss", is_row=True)),
    saves=("logits", "target"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestCrossEntropyZLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
