"""Functions that the references of generated tests call, in plain PyTorch."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_MOST_TENSORS = 32  # of a call


def straight_through(value: Tensor, carrier: Tensor) -> Tensor:
    """A tensor with the value of `value` and the gradient of `carrier`."""
    # An infinity minus itself is NaN; zero is meant.
    zero = torch.where(carrier.isfinite(), carrier - carrier.detach(), 0)
    return value.detach() + zero


def where(
    condition: Tensor,
    then: Callable[..., Tensor | float],
    otherwise: Callable[..., Tensor | float],
    *tensors: Tensor,
) -> Tensor:
    """The values of two functions of the tensors, by elements. An element of a branch that is not
    taken has no gradient, where autograd of torch.where sends a zero, which may meet an infinite
    derivative."""

    def guarded(tensor: Tensor, *, taken: bool) -> Tensor:
        if not tensor.is_floating_point():
            return tensor
        pair = (tensor, tensor.detach())
        found = torch.where(condition, *(pair if taken else pair[::-1]))
        if hasattr(tensor, "stored_as"):  # round_to reads it
            found.stored_as = tensor.stored_as  # type: ignore[attr-defined]
        return found

    return torch.where(
        condition,
        then(*(guarded(tensor, taken=True) for tensor in tensors)),
        otherwise(*(guarded(tensor, taken=False) for tensor in tensors)),
    )


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


def op_of_rows(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The op that a function of a package calls with all elements as one row, for many rows.

    name: that of the op in the dispatcher.
    """
    package = function.__globals__  # type: ignore[attr-defined]
    op = getattr(package["_ops"], name)

    @functools.wraps(function)
    def called(*tensors: Tensor | None, out: Any = None, **params: Any) -> Any:
        if torch.compiler.is_compiling():
            call = package["_runtime"].call_compiled
            return call(function.__name__, op, *tensors, **params, out=out)
        if out is None:
            return op(*tensors, **params)
        single = isinstance(out, Tensor)
        outs = {"out": out} if single else {f"out{k}": tensor for k, tensor in enumerate(out)}
        return op.out(*tensors, **params, **outs)

    return called


def for_each_row(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of whole tensors, as one of rows in the last dimension."""

    def called(*tensors: Tensor, **params: Any) -> Any:
        if not any(tensor.dim() for tensor in tensors):
            return function(*tensors, **params)
        shape = torch.broadcast_shapes(*(tensor.shape for tensor in tensors))
        full = [tensor.expand(shape).reshape(-1, shape[-1]) for tensor in tensors]
        rows = [*zip(*full, strict=True)] or [[tensor.sum(0) for tensor in full]]
        results = [function(*row, **params) for row in rows]
        if isinstance(results[0], Tensor):
            return _stacked(results, shape[:-1])
        return tuple(_stacked(each, shape[:-1]) for each in zip(*results, strict=True))

    return called


def _stacked(results: Sequence[Tensor], shape: Sequence[int]) -> Tensor:
    """The results of rows in a tensor. If there are no rows, one result tells their shape."""
    found = torch.stack(list(results))[: math.prod(shape)]
    return found.reshape([*shape, *results[0].shape])


def rows_last(
    function: Callable[..., Any],
    dims: Sequence[int],
    *,
    row_inputs: Sequence[int] = (),
    row_outputs: Sequence[int] = (),
    **params: int,
) -> Callable[..., Any]:
    """A function whose rows are the dimensions `dims`, as one whose rows are the last dimension.

    row_inputs, row_outputs: positions of the tensors that lack the dimensions of a row.
    params: further arguments of the function.
    """
    # torch.compile may take the integers of a closure as unknown, but not its flags
    of_row = [dim in dims for dim in range(dims[0], 0)]
    takes_rows, gives_rows = map(_flags, (row_inputs, row_outputs))

    @functools.wraps(function)
    def called(*tensors: Tensor | None, out: Any = None, **others: Any) -> Any:
        found = [(tensor, takes_rows[k]) for k, tensor in enumerate(tensors)]
        given = [(tensor, is_row) for tensor, is_row in found if tensor is not None]
        rank = max(tensor.dim() + is_row for tensor, is_row in given)
        # a tensor without dimensions promotes no other one, and stays if others have dimensions
        enough = len(of_row) - sum(of_row)
        stays = any(t.dim() > 0 and (not is_row or t.dim() >= enough) for t, is_row in given)
        inputs = []
        for tensor, is_row in found:
            if tensor is None or (stays and not tensor.dim()):
                inputs.append(tensor)
            else:
                inputs.append(_padded(tensor, enough) if is_row else _spread(tensor, of_row))
        if out is not None:
            outs = [out] if isinstance(out, Tensor) else out
            outs = [t if gives_rows[k] else _spread(t, of_row) for k, t in enumerate(outs)]
            others["out"] = outs[0] if isinstance(out, Tensor) else tuple(outs)
        results = function(*inputs, **params, **others)
        if isinstance(results, Tensor):
            return _joined(results, rank, of_row, gives_rows[0])
        return tuple(_joined(t, rank, of_row, gives_rows[k]) for k, t in enumerate(results))

    return called


def _flags(positions: Sequence[int]) -> list[bool]:
    return [position in positions for position in range(_MOST_TENSORS)]


def _order(rank: int, of_row: Sequence[bool]) -> list[int]:
    """The dimensions of a tensor, counted from the last one, with those of a row last."""
    span = len(of_row)
    others = [dim for dim in range(-rank, 0) if dim < -span or not of_row[dim]]
    return others + [dim for dim in range(-span, 0) if of_row[dim]]


def _padded(tensor: Tensor, rank: int) -> Tensor:
    while tensor.dim() < rank:
        tensor = tensor.unsqueeze(0)
    return tensor


def _spread(tensor: Tensor, of_row: Sequence[bool]) -> Tensor:
    """The tensor with the last dimension as the dimensions of a row."""
    count = sum(of_row)
    length = tensor.shape[-1] if tensor.dim() else 1
    sizes = (2, length // 2) if count > 1 and length and length % 2 == 0 else (1, length)
    tensor = tensor.reshape(*tensor.shape[:-1], *(1,) * (count - 2), *sizes[-count:])
    tensor = _padded(tensor, len(of_row))
    order = _order(tensor.dim(), of_row)
    return tensor.permute([order.index(dim) for dim in range(-tensor.dim(), 0)])


def _joined(tensor: Tensor, rank: int, of_row: Sequence[bool], is_row: bool) -> Tensor:
    """A result with the dimensions of a row as the last one, among `rank` dimensions."""
    if is_row:
        rank = max(rank - 1, 0)
    else:
        tensor = tensor.permute(_order(tensor.dim(), of_row)).flatten(-sum(of_row))
    while tensor.dim() > rank:
        tensor = tensor.squeeze(0)
    return tensor
