# Generated from specs/losses/token_logprob.yaml by `fusewise generate`. Do not edit.
"""Tests of token_logprob."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(logits, token, *, temperature=1):
    """The formula as the spec has it."""
    token = token.unsqueeze(-1)
    logits, index = testing.rows(logits)
    length = index.numel()
    scaled = logits / temperature
    shifted = scaled - torch.amax(scaled, dim=-1, keepdim=True).detach()
    power = torch.exp(shifted)
    total = torch.sum(power, dim=-1, keepdim=True)
    return (
        (torch.sum(testing.where(index == token.to(logits.dtype), lambda log_softmax0: log_softmax0,
        lambda log_softmax0: 0, torch.log_softmax(logits / temperature, dim=-1)), dim=-1,
        keepdim=True)).squeeze(-1), (torch.broadcast_tensors(torch.log(total) -
        torch.sum(testing.where(scaled == -torch.inf, lambda shifted: 0, lambda shifted:
        torch.exp(shifted) * shifted, shifted), dim=-1, keepdim=True) / total,
        testing.row_of(token))[0]).squeeze(-1)
    )


CASE = OpCase(
    op=fusewise_ops.token_logprob,
    dispatcher="fusewise::token_logprob",
    inputs=(
        Input("logits", domain=(-8.0, 8.0)),
        Input("token", kind="int", domain=(0.0, 4.0), is_row=True),
    ),
    params={"temperature": (1, 1.25)},
    outputs=(Output("logprob", is_row=True), Output("entropy", is_row=True)),
    saves=("logits", "token"),
    reference=reference,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestTokenLogprob(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
