"""Loops over the primitive table: each row against mpmath, against PyTorch, and in C++."""

from __future__ import annotations

import ctypes
import itertools
import math
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import mpmath
import pytest
import torch
from fusewise.language.formula import CONSTANTS, Call, Expr, Name, Number, parse_formula, walk
from fusewise.language.functions import ROWS as TABLE
from fusewise.language.functions import Function
from fusewise.numeric.evaluate import apply, evaluate
from fusewise.numeric.points import MAGNITUDES

INCLUDE = Path(__file__).parents[3] / "runtime"
ROWS = list(TABLE.values())
DIFFERENTIABLE = [row for row in ROWS if any(row.derivatives)]
INF, NAN = math.inf, math.nan
PRECISION = 400

BOUNDED = ("log1p_unit", "tanh_near_zero")  # what it is outside its domain, nobody asks

SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 6.0, INF, -INF, NAN]

# The bound on a derivative's error in ulp, where it is not the default. Those of functions that
# compose roundings through an exponential grow with its argument.
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


def by_name(row: Function) -> str:
    return row.name


# The table itself


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
    if isinstance(row.aten, str):
        assert hasattr(torch.ops.aten, row.aten)


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
    """The double backward exists: what a derivative is made of has derivatives itself."""
    for node in itertools.chain.from_iterable(walk(d) for d in row.derivatives if d):
        if isinstance(node, Call) and node.function != "where":
            callee = TABLE[node.function]
            assert callee.result == "bool" or any(callee.derivatives)


# Derivatives in mpmath


def slope(expr: Expr, env: Mapping[str, Any], by: str) -> Any:
    """The derivative of a formula by the rules of the table, at a point."""
    if not isinstance(expr, Call):
        return mpmath.mpf(isinstance(expr, Name) and expr.id == by)
    if expr.function == "where":
        condition, chosen, other = expr.args
        return slope(chosen if evaluate(condition, env) else other, env, by)
    row = TABLE[expr.function]
    args = (*expr.args, *row.defaults[len(row.defaults) + len(expr.args) - len(row.params) :])
    values = {name: evaluate(arg, env) for name, arg in zip(row.params, args, strict=True)}
    values["out"] = apply(expr.function, *values.values())
    total = mpmath.mpf(0)
    for arg, derivative in zip(args, row.derivatives, strict=True):
        inner = slope(arg, env, by)
        if derivative is not None and inner != 0:
            total += inner * evaluate(derivative, values)
    return total


def points(row: Function, count: int, seed: int = 0) -> Iterator[tuple[float, ...]]:
    """Points of a row's domain, uniformly drawn; those of one argument hold 0."""
    generator = torch.Generator().manual_seed(seed)
    draws = torch.rand(count, len(row.params), generator=generator, dtype=torch.float64)
    if len(row.params) == 1 and row.domain[0][0] < 0:
        yield (0.0,)
    for draw in draws.tolist():
        yield tuple(
            float(low) + (float(high) - float(low)) * u
            for u, (low, high) in zip(draw, row.domain, strict=True)
        )


def smooth_points(row: Function, count: int) -> Iterator[dict[str, Any]]:
    for point in points(row, count):
        if row.name == "zeta":
            point = (float(round(point[0])), point[1])  # differences at others take mpmath long
        env = {name: mpmath.mpf(value) for name, value in zip(row.params, point, strict=True)}
        if all(abs(evaluate(kink, env)) > 0.01 for kink in row.kinks):
            yield env


def test_derivatives_match_differences_twice() -> None:
    """The first derivative is that of the function, and the rules give the derivative's own."""
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


