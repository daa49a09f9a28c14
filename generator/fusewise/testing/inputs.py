"""The inputs of an op that its tests use, and their samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Shape = tuple[int, ...]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Input:
    name: str
    kind: Literal["float", "int", "bool", "number"] = "float"
    domain: Interval | tuple[Interval, ...] = (-4.0, 4.0)
    """The interval of the samples, or those of the parts."""
    parts: int = 1
    """The number of parts that are packed along the last dimension."""
    interleaved: bool = False
    """True if the elements of the parts alternate."""
    optional: bool = False
    is_row: bool = False
    """True if it has a value for each row of the others, and no last dimension."""
    shape: Shape | None = None
    """The one shape to test, only for a composed op: its inputs do not broadcast."""

    def packed(self, shape: Shape) -> Shape:
        """The shape of this input if each of its parts has `shape` in the loop."""
        if self.is_row:
            return shape[:-1]
        if self.parts == 1:
            return shape
        return (*shape[:-1], shape[-1] * self.parts) if shape else (self.parts,)

    def bounds(self, shape: Shape) -> tuple[Tensor, Tensor]:
        """The ends of the intervals of a tensor's elements, in shapes that broadcast to its own."""
        low, high = torch.tensor(self.domain, dtype=torch.double).unbind(-1)
        if low.dim() == 0:
            return low, high
        each = shape[-1] // self.parts
        low, high = (self._packed([end.expand(each) for end in ends]) for ends in (low, high))
        return low, high

    def of_parts(self, mask: Tensor) -> Tensor:
        """The same mask for each part, as the parts are packed."""
        return self._packed([mask] * self.parts)

    def _packed(self, parts: Sequence[Tensor]) -> Tensor:
        if self.interleaved:
            return torch.stack(list(parts), -1).flatten(-2)
        return torch.cat(list(parts), -1)

    def draw(self, shape: Shape, generator: torch.Generator, *, wide: bool) -> Tensor:
        """Samples inside the domain, near zero; if `wide`, half of them from the whole domain."""
        low, high = self.bounds(shape)
        unit = torch.rand(shape, generator=generator, dtype=torch.double)
        if self.kind == "bool":
            return unit < 0.5
        if self.kind == "int":
            return (low + (high + 1 - low) * unit).floor().long()
        first, last = low.clamp(min=-4.0), high.clamp(max=4.0)
        first, last = torch.where(first < last, first, low), torch.where(first < last, last, high)
        inset = 0.01 + 0.98 * unit
        values = first + (last - first) * inset
        if wide:
            far = torch.rand(shape, generator=generator) < 0.5
            values = torch.where(far, low + (high - low) * inset, values)
        return values
