"""The specialization of kernels is derived from how typical shapes broadcast, and from no size."""

from __future__ import annotations

import pytest
from fusewise.emit.cpp import PassView
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.specialize import Specialization

OP = """
op: f
inputs: {x: tensor, scale: tensor, shift: tensor = 0, other: tensor = 0}
outputs: {out: x * scale + shift + other}
"""


def specializations(cases: str, text: str = OP) -> list[Specialization]:
    """Those of the forward, the backward and the double backward."""
    compiled = compile_spec(parse_spec(f"{text}shapes: [{cases}]\n"))
    return [plan.specialization for plan in compiled.variants[0].kernels]


@pytest.mark.parametrize(
    ("cases", "broadcast"),
    [
        ("{x: [8, 4], scale: [8, 4], shift: [8, 4], other: [8, 4]}", ""),
        ("{x: [8, 4], scale: [4], shift: [8, 1], other: [8, 4]}", "scale shift"),
        ("{x: [8, 4], scale: [4], shift: [8, 4]}", "scale other"),  # other is absent
        ("{x: [8, 1], scale: [4], shift: [8, 4], other: [8, 4]}", "x scale"),
        (
            "{x: [8, 4], scale: [8, 4], shift: [4], other: [8, 4]}, "
            "{x: [8, 4], scale: [4], shift: [8, 4], other: [8, 4]}",
            "scale shift",
        ),
        ("", "scale shift other"),
    ],
)
def test_reads_that_are_broadcast_in_any_case(cases: str, broadcast: str) -> None:
    forward, backward, _ = specializations(cases)
    assert forward.broadcast == set(broadcast.split())
    assert backward.broadcast == {"x", "scale"} & set(broadcast.split())


def test_the_parts_of_the_only_input_are_not_broadcast() -> None:
    text = "op: f\ninputs: {x: {split: [a, b]}}\noutputs: {out: a * b}\n"
    assert specializations("", text)[0].broadcast == set()


@pytest.mark.parametrize(
    ("cases", "row_scalars"),
    [
        ("{x: [8, 4], scale: [8, 1], shift: [1], other: [4]}", "scale shift"),
        ("{x: [8, 4], scale: [8, 4]}, {x: [8, 4], scale: [8, 1]}", ""),  # the first case decides
        ("{x: [8, 4], scale: []}", "scale"),
        ("", ""),
    ],
)
def test_row_scalars_of_the_first_case(cases: str, row_scalars: str) -> None:
    forward, backward, double_backward = specializations(cases)
    assert forward.row_scalars == set(row_scalars.split())
    assert backward.row_scalars == {"x", "scale"} & set(row_scalars.split())
    assert double_backward.row_scalars == set()


@pytest.mark.parametrize(
    ("cases", "possible"), [("", "scale shift other"), ("{x: [8, 4], scale: [8, 4]}", "")]
)
def test_without_typical_shapes_a_call_decides_which_reads_are_row_scalars(
    cases: str, possible: str
) -> None:
    forward, backward, double_backward = specializations(cases)
    assert forward.possible_row_scalars == set(possible.split())
    assert backward.possible_row_scalars == {"x", "scale"} & set(possible.split())
    assert double_backward.possible_row_scalars == set()


def test_a_part_is_a_row_scalar() -> None:
    text = "op: f\ninputs: {x: tensor, w: {split: [a, b]}}\noutputs: {out: x * a + b}\n"
    assert specializations("{x: [8, 4], w: [8, 2]}", text)[0].row_scalars == {"a", "b"}
    assert specializations("", text)[0].possible_row_scalars == {"a", "b"}


@pytest.mark.parametrize(
    ("cases", "full", "summed"),
    [
        ("{x: [8, 4], scale: [4]}", "grad_out x grad_x", "grad_scale"),
        # a forwarded gradient is not computed, and equal ones are computed once
        ("{x: [8, 4], scale: [4], shift: [8, 4]}", "grad_out x grad_x", "grad_scale"),
        (
            "{x: [4], scale: [4], shift: [8, 4], other: [4]}",
            "grad_out",
            "grad_x grad_scale grad_other",
        ),
        (
            "{x: [8, 4], scale: [4], shift: [4], other: [4]}",
            "grad_out x grad_x",
            "grad_scale grad_shift",
        ),
        ("{x: [8, 4], scale: [4]}, {x: [9, 4], scale: [9, 4]}", "grad_out x grad_x", "grad_scale"),
        ("{x: [8, 4], scale: [8, 4]}", "", ""),
        ("{x: [8, 4], scale: [4]}, {x: [9, 4], scale: [9, 1]}", "grad_out x grad_x", "grad_scale"),
        ("{x: [8, 4], scale: [4]}, {x: [4], scale: [8, 4]}", "", ""),  # of several kinds
        ("{x: [8, 1, 4], scale: [1, 8, 4], shift: [8, 8, 4]}", "", ""),  # over different dimensions
    ],
)
def test_sums_on_which_all_cases_agree(cases: str, full: str, summed: str) -> None:
    forward, backward, double_backward = specializations(cases)
    assert (backward.full, backward.summed) == (set(full.split()), set(summed.split()))
    for other in (forward, double_backward):
        assert (other.full, other.summed) == (set(), set())


@pytest.mark.parametrize(
    ("cases", "two_axis"),
    [
        ("{x: [8, 1, 4], scale: [1, 8, 4]}", True),
        ("{x: [8, 8, 4], scale: [8, 8, 4]}, {x: [8, 1, 4], scale: [8, 4]}", True),  # any case
        ("{x: [8, 8, 4], scale: [8, 1, 4], shift: [4]}", False),  # one sums what the other sums
        ("{x: [8, 1], scale: [4]}", False),  # the last dimension is no axis
        ("", False),
    ],
)
def test_two_axis_reductions(cases: str, two_axis: bool) -> None:
    assert [each.two_axis for each in specializations(cases)] == [False, two_axis, False]


def test_no_size_matters() -> None:
    case = "{x: [8, 1, 4], scale: [8, 4], shift: [1]}"
    large = "{x: [800, 1, 40], scale: [90, 40], shift: [1]}"
    assert specializations(case) == specializations(large)


def test_typical_shapes_change_kernels_alone() -> None:
    """Neither what an op accepts, nor what it keeps, nor its decomposition."""

    def described(view: PassView) -> tuple[object, ...]:
        return (
            view.descriptor_lines,
            view.decomposition_lines,
            view.likes,
            view.runners,
        )

    text = OP.replace("* scale", "/ exp(scale)")
    without = compile_spec(parse_spec(text)).view
    op = compile_spec(parse_spec(f"{text}shapes: [{{x: [8, 4], scale: [8, 1]}}]\n")).view
    assert list(map(described, op.passes)) == list(map(described, without.passes))
    assert (op.schema_lines, op.test) == (without.schema_lines, without.test)
    assert op.python.call_lines == without.python.call_lines
    assert [view.structs for view in op.passes] != [view.structs for view in without.passes]
