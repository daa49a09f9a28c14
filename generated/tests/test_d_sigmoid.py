# Generated from specs/basics/d_sigmoid.yaml by `fusewise generate`. Do not edit.
"""Tests of d_sigmoid."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(z):
    """The formula as the spec has it."""
    s = torch.sigmoid(z)
    return s * (1 - s)


def oracle(z):
    """The reference that the spec gives."""
    return torch.sigmoid(z) * (1 - torch.sigmoid(z))


CASE = OpCase(
    op=fusewise_ops.d_sigmoid,
    dispatcher="fusewise::d_sigmoid",
    inputs=(
        Input("z", domain=(-20.0, 20.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("z",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestDSigmoid(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
