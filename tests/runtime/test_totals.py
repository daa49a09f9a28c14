"""Totals of rows against NumPy's float64, and the same bits for a row wherever it lies."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from loops import TOTALS, Fill, Memory, all_libraries, make_loop, run, small_integers

BLOCK, SEGMENT = 1024, 32 * 1024
LENGTHS = (0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513)
LENGTHS += (BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 3 * BLOCK, 4095)
LONG = (SEGMENT - 1, SEGMENT, SEGMENT + 1, 65537, 3 * SEGMENT, 262144)
NUMPY = {"float": np.float32, "double": np.float64, "int64": np.int64}


def totals(
    library: ctypes.CDLL,
    shape: tuple[int, ...],
    reads: Sequence[Memory | Fill],
    compute: str = "float",
    present: Sequence[bool] = (True, True, True),
    scale: float = 1.0,
    threading: int = 0,
) -> np.ndarray:
    """The two sums and the maximum of each row; 7 in place of those that are absent."""
    rows = shape[:-1]
    # between the results lie numbers that must stay
    padded = np.full((3, *rows, 2), 7, NUMPY[compute])
    writes = [
        Memory(part[..., :1], compute) if has else None
        for part, has in zip(padded, present, strict=True)
    ]
    loop = make_loop(library, shape, reads, writes, compute, coalesces=False)
    run(library, TOTALS, loop, (int(scale) if compute == "int64" else scale,), threading)
    assert (padded[..., 1] == 7).all()
    return padded[..., 0]


def expected(
    shape: tuple[int, ...], reads: Sequence[np.ndarray | float], scale: float = 1.0
) -> np.ndarray:
    """In float64. The maximum of no terms is -inf."""
    x, y, mean = (np.broadcast_to(np.asarray(read, np.float64), shape) for read in reads)
    with np.errstate(invalid="ignore"):
        centred = x - mean * scale
        maximum = centred.max(axis=-1, initial=-np.inf)
        return np.stack([x.sum(axis=-1), (centred * y).sum(axis=-1), maximum])


def check(got: np.ndarray, want: np.ndarray) -> None:
    if got.dtype == np.int64:
        want = np.where(want == -np.inf, np.iinfo(np.int64).min, want)
    np.testing.assert_array_equal(got, want.astype(got.dtype))


def check_exact(
    library: ctypes.CDLL, shape: tuple[int, ...], dtype: str, compute: str, threading: int = 0
) -> None:
    """With terms whose sums are exact."""
    values = [small_integers(shape, 0), small_integers(shape[-1:], 1)]
    values.append(small_integers((*shape[:-1], 1), 2))
    got = totals(
        library, shape, [Memory.of(v, dtype) for v in values], compute, threading=threading
    )
    check(got, expected(shape, values))


@pytest.mark.parametrize(
    ("dtype", "compute"),
    [
        ("float", "float"),
        ("half", "float"),
        ("bfloat16", "float"),
        ("double", "double"),
        ("int64", "int64"),
    ],
)
def test_lengths(library: ctypes.CDLL, dtype: str, compute: str) -> None:
    for length in LENGTHS:
        for rows in (), (1,), (7,), (3, 40):
            check_exact(library, (*rows, length), dtype, compute)
    for length in LONG:
        check_exact(library, (2, length), dtype, compute)


def test_many_rows(library: ctypes.CDLL) -> None:
    for shape in (3000, 70), (40, 1, 60, 5), (2, 3, 4, 5, 64), (0, 100), (3, 0, 0):
        for threading in range(3):
            check_exact(library, shape, "half", "float", threading)
            check_exact(library, shape, "double", "double", threading)


STORED = ("float", "half", "bfloat16", "double", "int64", "int8", "bool")


@pytest.mark.parametrize("compute", ["float", "double", "int64"])
@pytest.mark.parametrize("length", [5, 64, 200, BLOCK + 70])
def test_types_and_layouts(library: ctypes.CDLL, compute: str, length: int) -> None:
    shape = (3, 9, length)
    dtypes = STORED[4:] if compute == "int64" else STORED
    for place, (first, second) in enumerate(itertools.product(dtypes, repeat=2)):
        values = [
            abs(small_integers(size, seed)) % 2
            for seed, size in enumerate((shape, (9, length), (3, 1, 1)))
        ]
        strided = np.zeros((3, 9, 2 * length + 3), Memory.of(values[0], first).array.dtype)
        layouts = [
            strided[..., 1 : length + 1],
            strided[..., 1 : 2 * length + 1 : 2],
            np.zeros((length, 9, 3), strided.dtype).T,
            np.broadcast_to(strided[:1, :1, 3 : length + 3], shape),
            np.broadcast_to(strided[..., 3:4], shape),
        ]
        layout = layouts[place % len(layouts)]
        stored = Memory.of(values[0], first).array
        layout.setflags(write=True)
        layout[...] = stored if place % len(layouts) < 3 else 1
        reads = [Memory(layout, first), Memory.of(values[1], second), Memory.of(values[2], first)]
        check(
            totals(library, shape, reads, compute),
            expected(shape, [read.values() for read in reads]),
        )


def test_overlapping_rows(library: ctypes.CDLL) -> None:
    """A block of one row begins where a shorter block of the row before does."""
    values = small_integers((4, BLOCK), 3)
    for dtype in "float", "int32":
        memory = Memory.of(values, dtype)
        rows = np.lib.stride_tricks.sliding_window_view(memory.array.ravel(), BLOCK + 100)
        windows = Memory(rows[::BLOCK], dtype)
        reads = [windows, windows, Fill(1)]
        want = expected(windows.array.shape, [windows.values(), windows.values(), 1])
        check(totals(library, windows.array.shape, reads), want)


@pytest.mark.parametrize("compute", ["float", "double"])
def test_absent_operands(library: ctypes.CDLL, compute: str) -> None:
    for shape in (5, 70), (3, 3 * BLOCK + 5), (2, SEGMENT + 3):
        values = [small_integers(shape), 3.0, -1.0]
        for present in itertools.product((True, False), repeat=3):
            reads = [Memory.of(values[0], compute), Fill(3), Fill(-1)]
            want = expected(shape, values)
            want[~np.array(present)] = 7
            check(totals(library, shape, reads, compute, present), want)


@pytest.mark.parametrize("compute", ["float", "double"])
@pytest.mark.parametrize("length", [1, 3, 64, 100, BLOCK + 1, 2 * SEGMENT + 1])
def test_special_values(library: ctypes.CDLL, compute: str, length: int) -> None:
    special = [(np.nan,), (np.inf,), (-np.inf,), (np.inf, -np.inf), (np.inf, np.nan), (-np.inf,)]
    values = -1 - abs(small_integers((len(special), length)))
    values[-1] = -np.inf
    for row, numbers in zip(values, special[:-1], strict=False):
        for place, number in zip((length - 1, length // 2), numbers, strict=False):
            row[place] = number
    reads = [Memory.of(values, compute), Fill(1), Fill(0)]
    check(totals(library, values.shape, reads, compute), expected(values.shape, [values, 1, 0]))
    many = np.tile(values, (12, 1))  # rows that lie side by side
    reads[0] = Memory.of(np.asfortranarray(many), compute)
    check(totals(library, many.shape, reads, compute), expected(many.shape, [many, 1, 0]))
    nothing = [Memory.of(values[:, :0], compute), Fill(1), Fill(0)]
    got = totals(library, (len(special), 0), nothing, compute)
    check(got, expected((len(special), 0), [values[:, :0], 1, 0]))


def test_totals_of_earlier_totals(library: ctypes.CDLL) -> None:
    """Centred by the mean of each row, which is a row scalar, and scaled by a param."""
    for shape in (90, 70), (5, 3001), (2, 70000):
        values = np.random.default_rng(0).standard_normal(shape, np.float32)
        x = Memory(values, "float")
        sums, _, _ = totals(library, shape, [x, Fill(1), Fill(0)])
        reads = [x, x, Memory(sums[:, None], "float")]
        _, centred, maximum = totals(library, shape, reads, scale=1 / shape[-1])
        mean = values.astype(np.float64).mean(axis=-1, keepdims=True)
        wanted = ((values - mean) * values).sum(axis=-1)
        np.testing.assert_allclose(centred, wanted, rtol=1e-5)
        np.testing.assert_allclose(maximum, (values - mean).max(axis=-1), rtol=1e-6)


@pytest.mark.parametrize("length", [100, 4096, 262144, 5_000_000])
def test_sums_keep_their_digits(library: ctypes.CDLL, length: int) -> None:
    """Within the bound of a tree whose leaves are sums of sixteen terms."""
    values = np.random.default_rng(1).random((2, length), np.float32)
    values[1] = 0.1
    sums, *_ = totals(library, values.shape, [Memory(values, "float"), Fill(1), Fill(0)])
    exact = values.sum(axis=-1, dtype=np.float64)
    np.testing.assert_allclose(sums, exact, rtol=2.0**-24 * (16 + np.log2(length)))


def test_integers_wrap(library: ctypes.CDLL) -> None:
    values = np.full((2, 5), 2**62 + 3)
    reads = [Memory(values, "int64"), Fill(1, "int64"), Fill(0, "int64")]
    sums, _, maxima = totals(library, values.shape, reads, "int64")
    np.testing.assert_array_equal(sums, [2**62 + 15] * 2)
    np.testing.assert_array_equal(maxima, [2**62 + 3] * 2)


@pytest.mark.parametrize("length", [1, 63, 65, 1000, 4095, 65537, 262144])
@pytest.mark.parametrize("compute", ["float", "double"])
def test_bits_of_a_row(objects: dict[str, Path], compute: str, length: int) -> None:
    """The same alone and among other rows, dense or strided, converted, on every processor."""
    rows = max(3, min(1000, 2**19 // length))
    values = np.random.default_rng(2).standard_normal((rows, length), np.float32)
    values = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)  # exact in bfloat16
    y, mean = values[0], values[:, :1]
    spread = np.zeros((rows, 2 * length + 1), values.dtype)
    spread[:, 1::2] = values
    layouts = [
        Memory(values, "float"),
        Memory(spread[:, 1::2], "float"),
        Memory(np.asfortranarray(values), "float"),
        Memory.of(values, "bfloat16"),
        Memory.of(values, "double"),
    ]
    found = set()
    for library in all_libraries(objects):
        for threading, memory in itertools.product(range(3), layouts):
            reads = [memory, Memory.of(y, "double"), Memory(mean, "float")]
            got = totals(library, values.shape, reads, compute, scale=0.3, threading=threading)
            found.add(got.tobytes())
        for row in 0, rows // 2, rows - 1:
            reads = [Memory.of(v, compute) for v in (values[row], y, mean[row])]
            alone = totals(library, (length,), reads, compute, scale=0.3)
            assert alone.tobytes() == got[:, row].tobytes()
    assert len(found) == 1
