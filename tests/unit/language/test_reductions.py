"""The table of reductions: bodies and gradients are those of PyTorch."""

from __future__ import annotations

import math

import mpmath
import pytest
import torch
from fusewise.language.extents import LEAVES
from fusewise.language.formula import CONSTANTS, Call, Name, walk
from fusewise.language.functions import CALLABLE, REDUCTIONS, Reduction
from fusewise.language.functions.operators import AMAX, SUM
from row_values import on_rows
from torch import Tensor

INF, NAN = math.inf, math.nan
SAMPLES = {
    "one_element": [[0.75], [-2.0]],
    "two_elements": [[0.5, -1.25]],
    "ties": [[2.0, -1.0, 2.0, 0.0], [1.0, 1.0, -3.0, -3.0]],
    "constant": [[1.5, 1.5, 1.5], [0.0, 0.0, 0.0], [-0.0, 0.0, -0.0]],
    "large": [[800.0, 700.0, 790.0], [-800.0, -801.0, -1e5]],
    "plus_infinity": [[INF, 1.0, -2.0], [INF, INF, 0.0]],
    "minus_infinity": [[-INF, 1.0, -2.0], [-INF, -INF, -INF]],
    "both_infinities": [[-INF, INF, 3.0]],
    "nan": [[NAN, 1.0, 2.0], [1.0, NAN, INF]],
    "random": torch.randn(5, 33, generator=torch.Generator().manual_seed(1)).tolist(),
}
NUMBERS = [row for row in REDUCTIONS.values() if not row.of_conditions]
CONDITIONS = [row for row in REDUCTIONS.values() if row.of_conditions]

pytestmark = pytest.mark.filterwarnings("ignore:.*degrees of freedom")


def by_name(row: Reduction) -> str:
    return row.name


def calls(row: Reduction, x: Tensor) -> list[dict[str, Tensor]]:
    """The arguments by name, with each correction."""
    corrections = [torch.tensor(float(k)) for k in range(3)]
    return [
        dict(zip(row.params, (x, k), strict=False)) for k in corrections[: 2 * len(row.params) - 1]
    ]


def of_pytorch(row: Reduction, args: dict[str, Tensor]) -> Tensor:
    first, *numbers = args.values()
    values = dict(zip(row.params, (first, *map(float, numbers)), strict=True))
    return eval(row.ref, {"torch": torch, **values})


def assert_same(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-14, equal_nan=True)


def test_formulas_use_known_names() -> None:
    for row in REDUCTIONS.values():
        known = {*row.params, *LEAVES, *CONSTANTS}
        for formula, names in ((row.body, known), (row.gradient, {*known, "out", "g"})):
            nodes = [*walk(formula)] if formula else []
            assert {node.id for node in nodes if isinstance(node, Name)} <= names, row.name
            assert {node.function for node in nodes if isinstance(node, Call)} <= CALLABLE.keys()


def test_kernels_have_two() -> None:
    assert [row for row in REDUCTIONS.values() if row.body is None] == [SUM, AMAX]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("row", [row for row in NUMBERS if row.body], ids=by_name)
def test_bodies(row: Reduction, sample: str) -> None:
    x = torch.tensor(SAMPLES[sample], dtype=torch.float64)
    assert row.body is not None
    for args in calls(row, x):
        assert_same(on_rows(row.body, args, x.shape[-1]), of_pytorch(row, args))


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("row", NUMBERS, ids=by_name)
def test_gradients(row: Reduction, sample: str) -> None:
    x = torch.tensor(SAMPLES[sample], dtype=torch.float64, requires_grad=True)
    assert row.gradient is not None
    for args in calls(row, x):
        out = of_pytorch(row, args)
        g = torch.randn(out.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
        names = {**args, row.params[0]: x.detach(), "out": out.detach(), "g": g}
        got = on_rows(row.gradient, names, x.shape[-1]).broadcast_to(x.shape)
        assert_same(got, *torch.autograd.grad(out, x, g))


@pytest.mark.parametrize("row", CONDITIONS, ids=by_name)
def test_conditions(row: Reduction) -> None:
    x = torch.tensor([[True, False, True], [False] * 3, [True] * 3])
    args = {row.params[0]: x}
    assert row.body is not None
    assert row.gradient is None
    assert_same(on_rows(row.body, args, x.shape[-1]).double(), of_pytorch(row, args).double())


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("row", [SUM, AMAX], ids=by_name)
def test_values_in_mpmath(row: Reduction, sample: str) -> None:
    assert row.mp is not None
    for values in SAMPLES[sample]:
        got = float(row.mp([mpmath.mpf(value) for value in values]))
        expected = of_pytorch(row, {row.params[0]: torch.tensor(values, dtype=torch.float64)})
        assert_same(torch.tensor([got], dtype=torch.float64), expected)
