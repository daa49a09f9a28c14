"""tools/bootstrap.py repeats the list of packages, because it runs before any is installed."""

from __future__ import annotations

import importlib.util
import re
import runpy
import venv
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[=<>\[]", requirement)[0] for requirement in requirements}


def bootstrap() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "tools/bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_command_may_be_read_by_the_processes_that_it_starts(tmp_path: Path) -> None:
    """`fusewise bench` starts worker processes, which run the script under another name."""
    venv.create(tmp_path)
    bootstrap().write_paths(tmp_path / "bin" / "python", None)
    runpy.run_path(str(tmp_path / "bin" / "fusewise"), run_name="__mp_main__")


def test_the_packages_are_those_of_the_project() -> None:
    tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
    tools = bootstrap()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["build-system"]["requires"] == [tools.NEEDED["setuptools"]]
    project = settings["project"]
    needed = names([tools.TORCH, *tools.NEEDED.values()])
    assert needed == names(project["dependencies"]) | {"setuptools"}
    dev = names([*tools.TESTS.values(), *tools.CHECKS.values()])
    assert dev | {"pre-commit"} == names(project["optional-dependencies"]["dev"])
    oldest = ".".join(map(str, tools.OLDEST_TORCH))
    assert f"torch>={oldest}" in project["dependencies"]
