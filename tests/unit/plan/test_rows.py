"""The plan of passes that reduce: what the row kernel of a GPU takes from the typical shapes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.statements import RowPass

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
