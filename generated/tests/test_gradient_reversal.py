# Generated from specs/quantised/gradient_reversal.yaml by `fusewise generate`. Do not edit.
"""Tests of gradient_reversal."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, strength=1):
    """The formula as the spec has it."""
    return x


def oracle(x, *, strength=1):
    """The reference that the spec gives."""
    return torch.clone(x)


def surrogate(grad_out, x, *, strength=1):
    """The backward as the spec writes it."""
    return (-(strength * grad_out),)


CASE = OpCase(
    op=fusewise_ops.gradient_reversal,
    dispatcher="fusewise::gradient_reversal",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
    ),
    params={"strength": (1, 0)},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    surrogate=surrogate,
    no_finite_differences="its backward is a surrogate",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGradientReversal(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
