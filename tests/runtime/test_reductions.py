"""Reduced writes against sums of NumPy, and the same bits with any number of threads."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest
from loops import (
    ALL,
    COLUMN,
    MIX,
    ROW,
    Memory,
    check_mix,
    make_loop,
    random_backward,
    run,
    small_integers,
)

PATTERNS = (
    ((40, 70), (70,)),
    ((40, 70), (40, 1)),
    ((40, 70), (1,)),
    ((1000, 3), (3,)),
    ((1000, 3), (1000, 1)),
    ((3, 9001), (3, 1)),
    ((3, 9001), (9001,)),
    ((1, 50000), (1, 1)),
    ((9, 10, 700), (1, 10, 1)),
    ((9, 10, 700), (9, 1, 700)),
    ((9, 5, 2100), (9, 1, 2100)),
    ((6, 4, 5000), (1, 4, 1)),
    ((70, 5000), (70, 1)),
    ((9, 10, 70), (1, 10, 70)),
    ((9, 10, 70), (9, 1, 1)),
    ((9, 10, 70), (1, 1, 1)),
    ((9, 10, 70), (9, 10, 1)),
    ((4, 5, 6, 7, 8), (1, 5, 1, 7, 1)),
    ((4, 5, 6, 7, 8), (4, 1, 6, 1, 8)),
    ((4, 5, 6, 7, 8), (1, 5, 6, 1, 8)),
    ((2, 1, 3, 2, 2, 3, 2, 2), (2, 1, 1, 2, 1, 3, 1, 2)),
)


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_reduced_patterns(library: ctypes.CDLL, pattern: tuple[tuple[int, ...], ...]) -> None:
    shape, reduced = pattern
    for threading in range(3):
        check_mix(library, shape, (reduced, shape), threading=threading)
        check_mix(library, shape, (shape, reduced), "half", threading=threading)
        check_mix(library, shape, (reduced, reduced), "double", "double", threading)
        check_mix(library, shape, (None, reduced), "int64", "int64", threading)


def test_all_pairs_of_patterns(library: ctypes.CDLL) -> None:
    shape = (5, 6, 130)
    sizes = itertools.product((5, 1), (6, 1), (130, 1))
    for pair in itertools.product(sizes, repeat=2):
        check_mix(library, shape, pair, "bfloat16")
        check_mix(library, shape, (pair[0], None), "bfloat16", threading=1)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (3, 0, 4)])
def test_empty_loops_reduce_to_zero(library: ctypes.CDLL, shape: tuple[int, ...]) -> None:
    check_mix(library, shape, (shape, shape))
    for kept in itertools.product((True, False), repeat=len(shape)):
        reduced = tuple(s if keep else 1 for s, keep in zip(shape, kept, strict=True))
        check_mix(library, shape, (reduced, None))


def test_no_segments_sum_to_zero(library: ctypes.CDLL) -> None:
    """One write keeps an empty dimension, and another sums it: there is no segment to run."""
    reads = [Memory.of(small_integers((0, 1, 4)), "float") for _ in range(3)]
    kept, total = Memory.zeros((0, 1, 4), "float"), Memory.zeros((1, 1, 1), "float")
    total.array.fill(7)
    run(library, MIX, make_loop(library, (0, 3, 4), reads, [kept, total], "float"))
    assert total.array.item() == 0


@pytest.mark.parametrize(
    ("shape", "reduced"),
    [
        ((700, 300), (300,)),
        ((700, 300), (700, 1)),
        ((700, 300), (1,)),
        ((150, 3000), (3000,)),
        ((50, 9000), (50, 1)),
        ((8, 40, 700), (40, 1)),
        ((8, 10, 5000), (10, 1)),
    ],
)
def test_bits_do_not_depend_on_threads(
    library: ctypes.CDLL, shape: tuple[int, ...], reduced: tuple[int, ...]
) -> None:
    serial = random_backward(library, shape, reduced, 0)
    for threading in (1, 2):
        for one, other in zip(
            serial, random_backward(library, shape, reduced, threading), strict=True
        ):
            assert one.tobytes() == other.tobytes()


def cpu_plan(
    library: ctypes.CDLL, shape: tuple[int, ...], *writes: tuple[int, ...]
) -> tuple[bool, int, list[int]]:
    """Whether rows run down a column of tiles, the number of partial sums, the modes of writes."""
    dense = np.broadcast_to(np.zeros(1, np.float32), shape)
    outputs = [Memory.zeros(write, "float") for write in writes]
    loop = make_loop(library, shape, [Memory(dense, "float")], list(outputs))
    partials, modes = ctypes.c_int64(), (ctypes.c_int8 * len(writes))()
    library.loop_cpu_plan.restype = ctypes.c_bool
    down = library.loop_cpu_plan(ctypes.byref(loop), ctypes.byref(partials), ctypes.byref(modes))
    return down, partials.value, list(modes)


def test_long_rows_are_summed_in_the_order_of_memory(library: ctypes.CDLL) -> None:
    channels, rows = (1, 16, 1), 8 * 16
    assert cpu_plan(library, (8, 16, 3136), channels) == (True, rows, [ROW])
    assert cpu_plan(library, (8, 16, 25600), channels) == (False, 7 * rows, [ROW])
    assert cpu_plan(library, (8, 16, 3136), channels, (1, 1, 3136))[2] == [ROW, COLUMN]
    assert cpu_plan(library, (8, 16, 100), channels)[2] == [ALL]  # such rows run together


def test_partial_sums_of_columns_are_few(library: ctypes.CDLL) -> None:
    for shape in (250, 8000), (2048, 1024), (32768, 64), (512, 16384):
        down, partials, modes = cpu_plan(library, shape, (1, shape[1]))
        assert down
        assert modes == [COLUMN]
        assert 8 * partials <= shape[0] * shape[1]


def test_long_sums_keep_their_digits(library: ctypes.CDLL) -> None:
    ones = Memory(np.broadcast_to(np.float32(0.1), (3_000_001, 7)), "float")
    total = Memory.zeros((7,), "float")
    zeros = Memory(np.broadcast_to(np.float32(0), (3_000_001, 7)), "float")
    run(library, MIX, make_loop(library, ones.array.shape, [ones, zeros, zeros], [None, total]))
    exact = 3_000_001 * np.float64(np.float32(0.1))
    np.testing.assert_allclose(total.array, exact, rtol=1e-5)
