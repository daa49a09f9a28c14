"""Expressions cut into named steps: shared ones become one, long ones several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from fusewise.graph.dag import Node, long_steps, to_expr, topological
from fusewise.language.formula import format_expr
from fusewise.language.functions.operators import NEG

# Operators that one line may hold.
MAX_OPERATORS = 5


def name_steps(
    writes: Sequence[Node], lets: Mapping[Node, str], taken: set[str]
) -> tuple[tuple[str, Node], ...]:
    """The nodes that get a name, in order: lets, calls, and arithmetic used twice or too long.

    A name is the function's and a count, unless it is `taken`.
    """
    return _with_names(_named(writes, lets), lets, taken)


def name_long_steps(
    writes: Sequence[Node], lets: Mapping[Node, str], taken: set[str]
) -> tuple[tuple[str, Node], ...]:
    """The nodes that get a name where formulas are written out as far as they are not too long."""
    return _with_names(long_steps(writes), lets, taken)


def _with_names(
    nodes: Iterable[Node], lets: Mapping[Node, str], taken: set[str]
) -> tuple[tuple[str, Node], ...]:
    names = taken | set(lets.values())
    counters: Counter[str] = Counter()
    steps = []
    for node in nodes:
        name = lets.get(node)
        while name is None:
            gap = "_" if node.name[-1].isdigit() else ""
            candidate = f"{node.name}{gap}{counters[node.name]}"
            counters[node.name] += 1
            name = None if candidate in names else candidate
        steps.append((name, node))
    return tuple(steps)


def _named(writes: Sequence[Node], lets: Container[Node]) -> list[Node]:
    order = topological(writes)
    uses = Counter(arg for node in order for arg in node.args) + Counter(writes)
    operators = dict.fromkeys(order, 0)  # in the text that stands for the node; a name has none
    named: set[Node] = set()
    for node in order:
        if node.kind != "call" or _is_negative_constant(node):
            continue
        operators[node] = 1 + sum(operators[arg] for arg in node.args)
        while operators[node] > MAX_OPERATORS:
            longest = max(node.args, key=operators.__getitem__)
            operators[node] -= operators[longest]
            operators[longest] = 0
            named.add(longest)
        infix = node.function is not None and node.function.symbol is not None
        if node in lets or uses[node] > 1 or not (infix or node in writes):
            operators[node] = 0
            named.add(node)
    return [node for node in order if node in named]


def _is_negative_constant(node: Node) -> bool:
    return node.row is NEG and node.args[0].kind == "const"


def show_step(node: Node, names: Mapping[Node, str]) -> str:
    """What a node is in terms of named ones, for people."""
    return format_expr(to_expr(node, names))


def show_value(node: Node, names: Mapping[Node, str]) -> str:
    """The name of a node, or else what it is."""
    return names.get(node) or show_step(node, names)
