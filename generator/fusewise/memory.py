"""Stage memory: what a pass keeps for its derivative.

Only reads and writes of the pass are kept, never a value in between: that would hold memory and
make a second derivative silently wrong. Which of them is a choice: an output that stands in the
formulas of the derivative can be kept in place of the inputs that it would be recomputed from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
        if tensor.dtype == "float"
        and forward.name == "forward"  # a gradient may be a sum, not the formula of an element
        and any(part in used and part.kind == "call" for part in tensor.parts)
    ]
    best = _with_saved(forward, derivative, ())
    rejected = []
    while candidates:  # the output that helps most, as long as one does
        plans = [_with_saved(forward, derivative, (*best[2], tensor)) for tensor in candidates]
        nearest = min(plans, key=lambda plan: plan[0].total)
        rejected += [plan[0] for plan in plans if plan is not nearest]
        if nearest[0].total >= best[0].total:
            rejected.append(nearest[0])
            break
        rejected.append(best[0])
        best = nearest
        candidates = [tensor for tensor in candidates if tensor not in best[2]]
    rejected.sort(key=lambda alternative: alternative.total)
    return MemoryPlan(best[1], best[0], tuple(rejected))


def _with_saved(
    forward: Pass, derivative: Pass, outputs: tuple[Tensor, ...]
) -> tuple[Alternative, Pass, tuple[Tensor, ...]]:
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
    return Alternative(names, tuple(t.name for t in outputs), elements, cost), final, outputs


def _cost(node: Node) -> int:
    """Instructions of one node, roughly; selecting and rounding count as one."""
    if node.kind != "call":
        return 0
    return PRIMITIVES[node.name].cost if node.name in PRIMITIVES else 1
