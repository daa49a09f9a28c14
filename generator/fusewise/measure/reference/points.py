"""The points at which a reference is compared: elements, or whole rows for an op that has rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import mpmath
import torch
from torch import Tensor

from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Operand, Pass
from fusewise.language.model import RowDims, Spec
from fusewise.measure.columns import ROW, Columns, columns_of, packed, parts_of
from fusewise.measure.rows import Rows, draw_rows, shown
from fusewise.numeric.evaluate import evaluate_in_order
from fusewise.numeric.points import Domain, place_points
from fusewise.numeric.rows import evaluate_row, sums_and_maxima

POINTS = 300  # the most elements for one choice of params
RANDOM_POINTS = 60
LENGTHS = (1, 2, 5, 9)  # of rows


class Points(Protocol):
    """Values of all reads, in tables: a row of a table is a point, with a value or several."""

    @property
    def distinct(self) -> Tensor:
        """A mask of the points without repetitions."""
        ...

    def tensor(self, operand: Operand) -> Tensor:
        """The input of an op, in float64 if it has floats."""
        ...

    def shape(self, operand: Operand) -> list[int]:
        """The shape of an output."""
        ...

    def parts_of(self, operand: Operand, value: Tensor) -> dict[str, Tensor]:
        """The table of each part of an output."""
        ...

    def values(self, roots: Sequence[Node], params: Mapping[Node, Any]) -> list[Tensor]:
        """The table of each formula, evaluated in mpmath."""
        ...

    def numbers(self, at: int) -> list[float]:
        """All numbers of a point."""
        ...

    def place(self, at: int) -> dict[str, str]:
        """The value of each read for people."""
        ...


def points_of(spec: Spec, forward: Pass, domain: Domain) -> list[Points]:
    if spec.reduces:
        drawn = [_drawn(forward, domain, length, spec.rows) for length in LENGTHS]
        return [RowPoints(forward, rows) for each in drawn for rows in each.calls()]
    return [ElementPoints(forward, domain)]


class ElementPoints:
    """Points of an op whose elements are independent, placed by its formula."""

    columns: Columns
    table: Tensor
    distinct: Tensor

    def __init__(self, forward: Pass, domain: Domain) -> None:
        points = list(place_points(forward.dag, forward.roots, domain, RANDOM_POINTS))
        nodes = [part for tensor in forward.reads for part in tensor.parts]
        self.columns = columns_of(points, nodes, POINTS, torch.float64)
        self.table = torch.stack(list(self.columns.values()), 1)
        # Columns are padded with copies of the first point.
        self.distinct = (self.table != self.table[0]).any(1)
        self.distinct[0] = True

    def tensor(self, operand: Operand) -> Tensor:
        return packed(operand, self.columns, torch.float64)

    def shape(self, operand: Operand) -> list[int]:
        return [len(self.table) // ROW, ROW * len(operand.parts)]

    def parts_of(self, operand: Operand, value: Tensor) -> dict[str, Tensor]:
        return {name: part.unsqueeze(1) for name, part in parts_of(operand, value).items()}

    def values(self, roots: Sequence[Node], params: Mapping[Node, Any]) -> list[Tensor]:
        order = topological(roots)
        rows = []
        for row in self.table.tolist():
            point = dict(zip(self.columns, row, strict=True))
            values = evaluate_in_order(order, {**point, **params}, _leaf)
            rows.append([[float(values[root])] for root in roots])
        return _tables(rows)

    def numbers(self, at: int) -> list[float]:
        return self.table[at].tolist()

    def place(self, at: int) -> dict[str, str]:
        pairs = zip(self.columns, self.numbers(at), strict=True)
        return {node.name: number_text(value) for node, value in pairs}


@dataclass(frozen=True, slots=True)
class RowPoints:
    """The rows of a call, all of one length."""

    forward: Pass
    rows: Rows

    @property
    def distinct(self) -> Tensor:
        return torch.ones(len(self.rows.names), dtype=torch.bool)

    def tensor(self, operand: Operand) -> Tensor:
        return self.rows.tensor(operand, torch.float64)

    def shape(self, operand: Operand) -> list[int]:
        count, length = len(self.rows.names), self.rows.length * len(operand.parts)
        if operand.extent == "element":
            return list(self.rows.spread(torch.empty(count, length)).shape)
        table = torch.empty(count, 1)
        return (
            list(self.rows.spread(table).shape) if operand.keepdim else self.rows.row_shape(table)
        )

    def parts_of(self, operand: Operand, value: Tensor) -> dict[str, Tensor]:
        return self.rows.parts_of(operand, value)

    def values(self, roots: Sequence[Node], params: Mapping[Node, Any]) -> list[Tensor]:
        done = sums_and_maxima(self.forward.dag.copy(), roots)
        expanded = [done[root] for root in roots]
        rows = []
        for row in self.rows.lists():
            values = evaluate_row(expanded, {**row, **params}, self.rows.length, _leaf)
            rows.append([_floats(values[root], self.rows.length) for root in expanded])
        return _tables(rows)

    def numbers(self, at: int) -> list[float]:
        return [n for value in self.rows.values.values() for n in value[at].tolist()]

    def place(self, at: int) -> dict[str, str]:
        return shown(self.rows.lists()[at], number_text)


def _drawn(forward: Pass, domain: Domain, length: int, dims: RowDims) -> Rows:
    nodes = [part for tensor in forward.reads for part in tensor.parts]
    used = topological(forward.roots)
    numbers = [node.value for node in used if isinstance(node.value, Fraction)]
    numbers += [domain[p.name][0] for p in forward.params if p.name in domain]
    return draw_rows(nodes, domain, map(float, numbers), length, dims=dims)


def _leaf(value: Fraction | float) -> Any:
    """The value of an input, a param or a constant, all of them in float64."""
    return mpmath.mpf(float(value))


def _floats(value: Any, length: int) -> list[float]:
    return [*map(float, value)] if isinstance(value, list) else [float(value)] * length


def _tables(rows: Iterable[Sequence[Sequence[float]]]) -> list[Tensor]:
    """A table for each formula, from the values of all formulas at each point."""
    return [torch.tensor(column, dtype=torch.float64) for column in zip(*rows, strict=True)]


def number_text(value: float) -> str:
    return str(value).removesuffix(".0").lower()
