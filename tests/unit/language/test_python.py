"""Python functions give the specs that YAML gives; `python_errors.txt` has the error messages."""

from __future__ import annotations

import ast
import dataclasses
import math
import sys
import textwrap
import typing
from types import SimpleNamespace
from typing import Annotated, Any

import fusewise
import pytest
import yaml
from fusewise.generate import render_specs
from fusewise.language.document import Table, read_document, write_document
from fusewise.language.errors import Location, SpecError
from fusewise.language.python import read_function
from fusewise.language.spec import read_spec
from python_function import read
from repository import PLAIN, ROOT, SPECS

SECTIONS = ("reduce", "backward", "save", "test", "shapes")


def tree_of(op: str) -> Table:
    path = SPECS[op].path
    return read_document((ROOT / path).read_text(), path)


def python_of(spec: dict[str, Any]) -> str:
    """The function that stands for a spec, which is given as plain texts, lists and dicts."""
    sections = [f"{key}={_values(spec[key])!r}" for key in SECTIONS if key in spec]
    args = [_argument(name, *_kind(kind)) for name, kind in spec["inputs"].items()]
    params = spec.get("params", {})
    args += ["*"] * bool(params)
    args += [_argument(name, *_kind(kind)) for name, kind in params.items()]
    steps = {name: f"({formula})" for name, formula in spec.get("let", {}).items()}
    outputs = {name: _output(value) for name, value in spec["outputs"].items()}
    result = ", ".join(outputs)
    if [*outputs] == ["out"]:
        result = outputs.pop("out")
    lines = [f"{name} = {formula}" for name, formula in (steps | outputs).items()]
    doc = textwrap.indent(f'r"""{spec["doc"]}"""', "    ")
    body = textwrap.indent("\n".join([*lines, f"return {result}"]), "    ")
    return f"@op({', '.join(sections)})\ndef {spec['op']}({', '.join(args)}):\n{doc}\n{body}\n"


def _kind(kind: str | dict[str, Any]) -> tuple[str, str]:
    """The annotation and the default of an argument, as Python has them."""
    if isinstance(kind, dict):
        default = kind.pop("default", "")
        return repr(_values(kind)), default.title()
    kind, _, default = kind.partition(" = ")
    return kind if kind in ("float", "int", "bool") else repr(kind), default


def _argument(name: str, annotation: str, default: str) -> str:
    text = name if annotation == "'tensor'" else f"{name}: {annotation}"
    return f"{text} = {default}" if default else text


def _output(value: str | dict[str, Any]) -> str:
    if isinstance(value, str):
        return f"({value})"
    formulas = value.get("formula") or f"[{', '.join(value.get('pack', ()))}]"
    first, *others = value.items()
    entries = [f"{first[0]!r}: {formulas}", *(f"{k!r}: {_values(v)!r}" for k, v in others)]
    return f"{{{', '.join(entries)}}}"


def _values(node: Any) -> Any:
    """Numbers in place of the texts that are numbers."""
    if isinstance(node, dict):
        return {key: _values(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_values(value) for value in node]
    words = {"true": True, "false": False}
    try:
        value = words[node] if node in words else ast.literal_eval(node)
    except (SyntaxError, ValueError):
        return node
    return value if isinstance(value, int | float) and str(value).lower() == node else node


def without_places(value: Any) -> Any:
    if isinstance(value, Location):
        return None
    if dataclasses.is_dataclass(value):
        items = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return {name: without_places(item) for name, item in items}
    return [without_places(item) for item in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", PLAIN)
def test_a_function_gives_the_spec_of_the_yaml(name: str) -> None:
    text = python_of(yaml.safe_load(write_document(tree_of(name))))
    spec = read_spec(read(text, inf=math.inf), SPECS[name].path)
    without_class = dataclasses.replace(SPECS[name], module=None)  # a function has no such section
    assert without_places(spec) == without_places(without_class)


def test_a_function_gives_the_generated_text_of_the_yaml() -> None:
    path = SPECS["quick_geglu"].path
    tree = read(python_of(yaml.safe_load(write_document(tree_of("quick_geglu")))))
    assert render_specs({path: tree}, "ops") == render_specs(
        {path: (ROOT / path).read_text()}, "ops"
    )


@pytest.mark.parametrize("name", SPECS)
def test_a_written_tree_reads_as_the_same_tree(name: str) -> None:
    again = read_document(write_document(tree_of(name)), SPECS[name].path)
    assert without_places(read_spec(again, SPECS[name].path)) == without_places(SPECS[name])


def test_annotations_for_linters() -> None:
    annotated = """\
@op
def f(x: Tensor, keep: typing.Annotated[Tensor, "bool tensor"],
      n: Annotated[int, {"type": "int"}] = 2):
    return x * n if keep else 0
"""
    plain = """\
@op
def f(x, keep: "bool tensor", *, n: {"type": "int"} = 2):
    return x * n if keep else 0
"""
    names = {"Tensor": float, "Annotated": Annotated, "typing": typing}
    assert write_document(read(annotated, **names)) == write_document(read(plain))


def test_without_source() -> None:
    names: dict[str, Any] = {}
    exec("\ndef f(x):\n    return 2 * x", names)
    with pytest.raises(SpecError) as raised:
        read_function(names["f"], {})
    assert str(raised.value) == (
        "<string>:2:1: error: Python keeps no source of 'f'\n"
        "  hint: define it in a file or in a notebook, or pass its spec as YAML to fusewise.load"
    )


def test_a_cell_of_a_notebook_is_shown_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def format_code_name(file: str) -> tuple[str, str] | None:
        return ("Cell", "In[3]") if file == "/tmp/ipykernel_1/2.py" else None

    compiler = SimpleNamespace(format_code_name=format_code_name)
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(compile=compiler))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    for file, shown in (("/tmp/ipykernel_1/2.py", "Cell In[3]"), ("a.py", "a.py")):
        with pytest.raises(SpecError) as raised:
            read("@op\ndef f(x): pass\n", file)
        first, *_ = raised.value._render_traceback_()
        assert first.startswith(f"{shown}:2:11: error: ")


@pytest.mark.parametrize("thing", [lambda x: x, abs, 1])
def test_only_functions_are_ops(thing: Any) -> None:
    with pytest.raises(TypeError, match="takes a function that 'def' defines, not "):
        fusewise.op(thing)
