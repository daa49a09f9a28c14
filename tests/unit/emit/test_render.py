"""Templates that stay simple, and files that are the same on any machine."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from fusewise.build.tree import spec_files
from fusewise.emit.render import render
from fusewise.language.spec import Spec, parse_spec
from fusewise.pipeline import compile_spec
from jinja2 import nodes

ROOT = Path(__file__).parents[3]
SPECS = spec_files(ROOT / "specs")
TEMPLATES = sorted((ROOT / "templates").glob("*.j2"))
PACKAGE = "fusewise_ops"

# All that a template may hold: text, names and their fields, loops, flags.
PLAIN = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr),
    *(nodes.For, nodes.If, nodes.Not, nodes.Include, nodes.Tuple),
)
MAX_LINES = 120
MAX_CONTROL = 1 / 3  # of all lines of the folder
WIDTH = 100


def specs() -> list[Spec]:
    return [parse_spec(path.read_text(), path.relative_to(ROOT).as_posix()) for path in SPECS]


def rendered(ops: list[Spec], package: str = PACKAGE) -> dict[str, str]:
    return render([compile_spec(spec, ops).view for spec in ops], package)


FILES = rendered(specs())
each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
each_file = pytest.mark.parametrize("path", sorted(FILES))


# Templates


def walk(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    for child in node.iter_child_nodes():
        yield from walk(child)


@each_template
def test_a_template_holds_loops_and_flags_only(template: Path) -> None:
    tree = jinja2.Environment().parse(template.read_text())
    others = {type(node).__name__ for node in walk(tree) if not isinstance(node, PLAIN)}
    assert not others


@each_template
def test_control_lines_stand_alone_at_the_margin(template: Path) -> None:
    text = template.read_text()
    assert "{%-" not in text
    assert "-%}" not in text
    assert "{#" not in text
    for line in text.splitlines():
        if "{%" in line:
            assert re.fullmatch(r"\{% [^%]* %\}", line), line


@each_template
def test_a_template_is_short(template: Path) -> None:
    assert len(template.read_text().splitlines()) <= MAX_LINES


def test_few_lines_are_control_lines() -> None:
    lines = [line for path in TEMPLATES for line in path.read_text().splitlines()]
    control = [line for line in lines if line.startswith("{%")]
    assert len(control) <= MAX_CONTROL * len(lines)


def test_a_missing_value_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for template in TEMPLATES:
        (tmp_path / template.name).write_text(template.read_text())
    with (tmp_path / "package.py.j2").open("a") as file:
        file.write("{{ no_such_value }}\n")
    monkeypatch.setattr("fusewise.emit.render.templates_dir", lambda: tmp_path)
    with pytest.raises(jinja2.UndefinedError, match="no_such_value"):
        rendered(specs())


# Files


def test_an_op_has_its_files() -> None:
    swiglu = {path for path in FILES if re.search(r"(csrc/|test_)swiglu[/.]", path)}
    assert swiglu == {
        "csrc/swiglu/swiglu.math.h",
        "csrc/swiglu/swiglu_cpu.cpp",
        "csrc/swiglu/swiglu_cuda.cu",
        "csrc/swiglu/swiglu_torch.cpp",
        "tests/test_swiglu.py",
    }


def test_a_composed_op_has_no_kernels() -> None:
    files = {path for path in FILES if path.startswith("csrc/lltm/")}
    assert files == {"csrc/lltm/lltm_torch.cpp"}


@each_file
def test_a_file_says_that_it_is_generated(path: str) -> None:
    if path.endswith("_runtime.py"):
        return  # a copy of a file of the runtime
    first = FILES[path].splitlines()[0]
    assert "enerated " in first
    assert "by `fusewise generate`. Do not edit." in first


@each_file
def test_a_file_ends_its_lines_properly(path: str) -> None:
    text = FILES[path]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\t" not in text
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert "\n\n\n\n" not in text


def too_wide(files: dict[str, str]) -> set[str]:
    lines = ((path, line) for path, text in files.items() for line in text.splitlines())
    return {path for path, line in lines if len(line) > WIDTH}


def test_files_keep_to_the_width() -> None:
    assert not too_wide(FILES)


WIDE = """op: wide
doc: |
  {doc}
inputs:
{inputs}
outputs:
  out: {out}
"""


def test_a_wide_op_keeps_to_the_width() -> None:
    names = [f"a_rather_long_name_of_some_input_{i}" for i in range(5)]
    text = WIDE.format(
        doc="word " * 19,
        inputs="\n".join(f"  {name}: tensor" for name in names),
        out=" + ".join(f"tanh({a} * {b})" for a in names for b in names[:2] if a != b),
    )
    assert not too_wide(rendered([parse_spec(text, "specs/wide.yaml")]))


@each_file
def test_python_files_are_python(path: str) -> None:
    if path.endswith(".py"):
        ast.parse(FILES[path])


@each_file
def test_no_path_and_no_date_of_this_machine(path: str) -> None:
    assert str(ROOT) not in FILES[path]
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", FILES[path])


def test_device_code_sees_no_torch() -> None:
    for path, text in FILES.items():
        if path.endswith((".cu", ".math.h", "_cpu.cpp")):
            assert not re.search(r"#include.*(torch|ATen|c10)", text), path


def test_another_package_has_its_own_names() -> None:
    files = rendered(specs(), "my_ops")
    assert "my_ops/__init__.py" in files
    assert not any("fusewise_ops" in text for path, text in files.items() if "_runtime" not in path)
    assert "torch.ops.my_ops" in files["my_ops/__init__.py"]


# The same bytes


def test_twice_the_same_in_any_order() -> None:
    assert rendered(specs()) == FILES
    assert rendered(specs()[::-1]) == FILES
    assert list(rendered(specs()[::-1])) == list(FILES)


def test_the_same_with_any_hash_seed() -> None:
    program = (
        "import hashlib, sys\n"
        "from pathlib import Path\n"
        "from fusewise.pipeline import compile_spec\n"
        "from fusewise.emit.render import render\n"
        "from fusewise.language.spec import load_spec\n"
        "from fusewise.build.tree import spec_files\n"
        "ops = [load_spec(path) for path in spec_files(Path('specs'))]\n"
        "files = render([compile_spec(op, ops).view for op in ops], 'fusewise_ops')\n"
        "print(hashlib.sha256(repr(files).encode()).hexdigest())\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "generator")},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    results = {process.communicate()[0] for process in processes}
    assert len(results) == 1
    assert results != {""}


def test_a_path_cannot_end_the_comment_that_names_it() -> None:
    text = "op: f\ndoc: A test.\ninputs:\n  x: tensor\noutputs:\n  out: tanh(x)\n"
    files = rendered([parse_spec(text, "a\nint evil;/f.yaml")])
    for path, text in files.items():
        assert not any(line.startswith("int evil") for line in text.splitlines()), path
