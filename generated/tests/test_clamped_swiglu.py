# Generated from specs/gated/clamped_swiglu.yaml by `fusewise generate`. Do not edit.
"""Tests of clamped_swiglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, limit=7):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return (
        torch.clamp(gate, -torch.inf, limit) * torch.sigmoid(torch.clamp(gate, -torch.inf, limit)) *
        torch.clamp(up, -limit, limit)
    )


def oracle(x, *, limit=7):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return (
        torch.nn.functional.silu(torch.clamp(torch.chunk(x, 2, -1)[0], max=limit)) *
        torch.clamp(torch.chunk(x, 2, -1)[1], -limit, limit)
    )


CASE = OpCase(
    op=fusewise_ops.clamped_swiglu,
    dispatcher="fusewise::clamped_swiglu",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2),
    ),
    params={"limit": (7, 5.5)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestClampedSwiglu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
