# Generated from specs/quantised/round_ste.yaml by `fusewise generate`. Do not edit.
"""Tests of round_ste."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    return torch.round(x)


def oracle(x):
    """The reference that the spec gives."""
    return torch.round(x)


def surrogate(grad_out, x):
    """The backward as the spec writes it."""
    return (grad_out,)


CASE = OpCase(
    op=fusewise_ops.round_ste,
    dispatcher="fusewise::round_ste",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    surrogate=surrogate,
    no_finite_differences="its backward is a surrogate",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRoundSte(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
