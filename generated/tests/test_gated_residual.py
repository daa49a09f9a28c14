# Generated from specs/bias/gated_residual.yaml by `fusewise generate`. Do not edit.
"""Tests of gated_residual."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, residual, gate):
    """The formula as the spec has it."""
    return residual + gate * x


def oracle(x, residual, gate):
    """The reference that the spec gives."""
    return torch.addcmul(residual, gate, x)


CASE = OpCase(
    op=fusewise_ops.gated_residual,
    dispatcher="fusewise::gated_residual",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("residual", domain=(-10.0, 10.0)),
        Input("gate", domain=(-2.0, 2.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "gate"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestGatedResidual(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
