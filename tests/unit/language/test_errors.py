"""Every `errors/<case>.yaml` ends in exactly the message of `<case>.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest
from fusewise.language.errors import (
    MAX_PROBLEMS,
    Location,
    Problem,
    Source,
    SpecError,
    did_you_mean,
)
from fusewise.language.spec import load_spec, parse_spec
from fusewise.pipeline import compile_spec

HERE = Path(__file__).resolve().parent
CASES = sorted(path.stem for path in (HERE / "errors").glob("*.yaml"))


@pytest.mark.parametrize("case", CASES)
def test_message(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)  # messages show the path as it was given
    path = Path("errors", f"{case}.yaml")
    with pytest.raises(SpecError) as raised:
        compile_spec(load_spec(path))
    message = f"{raised.value}\n".replace("errors/", "tests/errors/")
    assert message == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_message_has_its_case() -> None:
    messages = {path.stem for path in (HERE / "errors").glob("*.txt")}
    assert messages == set(CASES)


def test_problems_stand_in_the_order_of_the_files() -> None:
    def problem(path: str, line: int) -> Problem:
        return Problem("wrong", Location(path, line, 1, 1))

    error = SpecError(problem("b", 1), problem("a", 10), problem("a", 2))
    assert [str(p.location) for p in error.problems] == ["a:2:1", "a:10:1", "b:1:1"]


def test_enough_is_enough() -> None:
    with pytest.raises(SpecError) as raised:
        parse_spec("op: a\n" * 5000)
    assert len(raised.value.problems) == MAX_PROBLEMS


def test_caret_stays_under_wide_and_escaped_characters() -> None:
    text = "漢\t\u200b x"
    problem = Source.of(text, "f").problem("here", 4, 5)
    assert str(problem) == "f:1:5: error: here\n  漢    \\u200b x\n               ^"


def test_location_ends_with_its_line() -> None:
    location = Source.of("ab\ncd", "f").location(1, 5)
    assert (location.line, location.column, location.length, location.text) == (1, 2, 1, "ab")


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("tanhh", "; did you mean 'tanh'?"),
        ("Tanh", "; did you mean 'tanh'?"),
        ("sigmiod", "; did you mean 'sigmoid'?"),
        ("sin", "; did you mean 'sin'?"),
        ("q", ""),
        ("softmax", ""),
    ],
)
def test_did_you_mean(word: str, guess: str) -> None:
    assert did_you_mean(word, ["sigmoid", "sin", "tan", "tanh", "x"]) == guess
