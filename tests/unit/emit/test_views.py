"""What a user wrote inside comments, strings and docstrings, and the header of an op."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
from fusewise.emit.python import doc_lines
from fusewise.generate import spec_files
from fusewise.language.errors import SpecError
from fusewise.language.model import Spec
from fusewise.language.spec import load_spec, parse_spec
from fusewise.pipeline import Compiled, compile_spec
from fusewise.plan.kept import KeptTotals

SPECS = spec_files(Path(__file__).parents[3] / "specs")


NASTY = [
    'a "quoted" word',
    '""" + __import__("os").system("x") + """',
    'ends with a quote "',
    'ends with quotes """',
    "ends with a backslash \\",
    r"\N{BULLET} \x41 \u0041 \1 \" ",
    "*/ int main() { return 1; } /*",
    "// #include <x> ??/ {{ op }} {% if x %} {# c #}",
    "percent %s {0} $name",
    "ünïcode, 漢字 and \u202eright to left\u2028and a line",
    "'single''quotes'''",
]


def spec_with(doc: str, path: str = "f.yaml") -> Spec:
    lines = "".join(f"  {line}\n" for line in doc.splitlines())
    return parse_spec(
        f"op: f\ndoc: |\n{lines}inputs:\n  x: tensor\noutputs:\n  out: tanh(x)\n", path
    )


@pytest.mark.parametrize("doc", [*NASTY, "\n".join(line for line in NASTY if "\u2028" not in line)])
def test_a_docstring_holds_the_text_and_nothing_escapes(doc: str) -> None:
    try:
        spec = spec_with(doc)
    except SpecError:  # what the loader refuses needs no escaping
        return
    source = "\n".join(["def f():", *doc_lines(spec, (), KeptTotals())])
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1
    found = ast.get_docstring(function)
    assert found is not None
    expected = [line.rstrip() for line in spec.doc.strip().splitlines()]
    assert found.splitlines()[: len(expected)] == [line.strip() for line in expected]
    assert "out = tanh(x)" in found


@pytest.mark.parametrize("doc", NASTY)
def test_the_text_never_reaches_cpp(doc: str) -> None:
    try:
        view = compile_spec(spec_with(doc)).view
    except SpecError:  # what the loader refuses needs no escaping
        return
    plain = compile_spec(spec_with("Plain.")).view
    assert (view.header, view.passes) == (plain.header, plain.passes)


def test_header_lines_are_comments_which_end_with_their_line(
    compiled: Sequence[Compiled],
) -> None:
    for op in compiled:
        for line in op.view.header.splitlines():
            assert line.startswith("//")
            assert not line.endswith("\\")
            assert "\n" not in line
            assert not line.endswith("??/")


def test_the_header_tells_formulas_and_what_is_kept() -> None:
    spec = next(load_spec(path) for path in SPECS if path.stem == "swiglu")
    op = compile_spec(spec)
    text = op.view.header
    assert "by `fusewise generate`. Do not edit." in text
    assert "out = x * sigmoid(x) * y" in text
    assert "grad_y = grad_out * " in text
    assert "backward keeps x, y: 8 B" in text
    assert "forward: 2 read and 1 written for each element" in text
