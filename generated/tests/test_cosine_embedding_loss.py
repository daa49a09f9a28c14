# Generated from specs/losses/cosine_embedding_loss.yaml by `fusewise generate`. Do not edit.
"""Tests of cosine_embedding_loss."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, y, together, *, margin=0, eps=1e-08):
    """The formula as the spec has it."""
    together = together.unsqueeze(-1)
    x, y, index = testing.rows(x, y)
    length = index.numel()
    cosine = (
        torch.sum(x * y, dim=-1, keepdim=True) / (torch.maximum(torch.linalg.vector_norm(x, dim=-1,
        keepdim=True), x.new_tensor(eps)) * torch.maximum(torch.linalg.vector_norm(y, dim=-1,
        keepdim=True), x.new_tensor(eps)))
    )
    return (
        (testing.where(together, lambda cosine: 1 - cosine, lambda cosine: torch.relu(cosine -
        margin), cosine)).squeeze(-1)
    )


def oracle(x, y, together, *, margin=0, eps=1e-08):
    """The reference that the spec gives."""
    return (
        torch.where(together, 1 - torch.nn.functional.cosine_similarity(x, y, dim=-1, eps=eps),
        torch.relu(torch.nn.functional.cosine_similarity(x, y, dim=-1, eps=eps) - margin))
    )


CASE = OpCase(
    op=fusewise_ops.cosine_embedding_loss,
    dispatcher="fusewise::cosine_embedding_loss",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
        Input("y", domain=(-4.0, 4.0)),
        Input("together", kind="bool", is_row=True),
    ),
    params={"margin": (0, -0.5), "eps": (1e-08, 5.05e-07)},
    outputs=(Output("loss", is_row=True),),
    saves=("x", "y", "together"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestCosineEmbeddingLoss(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
