"""Each spec in errors/ gives exactly the message below it. `--update` rewrites the messages.

The specs in python_errors.txt are functions with the decorator `op`.
"""

from __future__ import annotations

import re
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
from fusewise.language.model import Spec
from fusewise.language.spec import load_spec, parse_spec, read_spec
from fusewise.measure.reference.agreement import compare_reference
from fusewise.pipeline import compile_spec
from python_function import read

# A case is a line `==== name`, a spec, a line `---- message` and the whole message. With
# `(escaped)` after the name, `\xE9` is a byte, `\u200B` a character, and `\{x*9}` nine times x.
FOLDER = Path(__file__).parent
IN_PYTHON = FOLDER / "python_errors.txt"
FILES = [*sorted((FOLDER / "errors").iterdir()), IN_PYTHON]
CASE = re.compile(r"==== (\w+)( \(escaped\))?\n(.*?)---- message\n(.*?)(?=\n==== |\Z)", re.DOTALL)
ESCAPE = re.compile(rb"\\x(..)|\\u(....)|\\\{(.+?)\*(\d+)\}")
CASES = {case[1]: (path, case) for path in FILES for case in CASE.finditer(path.read_text("utf-8"))}


def spec_of(case: re.Match[str]) -> bytes:
    def meant(found: re.Match[bytes]) -> bytes:
        byte, character, repeated, times = found.groups()
        if repeated:
            return repeated * int(times)
        return chr(int(character, 16)).encode() if character else bytes.fromhex(byte.decode())

    return ESCAPE.sub(meant, case[3].encode()) if case[2] else case[3].encode()


def load_function(path: Path) -> Spec:
    return read_spec(read(path.read_text("utf-8"), str(path)), str(path))


@pytest.mark.parametrize("name", CASES)
def test_message(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)  # messages show the path as given, so it must be relative
    path, case = CASES[name]
    load, suffix = (load_function, ".py") if path == IN_PYTHON else (load_spec, ".yaml")
    spec = Path(f"{name}{suffix}")
    spec.write_bytes(spec_of(case))
    with pytest.raises(SpecError) as raised:
        compare_reference(compile_spec(load(spec)).spec)
    message = f"{raised.value}\n"
    if request.config.getoption("--update") and message != case[4]:
        old = case[0].removesuffix(case[4])
        text = path.read_text("utf-8")
        path.write_text(text.replace(case[0], old + message), "utf-8")
        return
    assert message == case[4]


@pytest.mark.parametrize("part", ["+0", ".a"])
@pytest.mark.parametrize("count", [1800, 2000, 3000])
def test_a_deep_reference(part: str, count: int) -> None:
    # Whether Python's parser takes it depends on its version.
    deep = f"x{part * count}"
    spec = f'op: f\ninputs: {{x: tensor}}\noutputs: {{out: x}}\ntest: {{reference: "{deep}"}}\n'
    message = "attributes cannot be used|" * (part == ".a") + "nested more than 100 deep"
    with pytest.raises(SpecError, match=message):
        parse_spec(spec)


def test_every_case_is_read() -> None:
    texts = [path.read_text("utf-8") for path in FILES]
    assert all(text.startswith("==== ") for text in texts)
    for line in ("==== ", "---- message\n"):
        assert sum(f"\n{text}".count(f"\n{line}") for text in texts) == len(CASES)


def test_problems_stand_in_the_order_of_the_files() -> None:
    def problem(path: str, line: int) -> Problem:
        return Problem("wrong", Location(path, line, 1, 1))

    error = SpecError(problem("b", 1), problem("a", 10), problem("a", 2))
    assert [str(p.location) for p in error.problems] == ["a:2:1", "a:10:1", "b:1:1"]


def test_the_number_of_problems_is_limited_for_each_file() -> None:
    places = [Location(path, line, 1, 1) for path in "ba" for line in range(30, 0, -1)]
    error = SpecError(*(Problem("wrong", place) for place in places), Problem("more", places[0]))
    expected = [f"{path}:{line + 1}:1" for path in "ab" for line in range(MAX_PROBLEMS)]
    assert [str(problem.location) for problem in error.problems] == expected


def _text_of(output: str, inputs: str = "x: tensor") -> str:
    lines = "".join(f"  o{k}: {output.format(k=k)}\n" for k in range(25))
    return f"op: a\ninputs: {{{inputs}}}\noutputs:\n{lines}"


def _composed() -> str:
    names = [f"o{k}" for k in range(25)]
    calls = ", ".join(f"{name}: nothing(x)" for name in names)
    return f"op: a\ninputs: {{x: tensor}}\ncompose: {{{calls}}}\noutputs: [{', '.join(names)}]\n"


@pytest.mark.parametrize(
    "text",
    [
        "op: a\n" * 5000,
        _text_of("x +"),
        _text_of("x * 9 ** 999"),
        _text_of("x // 0", "x: int tensor"),
        _text_of("zeta(x, {k} + 2)"),
        _composed(),
    ],
    ids=["keys", "formulas", "constants", "integers", "derivatives", "calls"],
)
def test_enough_is_enough(text: str) -> None:
    with pytest.raises(SpecError) as raised:
        compile_spec(parse_spec(text))
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
        ("sni", "; did you mean 'sin'?"),
        ("xq", ""),
        ("q", ""),
        ("softmax", ""),
    ],
)
def test_did_you_mean(word: str, guess: str) -> None:
    assert did_you_mean(word, ["sigmoid", "sin", "tan", "tanh", "x"]) == guess
