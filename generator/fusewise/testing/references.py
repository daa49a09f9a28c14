"""Functions that the references of generated tests call, in plain PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor


def straight_through(value: Tensor, carrier: Tensor) -> Tensor:
    """A tensor with the value of `value` and the gradient of `carrier`."""
    # An infinity minus itself is NaN; zero is meant.
    zero = torch.where(carrier.isfinite(), carrier - carrier.detach(), 0)
    return value.detach() + zero


def round_to(e: Tensor, x: Tensor) -> Tensor:
    """`e` rounded to the dtype in which `x` is stored, even if `x` was cast since then. The
    gradient is that of `e`."""
    dtype = getattr(x, "stored_as", x.dtype)
    return straight_through(e.to(dtype).to(e.dtype), e)


def to_float8(e: Tensor, dtype: torch.dtype) -> Tensor:
    """`e` in an eight-bit float dtype. e4m3fn has no infinity: larger values become 448, as in
    torch 2.13."""
    if dtype == torch.float8_e4m3fn:
        e = e.clamp(-448, 448)
    return e.to(dtype)


def rows(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors with rows of their common length, and the index of an element in its row."""
    if not any(tensor.dim() for tensor in tensors):
        return (*tensors, torch.zeros((), dtype=torch.long, device=tensors[0].device))
    (length,) = torch.broadcast_shapes(*(tensor.shape[-1:] for tensor in tensors))
    full = [tensor.expand((*tensor.shape[:-1], length)) for tensor in tensors]
    for tensor, expanded in zip(tensors, full, strict=True):
        if hasattr(tensor, "stored_as"):  # round_to reads it
            expanded.stored_as = tensor.stored_as  # type: ignore[attr-defined]
    return (*full, torch.arange(length, device=tensors[0].device))


def row_of(tensor: Tensor) -> Tensor:
    """A value for each row of a tensor, in a last dimension of size 1."""
    return tensor.detach().sum(-1, keepdim=True)
