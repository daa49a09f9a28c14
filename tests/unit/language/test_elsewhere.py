"""What to write in place of functions of other libraries has their values."""

from __future__ import annotations

import mpmath
import pytest
import torch
from fusewise.language.formula import Name, Number, parse_formula
from fusewise.language.functions import CALLABLE
from fusewise.language.functions.elsewhere import ELSEWHERE, NOT_POINTWISE, written
from fusewise.language.scope import Scope
from fusewise.numeric.evaluate import evaluate

POINTS = (-2.5, -1.0, -0.375, 0.0, 0.25, 0.75, 1.0, 3.5)
# Those of other libraries, and those that PyTorch has for other arguments.
NOT_IN_TORCH = ("exp10", "float", "glu", "int", "ones_like", "quick_gelu", "swiglu", "zeros_like")


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_formula_is_of_the_language(name: str) -> None:
    params, _, formula = ELSEWHERE[name]
    scope = Scope(dict.fromkeys(params, "float"))
    assert scope.check(formula) == "float" or isinstance(formula, Number)
    assert not scope.problems


@pytest.mark.parametrize("name", [name for name in ELSEWHERE if name not in NOT_IN_TORCH])
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


def test_arguments_take_their_places() -> None:
    assert written("prelu", [Name("a"), parse_formula("b + 1")]) == "(a if a > 0 else (b + 1) * a)"
    assert written("hardshrink", [Name("a")]) == "(a if abs(a) > 0.5 else 0)"
    assert written("zeros_like", [Name("a")]) == "0"
    assert written("fmod", []) == "(x - y * trunc(x / y))"
    assert written("tanhh", []) is None


def test_a_name_stands_in_one_table() -> None:
    names = [*ELSEWHERE, *NOT_POINTWISE, *CALLABLE]
    names += [alias for row in CALLABLE.values() for alias in row.aliases]
    assert len(names) == len(set(names))
