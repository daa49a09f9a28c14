"""PyYAML's reader of a text, and the errors of a text that it cannot read."""

from __future__ import annotations

import re

import yaml

from fusewise.language.errors import Problem, Source

TAG_HINT = "quote a text that starts with '!'; negation is written 'not'"
_REFERENCE_HINT = "YAML reads '*' and '&' as references; quote the whole text"
_ALIAS = ("a YAML alias has no place in a spec", _REFERENCE_HINT)
_ANCHOR = ("a YAML anchor has no place in a spec", _REFERENCE_HINT)
_TAG = ("a YAML tag has no place in a spec", TAG_HINT)
_BLOCK = (
    "YAML reads '|' and '>' as the start of a text on the lines below",
    "quote a text that starts with '|' or '>'",
)
# By what PyYAML was reading: the error that is shown where that starts, and its hint.
_AT_START = {
    "while scanning an alias": _ALIAS,
    "while scanning an anchor": _ANCHOR,
    "while scanning a tag": _TAG,
    "while parsing a node": _TAG,  # with a handle that none defines
    "while scanning a block scalar": _BLOCK,
}
_HINTS = {
    "mapping values are not allowed here": "quote a text that holds ': '",
    "sequence entries are not allowed here": "YAML reads '- ' as a list; quote a formula like that",
    "found character '@' that cannot start any token": "quote a text that starts with '@'",
    "found character '%' that cannot start any token": "quote a text that starts with '%'",
    "found character '`' that cannot start any token": "quote the text, or delete the line",
    "expected <block end>, but found '}'": "no { is open here; delete the }",
    "expected <block end>, but found ']'": "no [ is open here; delete the ]",
    "expected <block end>, but found '<scalar>'": "quote the whole text, or check the indentation",
    "could not find expected ':'": "a key ends with ':'; the lines of a long formula are indented",
    "expected ',' or '}', but got '<scalar>'": "quote a text that starts with a quote",
}
_KEY = re.compile(r"( *)[\w-]+ *:")
_KEYS = re.compile(rf"^{_KEY.pattern}", re.MULTILINE)
_FIRST_LINE = re.compile(r"(?:(?:---)? *(?:#[^\n]*)?\n)*([^\n]+)")
_FIRST_KEY = re.compile(r" *(?:[{?]|(['\"]?)[\w-]+\1 *:(?: |$))")
_COMMENTS = re.compile(r"\s*(#.*)(?:\n *(?:#.*)?)*")
_END = ("'<stream end>'", "'<document start>'", "'<document end>'")
_DIRECTIVE = "while scanning a directive"


