"""A spec as formulas over one DAG: what is read, what is written, and of which type."""

from __future__ import annotations

from fractions import Fraction

import pytest
from fusewise.errors import SpecError
from fusewise.graph import Pass, build_graph
from fusewise.spec import parse_spec


def graph(text: str) -> Pass:
    return build_graph(parse_spec(f"op: f\ndoc: A test.\n{text}", "f.yaml"))


FULL = """
inputs:
  gates: {split: [i, o], layout: interleaved}
  mask: bool tensor
  bias: tensor = 0.5
params:
  scale: float = 2
let:
  gate: sigmoid(i + bias)
outputs:
  out: {pack: [gate * scale, tanh(o)], layout: chunked}
  positive: mask and i > 0
"""


def test_reads() -> None:
    gates, mask, bias = graph(FULL).reads
    assert (gates.name, gates.part_names, gates.layout) == ("gates", ("i", "o"), "interleaved")
    assert [part.kind for part in gates.parts] == ["input", "input"]
    assert (bias.part_names, bias.default) == (("bias",), Fraction(1, 2))
    assert (mask.dtype, mask.differentiable) == ("bool", False)
    assert gates.default is None


def test_writes_are_formulas_of_the_reads() -> None:
    forward = graph(FULL)
    out, positive = forward.writes
    assert (out.part_names, out.layout) == (("out_0", "out_1"), "chunked")
    assert [repr(part) for part in out.parts] == ["sigmoid(i + bias) * scale", "tanh(o)"]
    assert (positive.dtype, positive.differentiable, out.differentiable) == ("bool", False, True)
    assert [param.name for param in forward.params] == ["scale"]


def test_a_let_is_the_node_that_uses_it() -> None:
    forward = graph(FULL)
    ((name, gate),) = forward.lets
    assert name == "gate"
    assert gate in forward.roots[0].args


@pytest.mark.parametrize(
    ("inputs", "out", "dtype"),
    [
        ("x: tensor", "x + 1", "float"),
        ("x: tensor", "x > 1", "bool"),
        ("x: int tensor", "x + 1", "int"),
        ("x: number tensor", "x + 1", "number"),
        ("x: bool tensor", "not x", "bool"),
    ],
)
def test_the_type_of_an_output(inputs: str, out: str, dtype: str) -> None:
    forward = graph(f"inputs:\n  {inputs}\noutputs:\n  out: {out}\n")
    assert forward.writes[0].dtype == dtype


def test_it_prints_itself() -> None:
    assert str(graph(FULL)).splitlines() == [
        "forward:",
        "  gate = sigmoid(i + bias)",
        "  out_0 = gate * scale",
        "  out_1 = tanh(o)",
        "  positive = mask and i > 0",
    ]


def test_what_no_stage_can_do_yet_is_refused_where_it_stands() -> None:
    with pytest.raises(SpecError, match=r"f\.yaml:6:\d+: error: .* is not supported yet"):
        graph("inputs:\n  x: tensor\noutputs:\n  out: {formula: x + 1, dtype: int8}\n")


@pytest.mark.parametrize("number", ["1e30", "9223372036854775808"])
def test_a_number_beyond_64_bits_is_refused_among_integers(number: str) -> None:
    text = f"op: f\ninputs:\n  x: int tensor\noutputs:\n  out: x + {number}\n"
    with pytest.raises(SpecError, match="this number does not fit 64 bits"):
        build_graph(parse_spec(text, "f.yaml"))
