# Generated from specs/softmax/scaled_softmax.yaml by `fusewise generate`. Do not edit.
"""Tests of scaled_softmax."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, scale=1):
    """The formula as the spec has it."""
    x, index = testing.rows(x)
    length = index.numel()
    return torch.softmax(scale * x, dim=-1)


def oracle(x, *, scale=1):
    """The reference that the spec gives."""
    return torch.softmax(scale * x, dim=-1)


CASE = OpCase(
    op=fusewise_ops.scaled_softmax,
    dispatcher="fusewise::scaled_softmax",
    inputs=(
        Input("x", domain=(-8.0, 8.0)),
    ),
    params={"scale": (1, 1.05)},
    outputs=(Output("out"),),
    saves=("out",),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestScaledSoftmax(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
