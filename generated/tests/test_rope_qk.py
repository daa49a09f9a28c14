# Generated from specs/rotary/rope_qk.yaml by `fusewise generate`. Do not edit.
"""Tests of rope_qk."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(q, k, cosine, sine):
    """The formula as the spec has it."""
    q1, q2 = q.chunk(2, dim=-1)
    k1, k2 = k.chunk(2, dim=-1)
    return (
        torch.cat(torch.broadcast_tensors(torch.broadcast_tensors(q1 * cosine - q2 * sine, k1)[0],
        torch.broadcast_tensors(q2 * cosine + q1 * sine, k1)[0]), dim=-1),
        torch.cat(torch.broadcast_tensors(torch.broadcast_tensors(k1 * cosine - k2 * sine, q1)[0],
        torch.broadcast_tensors(k2 * cosine + k1 * sine, q1)[0]), dim=-1)
    )


def oracle(q, k, cosine, sine):
    """The reference that the spec gives."""
    q1, q2 = q.chunk(2, dim=-1)
    k1, k2 = k.chunk(2, dim=-1)
    return (
        (torch.cat([torch.chunk(q, 2, -1)[0] * cosine - torch.chunk(q, 2, -1)[1] * sine,
        torch.chunk(q, 2, -1)[1] * cosine + torch.chunk(q, 2, -1)[0] * sine], -1),
        torch.cat([torch.chunk(k, 2, -1)[0] * cosine - torch.chunk(k, 2, -1)[1] * sine,
        torch.chunk(k, 2, -1)[1] * cosine + torch.chunk(k, 2, -1)[0] * sine], -1))
    )


CASE = OpCase(
    op=fusewise_ops.rope_qk,
    dispatcher="fusewise::rope_qk",
    inputs=(
        Input("q", domain=(-10.0, 10.0), parts=2),
        Input("k", domain=(-10.0, 10.0), parts=2),
        Input("cosine", domain=(-1.0, 1.0)),
        Input("sine", domain=(-1.0, 1.0)),
    ),
    params={},
    outputs=(Output("q_out", parts=2), Output("k_out", parts=2)),
    saves=("q", "k", "cosine", "sine"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRopeQk(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
