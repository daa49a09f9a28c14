"""Wrong gradients are caught: each op has a mistake of real kernels that common tests miss."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from fusewise.testing import Input, OpCase
from standin_ops import (
    BFLOAT16,
    BOTH,
    FLOAT32,
    FLOAT64,
    ROUND,
    Wrong,
    bad_tail,
    check_is_caught,
    composed,
    each_wrong,
    fail_in,
    gate_gradients,
    make_case,
    make_op,
)
from torch import Tensor


def as_if_contiguous(grad: Tensor) -> Tensor:
    """What a kernel sees that takes the strides for granted."""
    size = grad.untyped_storage().nbytes() // grad.element_size()
    flat = grad.as_strided((size,), (1,), 0)
    index = torch.arange(grad.numel()).clamp(max=size - 1)
    return flat[index].view(grad.shape)


def first_of(grad: Tensor, x: Tensor) -> Tensor:
    """The gradient of one copy, where the sum over all is due."""
    while grad.dim() > x.dim():
        grad = grad[0]
    for dim, size in enumerate(x.shape):
        grad = grad[(slice(None),) * dim + (slice(0, size),)]
    return grad


def naive_gradients(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    s = torch.exp(x) / (1 + torch.exp(x))  # NaN from 89 on
    return grad * y * scale * (s + x * s * (1 - s)), grad * x * s * scale


def wrong_tail(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    grad_x, grad_y = gate_gradients(grad, x, y, scale)
    return torch.where(x.abs() > 20, 2 * grad_x, grad_x), grad_y


def detached(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    s = torch.sigmoid(x).detach()  # as a saved intermediate is
    return grad * y * scale * (s + x * s * (1 - s)), grad * x * s * scale


def ignore_scale(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    return gate_gradients(grad, x, y, 1.0)


def add_floor(x: Tensor, y: Tensor) -> Tensor:
    return x + y.floor()


def keep_copies(ctx: Any, x: Tensor, y: Tensor) -> None:
    ctx.copies = x.detach().clone(), y.detach().clone()


def noise(grad: Tensor) -> Tensor:
    """The order of atomics."""
    return grad * (1 + torch.finfo(grad.dtype).eps * torch.randint(2, grad.shape))


def relu_at_0(x: Tensor) -> Tensor:
    return torch.where(x >= 0, x, 0 * x)


WRONG_GRADIENTS: Wrong = [
    (
        "gradient x 1.01",
        make_case(make_op(change_grad=lambda grad: grad * 1.01)),
        "gradient",
        {"dtype": FLOAT64, "layout": "contiguous"},
    ),
    ("gradient x 1.01", make_case(make_op(change_grad=lambda grad: grad * 1.01)), "gradcheck", {}),
    (
        "gradient wrong in float32",
        make_case(make_op(change_grad=fail_in(FLOAT32, 1.0001))),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient wrong in bfloat16",
        make_case(make_op(change_grad=fail_in(BFLOAT16, 1.05))),
        "gradient",
        {"dtype": BFLOAT16, "layout": "contiguous"},
    ),
    (
        "gradient NaN in the tail",
        make_case(make_op(gradients=naive_gradients)),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient doubled in the tail",
        make_case(make_op(gradients=wrong_tail)),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient forgets the param",
        make_case(make_op(gradients=ignore_scale)),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient of the true derivative",
        dataclasses.replace(ROUND, op=lambda x: x.round()),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient tail",
        make_case(make_op(change_grad=bad_tail(8))),
        "gradient_lengths",
        {"dtype": FLOAT32},
    ),
    *[
        (
            "strides of grad ignored",
            make_case(make_op(incoming=as_if_contiguous)),
            "incoming",
            {"dtype": FLOAT32, "grad_layout": layout},
        )
        for layout in ("transposed", "rows", "narrowed", "sliced")
    ],
    (
        "sum is missing",
        make_case(make_op(reduce=first_of)),
        "broadcast",
        {"dtype": FLOAT32, "broadcast": "y_bias"},
    ),
    (
        "sum is missing",
        make_case(make_op(reduce=first_of)),
        "broadcast",
        {"dtype": FLOAT64, "broadcast": "x_channel"},
    ),
    (
        "sum in bfloat16",
        make_case(
            make_op(
                reduce=lambda grad, x: (
                    grad.to(x.dtype).cumsum(0)[-1].sum_to_size(x.shape)
                    if grad.dim() > x.dim()
                    else grad.sum_to_size(x.shape)
                )
            )
        ),
        "broadcast",
        {"dtype": BFLOAT16, "broadcast": "y_bias"},
    ),
    ("saved intermediate", make_case(make_op(gradients=detached)), "gradgradcheck", {}),
    ("saved intermediate", make_case(make_op(gradients=detached)), "third_order", {}),
    ("relu'(0) = 1", composed(relu_at_0, torch.relu, inputs=(Input("x"),)), "kinks", {}),
    (
        "gradient for all or none",
        make_case(
            make_op(
                load=lambda ctx: (
                    ctx.saved_tensors
                    if all(ctx.needs_input_grad[:2])
                    else [t * 2 for t in ctx.saved_tensors]
                ),
            )
        ),
        "subsets",
        {},
    ),
    *[
        (what, composed(op, reference, inputs=BOTH), "subsets", {})
        for what, op, reference in (
            ("zeros where none is due", lambda x, y: x + 0 * y, lambda x, y: x + 0 * y.detach()),
            ("none where zeros are due", lambda x, y: x + y.detach().floor(), add_floor),
        )
    ],
    (
        "copies are saved",
        make_case(make_op(save=keep_copies, load=lambda ctx: ctx.copies)),
        "saved",
        {},
    ),
    (
        "nothing is freed",
        make_case(make_op(save=keep_copies, load=lambda ctx: ctx.copies)),
        "second_backward",
        {},
    ),
    ("order of atomics", make_case(make_op(change_grad=noise)), "reproducible", {}),
    ("tangent x 2", make_case(make_op(tangent=lambda out: 2 * out)), "gradcheck", {}),
    *[
        (
            "tangent x 2",
            make_case(make_op(tangent=lambda out: 2 * out)),
            "func",
            {"transform": name},
        )
        for name in ("jvp", "jacfwd", "hessian")
    ],
    *[
        (
            "gradient x 1.01",
            make_case(make_op(change_grad=lambda grad: grad * 1.01)),
            "func",
            {"transform": name},
        )
        for name in ("grad", "vmap_grad", "jacrev")
    ],
    *[
        (
            "gradient x 1.01",
            make_case(make_op(change_grad=lambda grad: grad * 1.01)),
            "mode",
            {"mode": mode},
        )
        for mode in ("checkpoint", "save_on_cpu", "compiled_autograd")
    ],
]


@each_wrong(WRONG_GRADIENTS)
def test_wrong_gradients_are_caught(case: OpCase, check: str, how: dict[str, Any]) -> None:
    check_is_caught(case, check, how)
