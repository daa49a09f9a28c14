# Generated from specs/activations/dyt.yaml by `fusewise generate`. Do not edit.
"""Tests of dyt."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, alpha, gamma, beta=None):
    """The formula as the spec has it."""
    beta = x.new_tensor(0) if beta is None else beta
    t = torch.tanh(alpha * x)
    return gamma * t + beta


def oracle(x, alpha, gamma, beta=None):
    """The reference that the spec gives."""
    beta = x.new_tensor(0) if beta is None else beta
    return gamma * torch.tanh(alpha * x) + beta


CASE = OpCase(
    op=fusewise_ops.dyt,
    dispatcher="fusewise::dyt",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
        Input("alpha", domain=(0.1, 2.0)),
        Input("gamma", domain=(-2.0, 2.0)),
        Input("beta", domain=(-2.0, 2.0), optional=True),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "alpha", "gamma"),
    reference=reference,
    oracle=oracle,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.DyT,
    sizes={"features": 12},
    shapes={"alpha": (1,), "gamma": ("features",), "beta": ("features",)},
    initial={"alpha": (0.5, 0.5), "gamma": (1, 1), "beta": (0, 0)},
    text="DyT(features=12, beta=True)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestDyt(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
