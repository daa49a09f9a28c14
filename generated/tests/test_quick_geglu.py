# Generated from specs/gated/quick_geglu.yaml by `fusewise generate`. Do not edit.
"""Tests of quick_geglu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight=None, *, offset=0):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    weight = x.new_tensor(1) if weight is None else weight
    s = torch.sigmoid(1.702 * gate)
    return gate * s * (up + offset) * weight


def oracle(x, weight=None, *, offset=0):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    weight = x.new_tensor(1) if weight is None else weight
    return (
        torch.chunk(x, 2, -1)[0] * torch.sigmoid(1.702 * torch.chunk(x, 2, -1)[0]) * (torch.chunk(x,
        2, -1)[1] + offset) * weight
    )


CASE = OpCase(
    op=fusewise_ops.quick_geglu,
    dispatcher="fusewise::quick_geglu",
    inputs=(
        Input("x", domain=(-10.0, 10.0), parts=2),
        Input("weight", domain=(-2.0, 2.0), optional=True),
    ),
    params={"offset": (0, 0.5)},
    outputs=(Output("out"),),
    saves=("x", "weight"),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestQuickGeglu(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
