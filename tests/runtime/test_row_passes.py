"""Row passes on the CPU, which run the phases and the elements of a few rows together."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from loops import (
    HELD_ROW_PASS,
    NUMPY,
    ROW_PASS,
    Memory,
    all_libraries,
    check,
    make_loop,
    reduced_to,
    run,
    small_integers,
)

GROUP_BYTES = 1 << 19  # of the operands of the rows that run together
SEGMENT = 32 * 1024

Shape = tuple[int, ...]


def run_pass(
    library: ctypes.CDLL,
    x: Memory,
    y: Memory,
    writes: list[Memory | None],
    compute: str = "float",
    threading: int = 0,
    kernel: int = ROW_PASS,
) -> None:
    loop = make_loop(library, x.array.shape, [x, y], writes, compute, coalesces=False)
    run(library, kernel, loop, threading=threading)


def expected(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """In float64, which is exact. The maximum of no terms is -inf."""
    top = (x * y).max(axis=-1, initial=-np.inf, keepdims=True)
    index = np.arange(x.shape[-1])
    with np.errstate(invalid="ignore"):
        return [x * top + index, x - top, (x - top).sum(axis=-1, keepdims=True) + x.shape[-1]]


def check_pass(
    library: ctypes.CDLL,
    shape: Shape,
    summed: Shape | None,
    dtype: str = "float",
    compute: str = "float",
    threading: int = 0,
    present: tuple[bool, bool] = (True, True),
    kernel: int = ROW_PASS,
) -> None:
    """`summed`: the shape of the write that is summed. `present`: which of the other writes are."""
    values = [small_integers(shape, 0), small_integers(shape[-1:], 1)]
    shapes = [shape if present[0] else None, summed, (*shape[:-1], 1) if present[1] else None]
    writes = [None if found is None else Memory.zeros(found, compute) for found in shapes]
    for write in filter(None, writes):
        write.array.fill(7)
    x, y = (Memory.of(value, dtype) for value in values)
    run_pass(library, x, y, writes, compute, threading, kernel)
    for write, want in zip(writes, expected(*values), strict=True):
        if write is not None:
            check(write, reduced_to(want, write.array.shape))


@pytest.mark.parametrize("kernel", [ROW_PASS, HELD_ROW_PASS])
@pytest.mark.parametrize("compute", ["float", "double"])
@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 100, 1025, SEGMENT + 5, 2 * SEGMENT + 1])
def test_numbers_of_rows(library: ctypes.CDLL, compute: str, length: int, kernel: int) -> None:
    item = np.dtype(NUMPY[compute]).itemsize
    group = max(1, GROUP_BYTES // (4 * item * length))  # x, y and both writes of elements
    some = {1, 2, 15, 16, 17, group - 1, group, group + 1, 2 * group + 1} - {0}
    for rows in sorted(r for r in some if r * length < 10**6):
        for threading in range(3):
            for summed in (length,), (rows, length):
                sizes = (rows, length), summed, compute, compute, threading
                check_pass(library, *sizes, kernel=kernel)


@pytest.mark.parametrize("summed", [(5, 1, 90), (70, 90), (90,), (1,), (5, 70, 1), (5, 1, 1), None])
def test_sums(library: ctypes.CDLL, summed: Shape | None) -> None:
    """Over any dimensions, also those that split rows otherwise than the order of memory does."""
    for threading in range(3):
        for present in (True, True), (False, True), (True, False):
            for dtype, compute in ("float", "float"), ("bfloat16", "float"), ("half", "double"):
                check_pass(library, (5, 70, 90), summed, dtype, compute, threading, present)


def test_empty(library: ctypes.CDLL) -> None:
    check_pass(library, (0, 5), (5,))
    check_pass(library, (3, 0), (0,))
    check_pass(library, (3, 0), (3, 1), present=(False, False))


@pytest.mark.parametrize("kernel", [ROW_PASS, HELD_ROW_PASS])
def test_in_place(library: ctypes.CDLL, kernel: int) -> None:
    """The phases of a row run before its elements are overwritten."""
    for shape in (300, 200), (3, 5000), (20, SEGMENT + 9):
        values, y = small_integers(shape, 0), small_integers(shape[-1:], 1)
        for threading in range(3):
            x = Memory.of(values, "float")
            writes = [x, None, None]
            run_pass(library, x, Memory.of(y, "float"), writes, threading=threading, kernel=kernel)
            check(x, expected(values, y)[0])


def side_by_side(values: np.ndarray) -> np.ndarray:
    """The same values, in memory in which the last two dimensions are swapped."""
    return np.ascontiguousarray(values.swapaxes(-1, -2)).swapaxes(-1, -2)


def spread(values: np.ndarray) -> np.ndarray:
    """The same values, with other numbers between the rows."""
    return np.pad(values, [(0, 0)] * (values.ndim - 1) + [(1, 2)])[..., 1:-2]


SHORT = [(2, 64, 8), (3, 40, 7), (5, 1, 6), (4099, 5), (2, 1001, 1), (30, 33), (3, 128, 64)]
BESIDE = [(2, 49, 100), (3, 3136, 9), (128, 64), (2, 67, 1025), (16, 3), (2, 15, 70)]
BESIDE += [(16, SEGMENT + 1)]
LAYOUTS = (np.array, side_by_side, spread)


def check_layouts(library: ctypes.CDLL, shape: Shape, compute: str, place: int) -> None:
    """One of the combinations of layouts, storage types, repeated operands and sums."""
    rows, (count, length) = shape[:-1], shape[-2:]
    dtype = ("float", "bfloat16", "double", "int8")[place % 4]
    x = Memory(LAYOUTS[place % 3](Memory.of(small_integers(shape, 0), dtype).array), dtype)
    scales = ((length,), (*shape[:-2], 1, length), (count, 1), (1,), shape)
    scale = Memory.of(small_integers(scales[place % 5], 1), "half").array
    y = Memory(np.broadcast_to(scale, shape), "half")
    out = LAYOUTS[place // 3 % 3](np.full(shape, 7, NUMPY[compute]))
    sums_of = (None, (length,), (*shape[:-2], 1, length), (*rows, 1), (1,), shape, shape[-2:])
    summed = sums_of[place % 7]
    sums = None if summed is None else Memory.zeros(summed, compute)
    writes = [Memory(out, compute), sums, Memory.zeros((*rows, 1), compute)]
    kernel = (ROW_PASS, HELD_ROW_PASS)[place // 9 % 2]
    run_pass(library, x, y, writes, compute, place % 3, kernel)
    want = expected(x.values().astype(np.float64), y.array.astype(np.float64))
    for write, full in zip(writes, want, strict=True):
        if write is not None:
            check(write, reduced_to(full, write.array.shape))


@pytest.mark.parametrize("compute", ["float", "double"])
@pytest.mark.parametrize("shape", [*SHORT, *BESIDE])
def test_layouts(library: ctypes.CDLL, shape: Shape, compute: str) -> None:
    """Short rows and rows that lie side by side, alike in all operands or not, with all sums."""
    for place in range(60):
        check_layouts(library, shape, compute, place)


@pytest.mark.parametrize("shape", [(300, 8), (128, 200)])
def test_in_place_in_other_layouts(library: ctypes.CDLL, shape: Shape) -> None:
    values, y = small_integers(shape, 0), small_integers(shape[-1:], 1)
    for lay in side_by_side, spread:
        x = Memory(lay(Memory.of(values, "float").array), "float")
        run_pass(library, x, Memory.of(y, "float"), [x, None, None])
        check(x, expected(values, y)[0])


def test_two_passes_in_turn(library: ctypes.CDLL) -> None:
    for shape in (40, 3000), (700, 33), (40, 3000):
        check_pass(library, shape, shape[-1:], threading=2)


@pytest.mark.parametrize(
    "shape", [(4096, 70), (130, 4096), (64, 1025), (33, SEGMENT + 5), (900, 7)]
)
def test_bits_of_sums(objects: dict[str, Path], shape: Shape) -> None:
    """The same for any number of threads and on every processor; those of a row also alone."""
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal(s, np.float32) for s in (shape, shape[-1:]))
    found = set()
    for library in all_libraries(objects):
        for threading in range(3):
            writes = [Memory.zeros(s, "float") for s in (shape, shape[-1:], (shape[0], 1))]
            run_pass(library, Memory(x, "float"), Memory(y, "float"), [*writes], "float", threading)
            found.add(b"".join(write.array.tobytes() for write in writes))
        out, _, sums = (write.array for write in writes)
        other = [Memory(side_by_side(out * 0), "float"), None, Memory.zeros(sums.shape, "float")]
        wanted = out.tobytes(), sums.tobytes()
        run_pass(library, Memory(side_by_side(x), "float"), Memory(y, "float"), [*other])
        assert (other[0].array.tobytes(), other[2].array.tobytes()) == wanted
        dense = set()
        for kernel in ROW_PASS, HELD_ROW_PASS:
            both = [Memory.zeros(shape, "float") for _ in range(2)]
            run_pass(library, Memory(x, "float"), Memory(y, "float"), [*both, None], kernel=kernel)
            dense.add(tuple(write.array.tobytes() for write in both))
        assert len(dense) == 1
        for row in 0, shape[0] // 2, shape[0] - 1:
            part = x[row : row + 1].copy()
            alone = [Memory.zeros(s, "float") for s in (part.shape, (1, 1))]
            run_pass(library, Memory(part, "float"), Memory(y, "float"), [alone[0], None, alone[1]])
            assert alone[0].array.tobytes() == out[row].tobytes()
            assert alone[1].array.tobytes() == sums[row].tobytes()
    assert len(found) == 1
