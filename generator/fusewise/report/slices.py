"""An op along one input: its outputs and their first and second derivatives, in float64.

All other inputs have a usual value. In an op that reduces, the input is one element of a row, and
so are the outputs that are elements.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor

from fusewise.derive.autodiff import differentiate
from fusewise.derive.simplify import simplify
from fusewise.emit.views import Variant
from fusewise.graph.dag import topological
from fusewise.graph.passes import Operand, Pass, names_of
from fusewise.language.model import Spec
from fusewise.measure.columns import MODERATE
from fusewise.measure.float64 import evaluate_rows
from fusewise.numeric.rows import sums_and_maxima

POINTS = 321  # of a slice
WHOLE = 64  # the most whole numbers of a slice
HUGE = 10**300  # the largest size of a number in a plot: differences of two are finite
ROW, PLACE = 8, 1  # the length of a row, and the place of the element that varies
SPREAD = (Fraction(-2), Fraction(2))  # the other elements of a row lie there, within the domain


@dataclass(frozen=True, slots=True)
class Curve:
    """An output along the slice, and its derivatives by the input; None: it has none."""

    output: str
    value: Sequence[float]
    first: Sequence[float] | None
    second: Sequence[float] | None


@dataclass(frozen=True, slots=True)
class Slice:
    """The outputs of an op along one input, or part of a packed one."""

    name: str
    places: Sequence[float]
    is_whole: bool  # the places are whole numbers
    curves: tuple[Curve, ...]


def slices_of(spec: Spec, variant: Variant) -> list[Slice]:
    """A slice for each input that is a number; none for a composed op."""
    if spec.compose:
        return []
    slicer = _Slicer(spec, variant)
    reads = [tensor for tensor in variant.passes[0].reads if tensor.dtype != "bool"]
    return [slicer.along(tensor, name) for tensor in reads for name in tensor.part_names]


def usual_inputs(spec: Spec) -> dict[str, Fraction | float]:
    """The value of each input, or part: its default, else 1, else the middle of its domain."""
    domain = spec.domain
    values = {}
    for entry in spec.inputs:
        for name in entry.names:
            low, high = domain.get(name, MODERATE)
            middle = Fraction((low + high) // 2) if entry.dtype == "int" else (low + high) / 2
            usual = Fraction(1) if low <= 1 <= high else middle
            values[name] = usual if entry.default is None else entry.default.value
    return values


class _Slicer:
    """Rows of values and of derivatives: a tensor of one column has a number for each row."""

    def __init__(self, spec: Spec, variant: Variant) -> None:
        self.forward = variant.passes[0]
        self.derivatives: list[Pass] = []
        if variant.derived:  # not the planned passes: an output that these read is no constant
            self.derivatives.append(simplify(variant.derived.where_all_arrive()))
            self.derivatives.append(simplify(differentiate(self.derivatives[0])))
        self.length, self.place = (ROW, PLACE) if spec.reduces else (1, 0)
        self.domain, self.usual = spec.domain, usual_inputs(spec)
        shapes = spec.first_shapes
        given = [entry for entry in spec.inputs if entry.name in shapes]
        self.shared = {e.name for e in given if spec.part_shape(e, shapes[e.name])[-1] == 1}
        params = variant.choice.spec.params
        self.params = {param.name: _row(float(spec.usual(param))) for param in params}

    def along(self, operand: Operand, name: str) -> Slice:
        places = self._places(operand, name)
        reads = {part: self._read(t, part) for t in self.forward.reads for part in t.part_names}
        direction = self._direction(operand)
        reads[name] = torch.where(direction != 0, places.unsqueeze(1), reads[name])
        known = {**self.params, **reads}
        known |= _run(self.forward, known, self.length)
        curves = tuple(
            self._curve(tensor, output, name, direction, known, len(places))
            for tensor in self.forward.writes
            for output in tensor.part_names
        )
        return Slice(name, places.tolist(), operand.dtype == "int", curves)

    def _curve(
        self,
        tensor: Operand,
        output: str,
        name: str,
        direction: Tensor,
        known: Mapping[str, Tensor],
        count: int,
    ) -> Curve:
        seed = self._direction(tensor)
        directions = {output: seed, name: direction}
        derivatives: list[Sequence[float] | None] = [None, None]
        for order, source in enumerate(self.derivatives if tensor.differentiable else ()):
            if order == 0 or derivatives[0] is not None:
                derivatives[order] = self._gradient(source, name, directions, known, count)
        return Curve(output, _along(seed, known[output], count), *derivatives)

    def _places(self, operand: Operand, name: str) -> Tensor:
        low, high = (max(-HUGE, min(end, HUGE)) for end in self.domain.get(name, MODERATE))
        if operand.dtype != "int":
            return torch.linspace(float(low), float(high), POINTS, dtype=torch.float64)
        first = math.ceil(low)
        return torch.arange(first, min(math.floor(high), first + WHOLE - 1) + 1).double()

    def _is_shared(self, operand: Operand) -> bool:
        """Whether all elements of a row have the same value of an operand."""
        return operand.extent == "row" or operand.name in self.shared

    def _direction(self, operand: Operand) -> Tensor:
        """A row with 1 at the elements that vary, or are looked at."""
        if operand.extent == "row":
            return _row(1.0)
        if self._is_shared(operand):
            return _row(1.0).expand(1, self.length)
        return torch.eye(self.length, dtype=torch.float64)[self.place].unsqueeze(0)

    def _read(self, operand: Operand, name: str) -> Tensor:
        """The usual value; in a row of different elements, at the place that varies."""
        usual = float(self.usual[name])
        if self._is_shared(operand) or operand.default is not None:
            return _row(usual)
        low, high = self.domain.get(name, MODERATE)
        if low < SPREAD[1] and high > SPREAD[0]:
            low, high = max(low, SPREAD[0]), min(high, SPREAD[1])
        shares = [(3 * k % self.length + 0.5) / self.length for k in range(self.length)]
        row = _row(*(float(low) + share * float(high - low) for share in shares))
        return torch.where(self._direction(operand) != 0, usual, row)

    def _gradient(
        self,
        source: Pass,
        name: str,
        directions: Mapping[str, Tensor],
        known: Mapping[str, Tensor],
        count: int,
    ) -> Sequence[float] | None:
        """The gradient of an input where that of one output is 1, and of the input's gradient."""
        writes = {part: name for t in source.writes for part, name in _origins(t)}
        if name not in writes:
            return [0.0] * count if source.order == 2 else None
        given = {
            part: directions.get(origin, _row(0.0))
            for tensor in source.reads
            if tensor.order
            for origin, part in _origins(tensor)
        }
        found = _run(source, {**known, **given}, self.length)[writes[name]]
        return _along(directions[name], found, count)


