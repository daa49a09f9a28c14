# Generated from specs/bias/bias_dropout_add.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_dropout_add."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, residual, keep, bias=None, *, p=0.1):
    """The formula as the spec has it."""
    bias = x.new_tensor(0) if bias is None else bias
    return residual + torch.where(keep, (x + bias) / (1 - p), 0)


def oracle(x, residual, keep, bias=None, *, p=0.1):
    """The reference that the spec gives."""
    bias = x.new_tensor(0) if bias is None else bias
    return residual + torch.where(keep, (x + bias) / (1 - p), 0)


CASE = OpCase(
    op=fusewise_ops.bias_dropout_add,
    dispatcher="fusewise::bias_dropout_add",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("residual", domain=(-10.0, 10.0)),
        Input("keep", kind="bool"),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={"p": (0.1, 0.45)},
    outputs=(Output("out"),),
    saves=("keep",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestBiasDropoutAdd(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
