"""Expressions as C++: nodes printed for kernels and as calls of ATen."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fusewise.graph.dag import Node
from fusewise.language.formula import Expr
from fusewise.language.functions import ROWS
from fusewise.language.functions.forms import WHERE

WIDTH = 100

# How tightly an operator binds; an operand that binds less is set in parentheses.
_TIGHTNESS = {"*": 5, "/": 5, "+": 4, "-": 4, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 2, "!=": 2}
_PREFIX, _ATOM = 6, 7


# What a large pass calls instead of inlining it: functions of math.h that take many instructions,
# but for those that processors have.
OUTLINED = frozenset(
    row.name
    for row in ROWS.values()
    if row.body is None and row.symbol is None and row.result != "bool"
    if row.cost >= 8 and not row.in_hardware
)


@dataclass(frozen=True, slots=True)
class Text:
    """A printed expression, how tightly its outermost operator binds, whether it is a number."""

    text: str
    tightness: int = _ATOM
    scalar: bool = False
    type: str = "float"


class KernelPrinter:
    """Prints nodes as C++ over the value type `T` of a kernel that has the given reads."""

    def __init__(self, reads: Sequence[Node] = (), is_large: bool = False) -> None:
        self.names: dict[Node, Text] = {}
        self.outlined = OUTLINED if is_large else frozenset[str]()
        self.places = {node: place for place, node in enumerate(reads)}

    def name(self, node: Node, text: str, scalar: bool = False) -> None:
        """From here on the node is printed as that name."""
        self.names[node] = Text(text, scalar=scalar, type=node.type)

    def show(self, node: Node) -> str:
        return self.print(node).text

    def print(self, node: Node) -> Text:
        return self.names[node] if node in self.names else self.define(node)

    def define(self, node: Node) -> Text:
        """The expression of a node, which may have a name itself."""
        if node.kind == "const":
            assert node.value is not None
            return self.const(node.value)
        if node.form and node.form.type_of is not None:
            return self.round_to(
                self.print(node.args[0]), self.places[node.args[node.form.type_of]]
            )
        args = [self.print(arg) for arg in node.args]
        symbol = node.function.symbol if node.function else None
        return self.infix(symbol, args, node) if symbol else self.call(node, args)

    def const(self, value: Fraction | float) -> Text:
        return Text(f"T({literal(value)})")

    def call(self, node: Node, args: list[Text]) -> Text:
        namespace = "rt::outlined" if node.name in self.outlined else "rt"
        return Text(f"{namespace}::{node.name}({', '.join(arg.text for arg in args)})")

    def round_to(self, value: Text, place: int) -> Text:
        """A value rounded to the type that the read at a place is stored in."""
        return Text(f"rt::round_to({value.text}, types[{place}])")

    def infix(self, symbol: str, args: list[Text], node: Node) -> Text:
        scalar = all(arg.scalar for arg in args)
        if len(args) == 1:
            return Text(symbol + _operand(args[0], _ATOM), _PREFIX, scalar, node.type)
        tightness = _TIGHTNESS.get(symbol, 1)
        # Nothing is reassociated: an operand on the right that binds as tightly has parentheses.
        # Those of `&` and `|` have them always, as g++ asks.
        least = _ATOM if tightness == 1 else tightness + (tightness < 4)
        left, right = _operand(args[0], least), _operand(args[1], max(least, tightness + 1))
        return Text(f"{left} {symbol} {right}", tightness, scalar, node.type)


class DecompositionPrinter(KernelPrinter):
    """Prints nodes as calls of ATen. Params and constants are numbers; `like` is some tensor."""

    def __init__(self, reads: Sequence[Node] = (), *, like: str) -> None:
        super().__init__(reads)
        self.like = like

    def const(self, value: Fraction | float) -> Text:
        text = literal(value)
        return Text(text, _PREFIX if text.startswith("-") else _ATOM, scalar=True)

    def tensor(self, arg: Text) -> str:
        if not arg.scalar:
            return arg.text
        function = "condition" if arg.type == "bool" else "constant"
        return f"{function}({arg.text}, {self.like})"

    def call(self, node: Node, args: list[Text]) -> Text:
        texts = [self.tensor(arg) for arg in args]
        if _takes_numbers(node, args):
            texts[1:] = [arg.text for arg in args[1:]]
        row = node.row
        assert row is not None
        if row.aten is None:
            return Text(f"{row.name}({', '.join(texts)})")
        if node.function and node.function.aten_mode:
            texts.append(quoted(node.function.aten_mode))
        return self.aten(row.aten, texts)

    def aten(self, function: str | Expr, texts: list[str]) -> Text:
        assert isinstance(function, str)  # formulas are expanded before
        return Text(f"aten::{function}({', '.join(texts)})")

    def round_to(self, value: Text, place: int) -> Text:
        return Text(f"round_to({self.tensor(value)}, types[{place}])")

    def infix(self, symbol: str, args: list[Text], node: Node) -> Text:
        function = node.function
        if function and function.of_conditions and not all(arg.scalar for arg in args):
            return self.aten(function.aten, [self.tensor(arg) for arg in args])
        if symbol == "/" and node.args[1].is_zero:
            args = [args[0], Text("0.0", scalar=True)]  # C++ cannot divide integers by zero
        return super().infix(symbol, args, node)


def _takes_numbers(node: Node, args: list[Text]) -> bool:
    """Whether ATen has the function with plain numbers after the first argument."""
    scalars = [arg.scalar for arg in args[1:]]
    if node.row is WHERE:
        return not all(scalars)
    if node.reduction:
        return True
    takes = node.function is not None and node.function.aten_numbers
    return takes and not args[0].scalar and all(scalars)


def _operand(arg: Text, least: int) -> str:
    return arg.text if arg.tightness >= least else f"({arg.text})"


def literal(value: Fraction | float | bool) -> str:
    """The shortest digits that make the same double; 1 or 0 for a condition."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Fraction):
        whole = value.denominator == 1 and abs(value) < 2**63
        return str(value.numerator) if whole else repr(float(value))
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def wrapped(line: str, indent: int) -> list[str]:
    """A line cut to the width that it has at an indentation."""
    if indent + len(line) <= WIDTH:
        return [line]
    lines = textwrap.wrap(
        line,
        WIDTH - indent,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [line]


def bracketed(opening: str, items: Sequence[str], closing: str, indent: int = 0) -> list[str]:
    """A Python call or list, one item a line where one line is too short."""
    line = f"{opening}{', '.join(items)}{closing}"
    if indent + len(line) <= WIDTH:
        return [" " * indent + line]
    inside = [f"{' ' * (indent + 4)}{item}," for item in items]
    return [" " * indent + opening, *inside, " " * indent + closing]


def python_tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def assigned_python(target: str, expression: str, indent: int) -> list[str]:
    """`target` (as `x =` or `return`) and an expression, in parentheses over several lines."""
    if indent + len(target) + 1 + len(expression) <= WIDTH:
        return [f"{' ' * indent}{target} {expression}"]
    pieces = textwrap.wrap(
        expression, WIDTH - indent - 4, break_long_words=False, break_on_hyphens=False
    )
    inside = [f"{' ' * (indent + 4)}{piece}" for piece in pieces]
    return [f"{' ' * indent}{target} (", *inside, f"{' ' * indent})"]


def quoted(text: str) -> str:
    """A C++ string literal."""
    return json.dumps(text, ensure_ascii=True)
