# Generated from specs/losses/weighted_cross_entropy.yaml by `fusewise generate`. Do not edit.
"""Tests of weighted_cross_entropy."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logits, target, weight, *, ignore_index=-100):
    """The formula as the spec has it."""
    target = target.unsqueeze(-1)
    logits, weight, index = testing.rows(logits, weight)
    length = index.numel()
    log_p = torch.log_softmax(logits, dim=-1)
    picked = (
        torch.sum(torch.where(index == target.to(logits.dtype), log_p, 0), dim=-1, keepdim=True)
    )
    of_class = (
        torch.sum(torch.where(index == target.to(logits.dtype), weight.detach(), 0), dim=-1,
        keepdim=True)
    )
    return (torch.where(target.to(logits.dtype) == ignore_index, 0, -of_class * picked)).squeeze(-1)


CASE = OpCase(
    op=fusewise_ops.weighted_cross_entropy,
    dispatcher="fusewise::weighted_cross_entropy",
    inputs=(
        Input("logits", domain=(-8.0, 8.0)),
        Input("target", kind="int", domain=(0.0, 4.0), is_row=True),
        Input("weight", domain=(0.1, 2.0)),
    ),
    params={"ignore_index": (-100, -49)},
    outputs=(Output("loss", is_row=True),),
    saves=("logits", "target", "weight"),
    reference=reference,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestWeightedCrossEntropy(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
