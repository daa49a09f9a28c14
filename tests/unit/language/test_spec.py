from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from fusewise.generate import spec_files
from fusewise.language.document import List, Scalar, Table, read_document
from fusewise.language.errors import SpecError
from fusewise.language.formula import Call, Name, Number, format_expr, walk
from fusewise.language.model import Param, Spec
from fusewise.language.sections.compose import check_compose
from fusewise.language.spec import load_spec, parse_spec
from hypothesis import example, given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[3]
SPECS = spec_files(ROOT / "specs")


def spec_of(body: str) -> Spec:
    return parse_spec(f"op: sample\n{body}")


def messages(body: str) -> list[str]:
    with pytest.raises(SpecError) as raised:
        spec_of(body)
    return [problem.message for problem in raised.value.problems]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_the_specs_of_this_repository(path: Path) -> None:
    spec = load_spec(path)
    assert spec.name == path.stem
    assert str(spec).startswith(f"{spec.name}(")


def test_they_call_each_other() -> None:
    check_compose([load_spec(path) for path in SPECS])


@pytest.mark.parametrize(
    ("param", "domain", "usual"),
    [
        ("float = -inf", "[1, 4]", float("-inf")),
        ("{type: int, choices: [3, 2]}", "[1, 4]", 3),
        ("{type: int, default: 2, choices: [3, 2]}", "[1, 4]", 2),
        ("float", "[1, 4]", 2.5),
        ("int", "[1, 4]", 2),
        ("int", "[-3.5, 0]", -2),
        ("float", None, 1),
        ("int", None, 1),
        ("bool", None, False),
        ("bool = true", None, True),
    ],
)
def test_the_usual_value_of_a_param(param: str, domain: str | None, usual: float | bool) -> None:
    test = f"test: {{domain: {{p: {domain}}}}}\n" if domain else ""
    formula = "x if p else 0" if param.startswith("bool") else "x * p"
    spec = spec_of(
        f"inputs: {{x: tensor}}\nparams: {{p: {param}}}\noutputs: {{y: {formula}}}\n{test}"
    )
    (found,) = spec.params
    assert found.cast(spec.usual(found)) == usual


def test_parts_have_the_domain_of_the_whole() -> None:
    text = "inputs: {x: {split: [a, b]}}\noutputs: {y: a * b}\n"
    spec = spec_of(f"{text}test: {{domain: {{x: [0, 2], b: [1, 2]}}}}\n")
    assert spec.domain == {"x": (0, 2), "a": (0, 2), "b": (1, 2)}


LSTM = """\
op: lstm
doc: |
  An LSTM's pointwise part.

  More about it.
inputs:
  gates: {split: [i, f, g, o], layout: interleaved}
  c: tensor
  mask: bool tensor
  bias: tensor = -0.5
params:
  forget_bias: float = 1e-2
  limit: float = -inf
  power: {type: int, default: 2, choices: [2, 3]}
  clip: bool = true
  scale: float
let:
  c_next: sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(g) + bias
outputs:
  h: sigmoid(o) * tanh(c_next) ** power * scale if clip and c > limit else 0
  both: {pack: [c_next, c], layout: chunked}
  code: {formula: round(c), dtype: int8}
  low: {formula: c, dtype: like c}
  small: c < 1 and mask
backward:
  is: derivative
  grad_c: grad_h * h + grad_both_0 + grad_both_1 * low
  grad_f: grad_h * c_next
test:
  domain: {gates: [-3, 3], c: [0.5, 1e2], scale: [-1, 1]}
  reference: i * f, c, c, c, torch.lt(c, 1, out=None)
  exclude: c == 0 or i > 1
shapes:
  - {gates: [8, 16], c: [8, 4], mask: [4]}
"""


def test_everything_a_spec_can_hold() -> None:
    spec = parse_spec(LSTM, "specs/lstm.yaml")
    assert spec.doc == "An LSTM's pointwise part.\n\nMore about it."
    gates, c, mask, bias = spec.inputs
    assert (gates.parts, gates.layout, gates.names) == (tuple("ifgo"), "interleaved", tuple("ifgo"))
    assert (c.dtype, c.default, c.parts, c.layout, c.names) == ("float", None, (), None, ("c",))
    assert bias.default == Number(Fraction(-1, 2))
    assert mask.dtype == "bool"
    assert [(p.name, p.type, p.default, p.choices) for p in spec.params] == [
        ("forget_bias", "float", Fraction(1, 100), ()),
        ("limit", "float", float("-inf"), ()),
        ("power", "int", 2, (2, 3)),
        ("clip", "bool", True, ()),
        ("scale", "float", None, ()),
    ]
    assert [step.name for step in spec.let] == ["c_next"]
    assert [(o.name, o.names, o.layout, o.dtype) for o in spec.outputs] == [
        ("h", ("h",), None, None),
        ("both", ("both_0", "both_1"), "chunked", None),
        ("code", ("code",), None, "int8"),
        ("low", ("low",), None, "like c"),
        ("small", ("small",), None, "bool"),
    ]
    assert spec.outputs[1].parts == (Name("c_next"), Name("c"))
    assert spec.backward is not None
    assert spec.backward.kind == "derivative"
    assert [step.name for step in spec.backward.gradients] == ["grad_c", "grad_f"]
    assert spec.test.domain == (
        ("gates", Fraction(-3), Fraction(3)),
        ("c", Fraction(1, 2), Fraction(100)),
        ("scale", Fraction(-1), Fraction(1)),
    )
    assert str(spec.test.reference) == (
        "(gates[..., 0::4] * gates[..., 1::4], c, c, c, torch.lt(c, 1, out=None))"
    )
    assert spec.test.exclude is not None
    assert format_expr(spec.test.exclude) == "c == 0 or i > 1"
    assert spec.shapes == ((("gates", (8, 16)), ("c", (8, 4)), ("mask", (4,))),)


