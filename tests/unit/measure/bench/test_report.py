"""Tables, JSON and pictures of what `fusewise bench` has measured."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.measure.bench.report import Missing, Results, Row

Command = Callable[..., tuple[int, str, str]]


def row(op: str, direction: str, copy: float, **times: float) -> Row:
    return Row(op, {"x": (8, 4)}, direction, 100, copy, times, {"fusewise": 4, "eager": 4_000_000})


ENVIRONMENT = {"device": "a GPU", "cpu": "a CPU", "torch": "2.13.0", "date": "2026-11-21"}
RESULTS = Results(
    ENVIRONMENT,
    "bfloat16",
    9,
    (
        row("gate", "forward", 10, fusewise=10, eager=40, compile=20),
        row("gate", "backward", 15, fusewise=20, eager=60, compile=10),
        row("gate", "step", 25, fusewise=30, eager=100, compile=45),
        row("pass_on", "forward", 10, fusewise=10, eager=10, compile=5),
        row("pass_on", "backward", 10, fusewise=12.5, eager=0, compile=25),
    ),
    (Missing("liger", "gate", "no Triton"), Missing("liger", "pass_on", "no Triton")),
)


def test_the_title_names_a_layout_that_is_not_the_usual_one() -> None:
    assert RESULTS.title.endswith(", bfloat16")
    sliced = Results.parse(replace(RESULTS, layout="sliced").json())
    assert sliced.title.endswith(", bfloat16, sliced")


def test_shares_and_ratios() -> None:
    forward, backward, _, _, passed = RESULTS.rows
    assert (forward.share("fusewise"), forward.share("eager")) == (1.0, 0.25)
    assert (forward.ratio("eager"), forward.ratio("compile"), forward.ratio("best")) == (4, 2, 2)
    assert backward.ratio("best") == 0.5
    # no kernel ran: eager handed the gradient on, which is no contest
    assert passed.share("eager") is None
    assert passed.ratio("eager") is None
    assert passed.ratio("best") == 2
    assert RESULTS.label(forward) == "gate 8x4"


@pytest.mark.parametrize(("threads", "said"), [(1, "1 thread"), (2, "2 threads")])
def test_the_title_of_a_cpu_counts_its_threads(threads: int, said: str) -> None:
    environment = {**ENVIRONMENT, "device": "a CPU", "threads": threads}
    title = replace(RESULTS, environment=environment).title
    assert title == f"a CPU, {said}, torch 2.13.0, 2026-11-21, bfloat16"


def test_the_summary_has_geometric_means_and_the_lowest_rows() -> None:
    assert RESULTS.ratios("forward", "best", "") == [(0.5, "pass_on 8x4"), (2.0, "gate 8x4")]
    assert cells(str(RESULTS))[-9:] == [
        ["forward", "eager", "2", "2.00", "pass_on 8x4 1.00, gate 8x4 4.00"],
        ["forward", "compile", "2", "1.00", "pass_on 8x4 0.50, gate 8x4 2.00"],
        ["forward", "best", "2", "1.00", "pass_on 8x4 0.50, gate 8x4 2.00"],
        ["backward", "eager", "1", "3.00", "gate 8x4 3.00"],
        ["backward", "compile", "2", "1.00", "gate 8x4 0.50, pass_on 8x4 2.00"],
        ["backward", "best", "2", "1.00", "gate 8x4 0.50, pass_on 8x4 2.00"],
        ["step", "eager", "1", "3.33", "gate 8x4 3.33"],
        ["step", "compile", "1", "1.50", "gate 8x4 1.50"],
        ["step", "best", "1", "1.50", "gate 8x4 1.50"],
    ]


def test_the_table() -> None:
    text = str(RESULTS)
    assert max(map(len, text.splitlines())) <= 120
    title, what, head, _, *rows = cells(text)
    assert title == ["a GPU, torch 2.13.0, 2026-11-21, bfloat16"]
    assert what[0].endswith(", MB held by fusewise / eager / compile")
    assert head == ["op", "fusewise, us", "of copy", "eager", "compile", "MB held"]
    assert rows[:5] == [
        ["gate 8x4", "forward", "10.0", "100%", "4.00", "2.00", "0 / 4 / -"],
        ["gate 8x4", "backward", "20.0", "75%", "3.00", "0.50", "0 / 4 / -"],
        ["gate 8x4", "step", "30.0", "83%", "3.33", "1.50", "0 / 4 / -"],
        ["pass_on 8x4", "forward", "10.0", "100%", "1.00", "0.50", "0 / 4 / -"],
        ["pass_on 8x4", "backward", "12.5", "80%", "-", "2.00", "0 / 4 / -"],
    ]
    assert rows[5] == ["- liger: gate, pass_on: no Triton"]


def test_a_plain_process_and_kept_memory_stand_side_by_side() -> None:
    times = {"plain": {"fusewise": 40, "eager": 60}, "kept": {"fusewise": 10, "eager": 20}}
    rows = [replace(RESULTS.rows[0], memory=memory, times=found) for memory, found in times.items()]
    results = Results.parse(replace(RESULTS, rows=tuple(rows)).json())
    assert results.memories == ["plain", "kept"]
    _, _, said, head, _, line, _, _, _, _, *summary = cells(str(results))
    assert said[0].startswith("a / b: a in a plain process")
    assert head == ["op", "fusewise, us", "of copy", "eager", "MB held"]
    assert line == ["gate 8x4", "forward", "40.0 / 10.0", "25% / 100%", "1.50 / 2.00", "0 / 4"]
    assert summary == [
        ["forward plain", "eager", "1", "1.50", "gate 8x4 1.50"],
        ["forward kept", "eager", "1", "2.00", "gate 8x4 2.00"],
        ["forward plain", "best", "1", "1.50", "gate 8x4 1.50"],
        ["forward kept", "best", "1", "2.00", "gate 8x4 2.00"],
    ]


def cells(text: str) -> list[list[str]]:
    """Of a printed table, line by line."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]


def test_json_comes_back_as_it_was() -> None:
    again = Results.parse(RESULTS.json())
    assert str(again) == str(RESULTS)
    assert again.json() == RESULTS.json()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rows": [], "missing": [], "other": 1}'])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as refused:
        Results.parse(text)
    assert str(refused.value) == "not what `fusewise bench --json` writes"


def test_show_prints_and_draws(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "found.json").write_text(RESULTS.json())
    picture = tmp_path / "pictures" / "found.png"
    found = command("bench", "--show", "found.json", "--plot", str(picture))
    assert found == (0, str(RESULTS), "")
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")


def test_show_of_something_else(tmp_path: Path, command: Command) -> None:
    (tmp_path / "other.json").write_text(json.dumps({"rows": 1}))
    message = "error: other.json: not what `fusewise bench --json` writes\n"
    assert command("bench", "--show", "other.json") == (2, "", message)


def test_a_picture_needs_matplotlib(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    message = "error: --plot needs matplotlib: pip install matplotlib\n"
    assert command("bench", "--plot", "x.png") == (2, "", message)
