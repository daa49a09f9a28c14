"""The JSON Schema of specs: it accepts every valid spec and refuses errors in the structure."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from fusewise.language.functions import CALLABLE, INTRINSICS
from fusewise.language.names import RESERVED, name_problem
from fusewise.language.scope import signature
from fusewise.schema import spec_schema
from repository import ROOT, SPECS

SCHEMA = json.loads(spec_schema())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ERRORS = [
    path.read_text("utf-8")
    for path in sorted((Path(__file__).parent / "language/errors").iterdir())
]
# Of the messages of the language, those about structure.
STRUCTURE = re.compile(
    r"error: (unknown (key (?!'grad_)|type|layout|dtype|backward) "
    r"|the spec has no '|.* has either a 'formula'|only a packed output has"
    r"|.* is (a mapping|a list|a text|a whole number), not |.* is empty|.* is (no kind of|taken)"
    r"|.* is not a name|.* names two parts|'pack' holds two|'choices' holds one"
    r"|a param has a 'type'|a packed input names|'backward' does not say"
    r"|an op with 'compose' (has no|takes)|this is no kind of initial|parameter .* has no)"
)


class Reader(yaml.SafeLoader):
    """Reads scalars as YAML 1.2 has them, which is what editors do."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  a mapping of the base class


for tag, pattern, first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    Reader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), first)


def problems(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(yaml.load(text, Reader))]


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_package_has_it() -> None:
    path = ROOT / "generator/fusewise/spec.schema.json"
    assert path.read_text("utf-8") == spec_schema(), "run `make gen`"


@pytest.mark.parametrize("op", SPECS)
def test_specs_are_valid(op: str) -> None:
    assert problems((ROOT / SPECS[op].path).read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_specs_of_documents_are_valid(page: Path) -> None:
    for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL):
        if (text := textwrap.dedent(block)).startswith("op:"):
            assert problems(text) == []


# These depend on other places of the spec: whether it has rows, is composed or has a module.
OTHER_PLACES = (
    *("names_of_leaves", "leaf_as_output", "composed_rows"),
    *("none", "module_calls", "module_attributes"),
)


def structural_errors() -> dict[str, str]:
    """The specs of the language's tests that have an error of the structure, by name."""
    case = re.compile(r"==== (\w+)\n(.*?)---- message\n(.*?)(?=\n==== |\Z)", re.DOTALL)
    cases = (found for text in ERRORS for found in case.finditer(text))
    structural = {found[1]: found[2] for found in cases if STRUCTURE.search(found[3])}
    return {name: text for name, text in structural.items() if name not in OTHER_PLACES}


@pytest.mark.parametrize("name", structural_errors())
def test_errors_of_the_structure_are_invalid(name: str) -> None:
    assert problems(structural_errors()[name])


START = "op: gate\ninputs: {x: tensor, g: {split: [a, b]}}\noutputs: {out: x * a * b}\n"


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("params: {p: float = inf, q: int, r: bool = true}", True),
        ("params: {p: {type: float, default: 1e-5, choices: [1e-5, inf]}}", True),
        ("params: {p: {type: double}}", False),
        ("params: {p: {choices: [1]}}", False),
        ("params: {p: {type: int, choices: [1, 1]}}", False),
        ("reduce: -2", True),
        ("reduce: '-2'", True),
        ("reduce: [-2, -1]", True),
        ("reduce: dim", True),
        ("reduce: 1", False),
        ("reduce: 0", False),
        ("reduce: []", False),
        ("reduce: [-1, -1]", False),
        ("reduce: [dim]", False),
        ("reduce: all", True),
        ("reduce: out", False),
        ("let: {h: 1, k: .5, m: '-x', n: x > 0}", True),
        ("let: {h: }", False),
        ("let: {h: true}", False),
        ("let: {H: x}", False),
        ("let: [x]", False),
        ("save: [x, g]", True),
        ("save: [x, x]", False),
        ("save: x", False),
        ("test: {domain: {x: [-1e-3, '4.5'], a: [0, 1]}, ulp: 2.5, exclude: x == 0}", True),
        ("test: {domain: {x: [0]}}", False),
        ("test: {domain: {x: [-inf, 0]}}", False),
        ("test: {ulp: small}", False),
        ("shapes: [{x: [2, 3], g: ['2', 6]}, {x: [], g: [2]}]", True),
        ("shapes: [{x: [2.5], g: [4]}]", False),
        ("shapes: {x: [2], g: [4]}", False),
        ("backward: {is: surrogate, grad_x: 0, grad_a: grad_out}", True),
        ("backward: {grad_x: 0}", False),
        ("backward: {is: a guess, grad_x: 0}", False),
        ("backward: {is: surrogate, x: 0}", False),
        ("compose: {out: linear(x)}", False),
        ("module: {name: GatedUnit, parameters: {g: {shape: [2, n], init: normal(.1)}}}", True),
        ("module: {parameters: {g: {shape: [], init: -1e-5}}}", True),
        ("module: {parameters: {g: {shape: [2.5], init: zeros}}}", False),
    ],
)
def test_a_section(text: str, valid: bool) -> None:
    assert (problems(START + text) == []) == valid


