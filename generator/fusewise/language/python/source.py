"""The source of a Python function, with the location of each node of its syntax tree."""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from numbers import Real
from types import FunctionType
from typing import Any

from fusewise.language.document import List, Node, Scalar, Table
from fusewise.language.errors import Location, Problem, Source, SpecError

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """The definition of a function, in the text of its file."""

    path: str
    text: str
    lines: Sequence[int]  # the offset of each line
    definition: Definition

    @classmethod
    def find(cls, function: FunctionType) -> FunctionSource:
        """The source of a function.

        Raises:
            SpecError: Python keeps no source of it, as for `exec`.
        """
        file, line = function.__code__.co_filename, function.__code__.co_firstlineno
        linecache.checkcache(file)
        lines = linecache.getlines(file, function.__globals__)
        path, text = _shown_path(file), "".join(lines)
        for node in _definitions(text):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if node.name == function.__name__ and first == line:
                return cls(path, text, tuple(accumulate(map(len, lines), initial=0)), node)
        message = f"Python keeps no source of '{function.__name__}'"
        hint = "define it in a file or in a notebook, or pass its spec as YAML to fusewise.load"
        raise SpecError(Problem(message, Location(path, line, 1, 1), hint))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The offsets of a node; of the definition and of an argument, those of the name."""
        assert isinstance(node, ast.expr | ast.stmt | ast.arg)
        start = self._offset(node.lineno, node.col_offset)
        if isinstance(node, Definition):
            name = re.compile(r"(?:async\s+)?def\s+(\w+)").match(self.text, start)
            return name.span(1) if name else (start, start)
        if isinstance(node, ast.arg):
            return start, start + len(node.arg)
        return start, self._offset(node.end_lineno or 0, node.end_col_offset or 0)

    def location(self, node: ast.AST) -> Location:
        return Source.of(self.text, self.path).location(*self.span(node))

    def formula(self, node: ast.expr) -> Scalar:
        """An expression as it is written. Comments, tabs and backslashes become blanks."""
        start, end = self.span(node)
        text = re.sub(
            r"#[^\n]*|\\(?=\n)|\t", lambda found: " " * len(found[0]), self.text[start:end]
        )
        return Scalar(text, Source(self.path, self.text, range(start, end + 1)))

    def scalar(self, text: str, node: ast.AST) -> Scalar:
        """A text that comes from a node. Its characters have places if they stand there so."""
        start, end = self.span(node)
        inside = self.text.find(text, start, end)
        if inside >= 0 and (isinstance(node, ast.Constant) or self.text[start:end] == text):
            offsets: Sequence[int] = range(inside, inside + len(text) + 1)
        else:
            offsets = (*[start] * (len(text) - 1), *[end - 1] * bool(text), end)
        return Scalar(text, Source(self.path, self.text, offsets))

    def value(self, value: Any, node: ast.AST) -> Node:
        """A Python value that comes from a node; its parts have places if the node is a literal.

        Raises:
            SpecError: the value has a type that a spec does not have.
        """
        if isinstance(value, Mapping):
            places = zip(*_literal_parts(node, len(value)), strict=True)
            entries = [
                (self.scalar(str(key), first), self.value(item, second))
                for (key, item), (first, second) in zip(value.items(), places, strict=True)
            ]
            return Table(tuple(entries), self.location(node))
        if isinstance(value, list | tuple):
            places, _ = _literal_parts(node, len(value))
            items = [self.value(item, place) for item, place in zip(value, places, strict=True)]
            return List(tuple(items), self.location(node))
        if isinstance(value, Real):
            return self.scalar(str(value).lower(), node)
        if isinstance(value, str):
            return self.scalar(value, node)
        message = (
            f"a spec consists of texts, numbers, lists and dicts, but this is a {_type(value)}"
        )
        raise SpecError(Problem(message, self.location(node)))

    def _offset(self, line: int, column: int) -> int:
        """The offset of a position in the syntax tree, whose columns count bytes."""
        start = self.lines[line - 1]
        end = self.lines[line] if line < len(self.lines) else len(self.text)
        return start + len(self.text[start:end].encode()[:column].decode())


def _literal_parts(node: ast.AST, count: int) -> tuple[Sequence[ast.AST], Sequence[ast.AST]]:
    """The nodes of the keys and values of a dict, or of the items of a list, if it is a literal."""
    if isinstance(node, ast.Dict) and len(node.values) == count:
        keys = [key for key in node.keys if key is not None]  # None is `**` of another dict
        if len(keys) == count:
            return keys, node.values
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == count:
        return node.elts, node.elts
    return [node] * count, [node] * count


def _definitions(text: str) -> list[Definition]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # a file that has changed since it was imported
        return []
    return [node for node in ast.walk(tree) if isinstance(node, Definition)]


def _shown_path(file: str) -> str:
    """The path of a file; for a cell of a notebook its number, as in IPython's own messages."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    named = getattr(getattr(shell, "compile", None), "format_code_name", None)
    return " ".join((named(file) if named else None) or [file])


def _type(value: object) -> str:
    return type(value).__name__
