# Generated from specs/softmax/softcapped_softmax.yaml by `fusewise generate`. Do not edit.
"""Tests of softcapped_softmax."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, last, *, cap=50, scale=1):
    """The formula as the spec has it."""
    last = last.unsqueeze(-1)
    x, index = testing.rows(x)
    length = index.numel()
    return (
        torch.softmax(testing.where(index <= last.to(x.dtype), lambda x: cap * torch.tanh(scale * x
        / cap), lambda x: -torch.inf, x), dim=-1)
    )


def oracle(x, last, *, cap=50, scale=1):
    """The reference that the spec gives."""
    return (
        torch.softmax(torch.where(torch.cumsum(torch.ones_like(x), -1) - 1 <= torch.unsqueeze(last,
        -1), cap * torch.tanh(scale * x / cap), -torch.inf), -1)
    )


CASE = OpCase(
    op=fusewise_ops.softcapped_softmax,
    dispatcher="fusewise::softcapped_softmax",
    inputs=(
        Input("x", domain=(-80.0, 80.0)),
        Input("last", kind="int", domain=(0.0, 40.0), is_row=True),
    ),
    params={"cap": (50, 27.5), "scale": (1, 1.05)},
    outputs=(Output("out"),),
    saves=("x", "last", "out"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSoftcappedSoftmax(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