@pytest.mark.parametrize(
    ("output", "valid"),
    [
        ("'clamp(x, 0, 1)'", True),
        ("0", True),
        ("{formula: x, dtype: like x}", True),
        ("{formula: x > 0, dtype: bool}", True),
        ("{formula: x, dtype: float128}", False),
        ("{formula: x, layout: chunked}", False),
        ("{pack: [x, x], layout: interleaved, dtype: float32}", True),
        ("{pack: [x]}", False),
        ("{pack: [x, x], formula: x}", False),
        ("{dtype: float32}", False),
        ("[x]", False),
        ("' '", False),
    ],
)
def test_an_output(output: str, valid: bool) -> None:
    assert (
        problems(f"op: gate\ninputs: {{x: tensor}}\noutputs: {{out: {output}}}\n") == []
    ) == valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("inputs: {x: tensor}\ncompose: {'h, out': gate(x)}\noutputs: [h, out]", True),
        ("inputs: {x: tensor}\ncompose: {h: gate(x)}\noutputs: {h: x}", False),
        ("inputs: {x: tensor}\ncompose: {h: gate(x)}\noutputs: [h]\nlet: {k: x}", False),
        ("inputs: {g: {split: [a, b]}}\ncompose: {h: gate(g)}\noutputs: [h]", False),
        ("inputs: {x: tensor}\ncompose: {h g: gate(x)}\noutputs: [h]", False),
    ],
)
def test_a_composed_op(text: str, valid: bool) -> None:
    assert (problems(f"op: pair\n{text}\n") == []) == valid


@pytest.mark.parametrize("definition", ["name", "output_name"])
def test_names(definition: str) -> None:
    schema = jsonschema.Draft7Validator(SCHEMA["definitions"][definition])
    names = [*RESERVED, "x", "x_1", "x__1", "_x", "1x", "X", "grad_x", "gradx"]
    names += ["out", "out0", "out12", "out_0", "outs"]
    names += ["total0", "term12", "kept_total3", "total", "total_0", "terms", "a" * 40, "a" * 41]
    for name in names:
        problem = name_problem(name, output=definition == "output_name")
        assert schema.is_valid(name) == (problem is None), name


def test_the_name_of_an_op() -> None:
    op = jsonschema.Draft7Validator(SCHEMA["properties"]["op"])
    assert op.is_valid("gate")
    assert op.is_valid("backward_gate")
    assert not op.is_valid("gate_backward")
    assert not op.is_valid("linear")


def test_every_key_and_function_has_a_meaning() -> None:
    def check(schema: Any) -> None:
        if isinstance(schema, dict):
            for key, value in schema.get("properties", {}).items():
                assert not isinstance(value, dict) or value.get("description"), key
        for inner in schema.values() if isinstance(schema, dict) else schema:
            if isinstance(inner, dict | list):
                check(inner)

    check({key: value for key, value in SCHEMA.items() if key not in ("then", "else")})
    formula = SCHEMA["definitions"]["formula"]
    for name in CALLABLE.keys() - INTRINSICS.keys():
        assert re.search(rf"^{re.escape(signature(name))}: .", formula["description"], re.M)
    snippets = {snippet["label"]: snippet for snippet in formula["defaultSnippets"]}
    assert snippets["clamp(x, low, high)"] == {
        "label": "clamp(x, low, high)",
        "description": "torch.clamp(x, low, high); 1 at the bounds, 0 for NaN, which propagates",
        "bodyText": "clamp(${1:x}, ${2:low}, ${3:high})",
    }
