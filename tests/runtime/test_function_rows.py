"""The functions of the table in C++, compared with PyTorch and with exact values."""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import mpmath
import pytest
import torch
from function_rows import (
    DIFFERENTIABLE,
    ROWS,
    Library,
    by_name,
    compile_with,
    points,
    source,
)
from fusewise.language.formula import Call, Expr, Name, Number, substitute
from fusewise.language.functions import ROWS as TABLE
from fusewise.language.functions import Function
from fusewise.numeric.evaluate import evaluate
from fusewise.numeric.points import MAGNITUDES

INF, NAN = math.inf, math.nan
PRECISION = 400

BOUNDED = ("log1p_unit", "tanh_near_zero")  # undefined outside their domains

SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 6.0, INF, -INF, NAN]

# Bounds of derivatives' errors in ulp. Roundings inside an exponential are magnified by its
# argument.
DERIVATIVE_ULP = 24
DERIVATIVE_ULPS = {
    "gelu_tanh": 512,
    "dgelu_tanh": 512,
    "logaddexp": 2048,
    "dtanh_softplus": 64,
    "sin_doubled": 128,
    "pow": 1024,
    "zeta": 64,
}


# PyTorch

TORCH_NAMES: dict[str, Any] = {"torch": torch}


def reference(row: Function, *args: torch.Tensor) -> torch.Tensor:
    return eval(row.ref, dict(zip(row.params, args, strict=True)), TORCH_NAMES)


def composite(expr: Expr, env: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """The value of a formula in ATen calls of tensors, as in generated decompositions."""
    like = next(iter(env.values()))
    if isinstance(expr, Number):
        return torch.full_like(like, float(expr.value))
    if isinstance(expr, Name):
        return env[expr.id] if expr.id in env else torch.full_like(like, getattr(math, expr.id))
    args = [composite(arg, env) for arg in expr.args]
    if expr.function == "where":
        return torch.where(*args)
    row = TABLE[expr.function]
    if row.name == "floordiv":
        return torch.ops.aten.div(*args, rounding_mode="floor")
    if isinstance(row.aten, str):
        return getattr(torch.ops.aten, row.aten)(*args)
    missing = len(row.params) - len(args)
    args += [composite(default, env) for default in row.defaults[len(row.defaults) - missing :]]
    return composite(row.aten, dict(zip(row.params, args, strict=True)))


def special_points(row: Function) -> torch.Tensor:
    """All combinations of special values, and 40 points of the domain: shape [args, n]."""
    rows = list(itertools.product(SPECIAL, repeat=len(row.params)))
    rows += list(points(row, 40))
    return torch.tensor(rows, dtype=torch.float64).T.contiguous()


# The points where a row differs from its PyTorch function on purpose.
def excused(row: Function, args: torch.Tensor) -> torch.Tensor:
    x = args[0]
    none = torch.zeros_like(x, dtype=torch.bool)
    infinite = args.isinf().any(0)
    match row.name:
        case "gelu_tanh" | "dgelu_tanh" | "exp_mul" | "gaussian" | "normal_pdf":
            return infinite  # inf * 0 in one form or the other
        case "zeta" | "trigamma":
            return ~args.isfinite().all(0)  # NaN in PyTorch, or a limit that does not exist
        case _:
            return none


@pytest.mark.parametrize("row", ROWS, ids=by_name)
def test_cpp_matches_torch(row: Function, library: Library) -> None:
    args = special_points(row)
    inputs = [arg != 0 for arg in args] if row.name.startswith("logical") else list(args)
    expected = reference(row, *inputs).double()
    for name in (row.name, *([f"{row.name}_shared"] if row.shared else [])):
        found = library.values(name, args)
        check_equal(row, args, found, expected, excused(row, args), name)
    call = Call(row.name, tuple(map(Name, row.params)))
    aten = composite(call, dict(zip(row.params, inputs, strict=True))).double()
    check_equal(row, args, aten, expected, excused(row, args))


def check_equal(
    row: Function,
    args: torch.Tensor,
    found: torch.Tensor,
    expected: torch.Tensor,
    excuse: torch.Tensor,
    what: str = "",
) -> None:
    close = torch.isclose(found, expected, rtol=1e-11, atol=1e-13, equal_nan=True) | excuse
    wrong = [
        f"{what or row.name}{tuple(args[:, i].tolist())}"
        f" is {found[i].item()}, not {expected[i].item()}"
        for i in (~close).nonzero().flatten().tolist()
    ]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=by_name)
