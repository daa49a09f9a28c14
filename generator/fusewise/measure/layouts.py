"""The memory layouts of tensors in which `fusewise bench` times ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor

Layout = Literal["contiguous", "channels_last", "transposed", "mixed", "sliced"]


def lay_out(values: Tensor, layout: Layout, index: int) -> Tensor:
    """The same values in a memory layout; contiguous if their rank does not allow it.

    Args:
        layout: `channels_last`: dimension 1 has stride 1. `transposed`: the last dimension but one
            has stride 1. `mixed`: the first, third, ... input is transposed. `sliced`: the tensor
            is the second half of the columns of a wider one.
        index: the position of the input, for `mixed`.
    """
    if layout == "channels_last" and values.dim() > 2:
        return values.movedim(1, -1).contiguous().movedim(-1, 1)
    if values.dim() > 1 and (layout == "transposed" or (layout == "mixed" and index % 2 == 0)):
        return values.mT.contiguous().mT
    if layout == "sliced" and values.dim() > 1:
        return values.repeat(*(1,) * (values.dim() - 1), 2)[..., values.shape[-1] :]
    return values.contiguous()
