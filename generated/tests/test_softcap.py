# Generated from specs/activations/softcap.yaml by `fusewise generate`. Do not edit.
"""Tests of softcap."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, cap=30):
    """The formula as the spec has it."""
    return cap * torch.tanh(x / cap)


def oracle(x, *, cap=30):
    """The reference that the spec gives."""
    return cap * torch.tanh(x / cap)


CASE = OpCase(
    op=fusewise_ops.softcap,
    dispatcher="fusewise::softcap",
    inputs=(
        Input("x", domain=(-100.0, 100.0)),
    ),
    params={"cap": (30, 25.5)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSoftcap(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
