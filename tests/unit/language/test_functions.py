"""The table of functions: rows are complete, and derivatives agree with finite differences."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mpmath
import pytest
import torch
from function_rows import DIFFERENTIABLE, ROWS, by_name, points
from fusewise.language.formula import CONSTANTS, Call, Expr, Name, parse_formula, substitute, walk
from fusewise.language.functions import CALLABLE, Function, values
from fusewise.language.functions import ROWS as TABLE
from fusewise.numeric.evaluate import apply, evaluate

ROOT = Path(__file__).resolve().parents[3]


def test_the_table_is_large_and_keyed_by_name() -> None:
    assert len(ROWS) >= 65
    assert all(name == row.name for name, row in TABLE.items())


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_row_is_complete(row: Function) -> None:
    assert len(row.derivatives) == len(row.params) == len(row.domain)
    assert (row.mp is None) == (row.body is not None)
    assert row.result in ("float", "bool", "same")
    assert row.result != "bool" or not any(row.derivatives)
    assert row.cost > 0
    assert row.ulp > 0
    assert all(low < high for low, high in row.domain)
    assert bool(row.convention) or not row.kinks


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_formulas_use_known_names(row: Function) -> None:
    aten = None if isinstance(row.aten, str) else row.aten
    check_names(row.params, (row.body, row.shared, aten, *row.kinks))
    check_names((*row.params, "out"), row.derivatives)
    check_names((), row.defaults)


def test_decompositions_call_what_their_header_has() -> None:
    header = (ROOT / "runtime/fusewise/torch/aten.h").read_text()
    declared = set(re.findall(r"^Value (\w+)\(", header.split("namespace aten {")[1], re.MULTILINE))
    operators = {row.name for row in ROWS if row.symbol and not row.of_conditions}
    rows = [row for row in CALLABLE.values() if row.name not in operators]
    assert declared == {row.aten for row in rows if isinstance(row.aten, str)}
    assert all(hasattr(torch.ops.aten, name) for name in declared)


def check_names(names: tuple[str, ...], formulas: tuple[Expr | None, ...]) -> None:
    for node in itertools.chain.from_iterable(walk(expr) for expr in formulas if expr):
        if isinstance(node, Name):
            assert node.id in (*names, *CONSTANTS)
        elif isinstance(node, Call) and node.function != "where":
            row = TABLE[node.function]
            required = len(row.params) - len(row.defaults)
            assert required <= len(node.args) <= len(row.params)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=by_name)
def test_derivatives_are_differentiable(row: Function) -> None:
    """The double backward exists: the functions in a derivative have derivatives."""
    for node in itertools.chain.from_iterable(walk(d) for d in row.derivatives if d):
        if isinstance(node, Call) and node.function != "where":
            callee = TABLE[node.function]
            assert callee.result == "bool" or any(callee.derivatives)


def slope(expr: Expr, env: Mapping[str, Any], by: str) -> Any:
    """The derivative of a formula at a point by the rules of the table."""
    if not isinstance(expr, Call):
        return mpmath.mpf(isinstance(expr, Name) and expr.id == by)
    if expr.function == "where":
        condition, chosen, other = expr.args
        return slope(chosen if evaluate(condition, env) else other, env, by)
    row = TABLE[expr.function]
    args = (*expr.args, *row.defaults[len(row.defaults) + len(expr.args) - len(row.params) :])
    values = {name: evaluate(arg, env) for name, arg in zip(row.params, args, strict=True)}
    values["out"] = apply(TABLE[expr.function], *values.values())
    total = mpmath.mpf(0)
    for arg, derivative in zip(args, row.derivatives, strict=True):
        inner = slope(arg, env, by)
        if derivative is not None and inner != 0:
            total += inner * evaluate(derivative, values)
    return total


def smooth_points(row: Function, count: int) -> Iterator[dict[str, Any]]:
    for point in points(row, count):
        if row.name == "zeta":
            point = (float(round(point[0])), point[1])  # mpmath is slow at fractions
        env = {name: mpmath.mpf(value) for name, value in zip(row.params, point, strict=True)}
        if all(abs(evaluate(kink, env)) > 0.01 for kink in row.kinks):
            yield env


def test_derivatives_match_differences_twice() -> None:
    """The rules give the first derivative of each function, and the derivative of that."""
    with mpmath.workdps(40):
        for row in DIFFERENTIABLE:
            call = Call(row.name, tuple(map(Name, row.params)))
            for env in smooth_points(row, 4):
                out = evaluate(call, env)
                for param, derivative in zip(row.params, row.derivatives, strict=True):
                    if derivative is None:
                        continue
                    first = evaluate(derivative, {**env, "out": out})
                    assert_close(row, first, difference(call, env, param))
                    for by in row.params:
                        if row.derivatives[row.params.index(by)] is None:
                            continue
                        rule = substitute(derivative, {"out": call})
                        assert_close(row, slope(rule, env, by), difference(rule, env, by))


def difference(expr: Expr, env: Mapping[str, Any], by: str) -> Any:
    step = mpmath.mpf(10) ** -8
    values = [evaluate(expr, {**env, by: env[by] + k * step}) for k in (-2, -1, 1, 2)]
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step)


def assert_close(row: Function, found: Any, expected: Any) -> None:
    error = abs(found - expected)
    assert error <= 1e-14 * (1 + abs(expected)), f"{row.name}: {found} != {expected}"


def test_evaluate_takes_the_chosen_branch_only() -> None:
    assert evaluate(parse_formula("where(x > 0, log(x), x)"), {"x": mpmath.mpf(-1)}) == -1
    assert mpmath.isnan(evaluate(parse_formula("log(x)"), {"x": mpmath.mpf(-1)}))
    assert evaluate(parse_formula("elu(x)"), {"x": mpmath.mpf(2)}) == 2
    assert evaluate(parse_formula("stop_grad(x) * pi"), {"x": mpmath.mpf(1)}) == mpmath.pi


@pytest.mark.parametrize("s", [2, 3, 8])
def test_zeta_left_of_zero_is_mpmaths_polygamma(s: int) -> None:
    with mpmath.workdps(40):
        for x in (-0.25, -3.75, mpmath.mpf(-100) / 7):
            exact = (-1) ** s * mpmath.psi(s - 1, x) / mpmath.factorial(s - 1)
            assert abs(values.zeta(mpmath.mpf(s), x) / exact - 1) < 1e-35


def test_zeta_takes_no_longer_for_large_arguments() -> None:
    with mpmath.workdps(60):
        for x in (-(2**20) - 0.25, -(2**40) - 0.25, mpmath.mpf(-(2**127)) - 0.125):
            exact = (mpmath.pi / mpmath.sin(mpmath.pi * x)) ** 2 - values.zeta(2, 1 - x)
            assert abs(values.zeta(2, x) / exact - 1) < 1e-15
            assert abs(values.zeta(mpmath.mpf(2) ** 24, x)) > 1


@pytest.mark.parametrize("name", TABLE)
def test_an_argument_of_any_size_has_a_value(name: str) -> None:
    """mpmath alone has none, or takes hours, where it needs a digit for each digit of these."""
    row = TABLE[name]
    for size in map(functools.partial(mpmath.ldexp, 1), (10**12, 2**70, -(10**12))):
        for args in itertools.product((size, -size, mpmath.mpf(2)), repeat=len(row.params)):
            if not row.of_conditions:
                apply(row, *args)


def test_zeta_has_the_domain_of_pytorch() -> None:
    places = (-2.5, -2.0, 0.0, 0.5, 3.0, torch.nan)
    points = [(s, x) for s in (-2.0, 0.0, 1.0, 1.5, 2.0, 3.0) for x in places]
    found = [float(apply(TABLE["zeta"], *map(mpmath.mpf, point))) for point in points]
    s, x = torch.tensor(points, dtype=torch.float64).T
    torch.testing.assert_close(
        torch.tensor(found, dtype=torch.float64), torch.special.zeta(s, x), equal_nan=True
    )
