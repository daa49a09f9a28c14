# Generated from specs/losses/cross_entropy.yaml by `fusewise generate`. Do not edit.
"""Tests of cross_entropy."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logits, target, *, ignore_index=-100, smoothing=0):
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
    return (
        (torch.where(target.to(logits.dtype) == ignore_index, 0, -(1 - smoothing) * picked -
        smooth)).squeeze(-1)
    )


CASE = OpCase(
    op=fusewise_ops.cross_entropy,
    dispatcher="fusewise::cross_entropy",
    inputs=(
        Input("logits", domain=(-8.0, 8.0)),
        Input("target", kind="int", domain=(0.0, 4.0), is_row=True),
    ),
    params={"ignore_index": (-100, -49), "smoothing": (0, 0.1)},
    outputs=(Output("loss", is_row=True),),
    saves=("logits", "target"),
    reference=reference,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestCrossEntropy(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
