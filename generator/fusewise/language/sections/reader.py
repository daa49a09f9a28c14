"""The common reader of the sections. Its methods report invalid values and return None."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from fusewise.language.document import List, Node, Scalar, Table
from fusewise.language.errors import Location, Problem, Problems, SpecError, did_you_mean
from fusewise.language.formula import Expr, parse_formula, plain_number
from fusewise.language.model import Layout
from fusewise.language.names import name_problem
from fusewise.language.sections.keys import LAYOUTS, OTHER_KEYS

WHOLE = r"[0-9]{1,18}"


@dataclass(slots=True)
class Reader:
    """Collects the problems of a file and its declared names with their places."""

    problems: Problems = field(default_factory=Problems)
    declared: dict[str, str] = field(default_factory=dict)  # name -> its role, such as `an input`
    places: dict[str, Location] = field(default_factory=dict)

    def report(self, location: Location, message: str, hint: str = "") -> None:
        self.problems.append(Problem(message, location, hint))

    def declare(self, name: str, what: str, location: Location, *, output: bool = False) -> None:
        """Record a name with its role `what`; report an invalid or repeated name."""
        problem = name_problem(name, output=output)
        if problem:
            self.report(location, *problem)
        elif name in self.declared:
            self.report(location, f"'{name}' is already the name of {self.declared[name]}")
        else:
            self.declared[name] = what
            self.places[name] = location

    def fields(
        self, node: Node, what: str, keys: Collection[str]
    ) -> dict[str, tuple[Scalar, Node]]:
        """The entries of a mapping by key. Unknown keys are reported and left out."""
        table = self.table(node, what)
        fields = {}
        for key, value in table.entries if table else ():
            if key.text in keys:
                fields[key.text] = (key, value)
            else:
                hint = f"the keys of {what} are {', '.join(keys)}"
                word, equals, text = map(str.strip, key.text.partition("="))
                if equals and word in keys:
                    hint = f"write {word}: {text.removeprefix('torch.')}"
                self.unknown("key", key, keys, OTHER_KEYS.get(key.text, hint))
        return fields

    def unknown(
        self,
        what: str,
        word: Scalar,
        known: Collection[str],
        hint: str = "",
        other_names: Mapping[str, str] | None = None,
    ) -> None:
        """Reports an unknown word; the hint is shown if no known word is near it.

        other_names: the known words by the names that they have elsewhere.
        """
        guess = did_you_mean((other_names or {}).get(word.text, word.text), known)
        self.report(word.location, f"unknown {what} '{word.text}'{guess}", "" if guess else hint)

    def table(self, node: Node, what: str) -> Table | None:
        if isinstance(node, Table):
            return node
        hint = "one 'name: value' a line"
        if isinstance(node, List):
            hint = "one 'name: value' a line, without '- ' and brackets"
        elif isinstance(node, Scalar) and re.match(r"\w+:\S", node.text):
            hint = "write a space after ':'"
        self.report(node.location, f"{what} is a mapping, not {_described(node)}", hint)
        return None

    def items(self, node: Node, what: str) -> Sequence[Node]:
        if isinstance(node, List):
            return node.items
        self.report(node.location, f"{what} is a list, not {_described(node)}")
        return ()

    def text(self, node: Node, what: str) -> Scalar | None:
        """The scalar, if it is not blank."""
        if isinstance(node, Scalar):
            if node.text.strip():
                return node
            self.report(node.location, f"{what} is empty")
        elif isinstance(node, List):
            hint = "YAML reads a leading '- ' or '[' as a list; quote the text"
            self.report(node.location, f"{what} is a text, not a list", hint)
        else:
            hint = "YAML reads ': ' and a leading '{' as a mapping; quote the text"
            self.report(node.location, f"{what} is a text, not a mapping", hint)
        return None

    def word(self, node: Node, what: str, words: Collection[str]) -> str | None:
        """The text, if it is one of `words`."""
        text = self.text(node, f"the {what}")
        if text is None or text.text in words:
            return text and text.text
        self.unknown(what, text, words, f"the {what} is one of {', '.join(words)}")
        return None

    def formula(self, node: Node, what: str, *, in_compose: bool = False) -> Expr | None:
        text = self.text(node, what)
        if text is None:
            return None
        try:
            return parse_formula(text.text, text.source, in_compose=in_compose)
        except SpecError as error:
            self.problems += error.problems
            return None

    def constant(self, node: Node, what: str) -> Fraction | float | None:
        """The value of a signed number, `inf` or `nan`."""
        formula = self.formula(node, what)
        value = plain_number(formula) if formula is not None else None
        if formula is not None and value is None:
            self.report(formula.location, f"{what} is a plain number")
        return value

    def finite(self, node: Node, what: str) -> Fraction | None:
        value = self.constant(node, what)
        if isinstance(value, Fraction):
            return value
        if value is not None:
            self.report(node.location, f"{what} is a finite number")
        return None

    def whole(self, node: Node, what: str) -> int | None:
        text = self.text(node, what)
        if text is None or re.fullmatch(WHOLE, text.text):
            return text and int(text.text)
        self.report(text.location, f"{what} is a whole number, not '{text.text}'")
        return None

    def layout(self, fields: Mapping[str, tuple[Scalar, Node]]) -> Layout:
        """The layout of a packed tensor, `chunked` by default."""
        word = self.word(fields["layout"][1], "layout", LAYOUTS) if "layout" in fields else None
        return "interleaved" if word == "interleaved" else "chunked"

    def boolean(self, node: Node, what: str) -> bool | None:
        text = self.text(node, what)
        if text is None or text.text in ("true", "false"):
            return text and text.text == "true"
        self.report(text.location, f"{what} is true or false, not '{text.text}'")
        return None


def _described(node: Node) -> str:
    if isinstance(node, Scalar):
        return "a text" if node.text.strip() else "empty"
    return "a list" if isinstance(node, List) else "a mapping"
