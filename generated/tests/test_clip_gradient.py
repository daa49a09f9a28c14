# Generated from specs/quantised/clip_gradient.yaml by `fusewise generate`. Do not edit.
"""Tests of clip_gradient."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, limit=1):
    """The formula as the spec has it."""
    return x


def oracle(x, *, limit=1):
    """The reference that the spec gives."""
    return torch.clone(x)


def surrogate(grad_out, x, *, limit=1):
    """The backward as the spec writes it."""
    return (torch.clamp(grad_out, -limit, limit),)


CASE = OpCase(
    op=fusewise_ops.clip_gradient,
    dispatcher="fusewise::clip_gradient",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
    ),
    params={"limit": (1, 1.05)},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    surrogate=surrogate,
    no_finite_differences="its backward is a surrogate",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestClipGradient(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
