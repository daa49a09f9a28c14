"""Measures the errors of built ops and of eager PyTorch in units in the last place (ulp)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from fusewise.build.ninja import Report
from fusewise.language.choices import take_choices
from fusewise.language.model import Spec
from fusewise.measure.accuracy.elements import ElementOp
from fusewise.measure.accuracy.report import Results, Row
from fusewise.measure.accuracy.rows import LENGTHS, RowOp
from fusewise.measure.environment import environment, headline

POINTS = {"float32": 600, "float16": 150, "bfloat16": 150}  # the most points for one op


def is_measured(spec: Spec) -> bool:
    """Whether the op has formulas of its own: a composed one has not."""
    return not spec.compose


def run(
    specs: Sequence[Spec],
    module: ModuleType,
    device: str,
    report: Report,
    points: Mapping[str, int] = POINTS,
    lengths: Sequence[int] = LENGTHS,
) -> Results:
    """The errors of each op of a built package that `is_measured`.

    points: the most points for each dtype. lengths: of the rows, for an op that reduces rows.
    """
    rows: list[Row] = []
    pairs = [(spec, choice) for spec in specs if is_measured(spec) for choice in take_choices(spec)]
    for done, (spec, choice) in enumerate(pairs, start=1):
        if spec.reduces:
            rows += RowOp(spec, choice, module, device).rows(tuple(points), lengths)
        else:
            rows += ElementOp(spec, choice, module, device).rows(points)
        report(done, len(pairs), spec.name)
    return Results(headline(environment(device)), tuple(rows))
