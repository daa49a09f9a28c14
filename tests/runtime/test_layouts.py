"""Loops over every layout: lengths, offsets, strides, broadcast operands, sizes beyond 32 bits."""

from __future__ import annotations

import ctypes
import itertools
import math

import numpy as np
import pytest
from loops import (
    FLOATS,
    MIX,
    MULTIPLY,
    NUMPY,
    Fill,
    Memory,
    check,
    check_mix,
    make_loop,
    mixed,
    reduced_to,
    run,
    small_integers,
    to_storage,
)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 511, 512, 513, 1024, 40001])
@pytest.mark.parametrize("dtype", FLOATS)
def test_lengths(library: ctypes.CDLL, dtype: str, length: int) -> None:
    compute = "double" if dtype == "double" else "float"
    check_mix(library, (length,), ((length,), (length,)), dtype, compute)


@pytest.mark.parametrize("length", [9, 513])
@pytest.mark.parametrize(("dtype", "unit"), [("half", -24), ("bfloat16", -133), ("float", -149)])
def test_subnormal_numbers(library: ctypes.CDLL, dtype: str, unit: int, length: int) -> None:
    """Multiples of the smallest number: products and sums are exact, and none is flushed."""
    shape = (4, length)
    values = [small_integers(shape, seed) for seed in range(3)]
    values[0] *= 2.0**unit
    values[2] *= 2.0**unit
    writes = [Memory.zeros(shape, dtype), Memory.zeros((1, length), dtype)]
    reads = [Memory.of(value, dtype) for value in values]
    run(library, MIX, make_loop(library, shape, reads, list(writes)))
    wanted = mixed(values, shape)
    check(writes[0], wanted[0])
    check(writes[1], reduced_to(wanted[1], (1, length)))
    assert np.count_nonzero(writes[1].values())


@pytest.mark.parametrize("row", [1, 29, 64, 93, 200])
@pytest.mark.parametrize("dtype", ["half", "bfloat16", "float", "double", "int32"])
@pytest.mark.parametrize("sums", [False, True])
def test_short_rows(library: ctypes.CDLL, dtype: str, row: int, sums: bool) -> None:
    """Many rows at a time: with gaps between them, the same for all, and one number each."""
    shape = (3, 50, row)
    padded = Memory.of(small_integers((3, 50, row + 7)), "float")
    reads = [
        Memory(padded.array[..., :row], "float"),
        Memory.of(small_integers((row,), 1), "bfloat16"),
        Memory.of(small_integers((50, 1), 2), dtype),
    ]
    out = np.full((3, 50, row + 7), 7, np.float32)
    second = Memory.zeros((50, row) if sums else shape, "float")
    writes = [Memory(out[..., :row], "float"), second]
    run(library, MIX, make_loop(library, shape, reads, list(writes)))
    wanted = mixed([read.values() for read in reads], shape)
    check(writes[0], wanted[0])
    check(second, reduced_to(wanted[1], second.array.shape))
    assert (out[..., row:] == 7).all()


@pytest.mark.parametrize("row", [1, 29, 64, 93, 200, 1000])
@pytest.mark.parametrize("dtype", ["half", "bfloat16", "float", "double", "int32"])
@pytest.mark.parametrize("gap", [0, 6])
def test_interleaved_parts(library: ctypes.CDLL, dtype: str, row: int, gap: int) -> None:
    shape = (33, row)
    packed = Memory.of(small_integers((33, 2 * row + gap)), dtype)
    out = Memory.of(np.full((33, 2 * row + gap), 7), dtype)

    def parts(memory: Memory) -> list[Memory]:
        return [Memory(memory.array[:, k : 2 * row : 2], dtype) for k in (0, 1)]

    reads = [*parts(packed), Memory.of(small_integers((row,), 1), "float")]
    writes = parts(out)
    run(library, MIX, make_loop(library, shape, list(reads), list(writes)))
    for write, wanted in zip(writes, mixed([read.values() for read in reads], shape), strict=True):
        check(write, wanted)
    assert (Memory(out.array[:, 2 * row :], dtype).values() == 7).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("offset", range(1, 8))
def test_offsets(library: ctypes.CDLL, dtype: str, offset: int) -> None:
    values = [small_integers((1000,), seed) for seed in range(2)]
    reads = [Memory(to_storage(value, dtype)[offset:], dtype) for value in values]
    write = Memory(Memory.zeros((1000,), dtype).array[offset:], dtype)
    compute = "double" if dtype == "double" else "float"
    run(library, MULTIPLY, make_loop(library, write.array.shape, list(reads), [write], compute))
    check(write, (values[0] * values[1])[offset:])


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_strided_operands(library: ctypes.CDLL, axes: tuple[int, ...]) -> None:
    shape = (6, 10, 70)
    values = [small_integers(shape), small_integers(shape, 1)]
    permuted = values[0].transpose(axes).astype(np.float32).copy().transpose(np.argsort(axes))
    sliced = np.zeros((6, 20, 210), np.float32)[:, ::2, ::3]
    sliced[...] = values[1]
    write = Memory(np.zeros((12, 10, 140), np.float32)[::2, :, ::2], "float")
    reads = [Memory(permuted, "float"), Memory(sliced, "float")]
    run(library, MULTIPLY, make_loop(library, shape, list(reads), [write]))
    check(write, values[0] * values[1])


