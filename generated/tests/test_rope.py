# Generated from specs/rotary/rope.yaml by `fusewise generate`. Do not edit.
"""Tests of rope."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, cosine, sine):
    """The formula as the spec has it."""
    x1, x2 = x.chunk(2, dim=-1)
    return (
        torch.cat(torch.broadcast_tensors(x1 * cosine - x2 * sine, x2 * cosine + x1 * sine), dim=-1)
    )


def oracle(x, cosine, sine):
    """The reference that the spec gives."""
    x1, x2 = x.chunk(2, dim=-1)
    return (
        torch.cat([torch.chunk(x, 2, -1)[0] * cosine - torch.chunk(x, 2, -1)[1] * sine,
        torch.chunk(x, 2, -1)[1] * cosine + torch.chunk(x, 2, -1)[0] * sine], -1)
    )


CASE = OpCase(
    op=fusewise_ops.rope,
    dispatcher="fusewise::rope",
    inputs=(
        Input("x", domain=(-10.0, 10.0), parts=2),
        Input("cosine", domain=(-1.0, 1.0)),
        Input("sine", domain=(-1.0, 1.0)),
    ),
    params={},
    outputs=(Output("out", parts=2),),
    saves=("x", "cosine", "sine"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRope(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
