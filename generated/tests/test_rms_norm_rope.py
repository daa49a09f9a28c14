# Generated from specs/norms/rms_norm_rope.yaml by `fusewise generate`. Do not edit.
"""Tests of rms_norm_rope."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, weight, cosine, sine, *, eps=1e-06):
    """The formula as the spec has it."""
    x1, x2 = x.chunk(2, dim=-1)
    w1, w2 = weight.chunk(2, dim=-1)
    x1, x2, w1, w2, cosine, sine, index = testing.rows(x1, x2, w1, w2, cosine, sine)
    length = index.numel()
    rstd = torch.rsqrt(torch.mean(x1 * x1 + x2 * x2, dim=-1, keepdim=True) / 2 + eps)
    a = x1 * rstd * w1
    b = x2 * rstd * w2
    return torch.cat(torch.broadcast_tensors(a * cosine - b * sine, b * cosine + a * sine), dim=-1)


def oracle(x, weight, cosine, sine, *, eps=1e-06):
    """The reference that the spec gives."""
    x1, x2 = x.chunk(2, dim=-1)
    w1, w2 = weight.chunk(2, dim=-1)
    return (
        torch.cat([torch.chunk(x, 2, -1)[0] * torch.chunk(weight, 2, -1)[0] * cosine -
        torch.chunk(x, 2, -1)[1] * torch.chunk(weight, 2, -1)[1] * sine, torch.chunk(x, 2, -1)[1] *
        torch.chunk(weight, 2, -1)[1] * cosine + torch.chunk(x, 2, -1)[0] * torch.chunk(weight, 2,
        -1)[0] * sine], -1) / torch.sqrt(torch.mean(torch.cat([torch.chunk(x, 2, -1)[0],
        torch.chunk(x, 2, -1)[1]], -1) ** 2, -1, keepdim=True) + eps)
    )


CASE = OpCase(
    op=fusewise_ops.rms_norm_rope,
    dispatcher="fusewise::rms_norm_rope",
    inputs=(
        Input("x", domain=(-4.0, 4.0), parts=2),
        Input("weight", domain=(-2.0, 2.0), parts=2),
        Input("cosine", domain=(-1.0, 1.0)),
        Input("sine", domain=(-1.0, 1.0)),
    ),
    params={"eps": (1e-06, 0.0005005)},
    outputs=(Output("out", parts=2),),
    saves=("x", "weight", "cosine", "sine"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestRmsNormRope(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