def substitute(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    if isinstance(expr, Name):
        return names.get(expr.id, expr)
    if isinstance(expr, Call):
        return Call(expr.function, tuple(substitute(arg, names) for arg in expr.args))
    return expr


def test_evaluate_takes_the_chosen_branch_only() -> None:
    assert evaluate(parse_formula("where(x > 0, log(x), x)"), {"x": mpmath.mpf(-1)}) == -1
    assert mpmath.isnan(evaluate(parse_formula("log(x)"), {"x": mpmath.mpf(-1)}))
    assert evaluate(parse_formula("elu(x)"), {"x": mpmath.mpf(2)}) == 2
    assert evaluate(parse_formula("stop_grad(x) * pi"), {"x": mpmath.mpf(1)}) == mpmath.pi


# PyTorch

TORCH_NAMES: dict[str, Any] = {"torch": torch}


def reference(row: Function, *args: torch.Tensor) -> torch.Tensor:
    return eval(row.ref, dict(zip(row.params, args, strict=True)), TORCH_NAMES)


def decomposition(expr: Expr, env: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """A formula in ATen calls, all arguments tensors: what the generated decompositions do."""
    like = next(iter(env.values()))
    if isinstance(expr, Number):
        return torch.full_like(like, float(expr.value))
    if isinstance(expr, Name):
        return env[expr.id] if expr.id in env else torch.full_like(like, getattr(math, expr.id))
    args = [decomposition(arg, env) for arg in expr.args]
    if expr.function == "where":
        return torch.where(*args)
    row = TABLE[expr.function]
    if row.name == "floordiv":
        return torch.ops.aten.div(*args, rounding_mode="floor")
    if isinstance(row.aten, str):
        return getattr(torch.ops.aten, row.aten)(*args)
    missing = len(row.params) - len(args)
    args += [decomposition(default, env) for default in row.defaults[len(row.defaults) - missing :]]
    return decomposition(row.aten, dict(zip(row.params, args, strict=True)))


def special_points(row: Function) -> torch.Tensor:
    """Every combination of the special values, with an inner point for each argument: [args, n]."""
    rows = list(itertools.product(SPECIAL, repeat=len(row.params)))
    rows += list(points(row, 40))
    return torch.tensor(rows, dtype=torch.float64).T.contiguous()


# What differs from the function of PyTorch that a row is compared with, each on purpose.
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
    aten = decomposition(call, dict(zip(row.params, inputs, strict=True))).double()
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
        return decomposition(call, dict(zip(row.params, inputs, strict=True)))

    def native(*inputs: torch.Tensor) -> torch.Tensor:
        return reference(row, *inputs)

    for function in (native, expand):
        inputs = [arg.clone().requires_grad_() for arg in args]
        if row.name == "zeta":
            continue  # PyTorch has none by s
        grads = torch.autograd.grad(function(*inputs).sum(), inputs, materialize_grads=True)
        for index, derivative in enumerate(row.derivatives):
            if derivative is not None:
                found = library.values(f"{row.name}_d{index}", args)
                # where PyTorch says NaN, we may know better
                excuse = excused_derivative(row, args) | grads[index].isnan()
                if row.name in IMPRECISE:
                    excuse |= (found - grads[index]).abs() < 1e-8 * (1 + found.abs())
                    excuse |= found.isinf()
                what = f"{function.__name__}: d {row.name} / d {row.params[index]} "
                check_equal(row, args, found, grads[index], excuse, what)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=by_name)
def test_decompositions_have_a_forward_mode(row: Function) -> None:
    if row.name in ("trigamma", "zeta"):
        pytest.skip("PyTorch has no forward mode of zeta")
    call = Call(row.name, tuple(map(Name, row.params)))

    def expand(*inputs: torch.Tensor) -> torch.Tensor:
        return decomposition(call, dict(zip(row.params, inputs, strict=True)))

    args = tuple(torch.tensor(list(points(row, 20)), dtype=torch.float64).T)
    tangents = tuple(map(torch.cos, args))
    found = torch.func.jvp(expand, args, tangents)[1]
    inputs = [arg.clone().requires_grad_() for arg in args]
    grads = torch.autograd.grad(expand(*inputs).sum(), inputs, materialize_grads=True)
    terms = [grad * tangent for grad, tangent in zip(grads, tangents, strict=True)]
    expected = torch.stack(terms).sum(0)
    usual = expected.isfinite()
    torch.testing.assert_close(found[usual], expected[usual])


# Derivatives that PyTorch computes with the precision of float only.
IMPRECISE = ("digamma", "hardsigmoid")


def excused_derivative(row: Function, args: torch.Tensor) -> torch.Tensor:
    x = args[0]
    match row.name:
        case "acosh":
            return x < 1  # outside the domain PyTorch's formula still gives numbers
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

FUNCTION = """
template <class T>
RT_FN {result} {name}({params}) {{
  return {formula};
}}
"""
LOOP = """
extern "C" KERNEL void {name}_{type}(const {type}* in, {type}* out, int64_t n) {{
  for (int64_t i = 0; i < n; ++i) out[i] = {type}(row::{name}<{type}>({args}));
}}
"""
HEADER = """#include <fusewise/math/math.h>
#ifdef __CUDACC__
#define KERNEL __global__
#else
#define KERNEL
#endif
namespace rt = fusewise::rt;
"""


def cpp(expr: Expr) -> str:
    if isinstance(expr, Number):
        return f"T({float(expr.value)!r})"
    if isinstance(expr, Name):
        return {"inf": "T(INFINITY)", "nan": "T(NAN)"}.get(expr.id, expr.id)
    args = [cpp(arg) for arg in expr.args]
    row = TABLE.get(expr.function)
    if row and row.symbol:
        return (
            f"({args[0]} {row.symbol} {args[1]})" if len(args) == 2 else f"({row.symbol}{args[0]})"
        )
    if row and row.body:
        args += [cpp(default) for default in row.defaults[len(row.params) - len(args) - 1 :]]
        return f"{row.name}<T>({', '.join(args[: len(row.params)])})"
    return f"rt::{expr.function}({', '.join(args)})"


def cpp_function(name: str, row: Function, formula: Expr, uses_out: bool = False) -> str:
    kind = "rt::Mask<T>" if row.name.startswith("logical") else "T"
    params = ", ".join(f"[[maybe_unused]] {kind} {param}" for param in row.params)
    result = "rt::Mask<T>" if row.result == "bool" else "T"
    if uses_out:
        formula = substitute(formula, {"out": Call(row.name, tuple(map(Name, row.params)))})
    return FUNCTION.format(result=result, name=name, params=params, formula=cpp(formula))


def source() -> str:
    """Every row and every derivative as a function of arrays, in each type it is defined for."""
    declarations, functions, loops = [], [], []
    for row in ROWS:
        call = Call(row.name, tuple(map(Name, row.params)))
        body = cpp_function(row.name, row, row.body or call)
        functions.append(body)
        if row.body:
            declarations.append(body[: body.index(" {")] + ";")
        names = [row.name]
        if row.shared:
            names.append(f"{row.name}_shared")
            functions.append(cpp_function(names[-1], row, row.shared))
        for index, derivative in enumerate(row.derivatives):
            if derivative is not None:
                names.append(f"{row.name}_d{index}")
                functions.append(cpp_function(names[-1], row, derivative, uses_out=True))
        zero = " != 0" if row.name.startswith("logical") else ""
        args = ", ".join(f"in[{k} * n + i]{zero}" for k in range(len(row.params)))
        for name in names:
            types = ["float", "double"] + ["int64_t"] * (row.integer and name == row.name)
            loops += [LOOP.format(name=name, type=kind, args=args) for kind in types]
    parts = [HEADER, "namespace row {", *declarations, *functions, "}  // namespace row", *loops]
    return "\n".join(parts)


class Library:
    """The compiled rows."""

    TYPES: Mapping[torch.dtype, str] = {
        torch.float32: "float",
        torch.float64: "double",
        torch.int64: "int64_t",
    }

    def __init__(self, path: Path) -> None:
        self.handle = ctypes.CDLL(str(path))

    def values(self, name: str, args: torch.Tensor) -> torch.Tensor:
        """One result a column of `args`, in their type."""
        args = args.contiguous()
        out = torch.empty_like(args[0])
        function = self.handle[f"{name}_{self.TYPES[args.dtype]}"]
        function(*map(ctypes.c_void_p, (args.data_ptr(), out.data_ptr())), ctypes.c_int64(len(out)))
        return out


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("primitives")
    (folder / "rows.cpp").write_text(source())
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    compile_with("g++", *flags, "rows.cpp", "-o", "rows.so", folder=folder)
    return Library(folder / "rows.so")


def compile_with(*command: str, folder: Path) -> None:
    line = [*command, f"-I{INCLUDE}"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_nvcc_compiles_every_row(tmp_path: Path) -> None:
    (tmp_path / "rows.cu").write_text(source())
    flags = ["-std=c++20", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra"]
    compile_with("nvcc", *flags, "-arch=sm_90", "-c", "rows.cu", "-o", "rows.o", folder=tmp_path)


def tails(row: Function, dtype: torch.dtype, count: int) -> torch.Tensor:
    """Points of the domain and of all magnitudes, both signs, subnormals too: [args, n]."""
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
        low, high = low / 3, high / 2 - 1  # where squares and quotients neither overflow nor vanish
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
    """The distance between neighbours in `dtype` at float64 values."""
    info = torch.finfo(dtype)
    exponent = torch.frexp(values.abs().clamp(info.smallest_normal, info.max))[1] - 1
    return torch.ldexp(torch.full_like(values, info.eps), exponent)


def errors(
    exact: Callable[[torch.Tensor], torch.Tensor], found: torch.Tensor, args: torch.Tensor
) -> torch.Tensor:
    """In ulp of the exact value; next to a sign change of it, in ulp of 1 where that is larger.

    A value out of range may be infinite or the largest number, and one among the subnormals may
    carry the rounding of a subnormal factor.
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
    """The row's forms and its derivatives, each with its name in C++, its formula and its bound."""
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
    """Against the double forms, which are exact as far as float can tell."""
    args = tails(row, torch.float32, 4000)
    args = args[:, library.values(row.name, args).isfinite()]
    for name, _, bound in forms(row):

        def exact(moved: torch.Tensor, name: str = name) -> torch.Tensor:
            return library.values(name, moved)

        check_bound(name, args, errors(exact, library.values(name, args), args), bound)


GAMMA = ("digamma", "lgamma", "trigamma", "zeta")  # mpmath takes long at large arguments
ANYWHERE = [row for row in FLOATING if row.name not in (*GAMMA, *BOUNDED)]


@pytest.mark.parametrize("row", ANYWHERE, ids=by_name)
def test_float_forms_are_finite_where_the_value_is(row: Function, library: Library) -> None:
    """One argument at any magnitude, subnormal and the largest too, the others in their domain.

    The head-room is that of docs/numerics.md: a 1024th of the largest number; 1024 where an
    argument is itself beyond that.
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
