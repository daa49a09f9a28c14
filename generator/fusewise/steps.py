"""Expressions cut into named steps: shared ones become one, long ones several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fusewise.dag import Node, topological
from fusewise.primitives import PRIMITIVES

# Operators that one line may hold.
MAX_OPERATORS = 5


def name_steps(
    writes: Sequence[Node], lets: Mapping[Node, str], taken: set[str]
) -> tuple[tuple[str, Node], ...]:
    """The nodes that get a name, in order: lets, calls, and arithmetic used twice or too long.

    A name is the primitive's and a count, unless it is `taken`.
    """
    order = topological(writes)
    uses = Counter(arg for node in order for arg in node.args) + Counter(writes)
    names = taken | set(lets.values())
    operators: dict[Node, int] = {}  # in the line that the node would be printed in
    counters: Counter[str] = Counter()
    steps = []
    for node in order:
        operators[node] = 0
        if node.kind != "call":
            continue
        inside = 1 + sum(operators[arg] for arg in node.args)
        infix = node.name in PRIMITIVES and PRIMITIVES[node.name].symbol is not None
        short = infix and inside <= MAX_OPERATORS
        if node not in lets and uses[node] == 1 and (short or node in writes):
            operators[node] = inside
            continue
        name = lets.get(node)
        while name is None:
            candidate = f"{node.name}{counters[node.name]}"
            counters[node.name] += 1
            name = None if candidate in names else candidate
        steps.append((name, node))
    return tuple(steps)


def show_step(node: Node, names: Mapping[Node, str]) -> str:
    """What a node is in terms of named ones, for people."""

    def show(inner: Node) -> Node:
        if inner in names and inner is not node:
            return Node("input", names[inner])
        if inner.kind != "call":
            return inner
        return Node("call", inner.name, tuple(show(arg) for arg in inner.args))

    return repr(show(node))
