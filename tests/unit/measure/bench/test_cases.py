"""Shapes and inputs of the cases of `fusewise bench`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from fusewise.language.spec import parse_spec
from fusewise.measure.bench.cases import Case, Setting, cases_of, reduced
from repository import PLAIN, SPECS

SETTING = Setting("cpu", "float32", 1, 1)


@pytest.mark.parametrize(
    ("layout", "strides"),
    [
        ("contiguous", [(60, 20, 5, 1), (20, 5, 1), (5, 1), (1,)]),
        ("channels_last", [(60, 1, 15, 3), (20, 1, 4), (5, 1), (1,)]),
        ("transposed", [(60, 20, 1, 4), (20, 1, 4), (1, 4), (1,)]),
        ("mixed", [(60, 20, 1, 4), (20, 5, 1), (1, 4), (1,)]),
        ("sliced", [(120, 40, 10, 1), (40, 10, 1), (10, 1), (1,)]),
    ],
)
def test_inputs_lie_as_the_layout_says(layout: Any, strides: list[tuple[int, ...]]) -> None:
    text = "op: sum\ninputs: {a: tensor, b: tensor, c: tensor, d: tensor}\n"
    text += "outputs: {out: a + b + c + d}\ntest: {reference: a + b + c + d}\n"
    shapes = {"a": (2, 3, 4, 5), "b": (3, 4, 5), "c": (4, 5), "d": (5,)}
    case = Case(parse_spec(text), tuple(shapes.items()))
    found = case.inputs(replace(SETTING, layout=layout))
    assert [value.stride() for value in found.values()] == strides
    assert {name: tuple(value.shape) for name, value in found.items()} == shapes
    assert all(value.is_leaf and value.requires_grad for value in found.values())


@pytest.mark.parametrize(
    ("op", "most", "shapes"),
    [
        ("swiglu", 2**23, {"x": (512, 14336), "y": (512, 14336)}),
        ("swiglu", 4096, {"x": (4, 896), "y": (4, 896)}),
        ("bias_act", 2**23, {"x": (4, 512, 64, 64), "bias": (512, 1, 1)}),
        ("lstm_cell", 2**23, {"gates": (512, 16384), "c": (512, 4096)}),
        ("lstm_cell", 4096, {"gates": (4, 1024), "c": (4, 256)}),
        ("cross_entropy", 2**23, {"logits": (256, 32000), "target": (256,)}),
        ("cross_entropy", 4096, {"logits": (4, 1000), "target": (4,)}),
        ("causal_softmax", 2**20, {"x": (256, 4096), "last": (256,)}),
        ("quick_geglu", 2**20, {"x": (128, 5760), "weight": (128, 1)}),
        ("cross_entropy", 2**20, {"logits": (32, 32000), "target": (32,)}),
        ("cross_entropy", 2**16, {"logits": (4, 16000), "target": (4,)}),
        (
            "rope",
            2**23,
            {"x": (4, 512, 32, 128), "cosine": (512, 1, 64), "sine": (512, 1, 64)},
        ),
    ],
)
def test_shapes_are_reduced_from_the_front(op: str, most: int, shapes: Any) -> None:
    spec = SPECS[op]
    assert dict(reduced(spec, spec.shapes[0], most)) == shapes


@pytest.mark.parametrize("op", PLAIN)
def test_every_op_has_shapes_that_fill_a_gpu_and_can_be_made_small(op: str) -> None:
    spec = SPECS[op]
    loops = [math.prod(spec.loop_shape(dict(shapes))) for shapes in spec.shapes]
    assert max(loops) >= 2**24
    for most in (2**23, 4096):
        shapes = dict(reduced(spec, spec.shapes[0], most))
        rows = {e.name: shapes[e.name] for e in spec.inputs if e.extent == "row"}
        loop = spec.loop_shape(shapes)
        for shape in rows.values():
            assert torch.broadcast_shapes(shape, loop[:-1]) == torch.Size(loop[:-1])
        sizes = [math.prod(loop), *map(math.prod, shapes.values())]
        assert most / 4 < max(sizes) <= most


@pytest.mark.parametrize(
    ("reduce", "large", "small"),
    [
        ("-1", {"x": (8192, 8192), "t": (8192,)}, {"x": (8, 8192), "t": (8,)}),
        ("-2", {"x": (8192, 8192), "t": (8192,)}, {"x": (8, 8192), "t": (8192,)}),
        ("-3", {"x": (8192, 8192, 1), "t": (8192, 1)}, {"x": (8, 8192, 1), "t": (8192, 1)}),
        ("[-2, -1]", {"x": (8192, 1, 8192), "t": (8192,)}, {"x": (8, 1, 8192), "t": (8,)}),
        ("dim", {"x": (8192, 8192), "t": (8192,)}, {"x": (8, 8192), "t": (8,)}),
    ],
)
def test_shapes_of_rows_in_other_dimensions(reduce: str, large: Any, small: Any) -> None:
    text = "op: f\ninputs: {x: tensor, t: row tensor}\noutputs: {y: t * sum(x)}\n"
    spec = parse_spec(f"{text}reduce: {reduce}\n")
    (case,) = cases_of([spec])
    assert dict(case.shapes) == large
    (case,) = cases_of([spec], [2**16])
    assert dict(case.shapes) == small
    assert case.params == ({"dim": -1} if reduce == "dim" else {})
