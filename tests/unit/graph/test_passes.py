"""A pass as formulas over one DAG: reads, writes and their types."""

from __future__ import annotations

from fractions import Fraction

import pytest
from fusewise.graph.passes import Pass, build_graph
from fusewise.language.errors import SpecError
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec


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


@pytest.mark.parametrize(
    ("dtype", "differentiable"),
    [
        ("int8", False),
        ("bool", False),
        ("float8_e4m3fn", False),
        ("float32", True),
        ("like x", True),
        ("like index", False),
    ],
)
def test_a_gradient_arrives_at_floats_of_16_bits_or_more(dtype: str, differentiable: bool) -> None:
    formula = "x > index" if dtype == "bool" else "x + index"
    forward = graph(
        "inputs:\n  x: tensor\n  index: int tensor\n"
        f"outputs:\n  out: {{formula: {formula}, dtype: {dtype}}}\n"
    )
    assert forward.writes[0].differentiable is differentiable


def test_an_output_of_another_type_is_not_saved_in_place_of_the_inputs() -> None:
    text = (
        "op: f\ninputs: {{x: tensor, y: tensor}}\n"
        "outputs:\n  out: {{formula: tanh(x), {}}}\n  z: y\n"
    )
    for dtype in ("dtype: float32", "dtype: like y"):
        variant = compile_spec(parse_spec(text.format(dtype))).variants[0]
        assert [t.name for t in variant.passes[1].reads if t.name in ("x", "out")] == ["x"]


@pytest.mark.parametrize("number", ["1e30", "9223372036854775808"])
def test_a_number_beyond_64_bits_is_refused_among_integers(number: str) -> None:
    text = f"op: f\ninputs:\n  x: int tensor\noutputs:\n  out: x + {number}\n"
    with pytest.raises(SpecError, match="this number does not fit 64 bits"):
        build_graph(parse_spec(text, "f.yaml"))


# Gradients that are forwarded


def equals(formulas: str, inputs: str = "x: tensor, y: tensor, z: tensor") -> list[dict[str, str]]:
    """{gradient: the equal gradient} of the backward and of the double backward."""
    text = f"op: f\ninputs: {{{inputs}}}\noutputs: {{{formulas}}}\n"
    (variant,) = compile_spec(parse_spec(text)).variants
    assert not any(variant.passes[0].equal_to(write) for write in variant.passes[0].writes)
    return [
        {write.name: equal.name for write in source.writes if (equal := source.equal_to(write))}
        for source in variant.passes[1:]
    ]


def test_a_gradient_may_equal_one_that_arrives() -> None:
    assert equals("out: x * y + z") == [{"grad_z": "grad_out"}, {}]
    assert equals("out: x + 1", "x: tensor") == [
        {"grad_x": "grad_out"},
        {"grad_grad_out": "grad_grad_x"},
    ]
    assert equals("out: x * y, sum: y + z, twice: 2 * z")[0] == {}
    assert equals("out: x, other: y - z")[0] == {"grad_x": "grad_out", "grad_y": "grad_other"}


def test_a_gradient_may_equal_one_before_it() -> None:
    assert equals("out: y + z if x > 0 else 0")[0] == {"grad_z": "grad_y"}
    assert equals("out: x * exp(y + z)")[0] == {"grad_z": "grad_y"}


def test_packed_gradients_are_equal_as_a_whole() -> None:
    packed = "x: {split: [a, b], layout: chunked}, y: tensor"
    out = "out: {pack: [%s], layout: %s}"
    assert equals(out % ("a + y, b", "chunked"), packed)[0] == {"grad_x": "grad_out"}
    assert equals(out % ("b + y, a", "chunked"), packed)[0] == {}
    assert equals(out % ("a + y, b", "interleaved"), packed)[0] == {}


def test_a_gradient_of_another_extent_or_shape_is_no_equal_one() -> None:
    """The gradient of an element is summed over rows, but never that of a row along it."""
    rows = "x: tensor, s: row tensor"
    assert equals("out: sum(x)", "x: tensor")[0] == {}
    assert equals("out: sum(x) + s", rows)[0] == {"grad_s": "grad_out"}
    kept = "out: {formula: sum(x) + s, keepdim: true}"
    assert equals(kept, rows) == [{}, {}]
    both = "out: sum(x), kept: {formula: sum(x), keepdim: true}"
    assert equals(both, "x: tensor") == [{}, {}]
    assert equals("out: sum(x + y)", "x: tensor, y: tensor")[0] == {"grad_y": "grad_x"}


@pytest.mark.parametrize(
    ("text", "reduces", "reads_index"),
    [
        ("inputs: {x: tensor}\noutputs: {out: x / length}\n", True, False),
        ("inputs: {x: tensor}\noutputs: {out: x * index}\n", True, True),
        ("inputs: {x: tensor}\noutputs: {out: x * sum(x)}\n", True, False),
        (
            "inputs: {x: tensor, index: int tensor}\nparams: {length: float}\n"
            "outputs: {out: x * length if index == 3 else 0}\n",
            False,
            False,
        ),
    ],
)
def test_passes_over_rows(text: str, reduces: bool, reads_index: bool) -> None:
    for variant in compile_spec(parse_spec(f"op: f\n{text}", "f.yaml")).variants:
        for source in variant.passes:
            assert (source.reduces, source.reads_index) == (reduces, reads_index)
