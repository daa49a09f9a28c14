"""`fusewise init`: the files of a new project, and names and folders that it refuses."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fusewise
import pytest
import yaml
from fusewise.build.settings import Settings
from fusewise.cli import init as verb
from fusewise.cli.project import UsageError, check_package

Command = Callable[..., tuple[int, str, str]]
FILES = {
    ".github/workflows/ci.yml",
    ".gitignore",
    "README.md",
    "pyproject.toml",
    "setup.py",
    "specs/bias_silu.yaml",
    "tests/test_learning.py",
    "generated/MANIFEST.json",
    "generated/csrc/bias_silu/bias_silu.math.h",
    "generated/csrc/bias_silu/bias_silu_cpu.cpp",
    "generated/csrc/bias_silu/bias_silu_cuda.cu",
    "generated/csrc/bias_silu/bias_silu_torch.cpp",
    "generated/my_ops/__init__.py",
    "generated/my_ops/_runtime.py",
    "generated/my_ops/py.typed",
    "generated/tests/test_bias_silu.py",
}


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_project(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = command("init", "my_ops")
    assert (code, err) == (0, "")
    assert out.startswith("wrote my_ops, with one op in my_ops/specs\nnext: `cd my_ops`, ")
    assert [path.name for path in tmp_path.iterdir()] == ["my_ops"]
    project = tmp_path / "my_ops"
    assert files(project) == FILES
    assert Settings.read(project / "generated") == Settings("my_ops", "80 90", "0.1.0")
    assert yaml.safe_load((project / ".github/workflows/ci.yml").read_text())["jobs"]
    assert oct(project.stat().st_mode) == oct((project / "specs").stat().st_mode)
    monkeypatch.chdir(project)
    code, out, err = command("check")
    assert (code, err) == (0, "")
    assert out.startswith("specs/bias_silu.yaml: ok, its reference agrees at ")
    assert command("generate", "--check") == (0, "generated is fresh\n", "")


def test_the_package_has_a_version_and_needs_torch_alone(command: Command, tmp_path: Path) -> None:
    command("init", "my_ops")
    package = tmp_path / "my_ops/generated/my_ops"
    assert '\n__version__ = "0.1.0"\n' in (package / "__init__.py").read_text()
    assert "torch.ops.my_ops\n" in (package / "__init__.py").read_text()
    for path in package.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        names |= {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
        assert not [name for name in names if name and name.startswith("fusewise")]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "expected a lower-case letter") for name in ("My_ops", "2ops", "ops_", "my-ops")),
        *((name, "that name is taken") for name in ("torch", "lambda", "json", "csrc", "tests")),
        *((name, "that name is taken") for name in ("numpy", "pytest", "yaml", "conftest")),
    ],
)
def test_names_that_are_refused(command: Command, tmp_path: Path, name: str, why: str) -> None:
    code, out, err = command("init", f"folder/{name}")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: package is {name!r}: {why}")
    assert list(tmp_path.iterdir()) == []


IMPORTED = """
import sys
start = {*sys.modules}
import expecttest, numpy, pytest, torch, xdist
import torch.testing._internal.optests
import fusewise.cli, fusewise.emit.render, fusewise.report.pages, fusewise.testing
print(*{name.split(".")[0] for name in {*sys.modules} - start})
"""


def test_no_package_hides_a_module_that_its_tests_or_the_tool_import() -> None:
    """The tree comes first in the path of modules."""
    environ = os.environ | {"PYTHONPATH": str(Path(fusewise.__file__).parents[1])}
    command = [sys.executable, "-c", IMPORTED]
    loaded = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    names = loaded.stdout.split()
    assert "numpy" in names
    assert [name for name in names if accepts(name)] == []


def accepts(name: str) -> bool:
    try:
        check_package(name)
    except UsageError:
        return False
    return True


def test_folders_that_are_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "my_ops").mkdir()
    (tmp_path / "my_ops/mine.txt").touch()
    (tmp_path / "a_file").touch()
    assert command("init", "my_ops") == (2, "", "error: my_ops is not empty\n")
    assert command("init", "a_file") == (2, "", "error: a_file is a file\n")
    here = "error: '.' has no name; `fusewise init my_ops` creates my_ops here\n"
    assert command("init", ".") == (2, "", here)
    assert files(tmp_path) == {"my_ops/mine.txt", "a_file"}


def test_an_empty_folder_is_filled(command: Command, tmp_path: Path) -> None:
    (tmp_path / "deeper/my_ops").mkdir(parents=True)
    assert command("init", "deeper/my_ops/")[0] == 0
    assert files(tmp_path / "deeper/my_ops") == FILES


def test_a_failure_leaves_nothing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(verb, "write_tree", fail)
    assert command("init", "my_ops") == (2, "", "error: no space left on device\n")
    assert list(tmp_path.iterdir()) == []
