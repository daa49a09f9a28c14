"""How tensors may lie in memory: the layouts in which `fusewise bench` times ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor

Layout = Literal["contiguous", "channels_last", "transposed", "mixed", "sliced"]


def lay_out(values: Tensor, layout: Layout, index: int) -> Tensor:
    """The same values in a new memory layout, where their shape has such a layout.

    Args:
        layout: `channels_last`: dimension 1 is the one without gaps; `transposed`: that before the
            last one is; `mixed`: of every second tensor, from the first on; `sliced`: the tensor
            is the second half of one with twice the columns.
        index: which input of the op it is, for `mixed`.
    """
    if layout == "channels_last" and values.dim() > 2:
        return values.movedim(1, -1).contiguous().movedim(-1, 1)
    if values.dim() > 1 and (layout == "transposed" or (layout == "mixed" and index % 2 == 0)):
        return values.mT.contiguous().mT
    if layout == "sliced" and values.dim() > 1:
        return values.repeat(*(1,) * (values.dim() - 1), 2)[..., values.shape[-1] :]
    return values.contiguous()