@pytest.mark.parametrize("shapes", [((1, 70), (40, 1)), ((1, 1), (40, 70)), ((70,), (1,))])
def test_broadcast_reads(library: ctypes.CDLL, shapes: tuple[tuple[int, ...], ...]) -> None:
    values = [small_integers(shape, seed) for seed, shape in enumerate(shapes)]
    reads = [Memory.of(value, "bfloat16") for value in values]
    write = Memory.zeros((40, 70), "bfloat16")
    run(library, MULTIPLY, make_loop(library, (40, 70), list(reads), [write]))
    check(write, np.broadcast_to(values[0] * values[1], (40, 70)))


def test_scalar_loop(library: ctypes.CDLL) -> None:
    check_mix(library, (), ((), ()))


def test_small_loops_stay_in_their_thread(library: ctypes.CDLL) -> None:
    def calls(shape: tuple[int, ...], reduced: tuple[int, ...]) -> int:
        before = library.loop_parallel_calls()
        check_mix(library, shape, (shape, reduced), threading=2)
        return library.loop_parallel_calls() - before

    assert calls((4096,), (4096,)) == 0
    for reduced in ((4, 1, 144), (144,), (4, 4, 1), (1,)):
        assert calls((4, 4, 144), reduced) == 0
    assert calls((64, 4096), (64, 4096)) > 0
    assert calls((64, 8192), (8192,)) > 0


@pytest.mark.parametrize("dtype", ["float", "half", "bfloat16"])
@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("gap", [0, 64])
def test_more_than_the_cache_holds(library: ctypes.CDLL, dtype: str, offset: int, gap: int) -> None:
    """Written past the caches where the memory is aligned to their lines."""
    item = np.dtype(NUMPY[dtype]).itemsize
    row = 3 * 4096 + 40
    shape = (library.loop_cache_bytes() // (4 * item * row) + 1, row)
    padded = (shape[0], row + 24 + gap)
    memory = np.full(math.prod(padded) * item + 64 + item, 7, np.uint8)
    start = -memory.ctypes.data % 64 + offset * item
    out = memory[start : start + math.prod(padded) * item].view(NUMPY[dtype]).reshape(padded)
    before = out.copy()
    reads = [Memory.of(small_integers(shape, seed), dtype) for seed in range(3)]
    writes = [Memory(out[:, :row], dtype), Memory(reads[1].array, dtype)]  # one in place
    wanted = mixed([read.values() for read in reads], shape)
    run(library, MIX, make_loop(library, shape, list(reads), list(writes)), threading=2)
    for write, values in zip(writes, wanted, strict=True):
        check(write, values)
    np.testing.assert_array_equal(out[:, row:], before[:, row:])


def test_extents_beyond_32_bits(library: ctypes.CDLL) -> None:
    # 2^33 bytes of address space, of which two pages are touched.
    far = np.zeros(2**31 + 1, np.float32)
    spread = far[:: 2**31]
    spread[...] = (3, 5)
    write = Memory.zeros((2, 4), "float")
    twos = Memory.of(np.full((1, 4), 2.0), "float")
    run(
        library,
        MULTIPLY,
        make_loop(library, (2, 4), [Memory(spread[:, None], "float"), twos], [write]),
    )
    assert (write.array == [[6] * 4, [10] * 4]).all()


def test_coalescing(library: ctypes.CDLL) -> None:
    dense = Memory.zeros((4, 1, 5, 6), "float")
    loop = make_loop(library, (4, 1, 5, 6), [dense, dense], [dense])
    assert (loop.num_dims, loop.sizes[0]) == (1, 120)
    bias = Memory.zeros((5, 6), "float")
    loop = make_loop(library, (4, 1, 5, 6), [dense, bias], [dense])
    assert (loop.num_dims, *loop.sizes[:2]) == (2, 30, 4)
    missing = make_loop(library, (4, 1, 5, 6), [dense, Fill(1.0)], [dense])
    assert missing.num_dims == 1


def test_a_read_that_is_converted_counts_where_results_go_past_the_caches(
    library: ctypes.CDLL,
) -> None:
    def operand(dtype: str, count: int) -> Memory:
        """Aligned memory, of which a plan reads nothing."""
        array = np.zeros(32, np.float32)
        aligned = array[-array.ctypes.data // 4 % 16 :].view(NUMPY.get(dtype, dtype))
        return Memory(np.lib.stride_tricks.as_strided(aligned, (count,), (4,)), dtype)

    def bypasses(read: str, count: int) -> bool:
        operands = operand(read, count), operand("float", count)
        loop = make_loop(library, (count,), operands[:1], operands[1:])
        return library.loop_bypasses_caches(ctypes.byref(loop))

    library.loop_bypasses_caches.restype = ctypes.c_bool
    counts = [2**n for n in range(12, 31)]
    found = [bypasses("float", count) for count in counts]
    assert found == [bypasses("int32", count) for count in counts]
    assert set(found) == {False, True}