def test_cpp_derivatives_match_autograd(row: Function, library: Library) -> None:
    args = special_points(row)
    call = Call(row.name, tuple(map(Name, row.params)))

    def expand(*inputs: torch.Tensor) -> torch.Tensor:
        return composite(call, dict(zip(row.params, inputs, strict=True)))

    def native(*inputs: torch.Tensor) -> torch.Tensor:
        return reference(row, *inputs)

    for function in (native, expand):
        inputs = [arg.clone().requires_grad_() for arg in args]
        if row.name == "zeta":
            continue  # PyTorch has no derivative by s
        grads = torch.autograd.grad(function(*inputs).sum(), inputs, materialize_grads=True)
        for index, derivative in enumerate(row.derivatives):
            if derivative is not None:
                found = library.values(f"{row.name}_d{index}", args)
                # where PyTorch gives NaN, a number is allowed
                excuse = excused_derivative(row, args) | grads[index].isnan()
                if row.name in IMPRECISE:
                    excuse |= (found - grads[index]).abs() < 1e-8 * (1 + found.abs())
                    excuse |= found.isinf()
                what = f"{function.__name__}: d {row.name} / d {row.params[index]} "
                check_equal(row, args, found, grads[index], excuse, what)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=by_name)
def test_composites_have_a_forward_mode(row: Function) -> None:
    if row.name in ("trigamma", "zeta"):
        pytest.skip("PyTorch has no forward mode of zeta")
    call = Call(row.name, tuple(map(Name, row.params)))

    def expand(*inputs: torch.Tensor) -> torch.Tensor:
        return composite(call, dict(zip(row.params, inputs, strict=True)))

    args = tuple(torch.tensor(list(points(row, 20)), dtype=torch.float64).T)
    tangents = tuple(map(torch.cos, args))
    found = torch.func.jvp(expand, args, tangents)[1]
    inputs = [arg.clone().requires_grad_() for arg in args]
    grads = torch.autograd.grad(expand(*inputs).sum(), inputs, materialize_grads=True)
    terms = [grad * tangent for grad, tangent in zip(grads, tangents, strict=True)]
    expected = torch.stack(terms).sum(0)
    usual = expected.isfinite()
    torch.testing.assert_close(found[usual], expected[usual])


# PyTorch computes these derivatives only in float precision.
IMPRECISE = ("digamma", "hardsigmoid")


def excused_derivative(row: Function, args: torch.Tensor) -> torch.Tensor:
    x = args[0]
    match row.name:
        case "acosh":
            return x < 1  # PyTorch gives numbers outside the domain
        case "trigamma":
            return x == -INF
        case "hypot_slope":
            return args.isinf().any(0)  # a quotient of infinities
        case "relu6" | "hardsigmoid":
            return x.isnan()  # 0 in PyTorch's vector code, 1 in its scalar code
        case _:
            return torch.zeros_like(x, dtype=torch.bool)


@pytest.mark.parametrize("row", [row for row in ROWS if row.integer], ids=by_name)
def test_cpp_integers_match_torch(row: Function, library: Library) -> None:
    values = [-(2**31), -7, -3, -2, -1, 0, 1, 2, 3, 5, 8, 2**40]
    rows = torch.tensor(list(itertools.product(values, repeat=len(row.params)))).T.contiguous()
    if row.name in ("floordiv", "mod"):
        rows = rows[:, rows[1] != 0]
    if row.name == "pow":
        rows = rows[:, (rows[1] < 50) & (rows[1] > -50)]
    inputs = [arg != 0 for arg in rows] if row.name.startswith("logical") else list(rows)
    expected = reference(row, *inputs).long()
    torch.testing.assert_close(library.values(row.name, rows.contiguous()), expected)


