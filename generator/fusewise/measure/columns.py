"""Sampled points as columns of float64, and the tensors of an op that hold them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

import torch
from torch import Tensor

from fusewise.graph.dag import Node
from fusewise.graph.passes import Operand
from fusewise.numeric.points import Point

ROW = 16  # the number of columns of the input tensors, or of each part of packed ones
MODERATE = (Fraction(-4), Fraction(4))  # the domain of inputs that have none

Columns = Mapping[Node, Tensor]  # float64, one element per point


def columns_of(
    points: Sequence[Point], nodes: Sequence[Node], most: int, dtype: torch.dtype
) -> Columns:
    """At most `most` of the points, rounded to a dtype, without duplicates, padded to rows."""
    drawn = random.Random(1).sample(points, min(most, len(points)))
    table = torch.tensor(
        [[float(point.get(node, 1)) for node in nodes] for point in drawn], dtype=torch.float64
    )
    table = table.to(dtype).double()
    table = torch.unique(table[table.isfinite().all(1)] + 0.0, dim=0)  # mpmath has no -0
    short = -len(table) % ROW
    table = torch.cat([table, table[:1].expand(short, -1)])
    return dict(zip(nodes, table.unbind(1), strict=True))


def packed(tensor: Operand, columns: Columns, dtype: torch.dtype) -> Tensor:
    """The input tensor of an operand, with `ROW` columns in each part."""
    kind = stored_dtype(tensor, dtype)
    return joined(tensor, [columns[part].view(-1, ROW).to(kind) for part in tensor.parts])


def stored_dtype(tensor: Operand, dtype: torch.dtype) -> torch.dtype:
    """The dtype of the tensor of an operand; `dtype` is that of floats."""
    return {"int": torch.int64, "bool": torch.bool}.get(tensor.dtype, dtype)


def joined(tensor: Operand, parts: Sequence[Tensor]) -> Tensor:
    """The tensor of an operand that has these parts."""
    if len(parts) == 1:
        return parts[0]
    if tensor.layout == "interleaved":
        return torch.stack(list(parts), -1).flatten(1)
    return torch.cat(list(parts), -1)


def parts_of(tensor: Operand, value: Tensor) -> dict[str, Tensor]:
    """The parts of a result by name, one element per point."""
    parts = [part.flatten().cpu() for part in split(tensor, value)]
    return dict(zip(tensor.part_names, parts, strict=True))


def split(tensor: Operand, value: Tensor) -> list[Tensor]:
    """The parts of the tensor of an operand."""
    count = len(tensor.parts)
    if tensor.layout == "interleaved":
        return [value[:, k::count] for k in range(count)]
    return list(value.chunk(count, -1))
