"""The checks of large tensors and of ties find ops that are wrong only there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fusewise.emit.tests import _calls, _is_exact
from fusewise.generate import spec_files
from fusewise.language.spec import load_spec
from fusewise.testing import Caches, Input, OpCase, Output, Ties
from torch import Tensor

SPECS = Path(__file__).resolve().parents[3] / "specs"
LARGE = 1 << 20
Change = Callable[[Tensor], Tensor]


def gate(x: Tensor, bias: Tensor) -> Tensor:
    return x * bias


def make_case(
    change: Change = torch.Tensor.clone,
    change_sum: Change = torch.Tensor.clone,
    *,
    lost_rows: bool = False,
) -> OpCase:
    """A product whose output and summed gradient are changed before they are stored.

    lost_rows: the sum of a large tensor lacks the last rows.
    """

    class Gate(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, bias: Tensor) -> Tensor:
            ctx.save_for_backward(x, bias)
            return store(change(gate(x.float(), bias.float())), x.dtype)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            x, bias = ctx.saved_tensors
            grad = grads[0].float()
            terms = grad * x.float()
            if lost_rows and terms.numel() >= LARGE and terms.shape != bias.shape:
                terms[-terms.shape[0] // 16 :] = 0
            summed = terms.sum_to_size(bias.shape)
            return (grad * bias.float()).to(x.dtype), store(change_sum(summed), x.dtype)

    def store(value: Tensor, dtype: torch.dtype) -> Tensor:
        return value if value.dtype == dtype else value.to(dtype)

    return OpCase(
        op=Gate.apply,
        inputs=(Input("x"), Input("bias")),
        outputs=(Output("out"),),
        reference=gate,
        dispatcher="standin::gate",
        saves=("x", "bias"),
        exact=True,
    )


def zeros_in_the_middle(out: Tensor) -> Tensor:
    if out.numel() >= LARGE:
        out.view(-1)[LARGE // 2 : LARGE // 2 + 16] = 0
    return out


def ties_away(out: Tensor) -> Tensor:
    """The values rounded to bfloat16, with ties away from zero."""
    bits = out.view(torch.int32) + 0x8000
    return (bits & -0x10000).view(torch.float32)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_right_large_tensors_pass(dtype: torch.dtype) -> None:
    Caches().test_beyond_caches(make_case(), "cpu", dtype)


def test_lost_stores_are_caught() -> None:
    with pytest.raises(AssertionError, match=r"output of a large tensor at \[512, 0\]: 0, not"):
        Caches().test_beyond_caches(make_case(zeros_in_the_middle), "cpu", torch.bfloat16)


def test_lost_terms_of_a_sum_are_caught() -> None:
    with pytest.raises(AssertionError, match="summed gradient"):
        Caches().test_beyond_caches(make_case(lost_rows=True), "cpu", torch.float32)


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_right_ties_pass(half: torch.dtype) -> None:
    Ties().test_ties(make_case(), "cpu", half)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [(make_case(ties_away), "output"), (make_case(change_sum=ties_away), "gradient")],
    ids=["output", "sum"],
)
def test_ties_away_from_zero_are_caught(wrong: OpCase, what: str) -> None:
    with pytest.raises(AssertionError, match=f"{what}: .* ties round to odd"):
        Ties().test_ties(wrong, "cpu", torch.bfloat16)


def test_ops_of_every_kind_are_exact() -> None:
    specs = [spec for spec in map(load_spec, spec_files(SPECS)) if _is_exact(spec)]
    layouts = {entry.layout for spec in specs for entry in spec.inputs}
    assert layouts == {None, "chunked", "interleaved"}
    shapes = [dict(shapes) for spec in specs for shapes in spec.shapes]
    assert any(len(set(sizes.values())) > 1 for sizes in shapes), "none is broadcast"
    functions = {call.function for spec in specs for call in _calls(spec)}
    assert functions >= {"mul", "add", "relu", "round_to"}
    assert not functions & {"div", "exp", "sigmoid", "tanh"}
