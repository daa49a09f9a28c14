# Generated from specs/basics/clip_by_norm.yaml by `fusewise generate`. Do not edit.
"""Tests of clip_by_norm."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, max_norm=1, eps=1e-06):
    """The formula as the spec has it."""
    x, index = testing.rows(x)
    length = index.numel()
    size = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x * torch.minimum(max_norm / (size + eps), x.new_tensor(1)), (size).squeeze(-1)


def oracle(x, *, max_norm=1, eps=1e-06):
    """The reference that the spec gives."""
    return (
        (x * torch.clamp(max_norm / (torch.linalg.vector_norm(x) + eps), max=1),
        torch.linalg.vector_norm(x))
    )


CASE = OpCase(
    op=testing.op_of_rows(fusewise_ops.clip_by_norm, "clip_by_norm__rows"),
    dispatcher="fusewise::clip_by_norm__rows",
    inputs=(
        Input("x", domain=(-4.0, 4.0)),
    ),
    params={"max_norm": (1, 2.25), "eps": (1e-06, 5.05e-07)},
    outputs=(Output("out"), Output("total_norm", is_row=True)),
    saves=("x",),
    reference=reference,
    oracle=testing.for_each_row(oracle),
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestClipByNorm(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
