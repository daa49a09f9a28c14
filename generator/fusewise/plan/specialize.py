"""Specialization of kernels for the typical shapes of a spec.

No size is taken from these shapes, only how the inputs broadcast. A kernel is specialized in three
ways; docs/spec.md describes them, "Typical shapes".

- Reads that are broadcast are loaded repeatedly, and a thread of a GPU processes more vectors.
- Values of row scalars and params are computed once a row instead of once an element.
- A reduction kernel is compiled for the sums of the backward and for no others.

Without typical shapes, each call decides which inputs after the first are row scalars.

A call with other shapes runs general kernels. Results do not depend on the typical shapes, except
for rounding on a GPU.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from fusewise.graph.passes import Pass, names_of
from fusewise.language.model import Spec

Shape = tuple[int, ...]
Case = tuple[Shape, Mapping[str | None, Shape]]  # the loop, and each input in the loop's dimensions


@dataclass(frozen=True, slots=True)
class Specialization:
    """What the kernels of a pass are specialized for, in names of parts; by default for nothing."""

    broadcast: frozenset[str] = frozenset()  # reads that are smaller than the loop, or absent
    row_scalars: frozenset[str] = frozenset()  # reads that are one number for each row
    possible_row_scalars: frozenset[str] = frozenset()  # reads that may be, as each call decides
    summed: frozenset[str] = frozenset()  # gradients that are sums
    full: frozenset[str] = frozenset()  # the operands as large as the loop, where there are sums
    over_rows: frozenset[str] = frozenset()  # reads that all rows share, and sums over all rows
    two_axis: bool = False  # whether two gradients are sums over different dimensions


GENERAL = Specialization()


def specialize(spec: Spec, source: Pass) -> Specialization:
    cases = [_case(spec, dict(shapes)) for shapes in spec.shapes]
    broadcast = {name for loop, sizes in cases for name, size in sizes.items() if size != loop}
    if not cases:
        broadcast = {entry.name for entry in spec.inputs[1:]}
    # Other calls need a second loop; a double backward runs too seldom for one.
    rows = cases[:1] if source.order < 2 else []
    shared = {
        entry.name
        for entry in spec.inputs
        if cases and all(set(sizes[entry.name][:-1]) <= {1} for _, sizes in cases)
    }
    row_scalars = {name for _, sizes in rows for name, size in sizes.items() if size[-1:] == (1,)}
    possible = broadcast if not cases and source.order < 2 else ()
    reduced = cases if source.order == 1 else []
    two_axis = any(_has_two_axes(source, case) for case in reduced)
    sums = {found for case in reduced if (found := _sums(source, case))[0]}
    is_one_kind = len(sums) == 1 and not two_axis
    summed, full = sums.pop() if is_one_kind else (frozenset[str](), frozenset[str]())
    return Specialization(
        broadcast=_reads(source, broadcast),
        row_scalars=_reads(source, row_scalars),
        possible_row_scalars=_reads(source, possible),
        summed=summed,
        full=full,
        over_rows=_reads(source, shared & broadcast) | _writes(source, shared & broadcast),
        two_axis=two_axis,
    )


def _case(spec: Spec, shapes: Mapping[str, Shape]) -> Case:
    """The size of an input that is absent is ()."""
    loop = spec.loop_shape(shapes)
    sizes: dict[str | None, Shape] = {}
    for entry in spec.inputs:
        small = spec.part_shape(entry, shapes[entry.name]) if entry.name in shapes else ()
        sizes[entry.name] = (1,) * (len(loop) - len(small)) + small if small else ()
    return loop, sizes


def _reads(source: Pass, names: Collection[str | None]) -> frozenset[str]:
    """The parts of those reads that have one of the names."""
    return frozenset(names_of(tensor for tensor in source.reads if tensor.name in names))


def _writes(source: Pass, names: Collection[str | None]) -> frozenset[str]:
    """The parts of the gradients of inputs that have one of the names."""
    return frozenset(names_of(tensor for tensor in source.writes if tensor.like in names))


def _has_two_axes(source: Pass, case: Case) -> bool:
    """Whether two gradients are sums over different dimensions, other than the last."""
    loop, sizes = case
    small = [sizes.get(tensor.like, loop) or loop for tensor in source.writes]
    summed = [{d for d in range(len(loop) - 1) if size[d] < loop[d]} for size in small]
    pairs = itertools.combinations(filter(None, summed), 2)
    return any(one.isdisjoint(other) for one, other in pairs)


def _sums(source: Pass, case: Case) -> tuple[frozenset[str], frozenset[str]]:
    """The writes that are sums, and the operands as large as the loop."""
    loop, sizes = case
    full = {part.name for t in source.reads if sizes.get(t.name, loop) == loop for part in t.parts}
    summed: set[str] = set()
    computed = set()  # autograd asks for equal gradients of one size once
    for tensor in source.writes:
        size = sizes.get(tensor.like, loop)
        equal = source.equal_to(tensor) or tensor
        is_forwarded = equal in source.reads and size == loop
        if size and not is_forwarded and (equal.name, size) not in computed:
            computed.add((equal.name, size))
            (full if size == loop else summed).update(tensor.part_names)
    return frozenset(summed), frozenset(full)
