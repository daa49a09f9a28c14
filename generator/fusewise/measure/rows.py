"""Sampled rows, and the tensors of an op that hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from fusewise.graph.dag import Node
from fusewise.graph.passes import Operand
from fusewise.language.model import RowDims
from fusewise.measure.columns import MODERATE, joined, split, stored_dtype
from fusewise.numeric.points import Domain
from fusewise.numeric.rows import Row

_PLACES = 16  # drawn numbers are multiples of 1 / _PLACES, so that some elements of a row are equal
_MOST_ELEMENTS = 2**20  # of all rows of a read that have a special form
_HUGE, _LARGE, _FAR, _SMALL = 2.0**30, 1e4, 1e3, 2.0**-20


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one length: the numbers of each read, one for each element or one for each row."""

    length: int
    names: tuple[str, ...]  # of the rows, for people
    values: Mapping[Node, Tensor]  # float64: (rows, length) of an element read, else (rows, 1)
    dims: RowDims  # of a row in the tensors of the op

    def tensor(self, operand: Operand, dtype: torch.dtype) -> Tensor:
        parts = [self.values[part].to(stored_dtype(operand, dtype)) for part in operand.parts]
        if operand.extent == "row":
            return parts[0].reshape(self.row_shape(parts[0]))
        return self.spread(joined(operand, parts))

    def spread(self, table: Tensor) -> Tensor:
        """A table with a row a line, with the dimensions of a row where the op has them."""
        if self.dims.whole:
            return table.reshape(-1)
        *others, length = table.shape
        sizes, dims = [length], self.dims.sampled
        if len(dims) > 1:
            first = next(k for k in range(math.isqrt(length), 0, -1) if length % k == 0)
            sizes = [*[1] * (len(dims) - 2), first, length // first]
        lacking = max(0, -min(dims) - len(others) - len(sizes))
        table = table.reshape([*[1] * lacking, *others, *sizes])
        return table.movedim(tuple(range(-len(sizes), 0)), dims)

    def row_shape(self, table: Tensor) -> list[int]:
        """The shape of a tensor of rows, given a table with one number for each row."""
        full, dims = self.spread(table).shape, self.dims.sampled
        return [size for dim, size in enumerate(full, -len(full)) if dim not in dims]

    def parts_of(self, operand: Operand, value: Tensor) -> dict[str, Tensor]:
        if operand.extent == "row":
            return {operand.part_names[0]: value.reshape(-1, 1)}
        dims = self.dims.sampled
        ends = tuple(range(-len(dims), 0))
        table = value.movedim(dims, ends).reshape(len(self.names), -1)
        return dict(zip(operand.part_names, split(operand, table), strict=True))

    def rounded(self, dtype: torch.dtype) -> Rows:
        """The rows in the values of a dtype; those that it cannot hold are left out."""
        values = {node: value.to(dtype).double() for node, value in self.values.items()}
        kept = torch.stack([value.isfinite().all(1) for value in values.values()]).all(0)
        names = [name for name, keep in zip(self.names, kept.tolist(), strict=True) if keep]
        values = {node: value[kept] for node, value in values.items()}
        return replace(self, names=tuple(names), values=values)

    def scaled(self, factors: Mapping[Node, float]) -> Rows:
        """The rows with all numbers of some reads multiplied."""
        values = {node: value * factors.get(node, 1) for node, value in self.values.items()}
        return replace(self, values=values)

    def calls(self) -> list[Rows]:
        """The rows of each call: all of them, or one if all elements of a call are one row."""
        if not self.dims.whole:
            return [self]
        return [
            replace(self, names=(name,), values={n: v[k : k + 1] for n, v in self.values.items()})
            for k, name in enumerate(self.names)
        ]

    def lists(self) -> list[Row]:
        """Each row as plain numbers."""
        columns = [
            value.tolist() if node.is_element else value.flatten().tolist()
            for node, value in self.values.items()
        ]
        return [dict(zip(self.values, row, strict=True)) for row in zip(*columns, strict=True)]


def draw_rows(
    nodes: Sequence[Node],
    domain: Domain,
    thresholds: Iterable[float],
    length: int,
    *,
    dims: RowDims,
    beyond: bool = False,
) -> Rows:
    """Rows whose numbers lie in the domains of their reads: some drawn, some of a special form.

    One read at a time has a special form, of which `beyond` adds those outside the domain. Those of
    `thresholds` that lie in a domain are among the special numbers. Of long rows there are fewer.
    """
    forms = _FORMS | _BEYOND if beyond else _FORMS
    special = [
        (node, name)
        for node in nodes
        for name in forms
        if name not in _BEYOND or (node.floating and not node.order)
    ]
    special = special[:: math.ceil(len(special) * length / _MOST_ELEMENTS)]
    sampler = _Sampler(domain, sorted(set(thresholds)), length)
    table = [sampler.drawn(nodes) for _ in range(2)]
    for node, name in special:
        table.append({**sampler.drawn(nodes), node: sampler.special(node, forms[name])})
    names = ["drawn numbers"] * 2 + [f"{node.name}: {name}" for node, name in special]
    values = {node: torch.stack([row[node] for row in table]) for node in nodes}
    return Rows(length, tuple(names), values, dims)


class _Sampler:
    """Draws the numbers of one row of each read."""

    def __init__(self, domain: Domain, thresholds: Sequence[float], length: int) -> None:
        self.domain, self.thresholds, self.length = domain, thresholds, length
        self.generator = torch.Generator().manual_seed(length)

    def drawn(self, nodes: Iterable[Node]) -> dict[Node, Tensor]:
        return {node: self.special(node, _drawn) for node in nodes}

    def special(self, node: Node, form: _Form) -> Tensor:
        low, high = self._range(node)
        size = self.length if node.is_element else 1
        inside = [value for value in (0, *self.thresholds) if low <= value <= high]
        value = form(_Line(low, high, [low, high, *inside], size, self.generator))
        if form in _BEYOND.values():
            return value
        value = value.clamp(low, high)
        return value if node.floating else value.round()

    def _range(self, node: Node) -> tuple[float, float]:
        if node.type == "bool":
            return 0, 1
        low, high = self.domain.get(node.name, MODERATE)
        if node.type == "int":
            return math.ceil(low), math.floor(high)
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class _Line:
    """The range of the numbers of a row, and some of it that a formula compares them with."""

    low: float
    high: float
    marked: Sequence[float]
    size: int
    generator: torch.Generator

    def uniform(self) -> Tensor:
        share = torch.rand(self.size, generator=self.generator, dtype=torch.float64)
        return self.low + (self.high - self.low) * share

    def chosen(self, values: Sequence[float]) -> Tensor:
        at = torch.randint(len(values), (self.size,), generator=self.generator)
        return torch.tensor(values, dtype=torch.float64)[at]

    def full(self, value: float) -> Tensor:
        return torch.full((self.size,), value, dtype=torch.float64)


_Form = Callable[[_Line], Tensor]


def _drawn(line: _Line) -> Tensor:
    places = _PLACES if line.high - line.low > 1 else _PLACES**3
    return (line.uniform() * places).round() / places


def _with_one(row: Tensor, value: float) -> Tensor:
    row[len(row) // 2] = value
    return row


def _alternating(line: _Line) -> Tensor:
    index = torch.arange(line.size)
    return torch.where(index % 2 == 0, line.full(line.low), line.full(line.high))


_FORMS: dict[str, _Form] = {  # moved into the domain
    "a constant row": lambda line: line.uniform()[:1].expand(line.size).clone(),
    "both ends in turn": _alternating,
    "one number apart": lambda line: _with_one(line.full(line.low), line.high),
    "numbers of the formula": lambda line: line.chosen(line.marked),
    "zeros": lambda line: line.full(0),
    "numbers side by side": lambda line: line.uniform()[:1] + line.uniform() / 2**10,
}
_BEYOND: dict[str, _Form] = {  # also outside of it
    "one huge number": lambda line: _with_one(_drawn(line), _HUGE),
    "far from zero": lambda line: _FAR + line.uniform() / 2**7,
    "large numbers": lambda line: line.chosen((-_LARGE, 0, _LARGE)) + line.uniform(),
    "small numbers": lambda line: line.uniform() * _SMALL,
}


def shown(row: Row, number: Callable[[float], str]) -> dict[str, str]:
    """The numbers of a row for people by name, of a long one the first."""
    return {node.name: _shown(value, number) for node, value in row.items()}


def _shown(value: Any, number: Callable[[float], str]) -> str:
    if not isinstance(value, list):
        return number(value)
    more = ", ..." if len(value) > 8 else ""
    return f"[{', '.join(map(number, value[:8]))}{more}]"
