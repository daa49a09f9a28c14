# Generated from specs/quantised/quantise_ste.yaml by `fusewise generate`. Do not edit.
"""Tests of quantise_ste."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, scale):
    """The formula as the spec has it."""
    step = scale.detach()
    return testing.straight_through(torch.clamp(torch.round(x * step), -128, 127) / step, x)


def oracle(x, scale):
    """The reference that the spec gives."""
    return torch.clamp(torch.round(x * scale), -128, 127) / scale


CASE = OpCase(
    op=fusewise_ops.quantise_ste,
    dispatcher="fusewise::quantise_ste",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("scale", domain=(20.0, 40.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad and straight_through change the gradient on purpose",
)
pytest_generate_tests = testing.parametrise(CASE)


class TestQuantiseSte(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
