# Generated from specs/softmax/masked_softmax.yaml by `fusewise generate`. Do not edit.
"""Tests of masked_softmax."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, keep, *, scale=1):
    """The formula as the spec has it."""
    x, keep, index = testing.rows(x, keep)
    length = index.numel()
    return (
        testing.where(torch.any(keep, dim=-1, keepdim=True), lambda keep, x:
        torch.softmax(torch.where(keep, scale * x, -torch.inf), dim=-1), lambda keep, x: 0, keep, x)
    )


def oracle(x, keep, *, scale=1):
    """The reference that the spec gives."""
    return torch.nan_to_num(torch.softmax(torch.where(keep, scale * x, -torch.inf), -1))


CASE = OpCase(
    op=fusewise_ops.masked_softmax,
    dispatcher="fusewise::masked_softmax",
    inputs=(
        Input("x", domain=(-8.0, 8.0)),
        Input("keep", kind="bool"),
    ),
    params={"scale": (1, 1.05)},
    outputs=(Output("out"),),
    saves=("x", "keep"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestMaskedSoftmax(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
