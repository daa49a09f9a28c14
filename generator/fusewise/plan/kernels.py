"""A pass as the statements that run for one element.

Composite functions are expanded to functions of the target: math.h for kernels, ATen for the
decomposition. Shared expressions become named steps. Arithmetic that is used once stays inline.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from fusewise.derive.simplify import take_apart
from fusewise.graph.dag import Dag, Node, expand, instructions, lower, rebuild, topological
from fusewise.graph.passes import Pass, names_of
from fusewise.graph.steps import name_steps
from fusewise.language.formula import Expr
from fusewise.language.functions import Function, Reduction
from fusewise.plan.guards import guard_branches
from fusewise.plan.kept import KeptTotals, keep_totals
from fusewise.plan.rows import plan_rows
from fusewise.plan.specialize import GENERAL, Specialization
from fusewise.plan.statements import KernelPlan, Statements, used_by
from fusewise.plan.totals.closed_sums import closed_sum
from fusewise.plan.totals.softmax import exp_below_maximum, sum_of_logarithms

WORTH_HOISTING = 8  # instructions that a value held in a register saves an element


def _row_invariant_nodes(nodes: Iterable[Node], row_scalars: Container[str]) -> set[Node]:
    """The row-invariant nodes, if the reads named `row_scalars` are row scalars.

    nodes: in an order in which arguments come before their users.
    """
    invariant: set[Node] = set()
    for node in nodes:
        reads_type = node.form is not None and node.form.type_of is not None
        if reads_type:
            continue
        is_call = node.kind == "call" and not node.reduction
        is_leaf = not node.is_element or node.name in row_scalars
        if invariant.issuperset(node.args) if is_call else is_leaf:
            invariant.add(node)
    return invariant


def hoisted_values(plan: KernelPlan) -> tuple[Node, ...]:
    """The row-invariant values that are hoisted out of the loop over a row.

    If there are none, those that are row-invariant if the possible row scalars are row scalars.
    """
    special = plan.specialization
    always = _hoisted_values(plan, special.row_scalars)
    return always or _hoisted_values(plan, special.possible_row_scalars)


def _hoisted_values(plan: KernelPlan, row_scalars: Container[str]) -> tuple[Node, ...]:
    """The values that are row-invariant and hoisted, if these reads are row scalars.

    Other values or the writes use them, and each costs at least `WORTH_HOISTING` instructions.
    """
    used = sorted(plan.kernel.used, key=lambda node: node.index)  # arguments first
    invariant = _row_invariant_nodes(used, row_scalars)
    needed = {arg for node in used if node not in invariant for arg in node.args}
    needed.update(plan.kernel.writes)
    candidates = invariant & needed
    return tuple(
        node
        for node in used
        if node in candidates and sum(map(instructions, used_by([node]))) >= WORTH_HOISTING
    )


def plan_kernels(
    passes: Sequence[Pass],
    specializations: Sequence[Specialization] = (),
    carrier: Pass | None = None,
    decomposes: bool = True,
) -> tuple[KernelPlan, ...]:
    """The statements of an op's passes, with each value computed once. They share one DAG.

    specializations: one for each pass; by default none, which gives general kernels.
    carrier: a pass with the values of the forward pass but other gradients, for its decomposition.
    """
    dag = (carrier or passes[-1]).dag.copy()
    values = {source.order: _values(dag, source) for source in passes}
    kept = KeptTotals()
    if {0, 1} <= values.keys():
        written = [[values[s.order][root] for root in s.roots] for s in passes]
        kept = keep_totals(dag, written[0], written[1])
        given = rebuild(dag, values[1].values(), known=kept.inputs)
        values[1] = {node: given[value] for node, value in values[1].items()}
    # A total and the elements that are compared with it have to be computed alike.
    alike = [value for order in (0, 1) for value in values[order].values()] if kept.inputs else []
    plans = []
    for source, special in zip(passes, specializations or [GENERAL] * len(passes), strict=True):
        ours, beside = (kept, alike) if source.order < 2 else (KeptTotals(), [])
        found = values[source.order] | {total: total for total in ours.inputs if not source.order}
        lowered = _lowered(dag, found, special, beside)
        recorded = source if source.order or carrier is None else carrier
        plan = _plan(dag, source, special, recorded, lowered, ours)
        plans.append(plan if source.order else replace(plan, decomposes=decomposes))
    return tuple(plans)


def _values(dag: Dag, source: Pass) -> dict[Node, Node]:
    """The formulas of a pass in sums and maxima, as few as can be, without forms for autograd."""
    roots = source.formulas
    values = rebuild(
        dag,
        roots,
        lambda node: (
            _value(node)
            or take_apart(dag, node)
            or sum_of_logarithms(dag, node)
            or closed_sum(dag, node)
        ),
    )
    expanded = expand(dag, values.values(), lambda row: row.body)
    bounded = rebuild(dag, expanded.values(), lambda node: exp_below_maximum(dag, node))
    return {node: bounded[expanded[values[node]]] for node in roots}


def _lowered(
    dag: Dag, values: Mapping[Node, Node], special: Specialization, beside: Sequence[Node]
) -> dict[Node, Node]:
    """The values in functions of `math.h`, in the forms that share most with those beside them."""
    kernel = lower(dag, [*values.values(), *beside])
    lowered = _share_divisors(dag, [kernel[value] for value in values.values()], special)
    return dict(zip(values, lowered, strict=True))


def _plan(
    dag: Dag,
    source: Pass,
    specialization: Specialization,
    recorded: Pass,
    lowered: dict[Node, Node],
    kept: KeptTotals,
) -> KernelPlan:
    """The statements of a pass, whose formulas are `lowered`. The forward pass writes kept totals.

    `recorded` gives the statements of the decomposition.
    """
    given = kept.inputs.values() if source.order else ()
    totals = () if source.order else tuple(kept.inputs)
    # Only third derivatives would need those of a derivative, which make it several times as long.
    guarded = guard_branches(dag, recorded.formulas, guards_rows=not source.order)
    forms = expand(dag, guarded.values(), _aten_form)
    decomposition = {node: forms[guarded[node]] for node in guarded}
    reads = tuple(part for tensor in source.reads for part in tensor.parts)
    plan = KernelPlan(
        name=source.name,
        reads=(*reads, *given),
        specialization=specialization,
        params=source.params,
        write_names=(*names_of(source.writes), *(kept.names if totals else ())),
        kernel=_statements(source, lowered, totals),
        decomposition=_statements(recorded, decomposition),
        decomposes=True,
        kept=kept,
        equal={
            name: other
            for tensor in source.writes
            if (equal := source.equal_to(tensor))
            for name, other in zip(tensor.part_names, equal.part_names, strict=True)
        },
    )
    return replace(plan, row_pass=plan_rows(dag, source, plan)) if source.reduces else plan


def _share_divisors(dag: Dag, roots: Iterable[Node], specialization: Specialization) -> list[Node]:
    """The roots, with the `row_invariant` form of calls whose last argument alone is row-invariant.

    A call with a constant last argument is unchanged.
    """
    invariant = _row_invariant_nodes(topological(roots), specialization.row_scalars)

    def share(node: Node) -> Node | None:
        function = node.function
        if function is None or function.row_invariant is None:
            return None
        *others, last = node.args
        if last not in invariant or last.kind == "const" or invariant.issuperset(others):
            return None
        return dag.build(function.row_invariant, dict(zip(function.params, node.args, strict=True)))

    shared = rebuild(dag, roots, share)
    return [shared[node] for node in roots]


def _value(node: Node) -> Node | None:
    """The argument that a kernel computes in place of a form for autograd, such as stop_grad."""
    return node.args[0] if node.form and node.form.autograd_only else None


def _aten_form(row: Function | Reduction) -> Expr | None:
    if isinstance(row, Reduction):
        return None if row.aten else row.body
    return None if isinstance(row.aten, str) else row.aten


def _statements(
    source: Pass, lowered: Mapping[Node, Node], totals: Sequence[Node] = ()
) -> Statements:
    writes = tuple(lowered[part] for part in (*source.roots, *totals))
    lets = {lowered[node]: name for name, node in source.lets if lowered[node].kind == "call"}
    return Statements(name_steps(writes, lets, source.given_names), writes)
