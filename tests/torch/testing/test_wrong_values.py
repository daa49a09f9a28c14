"""Wrong values are caught: each op has a mistake of real kernels that common tests miss."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from fusewise.testing import OpCase
from standin_ops import (
    ADD_ONE,
    BFLOAT16,
    BIAS,
    FLOAT32,
    FLOAT64,
    GATE,
    PACKED,
    Change,
    Wrong,
    add_bias,
    bad_tail,
    check_is_caught,
    decomposition,
    each_wrong,
    fail_in,
    gate,
    make_case,
    make_op,
)
from torch import Tensor
from torch.nn import functional


def bad_offset(x: Tensor, y: Tensor, scale: float) -> Tensor:
    aligned = x.storage_offset() != 3
    return decomposition(x if aligned else x + 0.01, y, scale)


def moving_out(x: Tensor, y: Tensor, *, scale: float, out: Tensor) -> Tensor:
    return out.set_(decomposition(x, y, scale))  # type: ignore[arg-type]


def careless_out(x: Tensor, y: Tensor, *, scale: float, out: Tensor | None = None) -> Tensor:
    result = decomposition(x, y, scale)
    return result if out is None else out.copy_(result.detach())


def graph_break(x: Tensor, y: Tensor, *, scale: float) -> Tensor:
    torch._dynamo.graph_break()
    return decomposition(x, y, scale)


def under_autocast(x: Tensor, y: Tensor, *, scale: float) -> Tensor:
    out = decomposition(x, y, scale)
    return out.float() if torch.is_autocast_enabled("cpu") else out


def fake_says(change: Change) -> Callable[..., Tensor]:
    """Right on real tensors, another answer on fake ones."""

    def op(x: Tensor, y: Tensor, *, scale: float) -> Tensor:
        out = decomposition(x, y, scale)
        return change(out) if isinstance(out, torch._subclasses.FakeTensor) else out

    return op


WRONG_VALUES: Wrong = [
    (
        "float32 off by 1e-5",
        make_case(make_op(change=fail_in(FLOAT32, 1 + 1e-5))),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "float64 off by 2e-8",
        make_case(make_op(change=fail_in(FLOAT64, 1 + 2e-8))),
        "forward",
        {"dtype": FLOAT64, "layout": "contiguous"},
    ),
    (
        "bfloat16 not widened",
        make_case(make_op(forward=lambda x, y, scale: gate(x, y, scale=scale))),
        "forward",
        {"dtype": BFLOAT16, "layout": "contiguous"},
    ),
    (
        "wrong at offset 3",
        make_case(make_op(forward=bad_offset)),
        "forward",
        {"dtype": FLOAT32, "layout": "offset_3"},
    ),
    (
        "param is ignored",
        make_case(make_op(forward=lambda x, y, scale: decomposition(x, y, 1.0))),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "omitted input is not 0",
        dataclasses.replace(
            BIAS, op=lambda x, bias: add_bias(x, torch.ones(()) if bias is None else bias)
        ),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "integers become floats",
        dataclasses.replace(ADD_ONE, op=lambda x: x + 1.0),
        "forward",
        {"dtype": torch.int8, "layout": "contiguous"},
    ),
    (
        "halves swapped",
        dataclasses.replace(
            PACKED, op=lambda x, scale: gate(*reversed(x.chunk(2, -1)), scale=scale)
        ),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "another oracle",
        dataclasses.replace(GATE, oracle=lambda x, y, scale: functional.gelu(x) * y * scale),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    ("tail of 4", make_case(make_op(change=bad_tail(4))), "lengths", {"dtype": FLOAT32}),
    ("tail of 16", make_case(make_op(change=bad_tail(16))), "lengths", {"dtype": BFLOAT16}),
    (
        "NaN becomes 0",
        make_case(make_op(change=torch.nan_to_num)),
        "special_values",
        {"dtype": FLOAT32},
    ),
    (
        "infinity is clamped",
        make_case(make_op(change=lambda out: out.clamp(max=1e30))),
        "special_values",
        {"dtype": FLOAT32},
    ),
    (
        "dtype of the first",
        make_case(make_op(forward=lambda x, y, scale: decomposition(x, y, scale).to(x.dtype))),
        "promotion",
        {"dtypes": "float32_float64"},
    ),
    (
        "contiguous output",
        make_case(make_op(change=Tensor.contiguous)),
        "strides",
        {"layout": "transposed"},
    ),
    (
        "contiguous output",
        make_case(make_op(change=Tensor.contiguous)),
        "strides",
        {"layout": "channels_last"},
    ),
    ("fake strides", make_case(fake_says(Tensor.contiguous)), "strides", {"layout": "mixed"}),
    ("fake dtype", make_case(fake_says(Tensor.double)), "strides", {"layout": "contiguous"}),
    (
        "out= is replaced",
        make_case(lambda x, y, *, scale, out=None: decomposition(x, y, scale)),
        "out",
        {},
    ),
    (
        "out= is moved",
        make_case(
            lambda x, y, *, scale, out=None: (
                decomposition(x, y, scale)
                if out is None
                else moving_out(x, y, scale=scale, out=out)
            )
        ),
        "out",
        {},
    ),
    ("out= takes any dtype", make_case(careless_out), "out", {}),
    ("other fake strides", make_case(make_op(), dispatcher="standin::wrong_fake"), "opcheck", {}),
    ("no backward op", make_case(make_op(), dispatcher="standin::no_backward"), "opcheck", {}),
    ("graph break", make_case(graph_break), "compile", {"form": "static"}),
    (
        "wrong when dissolved",
        make_case(
            lambda x, y, *, scale: decomposition(x, y, scale) * (1 + torch.compiler.is_compiling())
        ),
        "compile",
        {"form": "dynamic"},
    ),
    (
        "wrong when opaque",
        make_case(make_op(), reference=lambda x, y, *, scale: gate(x, y, scale=scale) * 2),
        "compile",
        {"form": "opaque"},
    ),
    ("autocast casts", make_case(under_autocast), "mode", {"mode": "autocast"}),
    (
        "wrong in inference mode",
        make_case(
            lambda x, y, *, scale: (
                decomposition(x, y, scale) * (1 + torch.is_inference_mode_enabled())
            )
        ),
        "mode",
        {"mode": "inference_mode"},
    ),
    (
        "wrong when exported",
        make_case(
            lambda x, y, *, scale: decomposition(x, y, scale) * (1 + torch.compiler.is_compiling())
        ),
        "mode",
        {"mode": "export"},
    ),
]


@each_wrong(WRONG_VALUES)
def test_wrong_values_are_caught(case: OpCase, check: str, how: dict[str, Any]) -> None:
    check_is_caught(case, check, how)
