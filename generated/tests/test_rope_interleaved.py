# Generated from specs/rotary/rope_interleaved.yaml by `fusewise generate`. Do not edit.
"""Tests of rope_interleaved."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, cosine, sine):
    """The formula as the spec has it."""
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return (
        torch.stack(torch.broadcast_tensors(x1 * cosine - x2 * sine, x2 * cosine + x1 * sine),
        dim=-1).flatten(-2)
    )


def oracle(x, cosine, sine):
    """The reference that the spec gives."""
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return (
        torch.flatten(torch.stack([x[..., 0::2] * cosine - x[..., 1::2] * sine, x[..., 1::2] *
        cosine + x[..., 0::2] * sine], -1), -2)
    )


CASE = OpCase(
    op=fusewise_ops.rope_interleaved,
    dispatcher="fusewise::rope_interleaved",
    inputs=(
        Input("x", domain=(-10.0, 10.0), parts=2, interleaved=True),
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


class TestRopeInterleaved(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
