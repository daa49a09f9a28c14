"""The plan of a pass: the statements that run for one element."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from fusewise.graph.dag import Node
from fusewise.graph.steps import show_step
from fusewise.plan.specialize import Specialization


@dataclass(frozen=True, slots=True)
class Statements:
    """Named steps in order, then the writes. A step uses only reads, params and earlier steps."""

    steps: tuple[tuple[str, Node], ...]
    writes: tuple[Node, ...]

    @property
    def used(self) -> set[Node]:
        return used_by(self.writes)


def used_by(nodes: Iterable[Node], given: Container[Node] = ()) -> set[Node]:
    """The nodes that these nodes depend on. The last argument of `round_to` gives only its dtype.

    The dependencies of nodes in `given` are not followed.
    """
    seen: set[Node] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if node not in given:
                stack += node.args[: node.form.type_of] if node.form else node.args
    return seen


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """The reads, statements and writes of a pass for one element."""

    name: str  # forward, backward or double_backward
    reads: tuple[Node, ...]
    specialization: Specialization
    params: tuple[Node, ...]
    write_names: tuple[str, ...]
    kernel: Statements  # in functions of math.h
    decomposition: Statements  # in functions of ATen
    decomposes: bool  # True if autograd of the decomposition gives the op's gradient
    equal: Mapping[str, str]  # the tensor that a gradient equals, by the gradient's name
    row_pass: RowPass | None = None  # of a pass that reduces: the passes that it runs as

    @property
    def computed(self) -> dict[str, Node]:
        """The writes that equal no other tensor."""
        named = zip(self.write_names, self.kernel.writes, strict=True)
        return {name: node for name, node in named if name not in self.equal}

    @property
    def traffic(self) -> str:
        """A phrase with the memory traffic of one element if no input is broadcast."""
        reads = used_by(self.computed.values()).intersection(self.reads)
        text = f"{len(reads)} read and {len(self.computed)} written for each element"
        equal = ", ".join(f"{name} equals {other}" for name, other in self.equal.items())
        return f"{text}; {equal}" if equal else text

    def __str__(self) -> str:
        names = {node: name for name, node in self.kernel.steps}
        lines = [f"  {name} = {show_step(node, names)}" for name, node in self.kernel.steps]
        for name, node in zip(self.write_names, self.kernel.writes, strict=True):
            lines.append(f"  {name} = {names.get(node) or show_step(node, names)}")
        return "\n".join([f"{self.name}: {self.traffic}", *lines])


@dataclass(frozen=True, slots=True)
class RowPass:
    """What a pass that reduces runs as. A total is the result of one reduction for each row."""

    totals: tuple[KernelPlan, ...]  # the terms of each phase, which are reduced over the row
    maxima: tuple[frozenset[str], ...]  # of each phase, the totals that are maxima; others are sums
    rows: KernelPlan | None  # the writes with one value for each row
    elements: KernelPlan | None  # all other writes
    row_reads: frozenset[str]  # the reads with one value for each row
    row_writes: frozenset[str]
    columns: frozenset[str]  # the reads that are the same in all rows, at the typical shapes
    summed: frozenset[str]  # the writes that are sums over the rows, at the typical shapes
    uses_index: bool

    @property
    def parts(self) -> tuple[KernelPlan, ...]:
        return (*self.totals, *filter(None, (self.rows, self.elements)))

    @property
    def num_totals(self) -> int:
        return sum(len(phase.write_names) for phase in self.totals)
