"""Identities: calls that have the same value as a shorter expression, the sign of a zero aside."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from fusewise.language.functions import REDUCTIONS, ROWS, Form, Function, Reduction
from fusewise.language.functions.forms import ROUND_TO, STOP_GRAD, WHERE
from fusewise.language.functions.operators import (
    ADD,
    AND,
    DIV,
    GE,
    GT,
    LE,
    LT,
    MUL,
    NEG,
    NOT,
    OR,
    SUB,
)

if TYPE_CHECKING:
    from fusewise.graph.dag import Dag, Node


def _numbers(*args: Node) -> Iterator[Fraction]:
    for arg in args:
        if arg.kind == "const" and isinstance(arg.value, Fraction):
            yield arg.value


def _add(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y):
            return dag.const(x + y)
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    for term, other in ((b, a), (a, b)):
        if term.row is NEG:
            return dag.call(SUB, other, term.args[0])
        if any(x < 0 for x in _numbers(term)):
            return dag.call(SUB, other, dag.call(NEG, term))
    return None


def _sub(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y):
            return dag.const(x - y)
    if b.is_zero:
        return a
    if a.is_zero:
        return dag.call(NEG, b)
    if b.row is NEG:
        return dag.call(ADD, a, b.args[0])
    if any(x < 0 for x in _numbers(b)):
        return dag.call(ADD, a, dag.call(NEG, b))
    return None


def _mul(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y):
            return dag.const(x * y)
    for factor, other in ((a, b), (b, a)):
        if factor.kind == "const" and factor.value == 1:
            return other
        if factor.kind == "const" and factor.value == -1:
            return dag.call(NEG, other)
        if factor.row is NEG:
            return dag.call(NEG, dag.call(MUL, factor.args[0], other))
    for number, product in ((a, b), (b, a)):
        if is_power_of_two(number) and product.row is MUL:
            for factor, other in (product.args, product.args[::-1]):
                if is_power_of_two(factor):
                    return dag.call(MUL, dag.call(MUL, number, factor), other)
    return None


def is_power_of_two(node: Node) -> bool:
    """Whether this is one by which, and by a product of two, a float is multiplied exactly."""
    return any(2**-62 < x < 2**62 and math.frexp(x)[0] == 0.5 for x in _numbers(node))


def _div(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y) if y != 0:
            return dag.const(x / y)
    if b.kind == "const" and b.value == 1:
        return a
    if a.row is NEG:
        return dag.call(NEG, dag.call(DIV, a.args[0], b))
    return None


def _neg(dag: Dag, a: Node) -> Node | None:
    for x in _numbers(a):
        return dag.const(-x)
    if a.row is MUL:
        for factor, other in (a.args, a.args[::-1]):
            if any(x < 0 for x in _numbers(factor)):
                return dag.call(MUL, dag.call(NEG, factor), other)
    return a.args[0] if a.row is NEG else None


def _where(dag: Dag, c: Node, a: Node, b: Node) -> Node | None:
    if c.kind == "const":
        return b if c.is_zero else a
    if a is b:
        return a
    chosen, other = _known_branch(a, c, is_true=True), _known_branch(b, c, is_true=False)
    return None if (chosen, other) == (a, b) else dag.call(WHERE, c, chosen, other)


def _known_branch(node: Node, condition: Node, is_true: bool) -> Node:
    """The value of a node where a condition is known."""
    if node.row is not WHERE:
        return node
    if node.args[0] is condition:
        return node.args[1 if is_true else 2]
    return node.args[2 if is_true else 1] if _are_opposite(node.args[0], condition) else node


def _are_opposite(a: Node, b: Node) -> bool:
    return (a.row is NOT and a.args[0] is b) or (b.row is NOT and b.args[0] is a)


def _round_to(dag: Dag, e: Node, x: Node) -> Node | None:
    return dag.call(ROUND_TO, e, x.args[0]) if x.row is STOP_GRAD else None  # of the same type


def _not(dag: Dag, a: Node) -> Node | None:
    if a.kind == "const":
        return dag.const(int(a.is_zero))
    return a.args[0] if a.row is NOT else None


def _and(dag: Dag, a: Node, b: Node) -> Node | None:
    if a is b:
        return a
    for condition, other in ((a, b), (b, a)):
        if condition.kind == "const":
            return condition if condition.is_zero else other
        if other.row is AND and condition in other.args:
            return other
        if other.row is OR and condition in other.args:
            return condition
        # x >= -inf is true wherever another comparison of x is, since x is no NaN there
        is_order = other.row in (LT, LE, GT, GE)
        if is_order and _is_unbounded(condition) and condition.args[0] in other.args:
            return other
    return None


def _is_unbounded(node: Node) -> bool:
    sides = {GE: -math.inf, LE: math.inf}
    return node.function in sides and _infinity(node.args[1]) == sides[node.function]


def _or(dag: Dag, a: Node, b: Node) -> Node | None:
    for condition, other in ((a, b), (b, a)):
        if condition.kind == "const":
            return other if condition.is_zero else condition
        if other.row is AND and condition in other.args:
            return condition
        if other.row is OR and condition in other.args:
            return other
    if a is b:
        return a
    # c & a | !c & a
    if a.row is b.row is AND:
        for (one, shared), (other, same) in itertools.product(_orders(a), _orders(b)):
            if shared is same and _are_opposite(one, other):
                return shared
    return None


def _orders(node: Node) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    return node.args, node.args[::-1]


def _folded(function: Function, dag: Dag, *args: Node) -> Node | None:
    """A call by what the row of its function says."""
    if function.even and args[0].row is NEG:
        return dag.call(function, args[0].args[0])
    if function.neutral:
        for bound, other in (args, args[::-1]):
            if _infinity(bound) == function.neutral:
                return other
    form = function.powers.get(args[-1].value)
    if form is not None:
        return dag.build(form, dict(zip(function.params, args, strict=True)))
    if function.result == "bool" and function.mp and all(arg.kind == "const" for arg in args):
        return dag.const(int(function.mp(*(arg.value for arg in args))))
    return None


def _of_equal(row: Reduction, dag: Dag, *args: Node) -> Node | None:
    """Of a value that all elements have, as a choice or a derivative may leave it."""
    if args[0].is_element or row.of_equal is None:
        return None
    return dag.build(row.of_equal, dict(zip(row.params, args, strict=True)))


def _infinity(node: Node) -> float:
    """Infinity or its negative where a node is one, zero elsewhere."""
    if node.row is NEG:
        return -_infinity(node.args[0])
    return math.inf if node.kind == "const" and node.value == math.inf else 0


IDENTITIES: Mapping[Function | Form | Reduction, Callable[..., Node | None]] = {
    **{
        row: partial(_folded, row)
        for row in ROWS.values()
        if row.even or row.neutral or row.powers or (row.result == "bool" and row.mp)
    },
    ADD: _add,
    SUB: _sub,
    MUL: _mul,
    DIV: _div,
    NEG: _neg,
    WHERE: _where,
    ROUND_TO: _round_to,
    NOT: _not,
    AND: _and,
    OR: _or,
    **{row: partial(_of_equal, row) for row in REDUCTIONS.values()},
}
