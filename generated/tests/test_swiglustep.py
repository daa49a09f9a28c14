# Generated from specs/gated/swiglustep.yaml by `fusewise generate`. Do not edit.
"""Tests of swiglustep."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, limit=7):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return (
        torch.clamp(gate * torch.sigmoid(gate), -torch.inf, limit) * torch.clamp(up, -limit, limit)
    )


def oracle(x, *, limit=7):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return (
        torch.clamp(torch.nn.functional.silu(torch.chunk(x, 2, -1)[0]), max=limit) *
        torch.clamp(torch.chunk(x, 2, -1)[1], -limit, limit)
    )


CASE = OpCase(
    op=fusewise_ops.swiglustep,
    dispatcher="fusewise::swiglustep",
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


class TestSwiglustep(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
