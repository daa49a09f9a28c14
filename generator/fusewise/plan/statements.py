"""The plan of a pass: the statements that run for one element."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sized
from dataclasses import dataclass, field

from fusewise.graph.dag import Node
from fusewise.graph.steps import show_step, show_value
from fusewise.language.functions.operators import AMAX, SUM
from fusewise.plan.kept import KeptTotals
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
    # The totals that the forward pass writes after its outputs, and the backward after its reads
    kept: KeptTotals = field(default_factory=KeptTotals)
    row_pass: RowPass | None = None  # of a pass that reduces: the passes that it runs as

    @property
    def computed(self) -> dict[str, Node]:
        """The writes that equal no other tensor."""
        named = zip(self.write_names, self.kernel.writes, strict=True)
        return {name: node for name, node in named if name not in self.equal}

    @property
    def traffic(self) -> str:
        """A phrase with the memory traffic of one element if no input is broadcast, and of a row.

        The phases of a pass that reduces read a row several times, but from a cache.
        """
        reads = {read.name for read in used_by(self.computed.values()).intersection(self.reads)}
        writes = self.computed.keys()
        rows = self.row_pass.row_reads | self.row_pass.row_writes if self.row_pass else frozenset()
        text = f"{_moved(reads - rows, writes - rows)} for each element"
        if self.row_pass and rows & (reads | writes):
            text += f", {_moved(reads & rows, writes & rows)} for each row"
        equal = ", ".join(f"{name} equals {other}" for name, other in self.equal.items())
        return f"{text}; {equal}" if equal else text

    def __str__(self) -> str:
        if self.row_pass is None:
            lines = [*self.steps, *_assigned(self.formulas)]
        else:
            lines = self.row_pass.lines({read.name for read in self.reads})
        return "\n".join([f"{self.name}: {self.traffic}", *(f"  {line}" for line in lines)])

    @property
    def steps(self) -> list[str]:
        """The steps for people."""
        names = self._names
        return [f"{name} = {show_step(node, names)}" for name, node in self.kernel.steps]

    @property
    def formulas(self) -> dict[str, str]:
        """The writes for people."""
        names = self._names
        pairs = zip(self.write_names, self.kernel.writes, strict=True)
        return {name: show_value(node, names) for name, node in pairs}

    @property
    def _names(self) -> dict[Node, str]:
        return {node: name for name, node in self.kernel.steps}


def _assigned(formulas: Mapping[str, str]) -> list[str]:
    return [f"{name} = {formula}" for name, formula in formulas.items()]


def _moved(reads: Sized, writes: Sized) -> str:
    return f"{len(reads)} read and {len(writes)} written"


def total_name(term: str) -> str:
    """The name of a total, from that of its terms."""
    return term.replace("term", "total")


@dataclass(frozen=True, slots=True)
class HeldElements:
    """The elements as a formula of a term of the last phase, which is a read after all others."""

    plan: KernelPlan
    term: int  # its number in the phase


@dataclass(frozen=True, slots=True)
class Picked:
    """The totals of a phase that are one term each: the others are zero."""

    totals: frozenset[str]
    place: str  # the row read that is the index of the term's element


@dataclass(frozen=True, slots=True)
class RowPass:
    """What a pass that reduces runs as. A total is the result of one reduction for each row."""

    totals: tuple[KernelPlan, ...]  # the terms of each phase, which are reduced over the row
    maxima: tuple[frozenset[str], ...]  # of each phase, the totals that are maxima; others are sums
    picked: tuple[Picked | None, ...]  # of each phase
    # If kernels compute both phases in one read of a row: the totals of the second one, relative to
    # the maxima of the row, of a tile, a part of it. The reads are these totals relative to the
    # maxima of the tile; the totals of the first phase, of the tile and of the row; and the number
    # of elements.
    rescaled: KernelPlan | None
    reads: tuple[str, ...]  # of the whole pass
    writes: tuple[str, ...]
    kept_reads: frozenset[str]  # the reads that are totals of the forward pass
    rows: KernelPlan | None  # the writes with one value for each row
    elements: KernelPlan | None  # all other writes
    held_elements: HeldElements | None  # the same for a row kernel, if a term makes them cheaper
    row_reads: frozenset[str]  # the reads with one value for each row
    row_writes: frozenset[str]
    columns: frozenset[str]  # the reads that are the same in all rows, at the typical shapes
    late: frozenset[str]  # the reads that are broadcast at these shapes, and that no phase reads
    summed: frozenset[str]  # the writes that are sums over rows, at the typical shapes
    # Whether a GPU has a kernel for all of the pass. It sums over all rows or over none. The second
    # derivative seldom runs, and a kernel of its own takes long to compile.
    has_row_kernel: bool
    uses_index: bool

    @property
    def parts(self) -> tuple[KernelPlan, ...]:
        return (*self.totals, *filter(None, (self.rows, self.elements)))

    def lines(self, reads: Container[str]) -> list[str]:
        """The phases for people: what they read of the pass, and their statements."""
        lines = []
        for k, (part, maxima) in enumerate(zip(self.totals, self.maxima, strict=True), start=1):
            totals = {
                total_name(name): f"{(AMAX if name in maxima else SUM).name}({text})"
                for name, text in part.formulas.items()
            }
            lines += _phase(f"phase {k}", part, reads, totals)
        for name, part in (("for each row", self.rows), ("for each element", self.elements)):
            lines += _phase(name, part, reads, part.formulas) if part else []
        return lines

    @property
    def num_totals(self) -> int:
        return sum(len(phase.write_names) for phase in self.totals)


def _phase(
    name: str, part: KernelPlan, reads: Container[str], formulas: Mapping[str, str]
) -> list[str]:
    used = [node.name for node in part.reads if node in part.kernel.used and node.name in reads]
    title = f"{name}, reads {', '.join(used)}:" if used else f"{name}:"
    return [title, *(f"  {line}" for line in (*part.steps, *_assigned(formulas)))]
