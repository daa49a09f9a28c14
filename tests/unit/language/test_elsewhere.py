"""What to write in place of functions of other libraries has their values."""

from __future__ import annotations

import mpmath
import pytest
import torch
from fusewise.language.formula import Name, format_expr, parse_formula, substitute
from fusewise.language.functions import CALLABLE
from fusewise.language.functions.elsewhere import ELSEWHERE, MISSING, written
from fusewise.language.scope import Kind, Scope
from fusewise.numeric.evaluate import evaluate
from row_values import on_rows

POINTS = (-2.5, -1.0, -0.375, 0.0, 0.25, 0.75, 1.0, 3.5)
# Those of other libraries, and those that PyTorch has for other arguments.
NOT_IN_TORCH = {
    *("cube", "exp10", "float", "gelu_and_mul", "glu", "int", "ones_like", "quick_gelu"),
    *("silu_and_mul", "swiglu", "zeros_like"),
}

F = torch.nn.functional
X, Y = torch.randn(2, 3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
TARGET = torch.tensor([[1], [4], [0]])
HOLES = X.where(X > 0, torch.nan)
# Functions of rows: arguments, and the result with the last dimension.
OF_ROWS = {
    "arange": ([X], torch.arange(5)),
    "argmax": ([X], X.argmax(-1, keepdim=True)),
    "argmin": ([X], X.argmin(-1, keepdim=True)),
    "cosine_similarity": ([X, Y], F.cosine_similarity(X, Y, -1)[:, None]),
    "count_nonzero": ([X.round()], X.round().count_nonzero(-1)[:, None]),
    "cross_entropy": ([X, TARGET], F.cross_entropy(X, TARGET[:, 0], reduction="none")[:, None]),
    "dot": ([X, Y], torch.linalg.vecdot(X, Y)[:, None]),
    "kl_div": ([X, Y.abs()], F.kl_div(X, Y.abs(), reduction="none")),
    "layer_norm": ([X, Y[0], Y[1]], F.layer_norm(X, (5,), Y[0], Y[1])),
    "len": ([X], torch.tensor(5)),
    "masked_fill": ([X, Y > 0, torch.tensor(2.0).double()], X.masked_fill(Y > 0, 2)),
    "nansum": ([HOLES], HOLES.nansum(-1, keepdim=True)),
    "nll_loss": ([X, TARGET], F.nll_loss(X, TARGET[:, 0], reduction="none")[:, None]),
    "normalize": ([X], F.normalize(X, dim=-1)),
    "numel": ([X], torch.tensor(5)),
    "one_hot": ([TARGET], F.one_hot(TARGET[:, 0], 5)),
    "rms": ([X], X.square().mean(-1, keepdim=True).sqrt()),
    "rms_norm": ([X, Y[0]], F.rms_norm(X, (5,), Y[0], eps=1e-6)),
    "shape": ([X], torch.tensor(5)),
    "size": ([X], torch.tensor(5)),
    "softmin": ([X], F.softmin(X, -1)),
}
POINTWISE = ELSEWHERE.keys() - OF_ROWS - NOT_IN_TORCH


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_formula_is_of_the_language(name: str) -> None:
    params, _, formula = ELSEWHERE[name]
    kinds: dict[str, Kind | None] = dict.fromkeys(params, "float")
    kinds |= {"target": "int"} if "index" in format_expr(formula) else {}
    kinds |= {"mask": "bool"} if "mask" in params else {}
    scope = Scope(kinds, dict.fromkeys(params, "element"))
    assert scope.check(formula) in ("float", "int")
    assert not scope.problems


@pytest.mark.parametrize("name", sorted(POINTWISE))
def test_the_formula_has_the_values_of_torch(name: str) -> None:
    params, defaults, formula = ELSEWHERE[name]
    function = getattr(torch.nn.functional, name, None) or getattr(torch, name)
    count = len(params) - len(defaults)
    usual = dict(zip(params[count:], (evaluate(d, {}) for d in defaults), strict=True))
    reduced = {"reduction": "none"} if "loss" in name or "entropy" in name else {}
    for point in POINTS:
        # logit is of a probability; the thresholds of `threshold` are plain numbers
        values = [abs(point) / 4 if name == "logit" else point, 0.625, 0.25][:count]
        tensors = [torch.tensor([value], dtype=torch.float64) for value in values]
        args = [tensors[0], *values[1:]] if name == "threshold" else tensors
        env = {k: mpmath.mpf(v) for k, v in zip(params, values, strict=False)}
        got = float(evaluate(formula, env | usual))
        assert got == pytest.approx(float(function(*args, **reduced)), rel=1e-12), point


@pytest.mark.parametrize("name", OF_ROWS)
def test_the_formula_of_rows_has_the_values_of_torch(name: str) -> None:
    params, defaults, formula = ELSEWHERE[name]
    args, expected = OF_ROWS[name]
    usual = dict(zip(params[len(args) :], defaults, strict=True))
    got = on_rows(substitute(formula, usual), dict(zip(params, args, strict=False)), 5)
    torch.testing.assert_close(got, expected, check_dtype=False)


def test_arguments_take_their_places() -> None:
    assert written("prelu", [Name("a"), parse_formula("b + 1")]) == "(a if a > 0 else (b + 1) * a)"
    assert written("hardshrink", [Name("a")]) == "(a if abs(a) > 0.5 else 0)"
    assert written("zeros_like", [Name("a")]) == "0"
    assert written("fmod", []) == "(x - y * trunc(x / y))"
    assert written("tanhh", []) is None


def test_a_name_stands_in_one_table() -> None:
    names = [*ELSEWHERE, *MISSING, *CALLABLE]
    names += [alias for row in CALLABLE.values() for alias in row.aliases]
    assert len(names) == len(set(names))
