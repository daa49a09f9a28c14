# Generated from specs/losses/jsd_divergence.yaml by `fusewise generate`. Do not edit.
"""Tests of jsd_divergence."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(student, teacher, *, beta=0.5):
    """The formula as the spec has it."""
    student, teacher, index = testing.rows(student, teacher)
    length = index.numel()
    log_p = torch.log_softmax(teacher, dim=-1)
    log_q = torch.log_softmax(student, dim=-1)
    log_m = (
        torch.logaddexp(log_p + torch.log(student.new_tensor(beta)), log_q +
        torch.log(student.new_tensor(1 - beta)))
    )
    of_teacher = torch.where(log_p > -torch.inf, beta * torch.exp(log_p) * (log_p - log_m), 0)
    of_student = torch.where(log_q > -torch.inf, (1 - beta) * torch.exp(log_q) * (log_q - log_m), 0)
    return (torch.sum(of_teacher + of_student, dim=-1, keepdim=True)).squeeze(-1)


def oracle(student, teacher, *, beta=0.5):
    """The reference that the spec gives."""
    return (
        torch.sum(beta * torch.softmax(teacher, -1) * torch.log(torch.softmax(teacher, -1) / (beta *
        torch.softmax(teacher, -1) + (1 - beta) * torch.softmax(student, -1))) + (1 - beta) *
        torch.softmax(student, -1) * torch.log(torch.softmax(student, -1) / (beta *
        torch.softmax(teacher, -1) + (1 - beta) * torch.softmax(student, -1))), -1)
    )


CASE = OpCase(
    op=fusewise_ops.jsd_divergence,
    dispatcher="fusewise::jsd_divergence",
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


class TestJsdDivergence(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
