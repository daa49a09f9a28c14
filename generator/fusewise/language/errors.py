"""Errors of a spec: a message, the location in the user's file, and a hint."""

from __future__ import annotations

import difflib
import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

MAX_PROBLEMS = 20  # reported for one file
_WINDOW = 120  # the number of columns that are shown of a longer source line


@dataclass(frozen=True, slots=True)
class Location:
    """A range of characters in one line of a file. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    length: int
    text: str = field(default="", compare=False, repr=False)  # the whole line, for the excerpt

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


NOWHERE = Location("", 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of a text: the file, and the offset of each character in it.

    The text of a quoted or folded YAML scalar differs from the characters in the file, so the
    offsets are not consecutive. The last offset is the end of the text.
    """

    path: str
    file: str
    offsets: Sequence[int]

    @classmethod
    def of(cls, text: str, path: str) -> Source:
        """The source of a text that is a whole file."""
        return cls(path, text, range(len(text) + 1))

    def location(self, start: int, end: int) -> Location:
        """The location of the characters `start:end` of the text; it ends with the first line."""
        first = self.offsets[start]
        last = self.offsets[end - 1] + 1 if end > start else first + 1
        line_start = self.file.rfind("\n", 0, first) + 1
        line_end = self.file.find("\n", first)
        text = self.file[line_start : line_end if line_end >= 0 else len(self.file)]
        length = min(last, line_start + len(text)) - first
        line = self.file.count("\n", 0, first) + 1
        return Location(self.path, line, first - line_start + 1, max(length, 1), text)

    def problem(self, message: str, start: int, end: int, hint: str = "") -> Problem:
        return Problem(message, self.location(start, end), hint)


@dataclass(frozen=True, slots=True)
class Problem:
    """One error or warning. It prints as one block, with the source line and a caret."""

    message: str
    location: Location
    hint: str = ""
    severity: str = "error"  # or warning

    def __str__(self) -> str:
        block = f"{self.location}: {self.severity}: {self.message}"
        if self.location.text:
            block += "\n" + _excerpt(self.location)
        if self.hint:
            block += f"\n  hint: {self.hint}"
        return block


class SpecError(Exception):
    """A spec is invalid. `problems` holds the first ones of each file, in the order of the file."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        files = itertools.groupby(sorted(problems, key=_place), key=lambda p: p.location.path)
        first = (itertools.islice(group, MAX_PROBLEMS) for _, group in files)
        self.problems = tuple(itertools.chain.from_iterable(first))

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a traceback, which does not lead to the spec."""
        return str(self).splitlines()


class Problems(list[Problem]):
    """The problems of a reader, which stops with `SpecError` when it has `MAX_PROBLEMS`."""

    def append(self, problem: Problem) -> None:
        super().append(problem)
        if len(self) >= MAX_PROBLEMS:
            raise SpecError(*self)

    def __iadd__(self, problems: Iterable[Problem]) -> Problems:
        for problem in problems:
            self.append(problem)
        return self


def _place(problem: Problem) -> tuple[str, int, int]:
    return problem.location.path, problem.location.line, problem.location.column


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'tanh'?` for the candidate nearest to `word`, or "" if none is near."""
    # `sni` and `sin` have two thirds of their letters in order.
    near = difflib.get_close_matches(word.lower(), list(candidates), n=1, cutoff=0.66)
    return f"; did you mean '{near[0]}'?" if near and len(word) > 2 else ""


def shown(text: str) -> str:
    """The text for a terminal: tabs are expanded, characters that are not printable are escaped."""
    return "".join(map(_shown_character, text))


def _shown_character(character: str) -> str:
    if character == "\t":
        return "    "
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "FW" else 1 for c in text)


def _excerpt(location: Location) -> str:
    """The source line, and the caret on the line below."""
    first = location.column - 1
    left = max(0, first - _WINDOW // 2) if len(location.text) > _WINDOW else 0
    right = left + _WINDOW
    before = shown(location.text[left:first])
    marked = shown(location.text[first : min(first + location.length, right)])
    after = shown(location.text[first + location.length : right])
    caret = " " * _width(before) + "^" + "~" * (_width(marked) - 1)
    return f"  {before}{marked}{after}".rstrip() + f"\n  {caret}"
