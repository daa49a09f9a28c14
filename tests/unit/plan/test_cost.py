"""The choices for the shapes that an op is timed with."""

from __future__ import annotations

import pytest
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.cost import repeated_reads, usual_sums

SUMS = """
op: f
doc: d
inputs: {x: tensor, scale: tensor, shift: tensor = 0, other: tensor = 0}
outputs: {out: x * scale + shift + other}
bench: [BENCH]
"""


@pytest.mark.parametrize(
    ("bench", "full", "summed"),
    [
        ("{x: [8, 4], scale: [4]}", "grad_out x grad_x", "grad_scale"),
        # what is forwarded is not computed, and what is equal is computed once
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
        ("{x: [8, 1, 4], scale: [1, 8, 4], shift: [8, 8, 4]}", "", ""),  # they cross
    ],
)
def test_usual_sums(bench: str, full: str, summed: str) -> None:
    compiled = compile_spec(parse_spec(SUMS.replace("BENCH", bench), "f.yaml"))
    forward, backward, _ = compiled.variants[0].passes
    assert usual_sums(compiled.spec, backward) == (set(full.split()), set(summed.split()))
    assert usual_sums(compiled.spec, forward) == (set(), set())


@pytest.mark.parametrize(
    ("bench", "repeated"),
    [
        ("{x: [8, 4], scale: [8, 4], shift: [8, 4], other: [8, 4]}", ""),
        ("{x: [8, 4], scale: [4], shift: [8, 1], other: [8, 4]}", "scale shift"),
        ("{x: [8, 4], scale: [4], shift: [8, 4]}", "scale other"),  # what is absent there
        ("{x: [8, 1], scale: [4], shift: [8, 4], other: [8, 4]}", "x scale"),
        (
            "{x: [8, 4], scale: [8, 4], shift: [4], other: [8, 4]}, "
            "{x: [8, 4], scale: [4], shift: [8, 4], other: [8, 4]}",
            "scale shift",
        ),
        ("", "scale shift other"),
    ],
)
def test_repeated_reads(bench: str, repeated: str) -> None:
    compiled = compile_spec(parse_spec(SUMS.replace("BENCH", bench), "f.yaml"))
    forward, backward, _ = compiled.variants[0].passes
    assert repeated_reads(compiled.spec, forward) == set(repeated.split())
    assert repeated_reads(compiled.spec, backward) == {"x", "scale"} & set(repeated.split())


def test_reads_of_one_tensor_are_not_repeated() -> None:
    spec = "op: f\ndoc: d\ninputs: {x: {split: [a, b]}}\noutputs: {out: a * b}\n"
    compiled = compile_spec(parse_spec(spec, "f.yaml"))
    assert repeated_reads(compiled.spec, compiled.variants[0].passes[0]) == set()
