# Generated from specs/activations/logsigmoid_temperature.yaml by `fusewise generate`. Do not edit.
"""Tests of logsigmoid_temperature."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, temperature=16):
    """The formula as the spec has it."""
    return torch.nn.functional.logsigmoid(x) / temperature


def oracle(x, *, temperature=16):
    """The reference that the spec gives."""
    return torch.nn.functional.logsigmoid(x) / temperature


CASE = OpCase(
    op=fusewise_ops.logsigmoid_temperature,
    dispatcher="fusewise::logsigmoid_temperature",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
    ),
    params={"temperature": (16, 8.5)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestLogsigmoidTemperature(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
