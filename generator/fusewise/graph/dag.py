"""The expression DAG: every distinct expression is one node."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from fusewise.graph.identities import IDENTITIES, is_power_of_two
from fusewise.language.formula import (
    CONSTANTS,
    INDEX,
    LENGTH,
    Call,
    Expr,
    Name,
    Number,
    format_expr,
)
from fusewise.language.functions import CALLABLE, Form, Function, Reduction, left_out
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import DIV, MUL

# Of a constant: bits before or after the point; of numerator and denominator together, beyond which
# it is rounded; and those that are left then.
MAX_EXPONENT, MAX_BITS, ROUNDED_BITS = 2**14, 2**13, 2**10
LARGEST_FLOAT64 = Fraction(sys.float_info.max)
MAX_INTEGER = 2**63 - 1  # in a formula of integers
MAX_SHARED, MAX_OPERATORS = 12, 64  # of a value that is printed in place, if it is shared, or not
LONG = 10**17  # a numerator or denominator of more digits than a double


class OutOfRangeError(ArithmeticError):
    """A constant that has too many digits to be computed with. It prints as its size."""

    def __init__(self, exponent: int) -> None:
        super().__init__(exponent)
        self.exponent = exponent  # of 2

    def __str__(self) -> str:
        digits = self.exponent * 30103 // 100000
        if digits > 0:
            size = f"about 10 ** {digits}" if digits < 10**12 else "beyond 10 ** 10 ** 12"
            return f"{size}, and float64 ends at 1.8e308"
        size = f"about 10 ** {digits}" if digits > -(10**12) else "below 10 ** -(10 ** 12)"
        return f"{size}, and float64 begins at 4.9e-324"


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One value. Nodes of a `Dag` are equal exactly when they are the same object."""

    kind: str  # input, param, const or call
    name: str  # of the input, param, function or form; empty for a constant
    args: tuple[Node, ...] = ()
    value: Fraction | float | None = None  # of a constant; float for inf, nan and pi only
    type: str = "float"  # float, int, bool or number
    order: int = 0  # of an input that is an incoming gradient: 1, or 2 in a double backward
    index: int = 0  # in order of creation: arguments come before what uses them
    row: Function | Form | Reduction | None = None  # of what is called
    is_element: bool = False  # a value for each element of a row; else one for the row or for all

    @property
    def function(self) -> Function | None:
        return self.row if isinstance(self.row, Function) else None

    @property
    def form(self) -> Form | None:
        return self.row if isinstance(self.row, Form) else None

    @property
    def reduction(self) -> Reduction | None:
        return self.row if isinstance(self.row, Reduction) else None

    @property
    def floating(self) -> bool:
        """Whether the values can be floats."""
        return self.type in ("float", "number")

    @property
    def is_zero(self) -> bool:
        return self.kind == "const" and self.value == 0

    def __repr__(self) -> str:
        """The formula. Long shared values stand before it, as `v0 = ...; v1 = ...; `."""
        names = {step: f"v{k}" for k, step in enumerate(long_steps([self]))}
        lines = [f"{name} = {format_expr(to_expr(step, names))}; " for step, name in names.items()]
        return "".join([*lines, format_expr(to_expr(self, names))])


