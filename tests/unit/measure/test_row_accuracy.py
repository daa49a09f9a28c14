"""Errors of ops that reduce rows: accurate ones are within a few ulp, and classic traps are not."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from fusewise.language.choices import take_choices
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.measure.accuracy.report import Error, Row
from fusewise.measure.accuracy.rows import RowOp
from repository import SPECS
from torch import Tensor

SOFTMAX = parse_spec(
    "op: f\ninputs: {x: tensor}\noutputs: {out: softmax(x)}\n"
    "test: {domain: {x: [-8, 8]}, reference: 'torch.softmax(x, -1)', ulp: 4}\n"
)
SUM = parse_spec(
    "op: f\ninputs: {x: tensor}\noutputs: {out: sum(x)}\n"
    "test: {domain: {x: [1, 2]}, reference: 'torch.sum(x, -1)', ulp: 4}\n"
)
MASKED = parse_spec(
    "op: f\ninputs: {x: tensor, keep: bool tensor}\noutputs: {out: sum(x if keep else 0)}\n"
    "test: {domain: {x: [1, 2]}, reference: 'torch.sum(torch.where(keep, x, 0), -1)', ulp: 4}\n"
)
LARGEST = parse_spec(
    "op: f\ninputs: {x: tensor}\noutputs: {out: amax(x)}\n"
    "test: {reference: 'torch.amax(x, -1)', ulp: 4}\n"
)
CENTRED = parse_spec(
    "op: f\ninputs: {x: tensor}\noutputs: {out: '(x - mean(x)) * rsqrt(var(x, 0) + 1e-6)'}\n"
    "test: {reference: '(x - torch.mean(x, -1, True)) * torch.rsqrt("
    "torch.var(x, -1, correction=0, keepdim=True) + 1e-6)', ulp: 16}\n"
)


# A module of ops that are not called
MODULE: Any = SimpleNamespace(
    **dict.fromkeys(SPECS),
    _ops=SimpleNamespace(**{op: SimpleNamespace(decomposition=None) for op in SPECS}),
)


def measured(spec: Spec, function: Callable[..., Any], *lengths: int) -> list[Row]:
    """The errors of a PyTorch function in place of the built op of a spec."""
    module: Any = SimpleNamespace(**{spec.name: function})
    (choice,) = take_choices(spec)
    return RowOp(spec, choice, module, "cpu").rows(["float32"], lengths)


def error(spec: Spec, function: Callable[..., Any], *lengths: int) -> Error:
    return measured(spec, function, *lengths)[0].fused


def in_float64(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda x, *others: function(x.double(), *others).to(x.dtype)


@pytest.mark.parametrize("length", [1, 7, 768])
@pytest.mark.parametrize(
    ("spec", "function"),
    [
        (SOFTMAX, lambda x: torch.softmax(x, -1)),
        (SUM, lambda x: torch.sum(x, -1)),
        (MASKED, lambda x, keep: torch.sum(x * keep, -1)),
        (LARGEST, lambda x: torch.amax(x, -1)),
        (CENTRED, lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:], eps=1e-6)),
    ],
    ids=["softmax", "sum", "masked sum", "amax", "layer_norm"],
)
def test_an_exact_op_has_the_error_of_the_last_rounding(
    spec: Spec, function: Callable[..., Tensor], length: int
) -> None:
    rows = measured(spec, in_float64(function), length)
    assert [row.result for row in rows] == ["out", "grad_x"]
    assert all(row.fused.ulp < 0.51 and not row.fused.not_finite for row in rows)
    assert rows[0].eager is not None


def test_a_variance_from_squares_is_an_error_far_from_zero() -> None:
    def from_squares(x: Tensor) -> Tensor:
        mean = x.mean(-1, True)
        return (x - mean) * torch.rsqrt((x * x).mean(-1, True) - mean * mean + 1e-6)

    found = error(CENTRED, from_squares, 768)
    assert found.ulp > 1000
    assert found.at.startswith("length 768, x: ")
    centred = in_float64(lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:], eps=1e-6))
    assert error(CENTRED, centred, 768).ulp < 1


def test_a_running_sum_is_an_error_of_long_rows() -> None:
    def running(x: Tensor) -> Tensor:
        total = np.cumsum(x.detach().numpy(), axis=-1, dtype=x.detach().numpy().dtype)
        return torch.from_numpy(total[..., -1].copy())

    assert error(SUM, running, 7).ulp < 4
    assert error(SUM, running, 65537).ulp > 16


def test_a_softmax_without_its_maximum_is_not_finite() -> None:
    def unguarded(x: Tensor) -> Tensor:
        return x.exp() / x.exp().sum(-1, True)

    found = error(SOFTMAX, unguarded, 7)
    assert found.not_finite > 5
    assert found.at == "length 7, x: one huge number, index 3: x = 1.073742e+09"


def test_a_maximum_whose_ties_do_not_share_the_gradient_is_an_error() -> None:
    rows = measured(LARGEST, lambda x: x.max(-1).values, 7)
    assert [row.fused.ulp > 1e5 for row in rows] == [False, True]
    assert "a constant row" in rows[1].fused.at or "in turn" in rows[1].fused.at


def test_a_wrong_constant_is_an_error() -> None:
    wrong = in_float64(lambda x: torch.softmax(x, -1) * (1 + 2**-18))
    assert error(SOFTMAX, wrong, 7).ulp > 30


@pytest.mark.parametrize("name", ["layer_norm", "cross_entropy", "cosine_similarity"])
def test_float64_is_exact_enough_for_long_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows have many digits too, both have the same values, far within an ulp of float32."""
    (choice,) = take_choices(SPECS[name])
    op = RowOp(SPECS[name], choice, MODULE, "cpu")
    rows = op.drawn(24, "float32")
    digits = op.judges(rows)
    monkeypatch.setattr("fusewise.measure.accuracy.rows.SHORT", 0)
    for result, judge in op.judges(rows).items():
        apart = (digits[result].exact - judge.exact).abs()
        assert (apart <= 1e-6 * 2**-23 * judge.exact.abs().maximum(judge.noise / 8)).all()
