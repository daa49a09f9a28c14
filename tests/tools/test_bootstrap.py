"""tools/bootstrap.py repeats the list of packages, because it runs before any is installed."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import venv
from pathlib import Path
from types import ModuleType

import pytest
from measure import ROOT, load_file


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[=<>\[;]", requirement)[0] for requirement in requirements}


def bootstrap() -> ModuleType:
    return load_file(ROOT / "tools/bootstrap.py", "bootstrap")


def test_the_command_may_be_read_by_the_processes_that_it_starts(tmp_path: Path) -> None:
    """`fusewise bench` starts worker processes, which run the script under another name."""
    venv.create(tmp_path)
    bootstrap().write_paths(tmp_path / "bin" / "python", None)
    runpy.run_path(str(tmp_path / "bin" / "fusewise"), run_name="__mp_main__")


def test_a_copied_environment_has_the_sources_of_its_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("generator/fusewise", "generated"):
        (tmp_path / "checkout" / folder).mkdir(parents=True)
    (tmp_path / "checkout/generator/fusewise/__init__.py").touch()
    venv.create(tmp_path / "checkout/.venv")
    tools = bootstrap()
    monkeypatch.setattr(tools, "ROOT", tmp_path / "checkout")
    tools.write_paths(tmp_path / "checkout/.venv/bin/python", None)
    shutil.copytree(tmp_path / "checkout", tmp_path / "copy", symlinks=True)
    command = [
        tmp_path / "copy/.venv/bin/python",
        "-c",
        "import fusewise; print(fusewise.__file__)",
    ]
    environ = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(tmp_path / "copy/generator/fusewise/__init__.py")


@pytest.mark.parametrize("code", [0, 1])
def test_what_pip_says_is_shown_if_it_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], code: int
) -> None:
    pip = tmp_path / "python"
    pip.write_text(
        "#!/bin/sh\n"
        'case "$*" in *--version) exit 0 ;; esac\n'
        f"echo said\necho warned >&2\nexit {code}\n"
    )
    pip.chmod(0o755)
    assert bootstrap().install(pip, ["some-package"]) is (code == 0)
    out, err = capfd.readouterr()
    assert out == "installing some-package\n"
    assert err == ("said\nwarned\n" if code else "")


def test_the_packages_are_those_of_the_project() -> None:
    tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
    tools = bootstrap()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["build-system"]["requires"] == [tools.NEEDED["setuptools"]]
    project = settings["project"]
    needed = names([tools.TORCH, *tools.NEEDED.values()])
    assert needed | {"tomli"} == names(project["dependencies"])
    dev = names([*tools.TESTS.values(), *tools.CHECKS.values()])
    assert dev | {"pre-commit"} == names(project["optional-dependencies"]["dev"])
    docs = names([*tools.DOCS.values()])
    assert docs == names(project["optional-dependencies"]["docs"])
    oldest = ".".join(map(str, tools.OLDEST_TORCH))
    assert f"torch>={oldest}" in project["dependencies"]
