"""Points at which a formula is put to the test, placed by the formula itself.

Each comparison and each kink cuts the line of a variable in two. The cuts are solved for, and
points stand on them, next to them and between them; further ones stand at ties, at all magnitudes
that a float32 has, and anywhere.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import mpmath

from fusewise.graph.dag import Dag, Node, topological
from fusewise.graph.linear import OTHER, degrees
from fusewise.numeric.evaluate import evaluate_in_order
from fusewise.numeric.float32 import LARGEST, SMALLEST, SMALLEST_NORMAL, neighbours, rounded

MAGNITUDES = tuple(
    Fraction(value)
    for value in (
        *(0, SMALLEST, SMALLEST_NORMAL / 8, SMALLEST_NORMAL, 2.0**-100, 2.0**-60, 2.0**-24),
        *(2.0**-12, 0.125, 0.5, 1, 1.5, 2, 3, 5, 8, 10, 13, 17, 21, 33, 50, 88, 90, 104, 150),
        *(1e3, 1e4, 2.0**24, 2.0**40, 2.0**64, 2.0**100, 2.0**127, LARGEST),
    )
)
MAX_CUTS = 6  # of one line by one comparison: a periodic one has no end of them
DIGITS = 30  # for solving

Value = Any  # an mpf, or a bool for a condition: mpmath has no types
Point = Mapping[Node, Fraction]
Domain = Mapping[str, tuple[Fraction, Fraction]]


def evaluate(roots: Iterable[Node], point: Mapping[Node, Value]) -> dict[Node, Value]:
    """The value of every node that the roots need; NaN where there is none."""
    return evaluate_in_order(topological(roots), point)


def place_points(
    dag: Dag, roots: Sequence[Node], domain: Domain, count: int, *, beyond: bool = False
) -> Iterator[Point]:
    """Points of the inputs and params that the roots need, `count` random ones last.

    Incoming gradients are moderate, unless a formula is not linear in them. Of the other values at
    most one or two are chosen, and the rest drawn. All lie in the domain; or, to go `beyond` it,
    the chosen value of an input may be any number.
    """
    lines = _Lines(dag, roots, domain, beyond)
    yield from lines.on_cuts()
    yield from lines.at_magnitudes()
    yield from lines.at_ties()
    yield from lines.anywhere(count)


def draw_points(dag: Dag, roots: Sequence[Node], domain: Domain, count: int) -> Iterator[Point]:
    """Random points alone, two for each of `count`: off the kinks, and quick to find."""
    yield from _Lines(dag, roots, domain, beyond=False).anywhere(count)


class _Lines:
    """The variables of some formulas, each with what cuts its line."""

    def __init__(self, dag: Dag, roots: Sequence[Node], domain: Domain, beyond: bool) -> None:
        self.dag, self.nodes = dag.copy(), topological(roots)
        self.domain = domain
        self.beyond = beyond
        self.random = random.Random(0)
        self.all = [node for node in self.nodes if node.kind in ("input", "param")]
        orders = {node.order for node in self.all if node.order}
        moderate = {order for order in orders if _are_linear(roots, order)}
        self.variables = [
            node for node in self.all if node.type != "bool" and node.order not in moderate
        ]
        constants = {
            abs(node.value)
            for node in self.nodes
            if node.kind == "const" and isinstance(node.value, Fraction)
        }
        self.magnitudes = sorted({*MAGNITUDES, *constants})

    def on_cuts(self) -> Iterator[Point]:
        for cut in dict.fromkeys(_cuts(self.dag, self.nodes)):
            order = topological([cut])
            for variable in self.variables:
                if variable not in order:
                    continue
                base = self.drawn()
                for zero in self._zeros(order, variable, base):
                    for value in _around(zero):
                        yield from self._moved(base, variable, value)

    def at_magnitudes(self) -> Iterator[Point]:
        for variable in self.variables:
            for value in sorted(self._grid(variable), key=_plainness):
                yield from self._moved(self.drawn(), variable, value)

    def at_ties(self) -> Iterator[Point]:
        for first, second in permutations(self.variables, 2):
            base = self.drawn()
            for tie in (base[first], -base[first]):
                yield from self._moved(base, second, tie)

    def anywhere(self, count: int) -> Iterator[Point]:
        """In turn all drawn, and one value of any size."""
        for k in range(count):
            base = self.drawn()
            yield base
            if self.variables:
                size = Fraction(rounded(2 ** self.random.uniform(-30, 10)))
                variable = self.variables[k % len(self.variables)]
                yield from self._moved(base, variable, self.random.choice((1, -1)) * size)

    def drawn(self) -> dict[Node, Fraction]:
        return {node: self._draw(node) for node in self.all}

    def _draw(self, node: Node) -> Fraction:
        if node.type == "bool":
            return Fraction(self.random.randrange(2))
        low, high = self.domain.get(node.name, (Fraction(-100), Fraction(100)))
        if node.order:
            low, high = Fraction(1, 2), Fraction(2)
        elif node.name not in self.domain and self.random.random() < 0.7:
            low, high = low / 25, high / 25
        if node.type != "float":
            low, high = Fraction(math.ceil(low)), Fraction(math.floor(high))
        near, far = float(low), float(high)
        places = 1 if node.type != "float" else 16 if far - near > 1 else 2**12
        # the difference of two floats, or a multiple of one, may be none
        drawn = 2 * (near / 2 + (far / 2 - near / 2) * self.random.random())
        value = Fraction(round(Fraction(drawn) * places), places)
        return low if value < low else min(value, high)

    def _moved(self, base: Mapping[Node, Fraction], node: Node, value: Fraction) -> Iterator[Point]:
        if self._inside(node, value):
            yield {**base, node: value}

    def _inside(self, node: Node, value: Fraction) -> bool:
        low, high = self.domain.get(node.name, (value, value))
        if self.beyond and node.kind == "input":
            low, high = value, value
        if not low <= value <= high or abs(value) > LARGEST:
            return False
        return node.type == "float" or value.denominator == 1

    def _grid(self, variable: Node) -> list[Fraction]:
        values = {sign * value for value in self.magnitudes for sign in (1, -1)}
        values |= set(self.domain.get(variable.name, ()))
        return sorted(value for value in values if self._inside(variable, value))

    def _zeros(
        self, order: list[Node], variable: Node, base: Mapping[Node, Fraction]
    ) -> list[Fraction]:
        """Where the last node of the order changes its sign on the line through `base`."""

        def at(value: Fraction) -> Value:
            return evaluate_in_order(order, {**base, variable: value})[order[-1]]

        zeros: list[Fraction] = []
        with mpmath.workdps(DIGITS):
            values = [(place, at(place)) for place in self._grid(variable)]
            zeros += [place for place, value in values if value == 0]
            for (left, at_left), (right, at_right) in pairwise(values):
                if at_left * at_right < 0:
                    zeros.append(_bisected(at, left, right, at_left < 0))
        return zeros[:MAX_CUTS]


def _are_linear(roots: Iterable[Node], order: int) -> bool:
    found = degrees(roots, order)
    return all(found[root] != OTHER for root in roots)


def _cuts(dag: Dag, nodes: Iterable[Node]) -> Iterator[Node]:
    """Expressions that are 0 where the result of a comparison changes, or at a kink."""
    for node in nodes:
        if node.function is None:
            continue
        names = dict(zip(node.function.params, node.args, strict=True))
        for kink in node.function.kinks:
            cut = dag.build(kink, names)
            if cut.kind != "const":
                yield cut


def _bisected(at: Any, left: Fraction, right: Fraction, rises: bool) -> Fraction:
    """The place where a function changes its sign; a short fraction if it is that near one."""
    for _ in range(4 * DIGITS):
        middle = (left + right) / 2
        value = at(middle)
        if value == 0:
            return middle
        if (value < 0) == rises:
            left = middle
        else:
            right = middle
    short = left.limit_denominator(10**9)
    return short if abs(short - left) <= Fraction(1, 10**20) * max(1, abs(left)) else left


def _plainness(value: Fraction) -> tuple[bool, Fraction, bool]:
    """A key that sorts numbers of moderate size before tiny and huge ones."""
    size = abs(value) or Fraction(1)
    return value == 0, max(size, 1 / size), value < 0


def _around(zero: Fraction) -> Iterator[Fraction]:
    yield zero
    for distance in (Fraction(1, 4), Fraction(1, 2**10)):
        yield zero + distance * max(1, abs(zero))
        yield zero - distance * max(1, abs(zero))
    for value in neighbours(zero):
        if math.isfinite(value):
            yield Fraction(value)
