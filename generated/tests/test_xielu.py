# Generated from specs/activations/xielu.yaml by `fusewise generate`. Do not edit.
"""Tests of xielu."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, alpha_p, alpha_n, *, beta=0.5):
    """The formula as the spec has it."""
    curvature = -torch.nn.functional.logsigmoid(-alpha_p)
    decay = beta + -torch.nn.functional.logsigmoid(-alpha_n)
    return (
        testing.where(x > 0, lambda alpha_p, x, alpha_n: -torch.nn.functional.logsigmoid(-alpha_p) *
        torch.square(x) + beta * x, lambda alpha_p, x, alpha_n: (beta +
        -torch.nn.functional.logsigmoid(-alpha_n)) * (torch.expm1(x) - x) + beta * x, alpha_p, x,
        alpha_n)
    )


def oracle(x, alpha_p, alpha_n, *, beta=0.5):
    """The reference that the spec gives."""
    return (
        torch.where(x > 0, torch.nn.functional.softplus(alpha_p) * x * x, (beta +
        torch.nn.functional.softplus(alpha_n)) * (torch.expm1(torch.clamp(x, max=0)) - x)) + beta *
        x
    )


CASE = OpCase(
    op=fusewise_ops.xielu,
    dispatcher="fusewise::xielu",
    inputs=(
        Input("x", domain=(-20.0, 20.0)),
        Input("alpha_p", domain=(-3.0, 3.0)),
        Input("alpha_n", domain=(-3.0, 3.0)),
    ),
    params={"beta": (0.5, 0.55)},
    outputs=(Output("out"),),
    saves=("x", "alpha_p", "alpha_n"),
    reference=reference,
    oracle=oracle,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.XIELU,
    sizes={},
    shapes={"alpha_p": (1,), "alpha_n": (1,)},
    initial={"alpha_p": (0.20338, 0.20338), "alpha_n": (-1.05023, -1.05023)},
    text="XIELU(beta=0.5)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestXielu(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
