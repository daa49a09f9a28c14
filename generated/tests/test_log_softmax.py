# Generated from specs/softmax/log_softmax.yaml by `fusewise generate`. Do not edit.
"""Tests of log_softmax."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    x, index = testing.rows(x)
    length = index.numel()
    return torch.log_softmax(x, dim=-1)


def oracle(x, *, dim=-1):
    """The reference that the spec gives."""
    return torch.log_softmax(x, dim=dim)


CASE = OpCase(
    op=testing.rows_last(fusewise_ops.log_softmax, (-2,), dim=-2),
    dispatcher="fusewise::log_softmax__rows",
    inputs=(
        Input("x", domain=(-8.0, 8.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=testing.rows_last(oracle, (-2,), dim=-2),
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestLogSoftmax(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