# C++


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("primitives")
    (folder / "rows.cpp").write_text(source())
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    compile_with("g++", *flags, "rows.cpp", "-o", "rows.so", folder=folder)
    return Library(folder / "rows.so")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_nvcc_compiles_every_row(tmp_path: Path) -> None:
    (tmp_path / "rows.cu").write_text(source())
    flags = ["-std=c++20", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]
    compile_with("nvcc", *flags, "-arch=sm_90", "-c", "rows.cu", "-o", "rows.o", folder=tmp_path)


def tails(row: Function, dtype: torch.dtype, count: int) -> torch.Tensor:
    """Points of the domain and of all magnitudes, with subnormals: shape [args, n]."""
    generator = torch.Generator().manual_seed(1)
    info = torch.finfo(dtype)
    low, high = math.log10(info.smallest_normal) - 5, math.log10(info.max)
    if row.name in ("mod", "floordiv", "zeta", "lgamma"):
        low, high = (
            -3,
            3,
        )  # an exact quotient, or a zero not far off, needs all the digits there are
    elif row.name == "exp_mul":
        low, high = low / 3, 0
    elif len(row.params) > 1 or row.name in ("atan", "atanh"):
        low, high = low / 3, high / 2 - 1  # squares and quotients do not overflow or vanish
    inside = torch.tensor(list(points(row, count // 2)), dtype=torch.float64).T
    if row.name in BOUNDED:
        return inside.to(dtype)
    powers = torch.empty(len(row.params), count, dtype=torch.float64)
    powers = 10 ** powers.uniform_(low, high, generator=generator)
    signs = torch.randint(0, 2, powers.shape, generator=generator) * 2 - 1
    near = torch.tensor(list(points(row, count // 4, seed=2)), dtype=torch.float64).T
    mixed = torch.where(torch.rand(near.shape, generator=generator) < 0.5, near, near * 8)
    if row.defaults or row.name == "clamp":
        signs[1:], powers[1:] = 1, near.repeat(1, 5)[1:, :count]
    result = torch.cat([inside, powers * signs, mixed], 1).to(dtype)
    if row.name == "zeta":
        result[0] = result[0].abs().clamp(2, 30).round()
        result[1] = result[1].abs()
    if row.name in ("lgamma", "digamma", "trigamma"):
        result = result.abs()
    return result


def ulp_of(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The ulp of `dtype` at float64 values."""
    info = torch.finfo(dtype)
    exponent = torch.frexp(values.abs().clamp(info.smallest_normal, info.max))[1] - 1
    return torch.ldexp(torch.full_like(values, info.eps), exponent)


def errors(
    exact: Callable[[torch.Tensor], torch.Tensor], found: torch.Tensor, args: torch.Tensor
) -> torch.Tensor:
    """Errors in ulp of the exact value, or in ulp of 1 near a sign change if that is larger.

    A value out of range may be infinite or the largest number. A subnormal value may have the
    rounding error of a subnormal factor.
    """
    info = torch.finfo(found.dtype)
    expected = exact(args.double())
    unit = ulp_of(expected, found.dtype)
    unit = torch.where(expected.abs() < 1024 * info.smallest_normal, 256 * unit, unit)
    crossing = torch.zeros_like(expected, dtype=torch.bool)
    for factor in (0.95, 1.05):
        moved = args.double()
        moved[-1] *= factor
        crossing |= exact(moved).sign() != expected.sign()
    unit = torch.where(crossing, unit.clamp(min=info.eps), unit)
    result = (found.double() - expected).abs() / unit
    overflow = (expected.abs() >= info.max) & (found.abs() >= info.max)
    undefined = expected.isnan() | (expected.isinf() & ~found.isfinite())
    return torch.where(overflow | undefined, 0.0, result.nan_to_num(INF))


def forms(row: Function) -> Iterator[tuple[str, Expr, float]]:
    """(name in C++, formula, bound in ulp) of each form and derivative of a row."""
    call = Call(row.name, tuple(map(Name, row.params)))
    yield row.name, call, row.ulp
    if row.shared:
        yield f"{row.name}_shared", row.shared, row.ulp
    for index, derivative in enumerate(row.derivatives):
        if derivative is not None:
            bound = DERIVATIVE_ULPS.get(row.name, DERIVATIVE_ULP)
            yield f"{row.name}_d{index}", substitute(derivative, {"out": call}), bound


def mp_values(expr: Expr, params: tuple[str, ...], args: torch.Tensor) -> torch.Tensor:
    with mpmath.workprec(PRECISION):
        columns = [[mpmath.mpf(value) for value in column] for column in args.T.tolist()]
        values = [evaluate(expr, dict(zip(params, column, strict=True))) for column in columns]
        return torch.tensor([float(value) for value in values], dtype=torch.float64)


FLOATING = [row for row in ROWS if row.result != "bool"]


@pytest.mark.parametrize("row", FLOATING, ids=by_name)
def test_double_forms_are_accurate(row: Function, library: Library) -> None:
    args = tails(row, torch.float64, 60)
    args = args[:, library.values(row.name, args).isfinite()]
    for name, formula, bound in forms(row):

        def exact(moved: torch.Tensor, formula: Expr = formula) -> torch.Tensor:
            return mp_values(formula, row.params, moved)

        check_bound(name, args, errors(exact, library.values(name, args), args), bound)


@pytest.mark.parametrize("row", FLOATING, ids=by_name)
def test_float_forms_are_accurate(row: Function, library: Library) -> None:
    """The references are the double forms, whose errors are far below a float ulp."""
    args = tails(row, torch.float32, 4000)
    args = args[:, library.values(row.name, args).isfinite()]
    for name, _, bound in forms(row):

        def exact(moved: torch.Tensor, name: str = name) -> torch.Tensor:
            return library.values(name, moved)

        check_bound(name, args, errors(exact, library.values(name, args), args), bound)


GAMMA = ("digamma", "lgamma", "trigamma", "zeta")  # mpmath is slow at large arguments
ANYWHERE = [row for row in FLOATING if row.name not in (*GAMMA, *BOUNDED)]


@pytest.mark.parametrize("row", ANYWHERE, ids=by_name)
def test_float_forms_are_finite_where_the_value_is(row: Function, library: Library) -> None:
    """One argument has any magnitude, from subnormal to the largest; the others are in the domain.

    As in docs/numerics.md, the value must be below 1/1024 of the largest number, or below 1024 if
    an argument exceeds that limit.
    """
    usual = [float(low) + float(high - low) * 0.6 for low, high in row.domain]
    rows = [
        [sign * float(value) if k == moved else usual[k] for k in range(len(usual))]
        for moved in range(len(usual))
        for value in MAGNITUDES
        for sign in (1, -1)
    ]
    args = torch.tensor(rows).T.contiguous() + 0.0
    limit = torch.finfo(torch.float32).max / 1024
    extreme = args.abs().amax(0) > limit
    for name, formula, _ in forms(row):
        exact = mp_values(formula, row.params, args)
        known = exact.abs() < torch.where(extreme, 1024.0, limit)
        wrong = (known & ~library.values(name, args).isfinite()).nonzero().flatten().tolist()
        assert not wrong, f"{name}{tuple(args[:, wrong[0]].tolist())} is {exact[wrong[0]].item()}"


def check_bound(name: str, args: torch.Tensor, error: torch.Tensor, bound: float) -> None:
    worst = int(error.argmax())
    at = tuple(args[:, worst].tolist())
    assert error[worst] <= bound, f"{name}{at}: {error[worst].item():.3g} ulp, bound {bound}"
