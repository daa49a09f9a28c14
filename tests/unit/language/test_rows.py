"""The extents of inputs, formulas and outputs."""

from __future__ import annotations

import pytest
from fusewise.language.sections.compose import check_compose
from fusewise.language.spec import parse_spec

ROWS = """\
op: rows
inputs:
  x: tensor
  packed: {split: [a, b]}
  target: int row tensor
  keep: bool row tensor
  scale: row tensor = 1
params: {eps: float = 1e-6}
let:
  mean: mean(x)
  centred: x - mean
  rstd: rsqrt(mean(square(centred)) + eps)
  same: stop_grad(rstd if keep else eps)
  typed: round_to(rstd, x)
  chosen: x if index == target else length * eps
outputs:
  out: centred * rstd * scale
  probabilities: softmax(x + rstd)
  moment: {formula: rstd, keepdim: true}
  loss: {formula: logsumexp(a) - sum(chosen), keepdim: false}
  found: any(index == target)
  carried: straight_through(typed, same)
  scaled: target * scale
  beyond: rstd > x
  size: length
  both: {pack: [a * rstd, b]}
shapes:
  - {x: [8, 4], packed: [8], target: [8], keep: [1], scale: []}
"""


def test_rows() -> None:
    spec = parse_spec(ROWS)
    assert spec.reduces
    assert {entry.name: entry.extent for entry in spec.inputs} == {
        "x": "element",
        "packed": "element",
        "target": "row",
        "keep": "row",
        "scale": "row",
    }
    assert {o.name: (o.extent, o.keepdim, o.dtype) for o in spec.outputs} == {
        "out": ("element", False, None),
        "probabilities": ("element", False, None),
        "moment": ("row", True, None),
        "loss": ("row", False, None),
        "found": ("row", False, "bool"),
        "carried": ("row", False, None),
        "scaled": ("row", False, None),
        "beyond": ("element", False, "bool"),
        "size": ("element", False, None),
        "both": ("element", False, None),
    }
    (shapes,) = spec.shapes
    assert spec.loop_shape(dict(shapes)) == (8, 4)
    parts = {
        e.name: spec.part_shape(e, size) for e, (_, size) in zip(spec.inputs, shapes, strict=True)
    }
    assert parts == {"x": (8, 4), "packed": (4,), "target": (8, 1), "keep": (1, 1), "scale": (1,)}


@pytest.mark.parametrize(
    ("body", "reduces"),
    [
        ("inputs: {x: tensor}\noutputs: {y: x}\n", False),
        ("inputs: {x: tensor}\noutputs: {y: x * length}\n", True),
        ("inputs: {x: tensor}\nlet: {s: sum(x)}\noutputs: {y: s}\n", True),
        ("inputs: {x: tensor, k: row tensor}\noutputs: {y: x * k}\n", True),
        ("inputs: {index: tensor}\nparams: {length: int}\noutputs: {y: index * length}\n", False),
        ("inputs: {mean: tensor, sum: tensor}\noutputs: {norm: mean - sum}\n", False),
        ("inputs: {x: {split: [index, a]}}\noutputs: {y: index - a}\n", False),
    ],
)
def test_what_reduces(body: str, reduces: bool) -> None:
    assert parse_spec(f"op: sample\n{body}").reduces == reduces


def test_an_op_may_have_the_name_of_a_reduction() -> None:
    op = parse_spec("op: softmax\ninputs: {x: tensor}\noutputs: {y: softmax(x)}\n")
    steps = "inputs: {x: tensor}\ncompose: {y: softmax(x)}\noutputs: [y]\n"
    check_compose([op, parse_spec(f"op: composed\n{steps}")])
