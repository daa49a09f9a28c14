"""tools/bootstrap.py names the packages once more, since it runs before any of them is there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[=<>\[]", requirement)[0] for requirement in requirements}


def test_the_packages_are_those_of_the_project() -> None:
    tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "tools/bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = names([bootstrap.TORCH, *bootstrap.NEEDED.values()])
    assert needed == names(project["dependencies"]) | {"setuptools"}
    dev = names([*bootstrap.TESTS.values(), *bootstrap.CHECKS.values()])
    assert dev | {"pre-commit"} == names(project["optional-dependencies"]["dev"])
    oldest = ".".join(map(str, bootstrap.OLDEST_TORCH))
    assert f"torch>={oldest}" in project["dependencies"]