def test_scalars_are_text() -> None:
    spec = spec_of("inputs: {on: tensor, no: tensor}\noutputs: {yes: on * no - 1e-5 * 010.0}\n")
    assert [entry.name for entry in spec.inputs] == ["on", "no"]
    assert format_expr(spec.outputs[0].parts[0]) == "on * no - 1e-5 * 10"


def test_number_tensors_make_one_op_of_both_kinds() -> None:
    spec = spec_of("inputs: {x: number tensor, k: int tensor}\noutputs: {y: x * 2 + k}\n")
    assert [entry.dtype for entry in spec.inputs] == ["number", "int"]
    assert messages("inputs: {x: number tensor}\noutputs: {y: x * 0.5}\n") == [
        "this gives float, but the inputs are number tensors"
    ]


def test_a_param_of_the_backward_alone_is_used() -> None:
    spec = spec_of(
        "inputs: {x: tensor}\nparams: {width: float = 1}\noutputs: {y: sign(x)}\n"
        "backward: {is: surrogate, grad_x: grad_y * width}\n"
    )
    assert spec.params[0].default == 1


def test_a_condition_has_no_gradient() -> None:
    body = "inputs: {x: tensor}\noutputs: {y: x > 0}\nbackward: {is: surrogate, grad_x: grad_y}\n"
    assert messages(body) == ["unknown name 'grad_y'"]


def test_special_functions() -> None:
    spec = spec_of(
        "inputs: {x: tensor}\n"
        "outputs: {y: 'straight_through(round_to(x, x), stop_grad(where(x > 0, x, -x)))'}\n"
    )
    assert {n.function for n in walk(spec.outputs[0].parts[0]) if isinstance(n, Call)} == {
        "straight_through",
        "round_to",
        "stop_grad",
        "where",
        "gt",
        "neg",
    }


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "sample.yaml"
    text = "\ufeffop: sample\r\ninputs: {x: tensor}\r\noutputs: {y: x + q}\r\n"
    path.write_bytes(text.encode())
    with pytest.raises(SpecError) as raised:
        load_spec(path)
    location = raised.value.problems[0].location
    assert (location.line, location.column, location.text) == (3, 18, "outputs: {y: x + q}")


@pytest.mark.parametrize(
    "formula",
    [
        "x * q",
        "'x * q'",
        '"x * q"',
        '"x \\\n     * q"',
        '"\\x78 \\u002a q"',
        "|\n    x *\n    q",
        "|2-  # why\n      x *\n     q",
        ">-\n    x\n\n    * q",
        "x\n    * q",
        "'x\n\n     * q'",
    ],
)
def test_the_place_of_a_name_in_every_style(formula: str) -> None:
    text = f"op: sample\ninputs:\n  x: tensor\noutputs:\n  y: {formula}\n"
    with pytest.raises(SpecError) as raised:
        parse_spec(text)
    (problem,) = raised.value.problems
    assert problem.message == "unknown name 'q'"
    before = text[: text.index("q")]
    place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert (problem.location.line, problem.location.column) == place


@given(st.text(alphabet="ab 1.'\"\\\n:-#*", min_size=1, max_size=30), st.sampled_from("'\"|>"))
def test_every_character_of_a_scalar_is_located(value: str, style: str) -> None:
    if style == "'":
        written = "'" + value.replace("'", "''").replace("\n", "\n\n  ") + "'"
    elif style == '"':
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        written = f'"{escaped}"'.replace("\n", "\\n")
    else:
        written = f"{style}\n" + "\n".join(f"  {line}" for line in f"a{value}".split("\n"))
    text = f"key: {written}\n"
    try:
        ((_, scalar),) = read_document(text, "f").entries
    except SpecError:
        return  # the text is not YAML
    assert isinstance(scalar, Scalar)
    source = scalar.source
    assert len(source.offsets) == len(scalar.text) + 1
    assert list(source.offsets) == sorted(source.offsets)
    for character, offset in zip(scalar.text, source.offsets, strict=False):
        if character not in " \n":
            escaped = style == '"' and text[offset] == "\\"
            assert text[offset + escaped] == character


