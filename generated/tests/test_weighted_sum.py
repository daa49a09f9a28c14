# Generated from specs/basics/weighted_sum.yaml by `fusewise generate`. Do not edit.
"""Tests of weighted_sum."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight):
    """The formula as the spec has it."""
    x, weight, index = testing.rows(x, weight)
    length = index.numel()
    return (torch.sum(x * weight, dim=-1, keepdim=True)).squeeze(-1)


def oracle(x, weight):
    """The reference that the spec gives."""
    return torch.sum(x * weight, -1)


CASE = OpCase(
    op=fusewise_ops.weighted_sum,
    dispatcher="fusewise::weighted_sum",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("weight", domain=(-1.0, 1.0)),
    ),
    params={},
    outputs=(Output("out", is_row=True),),
    saves=("x", "weight"),
    reference=reference,
    oracle=oracle,
    exact=True,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestWeightedSum(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