class Loader(yaml.SafeLoader):
    """Refuses directives, and remembers what tells the cause of an error."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.file)
        self.source = source
        self.last_event: yaml.Event | None = None
        self.document_end: yaml.Mark | None = None  # the place of the marker `...`

    def get_event(self) -> yaml.Event:
        event = super().get_event()
        self.last_event = event
        return event

    def fetch_directive(self) -> None:
        # PyYAML reads one in the middle of a spec too, and then complains of what follows it.
        raise yaml.MarkedYAMLError(_DIRECTIVE, self.get_mark())

    def fetch_document_end(self) -> None:
        self.document_end = self.get_mark()
        super().fetch_document_end()

    def syntax_problem(self, error: yaml.MarkedYAMLError) -> Problem:
        message, mark = f"YAML: {error.problem}", error.problem_mark
        hint = _HINTS.get(error.problem or "", "")
        if error.context in _AT_START:
            mark = error.context_mark
            message, hint = _AT_START[error.context]
        if error.problem == "could not find expected ':'":
            mark = error.context_mark
        position = mark.index if mark else 0
        return (
            self._directive(error)
            or self._above_the_spec()
            or self._unclosed(error, position)
            or self._behind_brackets(error, position)
            or self._behind_the_end(error, position)
            or self._indentation(error, position)
            or self._cut_by_comment(position)
            or self.source.problem(message, position, position + 1, hint)
        )

    def _directive(self, error: yaml.MarkedYAMLError) -> Problem | None:
        if error.context != _DIRECTIVE or error.context_mark is None:
            return None
        start = error.context_mark.index
        message = "a YAML directive has no place in a spec"
        end = start + len(self.source.location(start, start).text)
        return self.source.problem(message, start, end, "a line cannot start with '%'")

    def _unclosed(self, error: yaml.MarkedYAMLError, position: int) -> Problem | None:
        """A quote or bracket that is open at the end, or where the next section starts."""
        context, opening = str(error.context), None
        line = self._line_start(position)
        if context == "while scanning a quoted scalar":
            opening = error.context_mark
        elif context.startswith("while parsing a flow "):
            key = _KEY.match(self.source.file, line)
            starts_section = key is not None and not key[1] and line > self.marks[-1].index
            if starts_section or str(error.problem).endswith(_END):
                opening = self.marks[-1]
        if opening is None:
            return None
        start = opening.index
        character = self.source.file[start]
        closing = {"{": "}", "[": "]"}.get(character, character)
        what = f"this '{character}'" if closing != character else "this quote"
        hint = f"close it with {closing}"
        return self.source.problem(f"{what} is not closed", start, start + 1, hint)

    def _above_the_spec(self) -> Problem | None:
        """A text above the first key, as a heading or the fence of a block of code."""
        first = _FIRST_LINE.match(self.source.file)
        if first is None or _FIRST_KEY.match(first[1]):
            return None
        if not _KEYS.search(self.source.file, first.end()):
            return None
        message = "a spec starts with a key, such as 'op: ...', but this line is a text"
        hint = "delete the line, or start it with '#': it is then a comment"
        return self.source.problem(message, *first.span(1), hint)

    def _behind_brackets(self, error: yaml.MarkedYAMLError, position: int) -> Problem | None:
        """Something behind a closed bracket in its line."""
        file = self.source.file
        before = file[self._line_start(position) : position].rstrip()
        is_end = isinstance(self.last_event, yaml.CollectionEndEvent)
        causes = ("expected <block end>", "expected ',' or")
        if not is_end or before[-1:] not in ("]", "}") or file[position] in "]}":
            return None
        if not str(error.problem).startswith(causes):
            return None
        opening = {"]": "[", "}": "{"}[before[-1]]
        message = f"this stands behind the closing '{before[-1]}'"
        hint = f"delete it, or quote a text that starts with '{opening}'"
        return self.source.problem(message, position, position + 1, hint)

    def _behind_the_end(self, error: yaml.MarkedYAMLError, position: int) -> Problem | None:
        """Something behind the marker `...`, where PyYAML expects another document."""
        mark = self.document_end
        if not str(error.problem).startswith("expected '<document start>'"):
            return None
        if mark is None or mark.index > position:
            return None
        message = "the marker '...' ends the spec, but something follows it"
        return self.source.problem(message, mark.index, mark.index + 3, "delete the marker")

    def _indentation(self, error: yaml.MarkedYAMLError, position: int) -> Problem | None:
        """A key whose indentation is not that of a key above."""
        start = self._line_start(position)
        line = _KEY.match(self.source.file, start)
        causes = (
            "mapping values",
            "expected <block end>, but found '<block mapping",
            "expected '<doc",
        )
        if line is None or line.end() <= position or not str(error.problem).startswith(causes):
            return None
        keys = _KEYS.findall(self.source.file, 0, start)
        above = sorted({len(spaces) for spaces in keys})
        if not above:
            return None
        message = f"this key has {_spaces(len(line[1]))} before it, but no key above has as many"
        hint = (
            f"the keys above have {' or '.join(map(str, above))}; keys of one section have the same"
        )
        return self.source.problem(message, line.end(1), line.end() - 1, hint)

    def _cut_by_comment(self, position: int) -> Problem | None:
        """A comment inside a text of several lines that is not quoted."""
        event, line = self.last_event, self._line_start(position)
        if not isinstance(event, yaml.ScalarEvent) or event.style is not None or not event.value:
            return None
        end = event.end_mark.index
        comments = _COMMENTS.fullmatch(self.source.file, end, position)
        # The lines of a text have more indentation than its key; in brackets they may have any.
        margin = self.marks[-1].column if self.marks and self.flow_level <= 0 else -1
        goes_on = position - line > margin and not _KEY.match(self.source.file, line)
        if comments is None or not goes_on:
            return None
        number = self.source.location(position, position).line
        message = f"this comment ends the text, which goes on in line {number}"
        hint = "move the comment above the text, or quote a text that holds ' #'"
        return self.source.problem(message, *comments.span(1), hint)

    def _line_start(self, position: int) -> int:
        return self.source.file.rfind("\n", 0, position) + 1


def _spaces(count: int) -> str:
    return "1 space" if count == 1 else f"{count or 'no'} spaces"
