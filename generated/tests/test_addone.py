# Generated from specs/basics/addone.yaml by `fusewise generate`. Do not edit.
"""Tests of addone."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return x + 1


def oracle(x):
    """The reference that the spec gives."""
    return torch.add(x, 1)


CASE = OpCase(
    op=fusewise_ops.addone,
    dispatcher="fusewise::addone",
    inputs=(
        Input("x", kind="number", domain=(-100.0, 100.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestAddone(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
