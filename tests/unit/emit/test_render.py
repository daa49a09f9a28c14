"""Templates are simple, and generated files are the same on any machine."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import jinja2
import pytest
from fusewise.emit.render import render
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec
from jinja2 import nodes

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted((ROOT / "templates").glob("*.j2"))
OF_PROJECTS = sorted((ROOT / "templates/project").rglob("*.j2"))
PACKAGE = "fusewise_ops"

# The nodes that a template may contain: text, names and their fields, loops, flags.
PLAIN = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr),
    *(nodes.For, nodes.If, nodes.Not, nodes.Include, nodes.Tuple),
)
MAX_LINES = 120
MAX_CONTROL = 1 / 3  # the share of control lines in the folder
WIDTH = 100


def rendered(ops: Sequence[Compiled], package: str = PACKAGE) -> dict[str, str]:
    return render([op.view for op in ops], package)


@pytest.fixture(scope="session")
def files(compiled: Sequence[Compiled]) -> dict[str, str]:
    return rendered(compiled)


each_template = pytest.mark.parametrize(
    "template", TEMPLATES + OF_PROJECTS, ids=lambda path: path.name
)


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


def test_a_missing_value_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiled: Sequence[Compiled]
) -> None:
    for template in TEMPLATES:
        (tmp_path / template.name).write_text(template.read_text())
    with (tmp_path / "package.py.j2").open("a") as file:
        file.write("{{ no_such_value }}\n")
    monkeypatch.setattr("fusewise.emit.render.templates_dir", lambda: tmp_path)
    with pytest.raises(jinja2.UndefinedError, match="no_such_value"):
        rendered(compiled[:1])


# Files


def test_an_op_has_its_files(files: dict[str, str]) -> None:
    swiglu = {path for path in files if re.search(r"(csrc/|test_)swiglu[/.]", path)}
    assert swiglu == {
        "csrc/swiglu/swiglu.math.h",
        "csrc/swiglu/swiglu_cpu.cpp",
        "csrc/swiglu/swiglu_cuda.cu",
        "csrc/swiglu/swiglu_torch.cpp",
        "tests/test_swiglu.py",
    }


def test_a_composed_op_has_no_kernels(files: dict[str, str]) -> None:
    assert {path for path in files if path.startswith("csrc/lltm/")} == {"csrc/lltm/lltm_torch.cpp"}


def test_choices_that_differ_by_a_point_have_structs_of_their_own() -> None:
    text = "op: f\ninputs: {x: tensor}\noutputs: {out: x * a}\n"
    text += "params: {a: {type: float, default: 1.5, choices: [1.5, 15]}}\n"
    header = rendered([compile_spec(parse_spec(text))])["csrc/f/f.math.h"]
    structs = re.findall(r"^struct (\w+)", header, re.MULTILINE)
    assert "A1_5Forward" in structs
    assert "A15Forward" in structs
    assert len(set(structs)) == len(structs)


def test_an_op_of_one_letter_leaves_the_extension_its_name() -> None:
    text = "op: c\ninputs: {x: tensor}\noutputs: {out: x * a}\n"
    text += "params: {a: {type: int, default: 1, choices: [1, 2]}}\n"
    package = rendered([compile_spec(parse_spec(text))])["fusewise_ops/__init__.py"]
    names = re.findall(r"^(\w+) = ", package, re.MULTILINE)
    assert len(set(names)) == len(names)


def test_a_file_says_that_it_is_generated(files: dict[str, str]) -> None:
    for path, text in files.items():
        # the one is a copy from the runtime, the other is empty
        if not path.endswith(("_runtime.py", "py.typed")):
            first = text.splitlines()[0]
            assert "enerated " in first, path
            assert "by `fusewise generate`. Do not edit." in first, path


def test_a_file_ends_its_lines_properly(files: dict[str, str]) -> None:
    for path, text in files.items():
        assert text.endswith("\n") or path.endswith("py.typed"), path
        assert not text.endswith("\n\n"), path
        assert "\t" not in text, path
        assert not re.search(r"[ \t]$", text, re.MULTILINE), path
        assert "\n\n\n\n" not in text, path


def test_the_header_of_an_op_stands_in_one_file(files: dict[str, str]) -> None:
    stated = [path for path, text in files.items() if "// forward: " in text]
    assert stated
    assert all(path.endswith(".math.h") for path in stated)
    pointer = "// The formulas stand in swiglu.math.h."
    for name in ("swiglu_cpu.cpp", "swiglu_cuda.cu", "swiglu_torch.cpp"):
        assert files[f"csrc/swiglu/{name}"].splitlines()[1] == pointer


def too_wide(files: dict[str, str]) -> set[str]:
    lines = ((path, line) for path, text in files.items() for line in text.splitlines())
    return {path for path, line in lines if len(line) > WIDTH}


def test_files_keep_to_the_width(files: dict[str, str]) -> None:
    assert not too_wide(files)


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
    shape = (
        "{shape: [an_even_longer_name_of_some_size_of_it, 3], init: 'uniform(-0.12345, 0.678912)'}"
    )
    held = "".join(f"    {name}: {shape}\n" for name in names[1:])
    text += f"module:\n  parameters:\n{held}"
    assert not too_wide(rendered([compile_spec(parse_spec(text, "specs/wide.yaml"))]))


def test_python_files_are_python(files: dict[str, str]) -> None:
    for path, text in files.items():
        if path.endswith(".py"):
            ast.parse(text, path)


def test_no_path_and_no_date_of_this_machine(files: dict[str, str]) -> None:
    for path, text in files.items():
        assert str(ROOT) not in text, path
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text), path


def test_device_code_sees_no_torch(files: dict[str, str]) -> None:
    for path, text in files.items():
        if path.endswith((".cu", ".math.h", "_cpu.cpp")):
            assert not re.search(r"#include.*(torch|ATen|c10)", text), path


def test_the_description_of_an_op_sees_torch_only_if_it_calls_other_ops(
    files: dict[str, str],
) -> None:
    sees = {}
    for path, text in files.items():
        if path.endswith("_torch.cpp"):
            sees[path] = any(re.match("(torch|ATen|c10)/", name) for name in included(text))
    assert any(sees.values())
    assert not all(sees.values())
    for path, sees_torch in sees.items():
        assert sees_torch == ("<fusewise/torch/compose.h>" in files[path]), path


def included(text: str) -> set[str]:
    """The headers that a text includes, those of the runtime with all that they include."""
    found: set[str] = set()
    new = set(re.findall(r"^#include <(.*)>", text, re.MULTILINE))
    while new:
        found |= new
        headers = [ROOT / "runtime" / name for name in new if name.startswith("fusewise/")]
        lines = "\n".join(header.read_text() for header in headers)
        new = set(re.findall(r"^#include <(.*)>", lines, re.MULTILINE)) - found
    return found


def test_another_package_has_its_own_names(compiled: Sequence[Compiled]) -> None:
    files = rendered(compiled, "my_ops")
    assert "my_ops/__init__.py" in files
    assert not any("fusewise_ops" in text for path, text in files.items() if "_runtime" not in path)
    assert "torch.ops.my_ops" in files["my_ops/__init__.py"]


# The same bytes


def test_twice_the_same_in_any_order(compiled: Sequence[Compiled], files: dict[str, str]) -> None:
    specs = [op.spec for op in compiled][::-1]
    again = rendered([compile_spec(spec, specs) for spec in specs])
    assert again == files
    assert list(again) == list(files)


def test_the_same_with_another_hash_seed(files: dict[str, str]) -> None:
    program = (
        "import hashlib, sys\n"
        "from pathlib import Path\n"
        "from fusewise.pipeline import Compiled, compile_spec\n"
        "from fusewise.emit.render import render\n"
        "from fusewise.language.spec import load_spec\n"
        "from fusewise.generate import spec_files\n"
        "ops = [load_spec(path) for path in spec_files(Path('specs'))]\n"
        "files = render([compile_spec(op, ops).view for op in ops], 'fusewise_ops')\n"
        "print(hashlib.sha256(repr(files).encode()).hexdigest())\n"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environ = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "generator")}
    command = [sys.executable, "-c", program]
    found = subprocess.check_output(command, cwd=ROOT, env=environ, text=True)
    assert found.strip() == hashlib.sha256(repr(files).encode()).hexdigest()


def test_a_path_cannot_end_the_comment_that_names_it() -> None:
    text = "op: f\ndoc: A test.\ninputs:\n  x: tensor\noutputs:\n  out: tanh(x)\n"
    files = rendered([compile_spec(parse_spec(text, "a\nint evil;/f.yaml"))])
    for path, text in files.items():
        assert not any(line.startswith("int evil") for line in text.splitlines()), path
