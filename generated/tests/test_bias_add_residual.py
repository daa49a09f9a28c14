# Generated from specs/bias/bias_add_residual.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_add_residual."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, bias=None, other=None, other_bias=None):
    """The formula as the spec has it."""
    bias = x.new_tensor(0) if bias is None else bias
    other = x.new_tensor(0) if other is None else other
    other_bias = x.new_tensor(0) if other_bias is None else other_bias
    return x + bias + (other + other_bias)


def oracle(x, bias=None, other=None, other_bias=None):
    """The reference that the spec gives."""
    bias = x.new_tensor(0) if bias is None else bias
    other = x.new_tensor(0) if other is None else other
    other_bias = x.new_tensor(0) if other_bias is None else other_bias
    return x + bias + (other + other_bias)


CASE = OpCase(
    op=fusewise_ops.bias_add_residual,
    dispatcher="fusewise::bias_add_residual",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("bias", domain=(-2.0, 2.0), optional=True),
        Input("other", domain=(-10.0, 10.0), optional=True),
        Input("other_bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={},
    outputs=(Output("out"),),
    saves=(),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestBiasAddResidual(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
