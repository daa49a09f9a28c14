"""Shapes for the sample ops that reduce rows, and a reference."""

from __future__ import annotations

import pytest
import torch
from sample_ops import positive
from torch import Tensor

# The shapes of an element input and of a row input.
SHAPES = [
    ((4,), ()),
    ((4,), (1,)),
    ((3, 4), (3,)),
    ((3, 4), ()),
    ((3, 4), (1,)),
    ((4,), (3,)),
    ((1,), (3,)),
    ((), ()),
    ((), (3,)),
    ((3, 1), (3,)),
    ((2, 3, 1, 4), (2, 3, 1)),
    ((2, 1, 5, 4), (3, 1)),
    ((3, 1, 4), (2, 1, 5)),
    ((0, 4), (0,)),
    ((0, 4), (1,)),
    ((4,), (0,)),
    ((3, 0), (3,)),
    ((0,), ()),
    ((3, 0), (2, 1)),
    ((0, 0), (0,)),
]
each_shape = pytest.mark.parametrize("shapes", SHAPES)


def draw(shapes: tuple[tuple[int, ...], ...]) -> list[Tensor]:
    torch.manual_seed(0)
    return [positive(*shape) for shape in shapes]


def as_tuple(outputs: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else outputs


def row_pick(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    x = torch.broadcast_tensors(x, target.unsqueeze(-1))[0]
    index = torch.arange(x.shape[-1] if x.dim() > 0 else 1)
    return x.where(index == target.unsqueeze(-1), 0).sum(-1), x.amax(-1, keepdim=True)
