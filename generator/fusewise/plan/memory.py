"""The memory plan: the tensors that a pass saves for its derivative.

Only reads and writes of the pass are saved. An intermediate value would occupy memory and make a
second derivative silently wrong. An output that occurs in the derivative can be saved in place of
the inputs from which it would be recomputed, so there is a choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fusewise.derive.autodiff import derivative_pass
from fusewise.graph.dag import Dag, Node, instructions, lower, rebuild, topological
from fusewise.graph.passes import Operand, Pass
from fusewise.language.errors import Problem, SpecError
from fusewise.language.model import Save
from fusewise.plan.cost import FLOAT_BYTES, H200

# The cost of one more float32 read, in instructions that take the same time.
ELEMENT_COST = round(FLOAT_BYTES["float32"] * H200.instructions_per_second / H200.bytes_per_second)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One choice of the tensors to save for the derivative."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_elements: int  # saved for each element of the loop, and kept for this op alone
    output_elements: int  # saved for each element of the loop
    cost: int  # the arithmetic of the derivative, in instructions

    @property
    def names(self) -> str:
        return ", ".join(self.inputs + self.outputs) or "nothing"

    @property
    def elements(self) -> int:
        return self.input_elements + self.output_elements

    @property
    def total(self) -> int:
        return self.elements * ELEMENT_COST + self.cost

    def __str__(self) -> str:
        return f"{self.names}: {self.elements * 4} B of float32 an element, arithmetic {self.cost}"


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The derivative with the chosen saved tensors, and the rejected alternatives, best first."""

    derivative: Pass
    chosen: Alternative
    rejected: tuple[Alternative, ...]
    pinned: bool = False  # by the user

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [(*FLOAT_BYTES, "held", "instructions", "total", "keeps")]
        rows += map(_row, (self.chosen, *self.rejected))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for mark, (*numbers, names) in zip(" *" + " " * len(rows), rows, strict=False):
            lines.append("  ".join([mark, *map(str.rjust, numbers, widths), names]))
        return "\n".join([f"{self.derivative.name}:", *lines, f"  {self.reason}", *self._shares()])

    @property
    def kept_for(self) -> dict[str, tuple[str, ...]]:
        """The tensors that each gradient needs. An op saves those of the required gradients."""
        kept = {*self.chosen.inputs, *self.chosen.outputs}
        return {
            write.name: tuple(
                read.name for read in self.derivative.reads_of(write) if read.name in kept
            )
            for write in self.derivative.writes
        }

    def _shares(self) -> list[str]:
        """One line for each gradient that needs fewer tensors than all gradients together."""
        kept = self.chosen.inputs + self.chosen.outputs
        return [
            f"  for {name} alone: {', '.join(names) or 'nothing'}"
            for name, names in self.kept_for.items()
            if len(names) < len(kept)
        ]

    @property
    def reason(self) -> str:
        """A sentence with the reason for the choice."""
        if self.pinned:
            best = min((self.chosen, *self.rejected), key=lambda other: other.total)
            return f"pinned by `save`; the choice without it is {best.names}"
        if not self.chosen.elements:
            return "the formulas are made of gradients and params alone"
        if self.derivative.order > 1:
            return "the writes of a backward may be sums, so its reads are kept"
        if not self.rejected:
            return "the formulas read no output; other values are recomputed from the kept tensors"
        other = self.rejected[0]
        more = 4 * (other.elements - self.chosen.elements)
        read = f"{_compared(more)} bytes" if more else "as much"
        arithmetic = f"{_compared(other.cost - self.chosen.cost)} instructions"
        return f"{other.names} would read {read} and take {arithmetic}; 4 B weigh {ELEMENT_COST}"


def plan_memory(forward: Pass, derivative: Pass, save: Save | None = None) -> MemoryPlan:
    """The cheapest choice of saved inputs and outputs of `forward`: bytes read plus arithmetic.

    With `save`, the user's choice. Listed tensors that the derivative does not need are left out.

    Raises:
        SpecError: the derivative needs an input that `save` does not list.
    """
    dag = derivative.dag.copy()
    forward, derivative = replace(forward, dag=dag), replace(derivative, dag=dag)
    used = set(topological(derivative.roots))
    candidates = [
        tensor
        for tensor in forward.writes
        if tensor.dtype == "float"
        and tensor.dtype_like is None  # stored in the promoted dtype
        and forward.order == 0  # a gradient may be a sum, not the formula of an element
        and any(part in used and part.kind == "call" for part in tensor.parts)
    ]
    best = _trial(forward, derivative, ())
    trials = [best]
    left = candidates
    while left:  # greedy: add the output that reduces the cost most
        further = [_trial(forward, derivative, (*best.outputs, tensor)) for tensor in left]
        nearest = min(further, key=lambda trial: trial.alternative.total)
        trials += further
        if nearest.alternative.total >= best.alternative.total:
            break
        best = nearest
        left = [tensor for tensor in left if tensor not in best.outputs]
    if save is not None:
        listed = {name.id for name in save.names}
        best = _trial(forward, derivative, tuple(t for t in candidates if t.name in listed))
        _check_complete(save, best)
    others = {trial.alternative for trial in trials} - {best.alternative}
    rejected = sorted(others, key=lambda other: (other.total, other.names))
    return MemoryPlan(best.derivative, best.alternative, tuple(rejected), save is not None)


