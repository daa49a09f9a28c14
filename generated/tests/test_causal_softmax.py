# Generated from specs/softmax/causal_softmax.yaml by `fusewise generate`. Do not edit.
"""Tests of causal_softmax."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, last, *, scale=1):
    """The formula as the spec has it."""
    last = last.unsqueeze(-1)
    x, index = testing.rows(x)
    length = index.numel()
    return torch.softmax(torch.where(index <= last.to(x.dtype), scale * x, -torch.inf), dim=-1)


CASE = OpCase(
    op=fusewise_ops.causal_softmax,
    dispatcher="fusewise::causal_softmax",
    inputs=(
        Input("x", domain=(-8.0, 8.0)),
        Input("last", kind="int", domain=(0.0, 40.0), is_row=True),
    ),
    params={"scale": (1, 1.05)},
    outputs=(Output("out"),),
    saves=("last", "out"),
    reference=reference,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestCausalSoftmax(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
