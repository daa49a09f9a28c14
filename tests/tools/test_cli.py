"""Commands that compile, with a fake generator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fusewise.build import extension as build
from fusewise.build import tree

Command = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("generator", "specs")
def test_a_package_of_another_project(command: Command, tmp_path: Path) -> None:
    code, out, err = command("build", "specs", "--package", "my_ops", "-v")
    assert (code, err) == (0, "")
    assert "building my_ops: torch " in out
    assert "CPU kernels only (FUSEWISE_CUDA=0)" in out
    assert "[2/2] my_ops/_C.so" in out
    assert " s  module.cpp" in out
    assert (tmp_path / "generated/my_ops" / f"_C{build.SUFFIX}").exists()
    # the manifest now has the name of the package and the folder of the specs
    code, out, _ = command("build")
    assert code == 0
    assert "(nothing to do, " in out
    assert command("build", "--package", "My-Ops")[2].startswith("error: package is 'My-Ops'")
    for name in ("torch", "aten", "class"):
        taken = f"error: package is '{name}': that name is taken\n"
        assert command("generate", "--package", name) == (2, "", taken)


@pytest.mark.usefixtures("generator", "specs")
def test_test_runs_the_tests_of_the_ops_named(command: Command, tmp_path: Path) -> None:
    command("generate")
    assert command("test", "gate", "-q", "-p", "no:cacheprovider")[0] == 0
    failing = "# Generated. Do not edit.\ndef test_gate(): assert False\n"
    (tmp_path / "generated/tests/test_gate.py").write_text(failing)
    manifest = tree.Manifest.read(Path("generated"))
    assert manifest is not None
    assert command("test", "gate")[0] == 2, "an edited tree is stale"
    code, _, err = command("test", "gat")
    assert code == 2
    assert err == "error: no spec 'gat' in specs; did you mean 'gate'?\n"
