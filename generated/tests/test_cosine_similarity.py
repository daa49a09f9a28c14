# Generated from specs/losses/cosine_similarity.yaml by `fusewise generate`. Do not edit.
"""Tests of cosine_similarity."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, y, *, eps=1e-08):
    """The formula as the spec has it."""
    x, y, index = testing.rows(x, y)
    length = index.numel()
    return (
        (torch.sum(x * y, dim=-1, keepdim=True) / (torch.maximum(torch.linalg.vector_norm(x, dim=-1,
        keepdim=True), x.new_tensor(eps)) * torch.maximum(torch.linalg.vector_norm(y, dim=-1,
        keepdim=True), x.new_tensor(eps)))).squeeze(-1)
    )


def oracle(x, y, *, eps=1e-08):
    """The reference that the spec gives."""
    return torch.nn.functional.cosine_similarity(x, y, dim=-1, eps=eps)


CASE = OpCase(
    op=fusewise_ops.cosine_similarity,
    dispatcher="fusewise::cosine_similarity",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("y", domain=(-4.0, 4.0)),
    ),
    params={"eps": (1e-08, 5.05e-07)},
    outputs=(Output("out", is_row=True),),
    saves=("x", "y"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestCosineSimilarity(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
