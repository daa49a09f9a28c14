# Generated from specs/gated/swiglu_oai.yaml by `fusewise generate`. Do not edit.
"""Tests of swiglu_oai."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, alpha=1.702, limit=7):
    """The formula as the spec has it."""
    gate, up = x[..., 0::2], x[..., 1::2]
    bounded_gate = torch.clamp(gate, -torch.inf, limit)
    bounded_up = torch.clamp(up, -limit, limit)
    return (bounded_up + 1) * (bounded_gate * torch.sigmoid(alpha * bounded_gate))


def oracle(x, *, alpha=1.702, limit=7):
    """The reference that the spec gives."""
    gate, up = x[..., 0::2], x[..., 1::2]
    return (
        (torch.clamp(x[..., 1::2], -limit, limit) + 1) * (torch.clamp(x[..., 0::2], max=limit) *
        torch.sigmoid(torch.clamp(x[..., 0::2], max=limit) * alpha))
    )


CASE = OpCase(
    op=fusewise_ops.swiglu_oai,
    dispatcher="fusewise::swiglu_oai",
    inputs=(
        Input("x", domain=(-20.0, 20.0), parts=2, interleaved=True),
    ),
    params={"alpha": (1.702, 1.25), "limit": (7, 5.5)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSwigluOai(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