@dataclass(eq=False, slots=True)
class Dag:
    """Makes nodes, each distinct expression once.

    It applies the identities that keep every value, the sign of a zero aside.
    """

    _nodes: dict[tuple, Node] = field(default_factory=dict)

    def input(
        self, name: str, dtype: str = "float", order: int = 0, *, is_element: bool = True
    ) -> Node:
        return self._make("input", name, dtype=dtype, order=order, is_element=is_element)

    def param(self, name: str, dtype: str) -> Node:
        return self._make("param", name, dtype=dtype)

    def const(self, value: Fraction | float | int) -> Node:
        """A number, exact unless it has more than `MAX_BITS`.

        Raises:
            OutOfRangeError: it has more than `MAX_EXPONENT` bits before or after the point.
        """
        if isinstance(value, int):
            value = Fraction(value)
        if isinstance(value, Fraction):
            value = _bounded(value)
        return self._make("const", "", value=value)

    def call(self, callee: str | Function | Form | Reduction, *args: Node) -> Node:
        """The callee of `args`, folded where the result is the same for every value."""
        row = CALLABLE[callee] if isinstance(callee, str) else callee
        identity = IDENTITIES.get(row)
        if identity is not None:
            folded = identity(self, *args)
            if folded is not None:
                return folded
        if row.symmetric and ("call", row.name, args[::-1]) in self._nodes:
            args = args[::-1]
        return self._make("call", row.name, args, row=row)

    def build(self, expr: Expr, names: Mapping[str, Node]) -> Node:
        """The node of a parsed formula whose names stand for the given nodes."""
        if isinstance(expr, Number):
            return self.const(expr.value)
        if isinstance(expr, Name):
            return names[expr.id] if expr.id in names else self._leaf(expr.id)
        args = [self.build(arg, names) for arg in expr.args]
        return self.call(expr.function, *args, *self.defaults(expr))

    def _leaf(self, name: str) -> Node:
        if name == LENGTH:
            return self.param(LENGTH, "int")
        return self.input(INDEX, "int") if name == INDEX else self.const(CONSTANTS[name])

    def defaults(self, call: Call) -> list[Node]:
        """The arguments that a call leaves out."""
        defaults = left_out(CALLABLE[call.function], len(call.args))
        return [self.build(default, {}) for default in defaults]

    def copy(self) -> Dag:
        """The same nodes; what is made further stands in the copy alone.

        A stage builds in a copy, since statements have the order in which their nodes were made.
        Thus the text of a pass is the same whatever else was built from it.
        """
        return Dag(dict(self._nodes))

    def _make(
        self,
        kind: str,
        name: str,
        args: tuple[Node, ...] = (),
        value: Fraction | float | None = None,
        dtype: str = "float",
        order: int = 0,
        row: Function | Form | Reduction | None = None,
        is_element: bool = False,
    ) -> Node:
        key: tuple[Any, ...] = (kind, name, args)
        if kind == "const":  # 0.0 == -0.0, and nan != nan
            key = (kind, value) if isinstance(value, Fraction) else (kind, repr(value))
        node = self._nodes.get(key)
        if node is None:
            dtype = _result_type(row, args) if row else dtype
            if row:
                is_row = isinstance(row, Reduction) and row.extent == "row"
                values = args[: row.type_of] if isinstance(row, Form) else args
                is_element = not is_row and any(arg.is_element for arg in values)
            index = len(self._nodes)
            node = Node(kind, name, args, value, dtype, order, index, row, is_element)
            self._nodes[key] = node
        return node


