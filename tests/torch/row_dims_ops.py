"""Ops whose rows are other dimensions than the last one, their references and inputs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import fusewise
import pytest
import torch
from torch import Tensor
from torch.nn import functional

SPECS = {
    "any_softmax": """\
op: any_softmax
inputs: {x: tensor}
params: {scale: float = 1}
reduce: dim
outputs:
  out: softmax(scale * x)
""",
    "plane_norm": """\
op: plane_norm
inputs: {x: tensor, weight: tensor = 1, bias: tensor = 0}
params: {eps: float = 1e-5}
reduce: [-2, -1]
let:
  centred: x - mean(x)
outputs:
  out: centred * rsqrt(mean(centred * centred) + eps) * weight + bias
""",
    "channel_norm": """\
op: channel_norm
inputs: {x: tensor, weight: tensor = 1, bias: tensor = 0}
params: {eps: float = 1e-5}
reduce: -3
let:
  centred: x - mean(x)
outputs:
  out: centred * rsqrt(mean(centred * centred) + eps) * weight + bias
""",
    "statistics": """\
op: statistics
inputs: {x: tensor, target: int row tensor, scale: row tensor = 1}
reduce: [-3, -1]
outputs:
  picked: scale * sum(x if index == target else 0)
  largest: {formula: amax(x), keepdim: true}
  shifted: x * scale - mean(x)
""",
    "named_statistics": """\
op: named_statistics
inputs: {x: tensor, target: int row tensor, scale: row tensor = 1}
reduce: dim
outputs:
  picked: scale * sum(x if index == target else 0)
  largest: {formula: amax(x), keepdim: true}
  shifted: x * scale - mean(x)
""",
    "whole_statistics": """\
op: whole_statistics
inputs: {x: tensor, y: tensor = 1}
reduce: all
outputs:
  dot: sum(x * y)
  largest: {formula: amax(x * y), keepdim: true}
  shifted: x * y - mean(x) * index / length
""",
}

Op = Callable[..., Any]


def load(cache: Path) -> dict[str, Op]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "0")
        loaded = fusewise.load(list(SPECS.values()), cache_dir=cache)
    return {name: getattr(loaded, name) for name in SPECS}


def draw(*shape: int, dtype: torch.dtype = torch.double) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.double).to(dtype)


def targets(*shape: int, most: int) -> Tensor:
    generator = torch.Generator().manual_seed(most)
    return torch.randint(-1, most + 1, shape, generator=generator)


def transposed(x: Tensor) -> Tensor:
    order = tuple(range(x.dim()))[::-1]
    return x.permute(order).contiguous().permute(order)


def sliced(x: Tensor) -> Tensor:
    return torch.cat([x, x], -1)[..., ::2].copy_(x) if x.dim() else x


def channels_last(x: Tensor) -> Tensor:
    return x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x


def expanded(x: Tensor) -> Tensor:
    return x[..., :1].expand(x.shape) if x.dim() else x


LAYOUTS = (Tensor.contiguous, transposed, sliced, channels_last, expanded)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def plane_norm(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    out = functional.layer_norm(x, x.shape[-2:])
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def channel_norm(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    out = functional.layer_norm(x.movedim(-3, -1), x.shape[-3:-2]).movedim(-1, -3)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def statistics(
    x: Tensor, target: Tensor, scale: Tensor | None = None, *, dims: tuple[int, ...] = (-3, -1)
) -> tuple[Tensor, ...]:
    """What the ops of this name compute, with rows in the dimensions `dims`, which ascend."""

    def spread(row: Tensor) -> Tensor:
        for dim in reversed(dims):
            row = row.reshape((1,) * (-1 - dim - row.dim()) + row.shape)
            row = row.unsqueeze(dim)
        return row

    target = spread(target)
    scale = torch.ones_like(target, dtype=x.dtype) if scale is None else spread(scale)
    x, _, _ = torch.broadcast_tensors(x, target, scale)
    sizes = [x.shape[dim] if dim in dims else 1 for dim in range(dims[0], 0)]
    index = torch.arange(math.prod(sizes)).reshape(sizes)
    picked = x.where(index == target, 0).sum(dims, keepdim=True) * scale
    picked = picked.amax(dims)
    return picked, x.amax(dims, keepdim=True), x * scale - x.mean(dims, keepdim=True)


def whole_statistics(x: Tensor, y: Tensor | None = None) -> tuple[Tensor, ...]:
    factor = torch.ones_like(x) if y is None else y
    x, factor = torch.broadcast_tensors(x, factor)
    index = torch.arange(x.numel(), dtype=x.dtype).reshape(x.shape)
    largest = (x * factor).amax().reshape([1] * x.dim())
    return (x * factor).sum(), largest, x * factor - x.mean() * index / x.numel()


def leaves_of(inputs: Sequence[Tensor | None]) -> tuple[list[Tensor | None], list[Tensor]]:
    """The inputs as leaves of autograd, and those of them that have a gradient."""
    leaves = [
        t.detach().requires_grad_() if t is not None and t.is_floating_point() else t
        for t in inputs
    ]
    return leaves, [t for t in leaves if t is not None and t.requires_grad]


def as_tuple(outputs: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else outputs


def total(tensors: Sequence[Tensor]) -> Tensor:
    return torch.stack([t.sin().sum() for t in tensors]).sum()


def first_derivatives(function: Op, inputs: Sequence[Tensor | None]) -> list[Tensor]:
    """The outputs and the gradients."""
    leaves, learning = leaves_of(inputs)
    outputs = as_tuple(function(*leaves))
    return [*outputs, *torch.autograd.grad(total(outputs), learning)]


def derivatives(function: Op, inputs: Sequence[Tensor | None]) -> list[Tensor]:
    """The outputs, first and second derivatives."""
    leaves, learning = leaves_of(inputs)
    outputs = as_tuple(function(*leaves))
    first = torch.autograd.grad(total(outputs), learning, create_graph=True)
    return [*outputs, *first, *torch.autograd.grad(total(first), learning)]


def check(op: Op, reference: Op, inputs: Sequence[Tensor | None]) -> None:
    found, expected = derivatives(op, inputs), derivatives(reference, inputs)
    assert [t.shape for t in found] == [t.shape for t in expected]
    torch.testing.assert_close(found, expected)


def calls(ops: dict[str, Op]) -> list[tuple[Op, Op, list[Tensor]]]:
    """An op, its reference and inputs of four dimensions."""
    softmax = functools.partial
    return [
        (softmax(ops["any_softmax"], dim=1), softmax(torch.softmax, dim=1), [draw(5, 3, 4, 2)]),
        (softmax(ops["any_softmax"], dim=-3), softmax(torch.softmax, dim=-3), [draw(5, 3, 4, 2)]),
        (ops["plane_norm"], plane_norm, [draw(5, 3, 4, 2), draw(4, 2), draw(3, 1, 1)]),
        (ops["channel_norm"], channel_norm, [draw(5, 3, 4, 2), draw(3, 1, 1), draw(2)]),
        (ops["statistics"], statistics, [draw(5, 3, 4, 2), targets(5, 4, most=6), draw(4)]),
        (ops["whole_statistics"], whole_statistics, [draw(5, 3, 4, 2), draw(3, 1, 1)]),
    ]