def check_save(save: Save, plans: Sequence[MemoryPlan]) -> None:
    """Raises `SpecError` if `save` lists a tensor that no backward pass of the op needs."""
    used = {name for plan in plans for name in (*plan.chosen.inputs, *plan.chosen.outputs)}
    kept = ", ".join(name.id for name in save.names if name.id in used)
    problems = [
        Problem(
            f"the backward has no use for '{name.id}'", name.location, f"delete it: save: [{kept}]"
        )
        for name in save.names
        if name.id not in used
    ]
    if problems:
        raise SpecError(*problems)


@dataclass(frozen=True, slots=True)
class _Trial:
    """The derivative in terms of some saved outputs and the inputs that it still needs."""

    alternative: Alternative
    derivative: Pass
    outputs: tuple[Operand, ...]


def _trial(forward: Pass, derivative: Pass, outputs: tuple[Operand, ...]) -> _Trial:
    dag = forward.dag
    saved = {tensor: replace(tensor, parts=_read_again(dag, tensor)) for tensor in outputs}
    known: dict[Node, Node] = {}
    for tensor, read in saved.items():
        known |= zip(tensor.parts, read.parts, strict=True)
    done = rebuild(dag, derivative.roots, known=known)
    writes = tuple(
        replace(t, parts=tuple(done[part] for part in t.parts)) for t in derivative.writes
    )
    used = set(topological(done[root] for root in derivative.roots))
    reads = tuple(read for read in saved.values() if used.intersection(read.parts))
    final = replace(
        derivative_pass(forward, derivative.incoming, writes, reads), rewrites=derivative.rewrites
    )
    inputs = final.reads[len(final.incoming) : len(final.reads) - len(reads)]
    lowered = lower(dag, final.roots)
    alternative = Alternative(
        inputs=tuple(t.name for t in inputs),
        outputs=tuple(t.name for t in reads),
        input_elements=sum(len(t.parts) for t in inputs),
        output_elements=sum(len(t.parts) for t in reads),
        cost=sum(map(instructions, topological(lowered[root] for root in final.roots))),
    )
    return _Trial(alternative, final, outputs)


def _read_again(dag: Dag, tensor: Operand) -> tuple[Node, ...]:
    is_element = tensor.extent == "element"
    return tuple(dag.input(name, is_element=is_element) for name in tensor.part_names)


def _check_complete(save: Save, trial: _Trial) -> None:
    """Raises `SpecError` if the derivative reads an input that `save` does not list."""
    listed = {name.id for name in save.names}
    missing: dict[tuple[str, ...], list[str]] = {}  # inputs, by the gradients that need them
    for tensor in trial.derivative.reads:
        if tensor.name in trial.alternative.inputs and tensor.name not in listed:
            parts = set(tensor.parts)
            writes = [t.name for t in trial.derivative.writes if parts & set(topological(t.parts))]
            missing.setdefault(tuple(writes), []).append(f"'{tensor.name}'")
    problems = []
    for writes, names in missing.items():
        need = f"{_joined(writes)} need{'s' * (len(writes) == 1)} {_joined(names)}"
        hint = f"add {'it' if len(names) == 1 else 'them'}: save: [{trial.alternative.names}]"
        problems.append(Problem(f"{need}, which 'save' does not list", save.location, hint))
    if problems:
        raise SpecError(*problems)


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _row(alternative: Alternative) -> tuple[str, ...]:
    sizes = [alternative.elements * size for size in FLOAT_BYTES.values()]
    sizes.append(alternative.input_elements * FLOAT_BYTES["float32"])
    numbers = (alternative.cost, alternative.total)
    return (*(f"{size} B" for size in sizes), *map(str, numbers), alternative.names)


def _compared(difference: int) -> str:
    return f"{abs(difference)} {'more' if difference >= 0 else 'fewer'}"
