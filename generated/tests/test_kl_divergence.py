# Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
"""Tests of kl_divergence."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(student, teacher):
    """The formula as the spec has it."""
    student, teacher, index = testing.rows(student, teacher)
    length = index.numel()
    of_teacher = teacher - torch.amax(teacher, dim=-1, keepdim=True).detach()
    of_student = student - torch.amax(student, dim=-1, keepdim=True).detach()
    power = torch.exp(of_teacher)
    total = torch.sum(power, dim=-1, keepdim=True)
    gap = (
        torch.sum(testing.where(power == 0, lambda of_teacher, of_student: 0, lambda of_teacher,
        of_student: torch.exp(of_teacher) * (of_teacher - of_student), of_teacher, of_student),
        dim=-1, keepdim=True) / total
    )
    return (
        (gap - torch.log(total) + torch.log(torch.sum(torch.exp(of_student), dim=-1,
        keepdim=True))).squeeze(-1)
    )


def oracle(student, teacher):
    """The reference that the spec gives."""
    return (
        torch.sum(torch.softmax(teacher, -1) * (torch.log_softmax(teacher, -1) -
        torch.log_softmax(student, -1)), -1)
    )


CASE = OpCase(
    op=fusewise_ops.kl_divergence,
    dispatcher="fusewise::kl_divergence",
    inputs=(
        Input("student", domain=(-8.0, 8.0)),
        Input("teacher", domain=(-8.0, 8.0)),
    ),
    params={},
    outputs=(Output("loss", is_row=True),),
    saves=("student", "teacher"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestKlDivergence(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
