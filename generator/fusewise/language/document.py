"""The reader of the YAML subset of specs. It builds a tree with the location of every character.

Every scalar is text: the spec language interprets `no`, `1e-5` or `0x10`. Anchors, aliases, merge
keys, tags and further documents are errors.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fusewise.language.characters import described, is_space, is_surrogate
from fusewise.language.errors import Location, Problem, Problems, Source, SpecError
from fusewise.language.syntax import TAG_HINT, Loader

SUFFIXES = (".yaml", ".yml")  # of the file of a spec
MAX_BYTES = 64 * 1024
MAX_NESTING = 16


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text with the location of each character."""

    text: str
    source: Source

    @property
    def location(self) -> Location:
        return self.source.location(0, len(self.text.rstrip()))

    def part(self, start: int, end: int) -> Scalar:
        """The characters `start:end`."""
        source = Source(self.source.path, self.source.file, self.source.offsets[start : end + 1])
        return Scalar(self.text[start:end], source)


@dataclass(frozen=True, slots=True)
class Table:
    """A YAML mapping; its keys are distinct."""

    entries: tuple[tuple[Scalar, Node], ...]
    location: Location


@dataclass(frozen=True, slots=True)
class List:
    """A YAML sequence."""

    items: tuple[Node, ...]
    location: Location


Node = Scalar | Table | List


def read_file(file: Path, path: str) -> str:
    """The text of the file of a spec. Messages show `path` as its file.

    Raises:
        SpecError: it has another suffix, cannot be read, is not UTF-8, or larger than `MAX_BYTES`.
    """
    start = Location(path, 1, 1, 1)
    if file.suffix not in SUFFIXES:
        message = f"the name of a spec's file ends in {' or '.join(SUFFIXES)}"
        hint = f"rename the file to {file.stem}{SUFFIXES[0]}"
        raise SpecError(Problem(message, start, hint))
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # to read a pipe may take forever
            raise SpecError(Problem("expected a regular file", start))
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"cannot read the file: {error.strerror}"
        raise SpecError(Problem(message, start)) from None
    if len(data) > MAX_BYTES:
        raise SpecError(Problem(f"the file is larger than {MAX_BYTES // 1024} KiB", start))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8-sig", errors="replace")
        before = data[: error.start].decode("utf-8-sig")
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        problem = Source.of(text, path).problem(message, len(before), len(before) + 1)
        raise SpecError(problem) from None


def read_document(text: str, path: str) -> Table:
    """The mapping in the text of a spec.

    Raises:
        SpecError: the text is not one mapping in the YAML subset.
    """
    if len(text.encode(errors="replace")) > MAX_BYTES:
        message = f"the spec is larger than {MAX_BYTES // 1024} KiB"
        raise SpecError(Problem(message, Location(path, 1, 1, 1)))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    whole = Source.of(text, path)
    problems = Problems()
    for problem in invisible_characters(Scalar(text, whole)):
        problems.append(problem)
    if problems:
        raise SpecError(*problems)
    reader = _Reader(whole)
    try:
        document = reader.document()
    except yaml.MarkedYAMLError as error:
        raise SpecError(*reader.problems or [reader.loader.syntax_problem(error)]) from None
    except (ValueError, OverflowError):  # from PyYAML, of an escape
        place = reader.loader.index
        message = "YAML: a number beyond the largest one that may stand here"
        raise SpecError(*reader.problems, whole.problem(message, place, place + 1)) from None
    if reader.problems:
        raise SpecError(*reader.problems)
    if not isinstance(document, Table):
        message = "a spec is a mapping of 'op', 'inputs', 'outputs' and so on"
        raise SpecError(
            whole.problem(message, 0, 1, "the file has none; `fusewise new OP` writes a spec")
            if document is None
            else Problem(message, document.location)
        )
    return document


def write_document(document: Table) -> str:
    """YAML that reads as the same tree, but for the locations."""
    plain = _plain(document)
    return yaml.safe_dump(plain, allow_unicode=True, sort_keys=False, width=MAX_BYTES)


def _plain(node: Node) -> str | list[Any] | dict[str, Any]:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, List):
        return [_plain(item) for item in node.items]
    return {key.text: _plain(value) for key, value in node.entries}


