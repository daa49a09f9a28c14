# Generated from specs/gated/fatrelu_and_mul.yaml by `fusewise generate`. Do not edit.
"""Tests of fatrelu_and_mul."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, *, threshold=0):
    """The formula as the spec has it."""
    gate, up = x.chunk(2, dim=-1)
    return torch.where(gate <= threshold, 0, gate) * up


def oracle(x, *, threshold=0):
    """The reference that the spec gives."""
    gate, up = x.chunk(2, dim=-1)
    return (
        torch.where(torch.chunk(x, 2, -1)[0] <= threshold, 0, torch.chunk(x, 2, -1)[0]) *
        torch.chunk(x, 2, -1)[1]
    )


CASE = OpCase(
    op=fusewise_ops.fatrelu_and_mul,
    dispatcher="fusewise::fatrelu_and_mul",
    inputs=(
        Input("x", domain=(-10.0, 10.0), parts=2),
    ),
    params={"threshold": (0, 1)},
    outputs=(Output("out"),),
    saves=("x",),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestFatreluAndMul(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
