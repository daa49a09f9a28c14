"""How reductions and totals of rows are split among blocks of a GPU; plans need no GPU."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from loops import ALL, AXIS0, AXIS1, COLUMN, DENSE, ROW, Memory, make_loop


def cuda_splits(
    library: ctypes.CDLL, num_reads: int, shape: tuple[int, ...], *writes: tuple[int, ...]
) -> tuple[int, int, list[int]]:
    """Rows of a segment, splits, and the modes of the writes."""
    data = np.zeros(1, np.float32)
    reads = [Memory(np.broadcast_to(data, shape), "float")] * num_reads
    dense = np.lib.stride_tricks.as_strided
    outputs: list[Memory | None] = []
    for write in writes:
        strides = np.cumprod((4, *write[:0:-1]))[::-1]
        outputs.append(Memory(dense(data, write, strides), "float"))
    loop = make_loop(library, shape, list(reads), outputs)
    segment_rows, splits = ctypes.c_int64(), ctypes.c_int64()
    modes = (ctypes.c_int8 * len(writes))()
    library.loop_plan(
        ctypes.byref(loop), 8, ctypes.byref(segment_rows), ctypes.byref(splits), ctypes.byref(modes)
    )
    return segment_rows.value, splits.value, list(modes)


def test_sums_that_are_whole_leave_no_partial_sums(library: ctypes.CDLL) -> None:
    shape, rows = (16384, 64), (16384, 1)
    dense = Memory(np.broadcast_to(np.zeros(1, np.float32), shape), "float")
    sums = Memory.zeros(rows, "float")
    loop = make_loop(library, shape, [dense], [sums])
    assert library.loop_partials(ctypes.byref(loop), 4, 0) == 16384
    assert library.loop_partials(ctypes.byref(loop), 4, 1) == 0


def cuda_plan(
    library: ctypes.CDLL, shape: tuple[int, ...], *writes: tuple[int, ...]
) -> tuple[int, list[int]]:
    segment_rows, _, modes = cuda_splits(library, 1, shape, *writes)
    return segment_rows, modes


def test_splits(library: ctypes.CDLL) -> None:
    dense, row = (16384, 4096), (1, 4096)  # 16 tiles of 256 columns, 8 rows a step
    assert cuda_splits(library, 2, dense, row)[1] == 16384 // (8 * 8)
    assert cuda_splits(library, 1, dense, row)[1] == 16384 // (32 * 8)
    # Of two blocks a multiprocessor 264 run at once: so many work tiles, or slightly fewer.
    assert cuda_splits(library, 4, dense, dense, row, row, row)[1] == 264 // 16
    assert cuda_splits(library, 4, (50432, 1024), *[(1, 1024)] * 4)[1] == 264 // 4
    # With 56 column tiles they would be 224, which leaves too many idle: more than run at once.
    wide, wide_row = (8192, 14336), (1, 14336)
    assert cuda_splits(library, 5, wide, wide, wide, wide_row, wide_row)[1] == 1056 // 56
    # 2 splits of each segment of 197 rows would be more than 4 * 396 work tiles.
    layers = (256, 197, 1024)
    assert cuda_splits(library, 4, layers, layers, (1, 1, 1024), (256, 1, 1))[1] == 256
    # Not 512 work tiles, but the 396 that run at once.
    assert cuda_splits(library, 4, (262144, 64), (262144, 64), (1, 64), (1, 64))[1] == 396
    # Without a dense write one work tile a channel, where there are enough: no partial sums.
    for channels, splits in (320, 320), (512, 512), (200, 400):
        shape, channel = (32, channels, 4096), (1, channels, 1)
        assert cuda_splits(library, 1, shape, channel)[1] == splits
        assert cuda_splits(library, 2, shape, shape, channel)[1] == 8 * channels
    for columns, splits in (65536, 1), (40960, 2):  # 256 and 160 tiles
        shape = (256, columns)
        assert cuda_splits(library, 4, shape, shape, *[(1, columns)] * 3)[1] == splits


def test_a_thread_adds_at_most_1024_terms_in_sequence(library: ctypes.CDLL) -> None:
    rows = 16 * 327680
    shape = (16, 327680, 512)
    for reads in 1, 3, 6, 9:
        splits = cuda_splits(library, reads, shape, shape, (16, 1, 512))[1]
        assert -(-rows // splits) <= 1024 * 8
        assert cuda_splits(library, reads, (1, 1 << 33), (1, 1))[1] >= (1 << 33) // (1024 * 256 * 8)
    shape = (16384, 4, 16384, 128)  # both axes are summed; a split takes indices of the second
    _, splits, modes = cuda_splits(library, 2, shape, (16384, 4, 1, 128), (1, 4, 16384, 128))
    assert sorted(modes) == [AXIS0, AXIS1]
    assert splits >= 4 * 16


def test_plans(library: ctypes.CDLL) -> None:
    dense = (16384, 8192)
    assert cuda_plan(library, dense, dense, (1, 8192)) == (16384, [DENSE, COLUMN])
    # A few threads sum each of many rows; a few long rows are split among blocks.
    assert cuda_plan(library, dense, dense, (16384, 1)) == (16384, [DENSE, ROW])
    assert cuda_plan(library, (100, 8192), (100, 8192), (100, 1)) == (1, [DENSE, ALL])
    assert cuda_plan(library, (16384, 256), (16384, 256), (16384, 1)) == (16384, [DENSE, ROW])
    assert cuda_plan(library, dense, (1, 8192), (16384, 1)) == (16384, [COLUMN, ROW])
    # One sum a channel: the batch is part of the segment although it is the outermost dimension.
    nchw = (64, 256, 3136)
    assert cuda_plan(library, nchw, nchw, (1, 256, 1)) == (64, [DENSE, ALL])
    assert cuda_plan(library, nchw, (1, 256, 1), (1, 1, 1)) == (64, [ALL, ALL])
    assert cuda_plan(library, dense, (1, 1)) == (1, [ALL])


def test_plans_of_two_axis_reductions(library: ctypes.CDLL) -> None:
    joint = (8, 200, 50, 512)
    sums = (8, 200, 1, 512), (8, 1, 50, 512)
    assert cuda_plan(library, joint, *sums) == (200 * 50, [AXIS0, AXIS1])
    assert cuda_plan(library, joint, *sums, joint) == (200 * 50, [AXIS0, AXIS1, DENSE])
    large = (2, 300, 300, 512)
    assert cuda_plan(library, large, (2, 1, 300, 512), (2, 300, 1, 512)) == (
        300 * 300,
        [AXIS1, AXIS0],
    )
    # With too little work in both dimensions, or with a third sum, each sum is a pass of its own.
    small = (8, 9, 10, 512)
    assert AXIS0 not in cuda_plan(library, small, (8, 9, 1, 512), (8, 1, 10, 512))[1]
    assert AXIS0 not in cuda_plan(library, joint, *sums, (8, 1, 1, 512))[1]
    assert AXIS0 not in cuda_plan(library, joint, *sums, (8, 200, 50, 1))[1]


def totals_plan(
    library: ctypes.CDLL, rows: int, columns: int, size: int = 8, tile_bytes: int = 4
) -> tuple[int, ...]:
    """Threads of a block, threads of a row, tiles of a stretch, stretches of a row, blocks."""
    found = (ctypes.c_int64 * 5)()
    library.totals_plan(ctypes.c_int64(rows), ctypes.c_int64(columns), size, tile_bytes, found)
    return tuple(found)


def test_plans_of_totals(library: ctypes.CDLL) -> None:
    # several rows a warp, a warp a row
    assert totals_plan(library, 65536, 0) == (128, 1, 1, 1, 512)
    assert totals_plan(library, 65536, 8) == (128, 1, 1, 1, 512)
    assert totals_plan(library, 65536, 9) == (128, 2, 1, 1, 1024)
    assert totals_plan(library, 65536, 31) == (128, 1, 1, 1, 512)  # of four vectors
    assert totals_plan(library, 65537, 128) == (128, 4, 1, 1, 2049)
    assert totals_plan(library, 65536, 256) == (128, 8, 1, 1, 4096)
    assert totals_plan(library, 65536, 257) == (128, 32, 1, 1, 16384)
    assert totals_plan(library, 65536, 768) == (128, 32, 1, 1, 16384)
    assert totals_plan(library, 65536, 128, 1) == (128, 32, 1, 1, 16384)
    assert totals_plan(library, 65536, 64, 1) == (128, 16, 1, 1, 8192)
    # a block a row
    assert totals_plan(library, 16384, 1025) == (64, 32, 2, 1, 16384)
    assert totals_plan(library, 16384, 4096) == (128, 32, 4, 1, 16384)
    assert totals_plan(library, 8192, 8192) == (128, 32, 8, 1, 8192)
    assert totals_plan(library, 4096, 16384) == (256, 32, 16, 1, 4096)
    assert totals_plan(library, 512, 131072) == (256, 32, 128, 1, 512)
    # several blocks a row, where rows are few or very long
    assert totals_plan(library, 8, 131072) == (256, 32, 8, 16, 128)
    assert totals_plan(library, 100, 131072) == (256, 32, 32, 4, 400)
    assert totals_plan(library, 1, 16384) == (256, 32, 16, 1, 1)
    assert totals_plan(library, 4096, 1 << 20) == (256, 32, 256, 4, 16384)


@pytest.mark.parametrize("tile_bytes", [4, 16, 256])
def test_each_plan_of_totals_keeps_the_tree(library: ctypes.CDLL, tile_bytes: int) -> None:
    for rows in (1, 7, 300, 100000):
        for columns in (1, 1024, 1025, 5000, 99999, 262144, 1 << 20, (1 << 28) + 1, 1 << 31):
            threads, lanes, tiles, stretches, blocks = totals_plan(
                library, rows, columns, 4, tile_bytes
            )
            case = rows, columns
            assert tiles & (tiles - 1) == lanes & (lanes - 1) == 0, case
            assert 0 <= tiles * stretches * 1024 - columns < 1024 * tiles, case
            assert tiles * tile_bytes <= 48 << 10, case
            assert threads in (64, 128, 256), case
            if (
                stretches > 1024
            ):  # some are added in order, so each plan must have the same stretches
                assert tiles == totals_plan(library, 1, columns, 4, tile_bytes)[2], case
            assert blocks * (threads // lanes if columns <= 1024 else 1) >= rows * stretches, case
