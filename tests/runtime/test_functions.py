"""The float functions of the CPU over all magnitudes, as scalars and as vectors."""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
import torch
from fusewise.build.toolchain import CAPABILITIES, FLOAT_FLAGS
from fusewise.language.functions import ROWS
from measure import ROOT, load_file

INCLUDE = ROOT / "runtime"

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

# Bounds of errors in ulp, just above the largest that longer searches found.
ULPS = {
    "exp": 1.04,
    "exp2": 0.91,
    "expm1": 1.55,
    "log": 0.76,
    "log2": 0.97,
    "log10": 0.99,
    "log1p": 0.98,
    "sinh": 1.65,
    "cosh": 1.5,
    "tanh": 1.35,
    "asinh": 1.2,
    "acosh": 1.65,
    "atanh": 0.95,
    "sin": 0.8,
    "cos": 0.8,
    "tan": 1.4,
    "asin": 0.75,
    "acos": 0.7,
    "atan": 1.0,
    "erf": 1.0,
    "erfc": 1.9,
    "normal_cdf": 3.95,
}

# Arguments where functions change their formula, or where results overflow, vanish or round to 1.
THRESHOLDS = (
    *(0.347, 0.5, 0.6, 0.6875, 0.75, 0.9, 1, 1.375, 2, 3.9, 4, 9.2, 10.06, 10.5, 17.4, 18),
    *(87.3, 88.72, 89, 89.4, 90, 103.3, 104, 126, 127, 128, 149, 150, 151),
    *(175.7, 176, 253.5, 254, 255, 1024),
    *(131072, 2**24, 2**26, 1e10, 1e18, 1.8e19, 1e-8, 1e-4),
    *(k * math.pi / 4 for k in (1, 2, 3, 4, 6, 8, 1000, 10001, 150000)),
)