def topological(
    roots: Iterable[Node],
    stop: Container[Node] = (),
    parts: Callable[[Node], Iterable[Node]] = lambda node: node.args,
) -> list[Node]:
    """Every node that the roots need, arguments first; what lies below `stop` is left out.

    parts: the arguments that a node needs, by default all.
    """
    seen: dict[Node, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            if node not in stop:
                stack += parts(node)
    return sorted(seen, key=lambda node: node.index)


def nesting_depths(
    roots: Iterable[Node],
    counts: Callable[[Node], bool],
    known: Mapping[Node, int] = MappingProxyType({}),
) -> dict[Node, int]:
    """How many nodes that count follow one another in each value that the roots need.

    `known` ones have the given depths; what lies below them is left out.
    """
    depths: dict[Node, int] = {}
    for node in topological(roots, stop=known):
        if node in known:
            depths[node] = known[node]
        else:
            inner = max((depths[arg] for arg in node.args), default=0)
            depths[node] = inner + counts(node)
    return depths


def reduction_depths(
    roots: Iterable[Node], known: Mapping[Node, int] = MappingProxyType({})
) -> dict[Node, int]:
    """How many reductions follow one another in each value, as `nesting_depths`."""
    return nesting_depths(roots, lambda node: node.reduction is not None, known)


def rebuild(
    dag: Dag,
    roots: Iterable[Node],
    rewrite: Callable[[Node], Node | None] = lambda node: None,
    known: Mapping[Node, Node] | None = None,
) -> dict[Node, Node]:
    """Every needed node mapped to its copy: `known` ones as given, others as `rewrite` leaves them.

    `dag` holds the nodes, or is copied from a DAG that does. `rewrite` sees a call whose arguments
    are copies already; None keeps it.
    """
    done = dict(known or {})
    for node in topological(roots, stop=known or {}):
        if node in done:
            continue
        copy = dag.call(node.row, *(done[arg] for arg in node.args)) if node.row else node
        done[node] = rewrite(copy) or copy
    return done


def expand(
    dag: Dag,
    roots: Iterable[Node],
    form: Callable[[Function | Reduction], Expr | None],
    known: Mapping[Node, Node] | None = None,
) -> dict[Node, Node]:
    """Every needed node in functions without a `form`, those with one replaced by it.

    `known` ones are mapped as given.
    """

    def lower(node: Node) -> Node:
        row = node.function or node.reduction
        body = form(row) if row else None
        if row is None or body is None:
            return node
        root = dag.build(body, dict(zip(row.params, node.args, strict=True)))
        return rebuild(dag, [root], lower, {arg: arg for arg in node.args})[root]

    return rebuild(dag, roots, lower, known)


def instructions(node: Node) -> int:
    """What one node costs, roughly; selecting and rounding count as one."""
    if node.kind != "call":
        return 0
    if node.row is DIV and is_power_of_two(node.args[1]):
        return MUL.cost  # compilers multiply by the reciprocal, which is exact
    return node.function.cost if node.function else 1


def lower(dag: Dag, roots: Iterable[Node]) -> dict[Node, Node]:
    """Every needed node in functions of `math.h`.

    A function has its `shared` form where what that asks for beside all else costs less.
    """
    expanded = expand(dag, roots, lambda function: function.body)
    order = topological(expanded.values())
    used = set(order)

    def build(form: Expr, function: Function, args: Iterable[Node]) -> Node:
        return dag.build(form, dict(zip(function.params, args, strict=True)))

    def missing(form: Node) -> int:
        return sum(map(instructions, {*topological([form], stop=used)} - used))

    done: dict[Node, Node] = {}
    for node in order:
        args = [done[arg] for arg in node.args]
        function = node.function
        form = function.shared if function else None
        if function and form and missing(build(form, function, node.args)) < function.cost:
            done[node] = build(form, function, args)
        else:
            done[node] = dag.call(node.row, *args) if node.row else node
    return {node: done[lowered] for node, lowered in expanded.items()}


def long_steps(roots: Sequence[Node]) -> list[Node]:
    """The values without which the text of the roots would be long, arguments first.

    Each is long itself, and shared unless it is very long. The text is linear in the nodes.
    """
    order = topological(roots)
    uses = Counter(arg for node in order for arg in node.args) + Counter(roots)
    operators = dict.fromkeys(order, 0)  # in the text that stands for the node
    steps = []
    for node in order:
        if node.kind == "call":
            operators[node] = 1 + sum(operators[arg] for arg in node.args)
        if operators[node] > (MAX_SHARED if uses[node] > 1 else MAX_OPERATORS):
            operators[node] = 0
            steps.append(node)
    return steps


def to_expr(node: Node, names: Mapping[Node, str] = MappingProxyType({})) -> Expr:
    """The formula of a node, for people; others in it stand by their names."""
    if node.kind == "const":
        if isinstance(node.value, Fraction):
            is_short = max(map(abs, node.value.as_integer_ratio())) <= LONG
            if node.value.denominator != 1 and not is_short and abs(node.value) < LARGEST_FLOAT64:
                return Number(Fraction(repr(float(node.value))))  # further digits say no more
            if node.value.denominator != 1 and not _is_decimal(node.value):
                args = (
                    Number(Fraction(node.value.numerator)),
                    Number(Fraction(node.value.denominator)),
                )
                return Call(DIV.name, args)
            return Number(node.value)
        return Name(next(k for k, v in CONSTANTS.items() if repr(v) == repr(node.value)))
    if node.kind != "call":
        return Name(node.name)
    args = (Name(names[arg]) if arg in names else to_expr(arg, names) for arg in node.args)
    return Call(node.name, tuple(args))


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    return rest == 1


def _result_type(row: Function | Form | Reduction, args: tuple[Node, ...]) -> str:
    if isinstance(row, Function) and row.result == "bool":
        return "bool"
    if row is WHERE:
        args = args[1:]
    types = {arg.type for arg in args if arg.kind != "const"}
    if types == {"bool"}:
        return "bool" if row is WHERE else "float"
    if "float" in types or not types:
        return "float"
    return "number" if "number" in types else "int"


def _bounded(value: Fraction) -> Fraction:
    """The number with so many bits as are kept, and its exponent in range."""
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    if above + below <= MAX_BITS:
        return value
    if abs(above - below) > MAX_EXPONENT:
        raise OutOfRangeError(above - below)
    shift = ROUNDED_BITS - (above - below)
    return round(value * Fraction(2) ** shift) / Fraction(2) ** shift
