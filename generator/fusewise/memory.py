"""Stage memory: what a pass keeps for its derivative.

Only reads and writes of the pass are kept, never a value in between: that would hold memory and
make a second derivative silently wrong. Which of them is a choice: an output that stands in the
formulas of the derivative can be kept in place of the inputs that it would be recomputed from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, combinations

from fusewise.autodiff import derivative_pass
from fusewise.dag import Node, expand, rebuild, topological
from fusewise.graph import Pass, Tensor
from fusewise.primitives import PRIMITIVES

# What reading one more element costs beside the arithmetic, in units of Primitive.cost: an H200
# does about 27 instructions in the time that it moves four bytes.
ELEMENT_COST = 27


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to give the derivative its values."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    elements: int  # kept, for each element of the loop
    cost: int  # of the derivative's arithmetic

    @property
    def total(self) -> int:
        return self.elements * ELEMENT_COST + self.cost

    def __str__(self) -> str:
        kept = ", ".join(self.inputs + self.outputs) or "nothing"
        return f"{kept}: {self.elements * 4} B of float32 an element, arithmetic {self.cost}"


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The derivative with its choice made, and what was weighed against it."""

    derivative: Pass
    chosen: Alternative
    rejected: tuple[Alternative, ...]

    def __str__(self) -> str:
        lines = [f"{self.derivative.name} keeps {self.chosen}"]
        lines += [f"  rather than {alternative}" for alternative in self.rejected]
        return "\n".join(lines)


def plan_memory(forward: Pass, derivative: Pass) -> MemoryPlan:
    """Chooses among inputs and outputs of `forward` by bytes first read, then arithmetic."""
    used = set(topological(derivative.roots))
    candidates = [
        tensor
        for tensor in forward.writes
        if forward.name
        == "forward"  # a gradient may have been summed: it is no formula of an element
        and tensor.dtype == "float"
        and any(part in used and part.kind == "call" for part in tensor.parts)
    ]
    subsets = chain.from_iterable(combinations(candidates, n) for n in range(len(candidates) + 1))
    plans = [_with_saved(forward, derivative, subset) for subset in subsets]
    plans.sort(key=lambda plan: (plan[0].total, len(plan[0].outputs)))
    (chosen, final), *rest = plans
    return MemoryPlan(final, chosen, tuple(alternative for alternative, _ in rest))


def _with_saved(
    forward: Pass, derivative: Pass, outputs: tuple[Tensor, ...]
) -> tuple[Alternative, Pass]:
    dag = forward.dag
    saved = tuple(
        replace(t, parts=tuple(dag.input(name) for name in t.part_names)) for t in outputs
    )
    known: dict[Node, Node] = {}
    for tensor, read in zip(outputs, saved, strict=True):
        known |= zip(tensor.parts, read.parts, strict=True)
    done = rebuild(dag, derivative.roots, known=known)
    writes = tuple(
        replace(t, parts=tuple(done[part] for part in t.parts)) for t in derivative.writes
    )
    gradients = tuple(t for t in derivative.reads if t.name not in {r.name for r in forward.reads})
    final = replace(
        derivative_pass(forward, gradients, writes, saved), rewrites=derivative.rewrites
    )
    kept = [t for t in final.reads[len(gradients) :] if t not in saved]
    elements = sum(len(t.parts) for t in (*kept, *saved))
    names = tuple(t.name for t in kept)
    lowered = expand(dag, final.roots, lambda primitive: primitive.body)
    cost = sum(_cost(node) for node in topological(lowered[root] for root in final.roots))
    return Alternative(names, tuple(t.name for t in outputs), elements, cost), final


def _cost(node: Node) -> int:
    """Instructions of one node, roughly; selecting and rounding count as one."""
    if node.kind != "call":
        return 0
    return PRIMITIVES[node.name].cost if node.name in PRIMITIVES else 1