def sample() -> Floats:
    """Floats of all magnitudes; their number is a multiple of 64, so they fill whole vectors."""
    every = np.arange(0, 2**32, 9973, dtype=np.uint32)
    exponents = np.arange(0, 2**32, 2**23, dtype=np.int64)
    near = np.array([*THRESHOLDS, *(-x for x in THRESHOLDS)], np.float32).view(np.uint32)
    ends = [exponents + offset for offset in (-1, 0, 1)]
    around = [near.astype(np.int64) + offset for offset in range(-40, 41)]
    bits = np.concatenate([every, *(part % 2**32 for part in (*ends, *around))]).astype(np.uint32)
    return np.resize(bits, -(-len(bits) // 64) * 64).view(np.float32)


class Library:
    def __init__(self, path: Path) -> None:
        self.handle = ctypes.CDLL(str(path))

    def __call__(self, name: str, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The values of a function for an array, or for two stacked arrays of arguments."""
        out = np.empty_like(x[0] if x.ndim == 2 else x)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in (x, out))
        self.handle[name](*pointers, ctypes.c_int64(len(out)))
        return out


def compile_library(folder: Path, *flags: str) -> Library:
    command = ["g++", "-std=c++20", "-O2", *FLOAT_FLAGS.split(), *flags]
    command += ["-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    source = ROOT / "tests/runtime/functions.cpp"
    subprocess.run(
        [*command, f"-I{INCLUDE}", str(source), "-o", str(folder / "functions.so")], check=True
    )
    return Library(folder / "functions.so")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The functions compiled for any processor."""
    return compile_library(tmp_path_factory.mktemp("functions"))


@pytest.fixture(scope="module", params=CAPABILITIES)
def wide(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The functions compiled with the vectors and fma of a capability."""
    names = ["default", *CAPABILITIES]
    best = torch.backends.cpu.get_cpu_capability().lower()
    if names.index(request.param) > names.index(best):
        pytest.skip(f"this processor has no {request.param}")
    flags = [f"-DFUSEWISE_CAPABILITY={request.param}", *CAPABILITIES[request.param].split()]
    return compile_library(tmp_path_factory.mktemp(request.param), *flags)


@pytest.fixture(scope="module")
def floats() -> Floats:
    return sample()


def widened(values: Floats) -> Doubles:
    with np.errstate(invalid="ignore"):  # for signalling NaNs
        return values.astype(np.float64)


def ulp_errors(found: Floats, exact: Doubles) -> Doubles:
    """Errors in ulp of the exact value; infinity counts as the number after the largest."""
    end = 2.0**128
    expected = np.clip(exact, -end, end)
    _, exponent = np.frexp(np.clip(np.abs(expected), 2.0**-126, 2.0**127))
    errors = np.abs(np.clip(widened(found), -end, end) - expected)
    return np.where(np.isnan(exact), 0, errors / np.ldexp(1.0, exponent - 24))


@pytest.mark.parametrize("name", ULPS)
def test_functions_are_accurate(name: str, library: Library, floats: Floats) -> None:
    found = library(f"{name}_float", floats)
    exact = library(f"{name}_double", widened(floats))
    assert np.array_equal(np.isnan(found), np.isnan(exact))
    errors = ulp_errors(found, exact)
    worst = int(errors.argmax())
    assert errors[worst] <= ULPS[name], (floats[worst], found[worst], exact[worst])


@pytest.fixture
def flushing() -> Iterator[None]:
    """Sets the mode in which subnormal operands and results are flushed to zero."""
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot")
    yield
    torch.set_flush_denormal(False)


SMALLEST_NORMAL = 2.0**-126


@pytest.mark.usefixtures("flushing")
@pytest.mark.parametrize("form", ["float", "vector"])
@pytest.mark.parametrize("name", ULPS)
def test_flushing_changes_nothing_but_subnormals(
    name: str, form: str, library: Library, wide: Library, floats: Floats
) -> None:
    points = floats.copy()
    points[np.abs(points) < SMALLEST_NORMAL] = 0
    exact = library(f"{name}_double", widened(points))
    small = np.abs(exact) < SMALLEST_NORMAL
    for found in (library(f"{name}_{form}", points), wide(f"{name}_{form}", points)):
        assert np.array_equal(np.isnan(found), np.isnan(exact))
        assert (np.abs(widened(found[small])) <= SMALLEST_NORMAL).all()
        errors = np.where(small, 0, ulp_errors(found, exact))
        worst = int(errors.argmax())
        assert errors[worst] <= ULPS[name], (points[worst], found[worst], exact[worst])


def test_errors_are_within_two_ulp_and_the_table() -> None:
    assert {name for name, ulp in ULPS.items() if ulp > 2} == {"normal_cdf"}
    above = {name for name, ulp in ULPS.items() if ulp > ROWS[name].ulp}
    assert not above


@pytest.mark.parametrize("name", ULPS)
def test_the_reference_is_exact_as_far_as_float_can_tell(name: str, library: Library) -> None:
    points = sample()[::4001]
    points = points[~np.isnan(points)].astype(np.float64)
    values = library(f"{name}_double", points)
    function = ROWS[name].mp
    assert function is not None
    with mpmath.workprec(400):
        for x, value in zip(points.tolist(), values.tolist(), strict=True):
            if math.isfinite(value) and abs(value) > 1e-300:
                exact = function(mpmath.mpf(x))
                assert abs(value - exact) <= 1e-15 * abs(exact), x


@pytest.mark.parametrize("name", ULPS)
def test_scalars_and_vectors_have_the_same_bits(
    name: str, library: Library, wide: Library, floats: Floats
) -> None:
    check_bits(name, library, wide, floats)


def check_bits(name: str, library: Library, wide: Library, points: Floats) -> None:
    found = bits(library(f"{name}_float", points))
    assert np.array_equal(found, bits(library(f"{name}_vector", points)))
    assert np.array_equal(found, bits(wide(f"{name}_float", points)))
    assert np.array_equal(found, bits(wide(f"{name}_vector", points)))


def bits(values: Floats) -> npt.NDArray[np.uint32]:
    """The bits of floats, with the same bits for every NaN."""
    return np.where(np.isnan(values), np.float32(np.nan), values).view(np.uint32)


INFINITE = ((math.inf, math.inf), (-math.inf, -math.inf))
BOUNDED = ((math.inf, 1), (-math.inf, -1))
ZERO = ((0.0, 0.0), (-0.0, -0.0))
EXACT = {
    "exp": ((0, 1), (-0.0, 1), (math.inf, math.inf), (-math.inf, 0)),
    "exp2": ((math.inf, math.inf), *((n, 2.0**n) for n in range(-149, 128))),
    "expm1": (*ZERO, (math.inf, math.inf), (-math.inf, -1)),
    "log": ((1, 0), (0, -math.inf), (-0.0, -math.inf), (math.inf, math.inf)),
    "log2": ((0, -math.inf), *((2.0**n, n) for n in range(-149, 128))),
    "log10": ((0, -math.inf), *((10.0**n, n) for n in range(11))),
    "log1p": (*ZERO, (-1, -math.inf), (math.inf, math.inf)),
    "sinh": (*ZERO, *INFINITE),
    "cosh": ((0, 1), (math.inf, math.inf), (-math.inf, math.inf)),
    "tanh": (*ZERO, *BOUNDED),
    "asinh": (*ZERO, *INFINITE),
    "acosh": ((1, 0), (math.inf, math.inf)),
    "atanh": (*ZERO, (1, math.inf), (-1, -math.inf)),
    "sin": ZERO,
    "cos": ((0, 1), (-0.0, 1)),
    "tan": ZERO,
    "asin": ZERO,
    "acos": ((1, 0),),
    "atan": ZERO,
    "erf": (*ZERO, *BOUNDED),
    "erfc": ((0, 1), (-0.0, 1), (math.inf, 0), (-math.inf, 2)),
    "normal_cdf": ((0, 0.5), (-0.0, 0.5), (math.inf, 1), (-math.inf, 0)),
}


@pytest.mark.parametrize("name", EXACT)
def test_special_values_are_exact(name: str, library: Library) -> None:
    points, expected = np.array(EXACT[name], np.float32).T.copy()
    assert np.array_equal(bits(library(f"{name}_float", points)), bits(expected))


@pytest.mark.parametrize("name", [name for name, pairs in EXACT.items() if pairs[:2] == ZERO])
def test_odd_functions_keep_the_sign_of_the_smallest(name: str, library: Library) -> None:
    smallest = np.array([1e-45, -1e-45], np.float32)
    assert np.array_equal(np.signbit(library(f"{name}_float", smallest)), [False, True])


def test_logarithms_of_one_to_two(library: Library, wide: Library, floats: Floats) -> None:
    points = np.where((floats >= 0) & (floats <= 1), floats, np.float32(0.5))
    exact = library("log1p_unit_double", widened(points))
    assert ulp_errors(library("log1p_unit_float", points), exact).max() <= 1.12
    check_bits("log1p_unit", library, wide, points)


def test_tanh_near_zero(library: Library, wide: Library, floats: Floats) -> None:
    points = np.where(np.abs(floats) <= 0.6, floats, np.float32(0.5))
    exact = library("tanh_near_zero_double", widened(points))
    found = library("tanh_near_zero_float", points)
    assert ulp_errors(found, exact).max() <= 0.8
    assert np.array_equal(np.signbit(found), np.signbit(points))  # also at zero
    check_bits("tanh_near_zero", library, wide, points)


@pytest.mark.parametrize("name", ["sin_doubled", "sin_squared"])
def test_sines_of_a_double_angle(
    name: str, library: Library, wide: Library, floats: Floats
) -> None:
    exact = library(f"{name}_double", widened(floats))
    found = library(f"{name}_float", floats)
    assert np.array_equal(np.isnan(found), np.isnan(exact))
    assert ulp_errors(found, exact).max() <= 2
    check_bits(name, library, wide, floats)


def pairs() -> Floats:
    """Bases and exponents, shape [2, n]: special values, all magnitudes, and powers in range."""
    specials = [0, 0.5, 1, 1 + 2**-23, 1 - 2**-24, 2, 3, 2**24 - 1, 2**24, 1e-45, 3.4e38, math.inf]
    both = np.array([sign * x for x in (*specials, math.nan) for sign in (1, -1)], np.float32)
    products = np.stack([part.ravel() for part in np.meshgrid(both, both)])
    draw = np.random.default_rng(0)
    drawn = draw.integers(0, 2**32, (2, 200_000), np.uint32).view(np.float32)
    base = np.abs(drawn[0])
    base = base[np.isfinite(base) & (base > 0) & (base != 1)]
    near = 1 + draw.integers(1, 2**21, 200_000) * 2.0**-22
    bases = np.concatenate([base, near]).astype(np.float32)
    powers = draw.uniform(-150, 128, len(bases)) / np.log2(bases.astype(np.float64))
    result = np.concatenate([products, drawn, np.stack([bases, powers.astype(np.float32)])], 1)
    return np.ascontiguousarray(result[:, : result.shape[1] // 64 * 64])


def test_powers_of_scalars_and_vectors_have_the_same_bits(library: Library, wide: Library) -> None:
    check_bits("pow", library, wide, pairs())


def test_powers_are_accurate(library: Library) -> None:
    points = pairs()
    found = library("pow_float", points)
    exact = library("pow_double", widened(points))
    assert np.array_equal(np.isnan(found), np.isnan(exact))
    errors = ulp_errors(found, exact)
    worst = int(errors.argmax())
    assert errors[worst] <= 1.05, (points[:, worst], found[worst], exact[worst])
    signed = ~np.isnan(exact)
    assert np.array_equal(np.signbit(found[signed]), np.signbit(exact[signed]))


def test_powers_of_small_integers_are_exact(library: Library) -> None:
    points = np.array([(x, n) for x in range(-9, 10) for n in range(8)], np.float32).T.copy()
    assert np.array_equal(library("pow_float", points), points[0].astype(np.float64) ** points[1])


# The constants


def fit_functions() -> Any:
    return load_file(ROOT / "tools/fit_functions.py", "fit")


def test_the_constants_are_those_of_the_fit() -> None:
    fit = fit_functions()
    header = "".join(
        path.read_text() for path in sorted((INCLUDE / "fusewise/math/functions").glob("*.h"))
    )
    for constant in (*fit.FITS, *fit.SPLITS):
        assert fit.declaration(constant) in header
    assert header.count("inline constexpr float k") == len(fit.FITS) + len(fit.SPLITS) + 5


def test_the_constants_of_the_gpu_are_those_of_the_fit() -> None:
    fit = fit_functions()
    shared = (fit.LOG1P_UNIT, fit.NORMAL_TAIL, fit.SINE, fit.TANH)
    for name, constants in {
        "functions.cuh": (*fit.GPU_FITS, *fit.GPU_SPLITS, *shared),
        "low_precision.h": fit.LOW_PRECISION_FITS,
    }.items():
        header = (INCLUDE / "fusewise/math" / name).read_text()
        for constant in constants:
            for value in constant.coefficients():
                assert f"{abs(value):.8e}f" in header
