"""The tree of a formula. Names are not looked up here; an operator is the call of its function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fusewise.language.errors import NOWHERE, Location

CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
INDEX = "index"  # the position of an element in its row, from 0
LENGTH = "length"  # the number of elements of a row


@dataclass(frozen=True, slots=True)
class Number:
    """A number, exact until it is printed in the compute type."""

    value: Fraction
    location: Location = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """An input, param, let, output or constant."""

    id: str
    location: Location = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of its arguments; an operator is a call of its function (`a + b` is `add`)."""

    function: str
    args: tuple[Expr, ...]
    location: Location = field(default=NOWHERE, compare=False, repr=False)


Expr = Number | Name | Call

# How tightly an operator binds, loosest first. `if else` and `**` are right associative.
IF, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)

BINARY = {
    "or": (OR, "logical_or"),
    "and": (AND, "logical_and"),
    "<": (COMPARE, "lt"),
    "<=": (COMPARE, "le"),
    ">": (COMPARE, "gt"),
    ">=": (COMPARE, "ge"),
    "==": (COMPARE, "eq"),
    "!=": (COMPARE, "ne"),
    "+": (SUM, "add"),
    "-": (SUM, "sub"),
    "*": (PRODUCT, "mul"),
    "/": (PRODUCT, "div"),
    "//": (PRODUCT, "floordiv"),
    "%": (PRODUCT, "mod"),
    "**": (POWER, "pow"),
}
PRINTED = {function: (level, symbol) for symbol, (level, function) in BINARY.items()}


def plain_number(expr: Expr) -> Fraction | float | None:
    """The number, `inf` or `nan` that a formula is, with its sign; None if it is another one."""
    match expr:
        case Number(value):
            return value
        case Name("inf" | "nan" as name):
            return float(name)
        case Call("neg", (Number() | Name("inf") as size,)):
            value = plain_number(size)
            return None if value is None else -value
    return None


def substitute(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    """The formula with others in place of its names."""
    return map_names(expr, lambda name: names.get(name.id, name))


def map_names(expr: Expr, put: Callable[[Name], Expr]) -> Expr:
    """The formula with what `put` gives for a name in its place."""
    if isinstance(expr, Name):
        return put(expr)
    if isinstance(expr, Number):
        return expr
    return replace(expr, args=tuple(map_names(arg, put) for arg in expr.args))


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything in it, outermost first."""
    pending = [expr]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Call):
            pending.extend(reversed(node.args))
