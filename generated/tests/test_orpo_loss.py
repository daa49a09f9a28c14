# Generated from specs/losses/orpo_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of orpo_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(chosen, rejected, chosen_mask, rejected_mask, *, beta=0.1):
    """The formula as the spec has it."""
    chosen, rejected, chosen_mask, rejected_mask, index = (
        testing.rows(chosen, rejected, chosen_mask, rejected_mask)
    )
    length = index.numel()
    is_whole = (
        torch.logical_and(torch.any(chosen_mask, dim=-1, keepdim=True), torch.any(rejected_mask,
        dim=-1, keepdim=True))
    )
    good = (
        testing.where(is_whole, lambda chosen_mask, chosen: torch.sum(torch.where(chosen_mask,
        chosen, 0), dim=-1, keepdim=True) / torch.maximum(torch.sum(chosen_mask, dim=-1,
        keepdim=True).to(chosen.dtype), chosen.new_tensor(1)), lambda chosen_mask, chosen: -1,
        chosen_mask, chosen)
    )
    bad = (
        testing.where(is_whole, lambda rejected_mask, rejected: torch.sum(torch.where(rejected_mask,
        rejected, 0), dim=-1, keepdim=True) / torch.maximum(torch.sum(rejected_mask, dim=-1,
        keepdim=True).to(chosen.dtype), chosen.new_tensor(1)), lambda rejected_mask, rejected: -1,
        rejected_mask, rejected)
    )
    ratio = good - bad - (torch.log(-torch.expm1(good)) - torch.log(-torch.expm1(bad)))
    return (
        (testing.where(is_whole, lambda good, bad: -good - beta *
        torch.nn.functional.logsigmoid(good - bad - (torch.log(-torch.expm1(good)) -
        torch.log(-torch.expm1(bad)))), lambda good, bad: 0, good, bad)).squeeze(-1),
        (ratio).squeeze(-1)
    )


def oracle(chosen, rejected, chosen_mask, rejected_mask, *, beta=0.1):
    """The reference that the spec gives."""
    return (
        (torch.where(torch.any(chosen_mask, -1) & torch.any(rejected_mask, -1),
        -torch.sum(torch.where(chosen_mask, chosen, 0), -1) / torch.sum(chosen_mask, -1) + beta *
        torch.nn.functional.softplus(-(torch.logit(torch.exp(torch.sum(torch.where(chosen_mask,
        chosen, 0), -1) / torch.sum(chosen_mask, -1))) -
        torch.logit(torch.exp(torch.sum(torch.where(rejected_mask, rejected, 0), -1) /
        torch.sum(rejected_mask, -1))))), 0.0), torch.where(torch.any(chosen_mask, -1) &
        torch.any(rejected_mask, -1), torch.logit(torch.exp(torch.sum(torch.where(chosen_mask,
        chosen, 0), -1) / torch.sum(chosen_mask, -1))) -
        torch.logit(torch.exp(torch.sum(torch.where(rejected_mask, rejected, 0), -1) /
        torch.sum(rejected_mask, -1))), 0.0))
    )


CASE = OpCase(
    op=fusewise_ops.orpo_loss,
    dispatcher="fusewise::orpo_loss",
    inputs=(
        Input("chosen", domain=(-8.0, -0.1)),
        Input("rejected", domain=(-8.0, -0.1)),
        Input("chosen_mask", kind="bool"),
        Input("rejected_mask", kind="bool"),
    ),
    params={"beta": (0.1, 0.275)},
    outputs=(Output("loss", is_row=True), Output("log_odds", is_row=True)),
    saves=("chosen", "rejected", "chosen_mask", "rejected_mask"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestOrpoLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
