"""Sums relative to maxima, found in one read of a row, as in an online softmax.

The terms of a phase may depend on maxima of the phase before, as `exp(x - amax(x))`. A kernel adds
them relative to the maxima of a tile, a part of the row. From such sums, the rescaled ones follow:
those relative to the maxima of the row. Source: Milakov and Gimelshein 2018, arXiv:1805.02867.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from fusewise.graph.dag import Dag, Node, rebuild, topological
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

# The maximum of a tile minus that of the row, at most 0; 0 for equal infinities, and for a tile of
# minus infinity alone, whose exponentials are 0 relative to any number. It is NaN if the whole row
# is minus infinity, as the exponentials are.
_IS_UNCHANGED = "tile == row or tile == -inf"
_DIFFERENCE = parse_formula(f"0 if row > -inf and ({_IS_UNCHANGED}) else tile - row")
# The same for sums of elements above minus infinity, of which such a row has none.
_DIFFERENCE_ABOVE = parse_formula(f"0 if {_IS_UNCHANGED} else tile - row")
# The same of the number that `logsumexp` subtracts.
_FINITE = parse_formula("0 if abs(x) == inf else x")
_FINITE_DIFFERENCE = parse_formula(
    f"0 if {_IS_UNCHANGED} else (0 if abs(tile) == inf else tile) - (0 if abs(row) == inf else row)"
)

ARITHMETIC = frozenset((ADD, SUB, NEG, MUL, DIV, DIV_SHARED))
EXPONENTIALS = frozenset((EXP, EXP_NEGATIVE))


@dataclass(frozen=True, slots=True)
class Maxima:
    """A phase. names: its terms that are reduced by a maximum. picked: those of picked totals."""

    phase: KernelPlan
    names: frozenset[str]
    picked: frozenset[str]


def rescale_phase(
    dag: Dag, maxima: Maxima, phase: KernelPlan, picked: Container[str]
) -> KernelPlan | None:
    """The rescaled sums of a phase, as `RowPass.rescaled` describes them.

    maxima: the phase before. picked: the terms of sums that are not rescaled.
    None: the sums do not follow from those of a tile, or there are none.
    """
    dag, factors = dag.copy(), Dag()
    terms = dict(zip(phase.write_names, phase.kernel.writes, strict=True))
    sums = {name: factors.input(total_name(name)) for name in terms}
    added = {name: term for name, term in terms.items() if name not in picked}
    before = dict(zip(maxima.phase.write_names, maxima.phase.kernel.writes, strict=True))
    of_tile = {name: factors.input(total_name(name)) for name in before}
    of_row = {name: factors.input(f"row_{total_name(name)}") for name in before}
    used = {read.name: read for read in used_by(added.values()).intersection(phase.reads)}
    known = Differences()
    for name, value in before.items():
        maximum = used.get(total_name(name))
        if maximum is None or name in maxima.picked:
            continue
        if name not in maxima.names:
            return None
        known.add(dag, factors, maximum, value, {"tile": of_tile[name], "row": of_row[name]})
    length = factors.input("tile_length")
    found = Rescaling(dag, factors, known).sums(added, {name: sums[name] for name in added}, length)
    if not found:
        return None
    writes = tuple((sums | found).values())
    reads = (*sums.values(), *of_tile.values(), *of_row.values(), length)
    return replace(
        phase,
        name="rescale",
        reads=reads,
        params=(),
        specialization=GENERAL,
        kernel=Statements(name_steps(writes, {}, {read.name for read in reads}), writes),
    )


@dataclass(frozen=True, slots=True)
class Differences:
    """What a tile adds to each value minus its maximum.

    of: for each node `value - maximum`, the difference of the maxima of tile and row.
    above: for some of these, the difference for sums of elements above minus infinity.
    """

    maxima: set[Node] = field(default_factory=set)
    of: dict[Node, Node] = field(default_factory=dict)
    above: dict[Node, Node] = field(default_factory=dict)

    def add(
        self, dag: Dag, factors: Dag, maximum: Node, value: Node, names: Mapping[str, Node]
    ) -> None:
        difference = factors.build(_DIFFERENCE, names)
        finite = dag.build(_FINITE, {"x": maximum})
        self.maxima.add(maximum)
        self.of[dag.call(SUB, value, maximum)] = difference
        self.of[dag.call(SUB, value, finite)] = factors.build(_FINITE_DIFFERENCE, names)
        self.above[difference] = factors.build(_DIFFERENCE_ABOVE, names)
        if value.row is NEG:  # the maximum is the negative of a minimum
            least = dag.call(NEG, maximum)
            self.of[dag.call(SUB, least, *value.args)] = difference
            self.of[dag.call(SUB, *value.args, least)] = factors.call(NEG, difference)


@dataclass(frozen=True, slots=True)
class Relative:
    """A value relative to the maxima of the row, from values `v` relative to those of a tile.

    It is `scale * value + sum(rest[v] * v)`. If the scale is 0, `is_zero` tells that it is 0
    whatever the values of the tile are.
    """

    scale: Node
    rest: Mapping[Node, Node] = field(default_factory=dict)
    is_zero: bool = False


class Rescaling:
    """Finds values, nodes of `dag`, relative to the maxima of the row."""

    def __init__(self, dag: Dag, factors: Dag, known: Differences) -> None:
        self.dag = dag
        self.factors = factors
        self.known = known
        self._one = factors.const(1)
        self._found: dict[Node, Relative | None] = {}

    def sums(
        self, terms: Mapping[str, Node], sums: Mapping[str, Node], length: Node
    ) -> dict[str, Node] | None:
        """The rescaled sums of terms over `length` elements.

        None: they do not follow from the sums alone.
        """
        of_terms = {term: sums[name] for name, term in terms.items()}
        found = {}
        for name, term in terms.items():
            relative = self.of(term)
            if relative is None or term.type != "float":
                return None
            total = self.factors.call(MUL, relative.scale, sums[name])
            for other, factor in relative.rest.items():
                added = self._sum_of(other, of_terms, length)
                if added is None:
                    return None
                total = self.factors.call(ADD, total, self.factors.call(MUL, factor, added))
            if relative.is_zero:
                zero = self.factors.const(0)
                is_zero = self.factors.call(EQ, relative.scale, zero)
                total = self.factors.call(WHERE, is_zero, zero, total)
            found[name] = total
        return found

    def _sum_of(self, value: Node, of_terms: Mapping[Node, Node], length: Node) -> Node | None:
        if value.kind == "const" and value.value is not None:
            return self.factors.call(MUL, self.factors.const(value.value), length)
        if value.row is WHERE and value.args[1].is_zero:
            condition, _, chosen = value.args
            if _exponential_that_is_zero(condition, chosen) or self._is_least(condition, chosen):
                value = chosen
        return of_terms.get(value)

    def of(self, node: Node) -> Relative | None:
        """None: the value has no such form."""
        if node not in self._found:
            self._found[node] = self._of(node)
        return self._found[node]

    def _of(self, node: Node) -> Relative | None:
        if node in self.known.of:
            return Relative(self._one, {self.dag.const(1): self.known.of[node]})
        if not self._depends(node):
            return Relative(self._one)
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
            if self._depends(divisor):
                return None
            rest = {self.dag.call(node.row, k, divisor): f for k, f in first.rest.items()}
            return Relative(first.scale, rest)
        if first.scale is not second.scale:
            return None
        return Relative(first.scale, self._combined(first.rest, second.rest, node.row))

    def _depends(self, node: Node) -> bool:
        return not self.known.maxima.isdisjoint(topological([node]))

    def _chosen(self, condition: Node, a: Node, b: Node) -> Relative | None:
        """Of a choice between 0 and a value.

        The condition of a 0 may be that an exponential in the value is 0. It is 0 relative to the
        maximum of the row wherever it is relative to that of a tile.

        Other conditions do not depend on maxima. They may leave out all elements of a row that is
        minus infinity, whose sum is then 0 and not NaN. So either the condition of the 0 is minus
        infinity itself, or the value is relative to a finite number, as in `logsumexp`.
        """
        value, zero = (b, a) if a.is_zero else (a, b)
        found = self.of(value)
        if not zero.is_zero or found is None:
            return None
        is_zero = value is b and _exponential_that_is_zero(condition, value)
        if not is_zero:
            if self._depends(condition):
                return None
            is_above = value is b and self._is_least(condition, value)
            factors = [found.scale, *found.rest.values()]
            done = rebuild(self.factors, factors, known=self.known.above)
            rest = {v: done[factor] for v, factor in found.rest.items()}
            above = Relative(done[found.scale], rest)
            if above != found and not is_above:
                return None
            found = above

        def chosen(v: Node) -> Node:
            return self.dag.call(WHERE, condition, *((zero, v) if value is b else (v, zero)))

        return Relative(found.scale, {chosen(v): f for v, f in found.rest.items()}, is_zero)

    def _is_least(self, condition: Node, value: Node) -> bool:
        """Whether the condition is that a value is minus infinity, of whose exponential, relative
        to its maximum, the other value is a multiple."""
        if condition.row is not EQ:
            return False
        exponents = {exponential.args[0] for exponential in _exponentials(value)}
        for compared, bound in (condition.args, condition.args[::-1]):
            is_infinite = bound.row is NEG and bound.args[0].value == math.inf
            differences = (node for node in exponents if self.known.of.get(node) is not None)
            if is_infinite and any(node.args[0] is compared for node in differences):
                return True
        return False

    def _exponential(self, function: Function, exponent: Relative) -> Relative | None:
        """Of a positive multiple of a value minus its maximum, so that no exponential overflows."""
        if exponent.scale is not self._one or len(exponent.rest) != 1:
            return None
        ((multiple, difference),) = exponent.rest.items()
        is_positive = multiple.kind == "const" and (multiple.value or 0) > 0
        if difference not in self.known.of.values() or not is_positive:
            return None
        added = self.factors.call(MUL, self.factors.const(multiple.value or 0), difference)
        return Relative(self.factors.call(function, added))

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


def _exponential_that_is_zero(condition: Node, value: Node) -> bool:
    """Whether the condition is that an exponential which is a factor of the value is 0."""
    if condition.row is not EQ:
        return False
    sides = (condition.args, condition.args[::-1])
    return any(zero.is_zero and factor in _exponentials(value) for factor, zero in sides)


def _exponentials(value: Node) -> list[Node]:
    """The exponentials that are factors of a value."""
    factors = topological([value], parts=lambda node: node.args if node.row is MUL else ())
    return [factor for factor in factors if factor.row in EXPONENTIALS]