def test_document_tree() -> None:
    tree = read_document("a: {b: [c, 'd']}\n? e\n: f\n", "f")
    (key, value), (other, text) = tree.entries
    assert (key.text, other.text) == ("a", "e")
    assert isinstance(text, Scalar)
    assert isinstance(value, Table)
    (inner,) = value.entries
    assert isinstance(inner[1], List)
    assert [item.text for item in inner[1].items if isinstance(item, Scalar)] == ["c", "d"]
    assert (text.location.line, text.location.column) == (3, 3)


def _composed(name: str, call: str, outputs: str = "h", targets: str = "h") -> Spec:
    text = f"inputs: {{x: tensor}}\ncompose:\n  {targets}: {call}\noutputs: [{outputs}]\n"
    return parse_spec(f"op: {name}\n{text}")


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ([_composed("a", "bb(x)")], "unknown op 'bb'"),
        ([_composed("first", "frist(x)")], "unknown op 'frist'; did you mean 'first'?"),
        ([_composed("a", "a(x)")], "'a' ends up calling itself"),
        ([_composed("a", "b(x)"), _composed("b", "mul(b2(x), x)")], "unknown op 'b2'"),
        ([_composed("a", "b(x, x)"), _composed("b", "mul(x, x)")], "'b' does not take 2 tensors"),
        (
            [_composed("a", "b(x)", targets="h, k"), _composed("b", "mul(x, x)")],
            "'b' gives one tensor, but 2 are named",
        ),
        (
            [_composed("a", "b(x)"), _composed("b", "c(x)", "h, k", "h, k")],
            "'b' gives 2 tensors, but one is named",
        ),
    ],
)
def test_calls_between_ops(specs: list[Spec], message: str) -> None:
    with pytest.raises(SpecError) as raised:
        check_compose(specs)
    assert raised.value.problems[0].message == message


def test_a_circle_of_two() -> None:
    with pytest.raises(SpecError) as raised:
        check_compose([_composed("a", "b(x)"), _composed("b", "a(x)")])
    assert [p.message for p in raised.value.problems] == [
        "'a' ends up calling itself",
        "'b' ends up calling itself",
    ]


def test_composed_spec() -> None:
    spec = load_spec(next(path for path in SPECS if path.stem == "lltm"))
    assert spec.compose is not None
    assert [step.targets for step in spec.compose.steps] == [("gates",), ("new_h", "new_cell")]
    assert spec.compose.outputs == ("new_h", "new_cell")
    assert [output.parts for output in spec.outputs] == [(Name("new_h"),), (Name("new_cell"),)]


def test_a_whole_param() -> None:
    spec = spec_of("inputs: {x: tensor}\nparams: {n: int = 3}\noutputs: {y: x ** n}\n")
    (param,) = spec.params
    assert param == Param("n", "int", Fraction(3), (), param.location)


def _mutated(texts: list[str]) -> st.SearchStrategy[str]:
    """A valid spec with a few ranges deleted, moved or overwritten."""
    yaml = [
        "&",
        "*a",
        "!t",
        "<<",
        "---",
        "%",
        "@",
        ":",
        "-",
        ",",
        "{",
        "}",
        "[",
        "]",
        "'",
        '"',
        "|",
        "#",
        "\\",
        "?",
        "null",
        "é",
        "\t",
        "\u200b",
    ]
    words = [
        "x",
        "0",
        "1e9",
        "tensor",
        "grad_x",
        "split",
        "pack",
        "compose",
        "let",
        "inf",
        "(",
        ")",
        "**",
        ",",
        "is",
    ]
    scraps = st.sampled_from(["", " ", "\n", "\n  ", ": ", "- ", "|\n", *yaml, *words])
    edit = st.tuples(st.integers(0, 1200), st.integers(0, 12), scraps)

    def apply(text: str, edits: list[tuple[int, int, str]]) -> str:
        for start, length, scrap in edits:
            start %= len(text) + 1
            text = text[:start] + scrap + text[start + length :]
        return text

    return st.builds(apply, st.sampled_from(texts), st.lists(edit, min_size=1, max_size=4))


@given(_mutated([LSTM, *(path.read_text() for path in SPECS)]))
@example("op: sample\ninputs: []\noutputs: {}\n")
@example("op: sample\ninputs: {}\noutputs: {}\n")
@example("op: {}\ninputs: x\noutputs: y\ntest: z\nshapes: a\nbackward: b\nlet: c\nparams: d\n")
@example("op: sample\ninputs: {x: {split: {}}}\noutputs: {y: {pack: {}}}\n")
@example("op: sample\ninputs: {x: tensor}\ncompose: []\noutputs: {y: x}\n")
@example("op: sample\ninputs: {x: tensor}\noutputs: {y: x}\nbackward: {}\n")
def test_nothing_but_a_spec_error(text: str) -> None:
    try:
        parse_spec(text, "f")
    except SpecError as error:
        problems = error.problems
    else:
        return
    assert problems
    for problem in problems:
        assert str(problem)
        assert problem.location.line <= text.count("\n") + 1
        assert problem.location.column <= len(problem.location.text) + 1
