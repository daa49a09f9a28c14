"""A pass that reduces, as the passes without reductions that it runs as.

`runtime/fusewise/core/rows.h` describes them. All have the same reads: those of the pass, then the
totals, then the index of the element in its row. Totals that the forward pass kept for the backward
are row operands of both.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from fusewise.graph.dag import Dag, Node, instructions, rebuild, reduction_depths, topological
from fusewise.graph.passes import Pass, names_of
from fusewise.graph.steps import name_steps
from fusewise.language.formula import INDEX, LENGTH
from fusewise.language.functions.operators import AMAX, SUM
from fusewise.plan.specialize import Specialization
from fusewise.plan.statements import (
    HeldElements,
    KernelPlan,
    Picked,
    RowPass,
    Statements,
    total_name,
)
from fusewise.plan.totals.closed_sums import place_of_term
from fusewise.plan.totals.rescale import Maxima, rescale_phase

# The instructions of an element that make up for the registers which hold its term; an exponential.
WORTH_HOLDING = 8


def plan_rows(dag: Dag, source: Pass, plan: KernelPlan) -> RowPass:
    """The passes of a pass whose statements, with reductions in them, are those of `plan`."""
    phases = _phases(plan.kernel.writes)
    names = {node: f"term{k}" for k, node in enumerate(chain.from_iterable(phases))}
    totals = {
        node: dag.input(total_name(name), node.type, is_element=False)
        for node, name in names.items()
    }
    used = set(topological(plan.kernel.writes))
    index = [node for node in used if node.kind == "input" and node.name == INDEX]
    kept_reads = frozenset(plan.kept.names if source.order else ())
    row_reads = kept_reads.union(names_of(t for t in source.reads if t.extent == "row"))
    whole = replace(
        plan,
        reads=(*plan.reads, *totals.values(), *index),
        params=(*plan.params, dag.param(LENGTH, "int")),
        specialization=Specialization(row_scalars=row_reads | {t.name for t in totals.values()}),
    )

    def part(name: str, writes: Iterable[str], nodes: Iterable[Node]) -> KernelPlan:
        roots = list(nodes)
        done = rebuild(dag, roots, known=totals)
        statements = _statements(whole, [done[node] for node in roots])
        return replace(whole, name=name, write_names=tuple(writes), kernel=statements)

    terms = [
        part(f"totals{k}", map(names.__getitem__, phase), (node.args[0] for node in phase))
        for k, phase in enumerate(phases)
    ]
    row_writes = _row_writes(source, plan)
    written = dict(zip(plan.write_names, plan.kernel.writes, strict=True))
    of_rows = {name: node for name, node in written.items() if name in row_writes}
    of_elements = {name: node for name, node in written.items() if name not in row_writes}
    elements = part("elements", of_elements, of_elements.values()) if of_elements else None
    special = plan.specialization
    vectors = special.broadcast - row_reads - special.row_scalars
    summed = special.summed - row_writes
    reduced = {node.name for part in terms for node in part.kernel.used if node.kind == "input"}
    has_kernel = source.order < 2 and bool(terms or kept_reads) and summed <= special.over_rows
    maxima = tuple(_maxima(phase, names) for phase in phases)
    picked = tuple(None if elements else _picked(phase, names, row_reads) for phase in phases)
    return RowPass(
        totals=tuple(terms),
        maxima=maxima,
        picked=picked,
        rescaled=_rescaled(dag, terms, maxima, picked) if has_kernel and not elements else None,
        reads=tuple(node.name for node in plan.reads),
        writes=plan.write_names,
        kept_reads=kept_reads,
        rows=part("rows", of_rows, of_rows.values()) if of_rows else None,
        elements=elements,
        held_elements=_held(dag, elements, terms) if has_kernel and not summed else None,
        row_reads=row_reads,
        row_writes=row_writes,
        columns=vectors & special.over_rows,
        late=vectors - reduced,
        summed=summed,
        has_row_kernel=has_kernel,
        uses_index=bool(index),
    )


def _maxima(phase: Iterable[Node], names: Mapping[Node, str]) -> frozenset[str]:
    return frozenset(names[node] for node in phase if node.row is AMAX)


def _picked(
    phase: Iterable[Node], names: Mapping[Node, str], row_reads: Container[str]
) -> Picked | None:
    """The picked totals of a phase; those of the first place, if there are several places.

    A pass that writes elements may pick none: where out= is the input, a thread would find what
    another one has stored in place of the element.
    """
    totals: dict[str, list[str]] = {}
    for node in phase:
        place = place_of_term(node.args[0])
        if node.row is SUM and place is not None and place.name in row_reads:
            totals.setdefault(place.name, []).append(names[node])
    return next((Picked(frozenset(found), place) for place, found in totals.items()), None)


def _rescaled(
    dag: Dag,
    phases: Sequence[KernelPlan],
    maxima: Sequence[frozenset[str]],
    picked: Sequence[Picked | None],
) -> KernelPlan | None:
    """`RowPass.rescaled`."""
    if len(phases) != 2 or maxima[1]:
        return None
    before, own = (frozenset(each.totals if each else ()) for each in picked)
    return rescale_phase(dag, Maxima(phases[0], maxima[0], before), phases[1], own)


def _row_writes(source: Pass, plan: KernelPlan) -> frozenset[str]:
    kept = frozenset(() if source.order else plan.kept.names)
    return kept.union(names_of(t for t in source.writes if t.extent == "row"))


def _held(
    dag: Dag, elements: KernelPlan | None, phases: Sequence[KernelPlan]
) -> HeldElements | None:
    """The elements from the term of the last phase that saves most, if that is worth holding."""
    if elements is None or not phases:
        return None
    last = phases[-1]
    candidates = [_of_term(dag, elements, last, k) for k in range(len(last.write_names))]
    best = min(candidates, key=lambda held: _instructions(held.plan))
    is_worth = _instructions(elements) - _instructions(best.plan) >= WORTH_HOLDING
    return best if is_worth else None


def _of_term(dag: Dag, elements: KernelPlan, phase: KernelPlan, term: int) -> HeldElements:
    read = dag.input(phase.write_names[term])
    done = rebuild(dag, elements.kernel.writes, known={phase.kernel.writes[term]: read})
    whole = replace(elements, name="held_elements", reads=(*elements.reads, read))
    statements = _statements(whole, [done[node] for node in elements.kernel.writes])
    return HeldElements(replace(whole, kernel=statements), term)


def _instructions(plan: KernelPlan) -> int:
    return sum(instructions(node) for node in plan.kernel.used if node.is_element)


def _phases(roots: Iterable[Node]) -> list[list[Node]]:
    """The reductions, each in the first phase that has all totals which its terms use."""
    depths = reduction_depths(roots)
    phases: list[list[Node]] = [[] for _ in range(max(depths.values(), default=0))]
    for node, depth in depths.items():
        if node.reduction:
            phases[depth - 1].append(node)
    return phases


def _statements(plan: KernelPlan, writes: Sequence[Node]) -> Statements:
    taken = {node.name for node in (*plan.reads, *plan.params)}
    lets = {node: name for name, node in plan.kernel.steps}
    return Statements(name_steps(writes, lets, taken), tuple(writes))
