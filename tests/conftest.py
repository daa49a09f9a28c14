"""Options and fixtures that several folders of tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fusewise.build import steps, tree
from fusewise.build.ninja import Report
from fusewise.cli import main

GOOD = "op: {op}\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmoid(x)\n"
MODULE = """\
// Generated. Do not edit.
#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, nullptr, {}, {}, {}, {}};
PyMODINIT_FUNC PyInit__C() { return PyModule_Create(&module); }
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the expected texts of tests anew")


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: the garbage collector need not visit them."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes share, for what the first of them compiles."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """A function that runs the command in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    for op in ("gate", "soft"):
        tree.write_text(folder / f"{op}.yaml", GOOD.format(op=op))
    return folder


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Replaces the generator by a fake whose package compiles in a moment without the runtime."""

    def render_specs(
        texts: Mapping[str, str], package: str, report: Report, _: object, *, version: str
    ) -> dict[str, str]:
        files = {"csrc/module.cpp": MODULE}
        for path, text in texts.items():
            op = Path(path).stem
            files[f"csrc/{op}/{op}.math.h"] = f"// Generated from {path}. Do not edit.\n// {text}"
            files[f"tests/test_{op}.py"] = f"# Generated. Do not edit.\ndef test_{op}(): pass\n"
        files[f"{package}/__init__.py"] = "# Generated. Do not edit.\nfrom . import _C\n"
        return files

    monkeypatch.setattr("fusewise.cli.package.render_specs", render_specs)
    monkeypatch.setattr(steps, "runtime_dir", lambda: tmp_path / "no_runtime")
    monkeypatch.setenv("FUSEWISE_CUDA", "0")