def _run(source: Pass, values: Mapping[str, Tensor], length: int) -> dict[str, Tensor]:
    """The writes of a pass in float64 by name, each of a shape that broadcasts to its rows.

    values: the reads and params by name, likewise.
    length: of a row; a pass that does not reduce has rows of one element.
    """
    done = sums_and_maxima(source.dag.copy(), source.roots)
    roots = [done[root] for root in source.roots]
    leaves = [node for node in topological(roots) if not node.args and node.name in values]
    results = evaluate_rows(roots, {node: values[node.name] for node in leaves}, length)
    names = names_of(source.writes)
    return {name: results[root].double() for name, root in zip(names, roots, strict=True)}


def _origins(gradient: Operand) -> list[tuple[str, str]]:
    """The part of an input or output that each part of a gradient belongs to."""
    origin = gradient
    while origin.gradient_of:
        origin = origin.gradient_of
    return list(zip(origin.part_names, gradient.part_names, strict=True))


def _along(direction: Tensor, values: Tensor, count: int) -> Sequence[float]:
    """The sum of each row at the elements of a direction."""
    rows = values.expand(count, direction.shape[1])
    return torch.where(direction != 0, rows, 0.0).sum(1).tolist()


def _row(*values: float) -> Tensor:
    return torch.tensor([values], dtype=torch.float64)
