"""The stages import earlier ones only, and the whole chain is quick and repeatable."""

from __future__ import annotations

import ast
from pathlib import Path

from fusewise.pipeline import compile_spec
from fusewise.spec import load_spec
from fusewise.tree import spec_files

PACKAGE = Path(__file__).parents[1] / "generator/fusewise"
SPECS = spec_files(PACKAGE.parents[1] / "specs")

# In order: a module may import those before it, and none after.
ORDER = (
    *("errors", "formula", "primitives", "evaluate", "model", "document", "names", "scope"),
    *("reading", "reference", "compose", "inputs", "samples", "saved", "spec"),
    *(
        "choices",
        "dag",
        "steps",
        "graph",
        "autodiff",
        "simplify",
        "float32",
        "points",
        "verify",
        "memory",
        "guards",
        "kernels",
        "cost",
        "terms",
        "algebra",
        "maths",
        "notation",
        "typeset",
        "latex",
        "printing",
        "emit_cpp",
        "emit_python",
        "emit_tests",
        "emit",
    ),
    *("build", "render", "pipeline", "explain", "tree", "load", "bench", "cli"),
)


def imports(module: str) -> set[str]:
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[1] for name in names if name and name.startswith("fusewise.")}


def test_no_module_imports_a_later_one() -> None:
    for index, module in enumerate(ORDER):
        later = imports(module) & set(ORDER[index:])
        assert not later, f"{module} imports {later}"


def test_every_module_has_its_place() -> None:
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert modules == set(ORDER)


def test_only_the_command_line_s_modules_write_files() -> None:
    for module in ORDER[: ORDER.index("build")]:
        text = (PACKAGE / f"{module}.py").read_text()
        assert "write_text" not in text, module
        assert ".write(" not in text, module


def test_compiling_twice_gives_the_same_text() -> None:
    specs = [load_spec(path) for path in SPECS]
    for spec in specs:
        assert compile_spec(spec, specs).view == compile_spec(spec, specs).view
