"""Sums relative to maxima, found in one read of a row, as in an online softmax.

The terms of a phase may depend on maxima of the phase before, as `exp(x - amax(x))`. A kernel adds
them relative to the maxima of a tile, a part of the row. From such sums, the rescaled ones follow:
those relative to the maxima of the row. Source: Milakov and Gimelshein 2018, arXiv:1805.02867.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from fusewise.graph.dag import Dag, Node, topological
from fusewise.graph.steps import name_steps
from fusewise.language.formula import parse_formula
from fusewise.language.functions import Function
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import (
    ADD,
    DIV,
    DIV_SHARED,
    EQ,
    EXP,
    EXP_NEGATIVE,
    MUL,
    NEG,
    SUB,
)
from fusewise.plan.specialize import GENERAL
from fusewise.plan.statements import KernelPlan, Statements, total_name, used_by

# How much the maximum of a tile exceeds that of the row. It is zero for equal infinities, and for a
# tile of minus infinity alone, whose exponentials are zero whatever they are relative to. If the
# whole row is minus infinity, it is NaN, as the exponentials are.
_IS_NONE = "row > -inf and (tile == row or tile == -inf)"
_DIFFERENCE = parse_formula(f"0 if {_IS_NONE} else tile - row")
# The number that `logsumexp` subtracts.
_FINITE = parse_formula("0 if abs(x) == inf else x")
_FINITE_DIFFERENCE = parse_formula(
    f"0 if {_IS_NONE} else (0 if abs(tile) == inf else tile) - (0 if abs(row) == inf else row)"
)


ARITHMETIC = frozenset((ADD, SUB, NEG, MUL, DIV, DIV_SHARED))
EXPONENTIALS = frozenset((EXP, EXP_NEGATIVE))


@dataclass(frozen=True, slots=True)
class Maxima:
    """A phase, and by the names of their terms those of its totals that are maxima, or picked."""

    phase: KernelPlan
    names: frozenset[str]
    picked: frozenset[str]


def rescale_phase(
    dag: Dag, maxima: Maxima, phase: KernelPlan, picked: Container[str]
) -> KernelPlan | None:
    """The rescaled sums of a phase, as `RowPass.rescaled` describes them.

    maxima: the phase before. picked: the terms of sums that are not rescaled.
    None: the sums do not follow from those of a tile.
    """
    dag, numbers = dag.copy(), Dag()
    sums = {name: numbers.input(total_name(name)) for name in phase.write_names}
    before = {total_name(name): name for name in maxima.phase.write_names}
    maxima_of_tile = {name: numbers.input(total) for total, name in before.items()}
    maxima_of_row = {name: numbers.input(f"row_{total}") for total, name in before.items()}
    terms = dict(zip(phase.write_names, phase.kernel.writes, strict=True))
    wanted = {name: term for name, term in terms.items() if name not in picked}
    differences = {}
    used = used_by(wanted.values())
    for read in filter(used.__contains__, phase.reads):
        name = before.get(read.name)
        if name in maxima.names:
            names = {"tile": maxima_of_tile[name], "row": maxima_of_row[name]}
            differences[read] = numbers.build(_DIFFERENCE, names)
            finite = dag.build(_FINITE, {"x": read})
            differences[finite] = numbers.build(_FINITE_DIFFERENCE, names)
        elif name is not None and name not in maxima.picked:
            return None
    count = numbers.input("count")
    own = [sums[name] for name in wanted]
    found = Rescaling(dag, numbers, differences).sums(list(wanted.values()), own, count)
    if found is None:
        return None
    writes = tuple((sums | dict(zip(wanted, found, strict=True))).values())
    reads = (*sums.values(), *maxima_of_tile.values(), *maxima_of_row.values(), count)
    return replace(
        phase,
        name=phase.name.replace("totals", "rescale"),
        reads=reads,
        params=(),
        specialization=GENERAL,
        kernel=Statements(name_steps(writes, {}, {read.name for read in reads}), writes),
    )


@dataclass(frozen=True, slots=True)
class Relative:
    """A value relative to the maxima of the row, as a sum of multiples of values of a tile.

    These are the same value times `scale`, and each other value times `rest[value]`.
    """

    scale: Node
    rest: Mapping[Node, Node]


class Rescaling:
    """Finds values relative to the maxima of the row.

    dag: of the values. factors: the graph of the numbers that values are multiplied by.
    differences: of each maximum, and of each number that stands for one, how much that of a tile
    exceeds that of the row.
    """

    def __init__(self, dag: Dag, factors: Dag, differences: Mapping[Node, Node]) -> None:
        self.dag = dag
        self.factors = factors
        self.differences = differences
        self._found: dict[Node, Relative | None] = {}

    def sums(
        self, terms: Sequence[Node], sums: Sequence[Node], count: Node
    ) -> tuple[Node, ...] | None:
        """The rescaled sums of terms over `count` elements.

        None: they do not follow from the sums alone.
        """
        known = dict(zip(terms, sums, strict=True))
        found = []
        for term, own in known.items():
            relative = self.of(term)
            if relative is None:
                return None
            total = self.factors.call(MUL, relative.scale, own)
            for other, factor in relative.rest.items():
                added = self._sum_of(other, known, count)
                if added is None:
                    return None
                total = self.factors.call(ADD, total, self.factors.call(MUL, factor, added))
            found.append(total)
        return tuple(found)

    def _sum_of(self, value: Node, known: Mapping[Node, Node], count: Node) -> Node | None:
        if value.kind == "const" and value.value is not None:
            return self.factors.call(MUL, self.factors.const(value.value), count)
        if value.row is WHERE and value.args[1].is_zero and _is_zero_where(*value.args[::2]):
            value = value.args[2]
        return known.get(value)

    def of(self, node: Node) -> Relative | None:
        """None: the value is no such sum."""
        if node not in self._found:
            self._found[node] = self._of(node)
        return self._found[node]

    def _of(self, node: Node) -> Relative | None:
        one = self.factors.const(1)
        if node in self.differences:
            of_row = self.factors.call(NEG, self.differences[node])
            return Relative(one, {self.dag.const(1): of_row})
        if self.differences.keys().isdisjoint(topological([node])):
            return Relative(one, {})
        if node.row is WHERE:
            return self._chosen(*node.args)
        parts = [self.of(arg) for arg in node.args]
        if node.row not in ARITHMETIC | EXPONENTIALS or None in parts:
            return None
        first, *others = (part for part in parts if part is not None)
        if node.row in EXPONENTIALS:
            return self._exponential(node.row, first)
        if node.row is NEG:
            return Relative(first.scale, self._combined({}, first.rest, SUB))
        (second,) = others
        if node.row is MUL:
            return self._product(node, first, second)
        if node.row in (DIV, DIV_SHARED):
            divisor = node.args[1]
            if second != Relative(one, {}):
                return None
            rest = {self.dag.call(node.row, k, divisor): f for k, f in first.rest.items()}
            return Relative(first.scale, rest)
        if first.scale is not second.scale:
            return None
        return Relative(first.scale, self._combined(first.rest, second.rest, node.row))

    def _chosen(self, condition: Node, a: Node, b: Node) -> Relative | None:
        """Of a choice between a branch and zero, by a condition that does not depend on the maxima.

        A condition that an exponential in the branch is zero may: nothing is lost with the branch.
        """
        branch = b if a.is_zero else a
        depends = not self.differences.keys().isdisjoint(topological([condition]))
        if not (a.is_zero or b.is_zero) or (depends and not _is_zero_where(condition, branch)):
            return None
        found = self.of(branch)
        if found is None:
            return None
        zero = self.dag.const(0)

        def chosen(value: Node) -> Node:
            pair = (zero, value) if branch is b else (value, zero)
            return self.dag.call(WHERE, condition, *pair)

        return Relative(found.scale, {chosen(value): f for value, f in found.rest.items()})

    def _exponential(self, function: Function, exponent: Relative) -> Relative | None:
        """Of a value to which a number is added: the exponential of the number is the scale."""
        added = self.factors.const(0)
        for value, factor in exponent.rest.items():
            if value.kind != "const" or value.value is None:
                return None
            number = self.factors.const(value.value)
            added = self.factors.call(ADD, added, self.factors.call(MUL, number, factor))
        if function is EXP_NEGATIVE and added not in self.differences.values():
            return None
        is_shifted = exponent.scale is self.factors.const(1)
        return Relative(self.factors.call(function, added), {}) if is_shifted else None

    def _product(self, node: Node, first: Relative, second: Relative) -> Relative:
        a, b = node.args
        rest: dict[Node, Node] = {}
        ones = [(a, first.scale), *first.rest.items()]
        others = [(b, second.scale), *second.rest.items()]
        for one, factor in ones:
            for other, by in others:
                if (one, other) != (a, b):
                    value = self.dag.call(MUL, one, other)
                    rest = self._combined(rest, {value: self.factors.call(MUL, factor, by)}, ADD)
        return Relative(self.factors.call(MUL, first.scale, second.scale), rest)

    def _combined(
        self, a: Mapping[Node, Node], b: Mapping[Node, Node], function: Function
    ) -> dict[Node, Node]:
        """The sums of the factors of each value, or their differences."""
        found = dict(a)
        for value, factor in b.items():
            before = found.get(value, self.factors.const(0))
            found[value] = self.factors.call(function, before, factor)
        return found


def _is_zero_where(condition: Node, value: Node) -> bool:
    """Whether the condition says that a factor of a product is an exponential that is zero."""
    if condition.row is not EQ:
        return False
    exponentials = [factor for factor in _factors(value) if factor.row in EXPONENTIALS]
    for compared, bound in (condition.args, condition.args[::-1]):
        if bound.is_zero and compared in exponentials:
            return True
        is_least = bound.row is NEG and bound.args[0].value == math.inf
        exponents = (exponential.args[0] for exponential in exponentials)
        if is_least and any(e.row is SUB and e.args[0] is compared for e in exponents):
            return True
    return False


def _factors(value: Node) -> list[Node]:
    if value.row is not MUL:
        return [value]
    return [factor for arg in value.args for factor in _factors(arg)]
