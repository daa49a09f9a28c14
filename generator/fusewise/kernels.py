"""Stage kernels: a pass as the statements that run for one element.

Functions are expanded to those that the target has (math.h for kernels, ATen for the composite).
Shared expressions become named steps; plain arithmetic used once stays in the line that uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fusewise.formula import Expr
from fusewise.graph import Node, Pass, expand, rebuild, topological
from fusewise.primitives import PRIMITIVES, Primitive

AUTOGRAD_FORMS = ("stop_grad", "straight_through")
# Operators that one line may hold: longer ones are cut into named steps.
MAX_OPERATORS = 5


@dataclass(frozen=True, slots=True)
class Statements:
    """Named steps in order, each using only reads, params and steps before it, then the writes."""

    steps: tuple[tuple[str, Node], ...]
    writes: tuple[Node, ...]

    @property
    def used(self) -> set[Node]:
        return set(topological(self.writes))


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """What a pass reads, computes and writes for each element."""

    name: str  # forward, backward or double_backward
    reads: tuple[Node, ...]
    params: tuple[Node, ...]
    write_names: tuple[str, ...]
    kernel: Statements  # in functions of math.h
    composite: Statements  # in functions of ATen

    @property
    def read_elements(self) -> int:
        return len(self.kernel.used.intersection(self.reads))

    def __str__(self) -> str:
        names = {node: name for name, node in self.kernel.steps}
        lines = [
            f"  {name} = {shown_node(node, names, root=True)}" for name, node in self.kernel.steps
        ]
        pairs = zip(self.write_names, self.kernel.writes, strict=True)
        lines += [f"  {name} = {shown_node(node, names)}" for name, node in pairs]
        traffic = f"{self.read_elements} read and {len(self.write_names)} written an element"
        return "\n".join([f"{self.name}: {traffic}", *lines])


def plan_kernels(source: Pass) -> KernelPlan:
    """The statements of a pass, each value computed once."""
    dag = source.dag
    roots = (*source.roots, *(node for _, node in source.lets))
    values = rebuild(dag, roots, _value)
    kernel = expand(dag, values.values(), lambda primitive: primitive.body)
    composite = expand(dag, roots, _aten_form)
    return KernelPlan(
        name=source.name,
        reads=tuple(part for tensor in source.reads for part in tensor.parts),
        params=source.params,
        write_names=tuple(name for tensor in source.writes for name in tensor.part_names),
        kernel=_statements(source, {node: kernel[values[node]] for node in roots}),
        composite=_statements(source, composite),
    )


def _value(node: Node) -> Node | None:
    """What a form that means something to autograd only, as stop_grad does, is in a kernel."""
    return node.args[0] if node.kind == "call" and node.name in AUTOGRAD_FORMS else None


def _aten_form(primitive: Primitive) -> Expr | None:
    return None if isinstance(primitive.aten, str) else primitive.aten


def _statements(source: Pass, lowered: dict[Node, Node]) -> Statements:
    writes = tuple(lowered[part] for part in source.roots)
    lets = {lowered[node]: name for name, node in source.lets if lowered[node].kind == "call"}
    taken = {part.name for tensor in source.reads for part in tensor.parts}
    taken |= {param.name for param in source.params}
    return Statements(_name_steps(writes, lets, taken), writes)


def _name_steps(
    writes: tuple[Node, ...], lets: Mapping[Node, str], taken: set[str]
) -> tuple[tuple[str, Node], ...]:
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


def shown_node(node: Node, names: Mapping[Node, str], root: bool = False) -> str:
    """A node for people, in terms of named ones; `root` shows what stands behind its own name."""

    def show(inner: Node) -> Node:
        if inner in names and not (root and inner is node):
            return Node("input", names[inner])
        if inner.kind != "call":
            return inner
        return Node("call", inner.name, tuple(show(arg) for arg in inner.args))

    return repr(show(node))
