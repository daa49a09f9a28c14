# Generated from specs/losses/js_divergence.yaml by `fusewise generate`. Do not edit.
"""Tests of js_divergence."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(student, teacher, *, beta=0.5):
    """The formula as the spec has it."""
    student, teacher, index = testing.rows(student, teacher)
    length = index.numel()
    p = torch.softmax(teacher, dim=-1)
    q = torch.softmax(student, dim=-1)
    log_m = torch.log(beta * p + (1 - beta) * q)
    of_p = (
        testing.where(p == 0, lambda p, q, log_softmax0: 0, lambda p, q, log_softmax0: p *
        (log_softmax0 - torch.log(beta * p + (1 - beta) * q)), p, q, torch.log_softmax(teacher,
        dim=-1))
    )
    of_q = (
        testing.where(q == 0, lambda q, p, log_softmax1: 0, lambda q, p, log_softmax1: q *
        (log_softmax1 - torch.log(beta * p + (1 - beta) * q)), q, p, torch.log_softmax(student,
        dim=-1))
    )
    return (torch.sum(beta * of_p + (1 - beta) * of_q, dim=-1, keepdim=True)).squeeze(-1)


def oracle(student, teacher, *, beta=0.5):
    """The reference that the spec gives."""
    return (
        torch.sum(beta * torch.softmax(teacher, -1) * (torch.log_softmax(teacher, -1) -
        torch.log(beta * torch.softmax(teacher, -1) + (1 - beta) * torch.softmax(student, -1))) + (1
        - beta) * torch.softmax(student, -1) * (torch.log_softmax(student, -1) - torch.log(beta *
        torch.softmax(teacher, -1) + (1 - beta) * torch.softmax(student, -1))), -1)
    )


CASE = OpCase(
    op=fusewise_ops.js_divergence,
    dispatcher="fusewise::js_divergence",
    inputs=(
        Input("student", domain=(-8.0, 8.0)),
        Input("teacher", domain=(-8.0, 8.0)),
    ),
    params={"beta": (0.5, 0.1)},
    outputs=(Output("loss", is_row=True),),
    saves=("student", "teacher"),
    reference=reference,
    oracle=oracle,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestJsDivergence(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
