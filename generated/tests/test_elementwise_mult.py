# Generated from specs/basics/elementwise_mult.yaml by `fusewise generate`. Do not edit.
"""Tests of elementwise_mult."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(a, b):
    """The formula as the spec has it."""
    return a * b


def oracle(a, b):
    """The reference that the spec gives."""
    return torch.mul(a, b)


CASE = OpCase(
    op=fusewise_ops.elementwise_mult,
    dispatcher="fusewise::elementwise_mult",
    inputs=(
        Input("a", domain=(-20.0, 20.0)),
        Input("b", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("a", "b"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestElementwiseMult(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
