"""Memory layouts and shapes of tensors in the tests of an op."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch
from torch import Tensor

from .case import Call, OpCase
from .inputs import Shape


def strided(values: Tensor, strides: tuple[int, ...], offset: int = 0) -> Tensor:
    """A strided copy of `values` in a new buffer. The other elements of the buffer are poison, so
    a kernel that reads them gives a wrong result."""
    extent = 1 + sum((n - 1) * s for n, s in zip(values.shape, strides, strict=True))
    size = offset + (extent if values.numel() else 0) + 8
    poison = torch.nan if values.is_floating_point() else 1 if values.dtype == torch.bool else 77
    buffer = torch.full((size,), poison, dtype=values.dtype, device=values.device)
    view = buffer.as_strided(values.shape, strides, offset)
    view.copy_(values)
    return view


def offset_by(offset: int) -> Callable[[Tensor], Tensor]:
    """A layout that is contiguous but starts `offset` elements into its storage, which breaks
    16-byte alignment."""
    return lambda values: strided(values, values.contiguous().stride(), offset)


def transposed(values: Tensor) -> Tensor:
    return values if values.dim() < 2 else values.mT.contiguous().mT


def sliced(values: Tensor) -> Tensor:
    """A view of every second element along the last dimension, from an odd offset."""
    return strided(values, tuple(2 * s for s in values.contiguous().stride()), 3)


def narrowed(values: Tensor) -> Tensor:
    """A view of the rows of a wider tensor."""
    if values.dim() < 2:
        return offset_by(1)(values)
    wider = torch.empty((*values.shape[:-1], values.shape[-1] + 3), device="meta")
    return strided(values, wider.stride(), 2)


def expanded(values: Tensor) -> Tensor:
    """The first row, expanded to the shape with stride 0."""
    return values[:1].expand(values.shape) if values.dim() else values


def channels_last(values: Tensor) -> Tensor:
    return values.contiguous(memory_format=torch.channels_last) if values.dim() == 4 else values


ARRANGE: dict[str, Callable[[Tensor], Tensor]] = {
    "contiguous": Tensor.contiguous,
    "transposed": transposed,
    "sliced": sliced,
    "narrowed": narrowed,
    "expanded": expanded,
    "channels_last": channels_last,
    **{f"offset_{i}": offset_by(i) for i in range(1, 8)},
}
_SHAPES: dict[str, Shape] = {"channels_last": (2, 3, 4, 5), "scalar": (), "empty": (3, 0)}
LAYOUTS = (*ARRANGE, "mixed", "scalar", "empty")
GRAD_LAYOUTS = ("contiguous", "transposed", "sliced", "narrowed", "stride_0", "rows", "offset_3")
LENGTHS = (*range(1, 36), 255, 256, 257)


def layout_call(case: OpCase, layout: str, dtype: torch.dtype, device: str, **how: object) -> Call:
    """A call whose tensors have the layout; with `mixed`, neighbours have different layouts."""
    shape = _SHAPES.get(layout, (5, 37))
    if layout == "empty" and case.reduces:
        shape = shape[::-1]  # a row without elements has results, which may be NaN
    call = case.call(shape, dtype, device, **how)  # type: ignore[arg-type]
    if layout == "mixed":
        ways = itertools.cycle((transposed, Tensor.contiguous, narrowed, sliced, offset_by(1)))
        return call.map(lambda values: next(ways)(values))
    return call.map(ARRANGE.get(layout, Tensor.contiguous))


def arrange_grad(values: Tensor, layout: str) -> Tensor:
    """An incoming gradient: `stride_0` as `out.sum()` gives it, `rows` as `out.sum(0)` does."""
    if layout == "stride_0":
        return values.new_ones(()).expand(values.shape)
    return expanded(values) if layout == "rows" else ARRANGE[layout](values)


def broadcasts(case: OpCase) -> dict[str, list[Shape]]:
    """The broadcast patterns to test: `<input>_<pattern>` -> the shape of each input. One input at
    a time has a smaller shape than the others."""
    full, small = (
        (4, 3, 5, 7),
        {
            "bias": (7,),
            "row": (4, 1, 1, 1),
            "channel": (1, 3, 1, 1),
            "scalar": (),
            "column": (5, 1),
        },
    )
    patterns = {}
    for i, operand in enumerate(case.inputs):
        for name, shape in small.items():
            shapes: list[Shape] = [full] * len(case.inputs)
            shapes[i] = shape
            patterns[f"{operand.name}_{name}"] = shapes
    if len(case.inputs) > 1:
        patterns["outer"] = [(5, 1), (1, 7), *[(7,)] * (len(case.inputs) - 2)]
    return patterns
