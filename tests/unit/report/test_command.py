"""The command `fusewise report`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
from fusewise.build.tree import write_text

Command = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("specs")
def test_it_writes_a_file(command: Command, tmp_path: Path) -> None:
    assert command("report", "gate") == (0, "wrote gate.html\n", "")
    assert command("report", "specs/gate.yaml", "--output", "pages/a.html")[0] == 0
    text = (tmp_path / "gate.html").read_text()
    assert "<title>gate – Fusewise</title>" in text
    assert (tmp_path / "pages/a.html").read_text() == text


@pytest.mark.usefixtures("specs")
def test_errors(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = "error: no spec 'gat' in specs; did you mean 'gate'?\n"
    assert command("report", "gat") == (2, "", expected)
    expected = "error: gate is not built: run `fusewise build`\n"
    assert command("report", "gate", "--bench") == (2, "", expected)
    write_text(tmp_path / "specs/twice.yaml", COMPOSED)
    expected = "error: nothing to time: composed ops have no kernels of their own\n"
    assert command("report", "twice", "--bench") == (2, "", expected)
    write_text(tmp_path / "benchmarks/results/bench-a.json", "{}")
    expected = "error: benchmarks/results/bench-a.json: not what `fusewise bench --json` writes\n"
    assert command("report", "gate") == (2, "", expected)
    assert not list(tmp_path.glob("*.html"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    expected = "error: a report needs matplotlib: pip install matplotlib\n"
    assert command("report", "gate") == (2, "", expected)


COMPOSED = "op: twice\ninputs: {x: tensor}\ncompose: {h: gate(x), y: gate(h)}\noutputs: [y]\n"
