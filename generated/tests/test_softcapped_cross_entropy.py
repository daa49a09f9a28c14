# Generated from specs/losses/softcapped_cross_entropy.yaml by `fusewise generate`. Do not edit.
"""Tests of softcapped_cross_entropy."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logits, target, *, cap=30, ignore_index=-100):
    """The formula as the spec has it."""
    target = target.unsqueeze(-1)
    logits, index = testing.rows(logits)
    length = index.numel()
    log_p = torch.log_softmax(cap * torch.tanh(logits / cap), dim=-1)
    picked = (
        torch.sum(torch.where(index == target.to(logits.dtype), log_p, 0), dim=-1, keepdim=True)
    )
    return (torch.where(target.to(logits.dtype) == ignore_index, 0, -picked)).squeeze(-1)


def oracle(logits, target, *, cap=30, ignore_index=-100):
    """The reference that the spec gives."""
    return (
        torch.where(target == ignore_index, 0,
        -torch.sum(torch.where(torch.cumsum(torch.ones_like(logits), -1) - 1 ==
        torch.unsqueeze(target, -1), torch.log_softmax(cap * torch.tanh(logits / cap), -1), 0), -1))
    )


CASE = OpCase(
    op=fusewise_ops.softcapped_cross_entropy,
    dispatcher="fusewise::softcapped_cross_entropy",
    inputs=(
        Input("logits", domain=(-60.0, 60.0)),
        Input("target", kind="int", domain=(1.0, 4.0), is_row=True),
    ),
    params={"cap": (30, 17.5), "ignore_index": (-100, -49)},
    outputs=(Output("loss", is_row=True),),
    saves=("logits", "target"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSoftcappedCrossEntropy(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
