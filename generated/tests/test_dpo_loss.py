# Generated from specs/losses/dpo_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of dpo_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(
    chosen,
    rejected,
    ref_chosen,
    ref_rejected,
    chosen_mask,
    rejected_mask,
    *,
    beta=0.1,
    smoothing=0,
):
    """The formula as the spec has it."""
    chosen, rejected, ref_chosen, ref_rejected, chosen_mask, rejected_mask, index = (
        testing.rows(chosen, rejected, ref_chosen, ref_rejected, chosen_mask, rejected_mask)
    )
    length = index.numel()
    good = (
        beta * torch.sum(torch.where(chosen_mask, chosen - ref_chosen.detach(), 0), dim=-1,
        keepdim=True)
    )
    bad = (
        beta * torch.sum(torch.where(rejected_mask, rejected - ref_rejected.detach(), 0), dim=-1,
        keepdim=True)
    )
    margin = good - bad
    return (
        (-(1 - smoothing) * torch.nn.functional.logsigmoid(margin) - smoothing *
        torch.nn.functional.logsigmoid(-margin)).squeeze(-1),
        (torch.broadcast_tensors(good.detach(), testing.row_of(rejected),
        testing.row_of(ref_rejected), testing.row_of(rejected_mask))[0]).squeeze(-1),
        (torch.broadcast_tensors(bad.detach(), testing.row_of(chosen), testing.row_of(ref_chosen),
        testing.row_of(chosen_mask))[0]).squeeze(-1)
    )


def oracle(
    chosen,
    rejected,
    ref_chosen,
    ref_rejected,
    chosen_mask,
    rejected_mask,
    *,
    beta=0.1,
    smoothing=0,
):
    """The reference that the spec gives."""
    return (
        ((1 - smoothing) * torch.nn.functional.softplus(-beta * torch.sum(torch.where(chosen_mask,
        chosen - ref_chosen, 0), -1) + beta * torch.sum(torch.where(rejected_mask, rejected -
        ref_rejected, 0), -1), threshold=40) + smoothing * torch.nn.functional.softplus(beta *
        torch.sum(torch.where(chosen_mask, chosen - ref_chosen, 0), -1) - beta *
        torch.sum(torch.where(rejected_mask, rejected - ref_rejected, 0), -1), threshold=40), beta *
        torch.sum(torch.where(chosen_mask, chosen - ref_chosen, 0), -1), beta *
        torch.sum(torch.where(rejected_mask, rejected - ref_rejected, 0), -1))
    )


CASE = OpCase(
    op=fusewise_ops.dpo_loss,
    dispatcher="fusewise::dpo_loss",
    inputs=(
        Input("chosen", domain=(-8.0, -0.01)),
        Input("rejected", domain=(-8.0, -0.01)),
        Input("ref_chosen", domain=(-8.0, -0.01)),
        Input("ref_rejected", domain=(-8.0, -0.01)),
        Input("chosen_mask", kind="bool"),
        Input("rejected_mask", kind="bool"),
    ),
    params={"beta": (0.1, 0.275), "smoothing": (0, 0.15)},
    outputs=(
        Output("loss", is_row=True),
        Output("chosen_reward", is_row=True),
        Output("rejected_reward", is_row=True),
    ),
    saves=("chosen", "rejected", "ref_chosen", "ref_rejected", "chosen_mask", "rejected_mask"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestDpoLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
