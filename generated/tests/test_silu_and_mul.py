# Generated from specs/gated/silu_and_mul.yaml by `fusewise generate`. Do not edit.
"""Tests of silu_and_mul."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return gate * torch.sigmoid(gate) * up


def oracle(x):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return torch.nn.functional.silu(torch.chunk(x, 2, -1)[0]) * torch.chunk(x, 2, -1)[1]


CASE = OpCase(
    op=fusewise_ops.silu_and_mul,
    dispatcher="fusewise::silu_and_mul",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSiluAndMul(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
