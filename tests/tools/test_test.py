"""`fusewise test`: it generates and builds what is stale, and runs in parallel."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fusewise.build import tree
from fusewise.build.extension import SUFFIX
from fusewise.build.tree import write_text
from fusewise.cli import package

Command = Callable[..., tuple[int, str, str]]
SPEC = "op: late\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmoid(x)\n"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of pytest, instead of which nothing is run."""
    found: list[list[str]] = []
    run = subprocess.run

    def note(command: Sequence[str], **settings: object) -> object:
        if list(command[1:3]) != ["-m", "pytest"]:
            return run(command, **settings)  # pyright: ignore[reportCallIssue, reportArgumentType]
        found.append(list(command[3:]))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(package.subprocess, "run", note)
    return found


@pytest.mark.usefixtures("generator", "specs")
def test_it_generates_and_builds_what_is_stale(
    command: Command, tmp_path: Path, runs: list[list[str]]
) -> None:
    code, out, _ = command("test", "gate", "-q")
    assert code == 0
    assert "files written or removed" in out
    assert (tmp_path / "generated/fusewise_ops" / f"_C{SUFFIX}").exists()
    assert runs[0][0] == "generated/tests/test_gate.py"
    assert runs[0][-1] == "-q"
    code, out, _ = command("test", "gate")
    assert code == 0
    assert "written" not in out
    assert "(nothing to do, " in out
    write_text(tmp_path / "specs/late.yaml", SPEC)
    code, out, _ = command("test", "late")
    assert "+ tests/test_late.py" in out.splitlines()
    assert runs[-1][0] == "generated/tests/test_late.py"


@pytest.mark.usefixtures("generator", "specs")
def test_without_a_library_nothing_is_built(
    command: Command, monkeypatch: pytest.MonkeyPatch, runs: list[list[str]]
) -> None:
    monkeypatch.setattr(package, "TEST_LIBRARIES", ("pytest", "no_such_library"))
    code, out, err = command("test")
    assert (code, out, runs) == (2, "", [])
    assert err == (
        "error: tests need pytest, no_such_library\n  hint: pip install pytest no_such_library\n"
    )


@pytest.mark.usefixtures("generator", "specs", "runs")
def test_files_are_hashed_once(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    staleness = package.staleness
    for module in (package, tree):
        monkeypatch.setattr(module, "staleness", lambda root: asked.append(root) or staleness(root))
    for verb in ("test", "test", "build"):
        asked.clear()
        assert command(verb)[0] == 0
        assert len(asked) == 1


@pytest.mark.usefixtures("generator", "specs")
def test_an_edited_file_is_not_overwritten(command: Command, runs: list[list[str]]) -> None:
    command("generate")
    edited = Path("generated/csrc/gate/gate.math.h")
    edited.write_text(f"{edited.read_text()}// by hand\n")
    code, _, err = command("test", "gate")
    assert code == 2
    assert "generated/csrc/gate/gate.math.h was edited by hand" in err
    assert runs == []


@pytest.mark.usefixtures("generator", "specs")
@pytest.mark.parametrize(
    ("installed", "options", "parallel"),
    [(True, [], True), (False, [], False), (True, ["-p", "no:xdist"], False)],
)
def test_it_runs_in_parallel_where_it_can(
    command: Command,
    runs: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    installed: bool,
    options: list[str],
    parallel: bool,
) -> None:
    find = importlib.util.find_spec
    xdist = find("sys") if installed else None
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: xdist if name == "xdist" else find(name)
    )
    assert command("test", "gate", *options)[0] == 0
    assert ("auto" in runs[0]) is parallel
    assert runs[0][len(runs[0]) - len(options) :] == options
