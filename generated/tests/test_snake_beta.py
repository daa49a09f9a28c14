# Generated from specs/activations/snake_beta.yaml by `fusewise generate`. Do not edit.
"""Tests of snake_beta."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, alpha, beta):
    """The formula as the spec has it."""
    return x + torch.square(torch.sin(alpha * x)) / beta


def oracle(x, alpha, beta):
    """The reference that the spec gives."""
    return x + torch.square(torch.sin(alpha * x)) / beta


CASE = OpCase(
    op=fusewise_ops.snake_beta,
    dispatcher="fusewise::snake_beta",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("alpha", domain=(0.1, 4.0)),
        Input("beta", domain=(0.2, 4.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "alpha", "beta"),
    reference=reference,
    oracle=oracle,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.SnakeBeta,
    sizes={"channels": 12},
    shapes={"alpha": ("channels", 1), "beta": ("channels", 1)},
    initial={"alpha": (1, 1), "beta": (1, 1)},
    text="SnakeBeta(channels=12)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestSnakeBeta(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
