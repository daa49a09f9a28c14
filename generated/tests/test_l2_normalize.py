# Generated from specs/norms/l2_normalize.yaml by `fusewise generate`. Do not edit.
"""Tests of l2_normalize."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, eps=1e-12):
    """The formula as the spec has it."""
    x, index = testing.rows(x)
    length = index.numel()
    return x / torch.maximum(torch.linalg.vector_norm(x, dim=-1, keepdim=True), x.new_tensor(eps))


def oracle(x, *, eps=1e-12):
    """The reference that the spec gives."""
    return torch.nn.functional.normalize(x, dim=-1, eps=eps)


CASE = OpCase(
    op=fusewise_ops.l2_normalize,
    dispatcher="fusewise::l2_normalize",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
    ),
    params={"eps": (1e-12, 5.000005e-07)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestL2Normalize(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
