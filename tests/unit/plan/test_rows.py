"""The plan of passes that reduce: what the row kernel of a GPU takes from the typical shapes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.statements import Picked, RowPass

NORM = """
op: f
inputs: {x: tensor, weight: tensor, bias: tensor}
let: {rstd: rsqrt(mean(x * x) + 1)}
outputs: {out: x * rstd * weight + bias}
"""


def row_passes(shapes: str, text: str = NORM) -> Sequence[RowPass]:
    """Those of the forward, the backward and the double backward."""
    compiled = compile_spec(parse_spec(f"{text}shapes: [{shapes}]\n"))
    found = [plan.row_pass for plan in compiled.variants[0].kernels]
    return [each for each in found if each is not None]


def test_columns_are_the_same_in_all_rows() -> None:
    forward, backward, _ = row_passes("{x: [2, 8, 4], weight: [4], bias: [2, 1, 4]}")
    assert forward.columns == {"weight"}
    assert backward.columns == {"weight"}


def test_inputs_that_no_phase_reads_are_loaded_last() -> None:
    forward, backward, _ = row_passes("{x: [2, 8, 4], weight: [4], bias: [2, 1, 4]}")
    assert forward.late == {"weight", "bias"}
    assert backward.late == set()  # the sum over a row has the weight in it


def test_an_input_as_large_as_the_loop_is_loaded_first() -> None:
    forward, *_ = row_passes("{x: [8, 4], weight: [8, 4], bias: [4]}")
    assert forward.late == {"bias"}


@pytest.mark.parametrize(
    ("bias", "has_row_kernel"),
    [("[4]", True), ("[1, 1, 4]", True), ("[2, 1, 4]", False), ("[2, 8, 4]", True)],
)
def test_the_row_kernel_sums_over_all_rows_or_none(bias: str, has_row_kernel: bool) -> None:
    forward, backward, double = row_passes(f"{{x: [2, 8, 4], weight: [4], bias: {bias}}}")
    assert forward.has_row_kernel
    assert backward.has_row_kernel == has_row_kernel
    assert not double.has_row_kernel


def test_without_typical_shapes_nothing_is_summed() -> None:
    forward, backward, _ = row_passes("")
    assert forward.has_row_kernel
    assert backward.has_row_kernel
    assert forward.late == {"weight", "bias"}
    assert backward.columns == backward.summed == set()


PICKING = """
op: f
inputs: {{x: tensor, y: tensor, k: int tensor, place: int row tensor, other: int row tensor}}
outputs: {{out: "{formula}", others: amax(x + y + k + place + other)}}
"""


@pytest.mark.parametrize(
    ("formula", "picked"),
    [
        ("sum(x * y if index == place else 0)", ({"term0"}, "place")),
        ("sum(x if place == index else 0) + sum(y)", ({"term0"}, "place")),
        ("sum(x if index == other else 0)", ({"term0"}, "other")),
        ("sum(x if index == place else 1)", None),
        ("sum(0 if index == place else x)", None),
        ("sum(x if index <= place else 0)", None),
        ("sum(x if index == k else 0)", None),  # k differs in a row
        ("sum(x if index == other + 1 else 0)", None),  # no read
        ("amax(x if index == place else 0)", None),
    ],
)
def test_totals_of_one_element_are_picked(
    formula: str, picked: tuple[set[str], str] | None
) -> None:
    compiled = compile_spec(parse_spec(PICKING.format(formula=formula)))
    row_pass = compiled.variants[0].kernels[0].row_pass
    assert row_pass is not None
    (found,) = row_pass.picked
    assert found == (picked and Picked(frozenset(picked[0]), picked[1]))


def test_no_total_is_picked_beside_elements() -> None:
    # Threads pick an element that another one may have overwritten by then: out= may be the input.
    text = PICKING.format(formula="sum(x if index == place else 0)").replace("amax(", "(")
    row_pass = compile_spec(parse_spec(text)).variants[0].kernels[0].row_pass
    assert row_pass is not None
    assert row_pass.elements is not None
    assert row_pass.picked == (None,)


def test_of_several_places_the_first_is_picked() -> None:
    formula = "sum(x if index == other else 0) + sum(x if index == place else 0) + sum(x * y)"
    compiled = compile_spec(parse_spec(PICKING.format(formula=formula)))
    row_pass = compiled.variants[0].kernels[0].row_pass
    assert row_pass is not None
    assert row_pass.picked == (Picked(frozenset({"term0"}), "other"),)