class _Reader:
    """Builds the tree from PyYAML's events, which contain anchors, tags and styles."""

    def __init__(self, source: Source) -> None:
        self.text = source.file
        self.source = source
        self.problems = Problems()
        self.loader = Loader(source)
        self.events = self._events()

    def _events(self) -> Iterator[yaml.Event]:
        while self.loader.check_event():
            yield self.loader.get_event()

    def document(self) -> Node | None:
        node = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if node is not None:
                    self._reject(event, "a second document", "a file holds one op")
                document = self._node(next(self.events), 0)
                node = node or document
        return node

    def _node(self, event: yaml.Event, nesting: int) -> Node:
        if nesting > MAX_NESTING:
            message = f"the spec is nested more than {MAX_NESTING} deep"
            raise SpecError(Problem(message, self._location(event)))
        if isinstance(event, yaml.AliasEvent):
            hint = "quote a text that starts with '*'"
            self._reject(event, "a YAML alias", hint)
            return self._scalar(event, "", None)
        assert isinstance(event, yaml.NodeEvent)
        if event.anchor is not None:
            self._reject(event, "a YAML anchor", "quote a text that starts with '&'")
        if isinstance(event, yaml.MappingStartEvent):
            self._check_tag(event)
            return self._table(event, nesting)
        if isinstance(event, yaml.SequenceStartEvent):
            self._check_tag(event)
            return self._list(event, nesting)
        assert isinstance(event, yaml.ScalarEvent)
        self._check_tag(event)
        return self._scalar(event, event.value, event.style)

    def _table(self, start: yaml.MappingStartEvent, nesting: int) -> Table:
        entries: list[tuple[Scalar, Node]] = []
        lines: dict[str, int] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, nesting + 1)
            value_event = next(self.events)
            value = self._node(value_event, nesting + 1)
            if not isinstance(key, Scalar):
                self.problems.append(Problem("a key must be a word", key.location))
                continue
            if start.flow_style:
                self._check_cut(value_event)
            if key.text == "<<":
                self._reject(event, "a YAML merge key", "write the entries out")
            elif key.text in lines:
                message = f"'{key.text}' stands here twice; first in line {lines[key.text]}"
                self.problems.append(Problem(message, key.location))
            else:
                lines[key.text] = key.location.line
                entries.append((key, value))
        return Table(tuple(entries), self._location(start))

    def _list(self, start: yaml.SequenceStartEvent, nesting: int) -> List:
        items: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(event, nesting + 1))
            if start.flow_style:
                self._check_cut(event)
        return List(tuple(items), self._location(start))

    def _scalar(self, event: yaml.Event, text: str, style: str | None) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        offsets = _offsets(self.text, start, end, text, style)
        scalar = Scalar(text, Source(self.source.path, self.text, offsets))
        for problem in invisible_characters(scalar):
            self.problems.append(problem)
        return scalar

    def _check_cut(self, event: yaml.Event) -> None:
        """Reports an unquoted formula inside `{...}` or `[...]` that YAML ends at a comma."""
        if not isinstance(event, yaml.ScalarEvent) or event.style is not None:
            return
        end = event.end_mark.index
        if event.value.count("(") > event.value.count(")") and self.text[end : end + 1] == ",":
            hint = "inside {...} and [...] a formula with a comma needs quotes; or use block style"
            message = "YAML cuts the formula at this comma"
            self.problems.append(self.source.problem(message, end, end + 1, hint))

    def _check_tag(
        self, event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent
    ) -> None:
        if event.tag is not None:
            self._reject(event, "a YAML tag", TAG_HINT)

    def _reject(self, event: yaml.Event, what: str, hint: str) -> None:
        location = self._location(event)
        self.problems.append(Problem(f"{what} has no place in a spec", location, hint))

    def _location(self, event: yaml.Event) -> Location:
        return self.source.location(event.start_mark.index, event.end_mark.index)


def _offsets(file: str, start: int, end: int, text: str, style: str | None) -> tuple[int, ...]:
    """The offset in the file of each character of a scalar, and of its end.

    In every style, the characters other than blanks have the same order in the scalar and in the
    file. Only blanks, escapes and indentation come between them, so both texts are read in
    parallel. The offset of a blank is the end of the character before it.
    """
    blank = re.compile(r"[ \n]|\\[ n\n]" if style == '"' else r"[ \n]")
    position = start
    if style in ("'", '"'):
        position += 1
    elif style in ("|", ">"):
        if not text.strip():  # the lines below may be of other keys
            return (start,) * (len(text) + 1)
        position = file.find("\n", start, end) + 1 or end
    offsets: list[int] = []
    for character in text:
        skipped = blank.match(file, position, end)
        if character not in " \n":
            while skipped:
                position = skipped.end()
                skipped = blank.match(file, position, end)
        offsets.append(min(position, end))
        if skipped:
            position = skipped.end()
        elif character in " \n":
            pass  # a blank for the line's indentation, which is already skipped
        elif style == "'" and character == "'":
            position += 2
        elif style == '"' and file[position] == "\\":
            position += {"x": 4, "u": 6, "U": 10}.get(file[position + 1], 2)
        else:
            position += 1
    return (*offsets, min(position, end))


def invisible_characters(scalar: Scalar) -> Iterator[Problem]:
    """The problems of a text with controls, bidi marks, zero-width characters or tabs."""
    if scalar.text.isprintable():
        return
    for position, character in enumerate(scalar.text):
        if character.isprintable() or character == "\n":
            continue
        message = f"an invisible character, {described(character)}"
        hint = "type a space instead" if is_space(character) else "delete it"
        if is_surrogate(character):
            message = f"a surrogate, {described(character)}, which is half of a character"
            hint = "write the whole character"
        if character == "\t":
            message, hint = "a tab", "indent and separate with spaces"
        yield scalar.source.problem(message, position, position + 1, hint)
