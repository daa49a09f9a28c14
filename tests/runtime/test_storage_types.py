"""Loops over every storage type: conversions, rounding, numbers that stand for a read."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest
import torch
from loops import (
    DTYPES,
    FLOAT8,
    FLOATS,
    INTEGERS,
    MIX,
    MULTIPLY,
    NUMPY,
    ROUND,
    Fill,
    Memory,
    bits_of,
    check,
    copied,
    floats,
    make_loop,
    run,
    small_integers,
)


@pytest.mark.parametrize("dtypes", list(itertools.product(DTYPES[:-2], FLOATS)))
@pytest.mark.parametrize("compute", ["float", "double"])
def test_mixed_dtypes(library: ctypes.CDLL, dtypes: tuple[str, str], compute: str) -> None:
    first, second = dtypes
    shape = (5, 67)
    values = [abs(small_integers(shape)), small_integers(shape, 1)]
    reads = [Memory.of(values[0], first), Memory.of(values[1], second)]
    write = Memory.zeros(shape, first)
    loop = make_loop(library, shape, list(reads), [write], compute)
    run(library, MULTIPLY, loop, (3.0,))
    product = reads[0].values().astype(np.float64) * values[1] + 3
    wrapped = product.astype(np.int64) if first not in (*FLOATS, "bool") else product
    if first == "uint8":
        assert (write.array[product >= 0] == product[product >= 0]).all()
    else:
        check(write, wrapped)


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
@pytest.mark.parametrize("layout", ["dense", "row scalar", "column", "number", "strided", "offset"])
def test_integers_among_floats(library: ctypes.CDLL, dtype: str, layout: str) -> None:
    rows, columns = 5, 131
    kind = "uint8" if dtype == "bool" else dtype
    ends = np.iinfo(kind)
    drawn = np.random.default_rng(0).integers(
        ends.min, ends.max, (rows, 2 * columns), endpoint=True
    )
    drawn[:, :4] = [ends.min, ends.max, ends.max - 1, 0]
    chosen = {
        "dense": slice(columns),
        "row scalar": slice(1),
        "column": slice(columns),
        "number": slice(1),
        "strided": slice(None, None, 2),
        "offset": slice(3, 3 + columns),
    }[layout]
    stored = (drawn % 2 if dtype == "bool" else drawn).astype(kind)[
        : 1 if layout in ("column", "number") else rows, chosen
    ]
    powers = np.float32(2.0) ** np.arange(-90, 41, dtype=np.float32)
    write = Memory.zeros((rows, columns), "float")
    loop = make_loop(
        library, (rows, columns), [Memory(stored, dtype), Memory(powers, "float")], [write]
    )
    run(library, MULTIPLY, loop, (3.0,))
    assert (write.array == stored.astype(np.float32) * powers + np.float32(3)).all()


def test_integers_wrap(library: ctypes.CDLL) -> None:
    large = np.array([2**62, -(2**63), 2**53 + 1], np.int64)
    reads = [Memory(large, "int64"), Memory(np.array([1], np.int64), "int64")]
    write = Memory.zeros((3,), "int64")
    run(library, MULTIPLY, make_loop(library, (3,), list(reads), [write], "int64"), (1.0,))
    assert (write.array == large + 1).all()
    total = Memory.zeros((1,), "int64")
    zeros = Memory(np.zeros(3, np.int64), "int64")
    loop = make_loop(library, (3,), [Memory(large, "int64"), zeros, zeros], [None, total], "int64")
    run(library, MIX, loop)
    assert total.array[0] == large.sum()


def rounded(
    library: ctypes.CDLL, values: np.ndarray, dtype: str, like: Memory | Fill
) -> tuple[np.ndarray, np.ndarray]:
    """Values rounded to the dtype of `like`, which is 1, and stored as `dtype`."""
    name = "double" if values.dtype == np.float64 else "float"
    writes = [Memory.zeros(values.shape, name), Memory.zeros(values.shape, dtype)]
    reads = [Memory(values, name), like, Fill(-0.0)]
    loop = make_loop(library, values.shape, reads, list(writes), name)
    run(library, ROUND, loop)
    return writes[0].array, writes[1].array


@pytest.mark.parametrize("dtype", ["half", "bfloat16"])
def test_conversions_have_the_bits_of_pytorch(library: ctypes.CDLL, dtype: str) -> None:
    kind = getattr(torch, dtype)
    patterns = np.arange(2**16, dtype=np.uint16)
    memory = Memory(patterns.view(NUMPY[dtype]), dtype)
    wide = copied(library, memory, Memory.zeros((2**16,), "float"))
    wanted = torch.from_numpy(patterns.view(np.int16)).view(kind).float().numpy()
    assert (bits_of(wide) == bits_of(wanted)).all()
    # every float near a tie, subnormals and NaNs with bits that a half has no place for
    values = floats()
    wanted = torch.from_numpy(values).to(kind).view(torch.int16).numpy().view(np.uint16)
    numbers = values == values
    for spread in (1, 2):  # on vectors, and one by one
        write = Memory(np.zeros(spread * values.size, NUMPY[dtype])[::spread], dtype)
        ours = np.ascontiguousarray(copied(library, Memory(values, "float"), write)).view(np.uint16)
        assert (ours[numbers] == wanted[numbers]).all()
        nans = torch.from_numpy(ours[~numbers].view(np.int16)).view(kind)
        assert nans.isnan().all()
        if spread == 1:
            dense = ours
    assert (dense == ours).all()


@pytest.mark.parametrize("dtype", FLOAT8)
def test_float8_has_the_bits_of_pytorch(library: ctypes.CDLL, dtype: str) -> None:
    values = floats()
    inside = torch.from_numpy(values)
    if dtype == "float8_e4m3fn":
        inside = inside.clamp(-448, 448)  # which torch 2.13 does by itself
    wanted = inside.to(getattr(torch, dtype)).view(torch.uint8).numpy()
    for given in (values, torch.from_numpy(values).double().numpy()):
        np.testing.assert_array_equal(rounded(library, given, dtype, Fill(1))[1], wanted)
    strided = Memory(np.zeros((values.size, 3), np.uint8)[:, 1], dtype)
    reads = [Memory(values, "float"), Fill(1), Fill(0)]
    run(library, ROUND, make_loop(library, values.shape, list(reads), [None, strided]))
    np.testing.assert_array_equal(strided.array, wanted)
    # As from PyTorch's, the way from a double leads through float: a tie there, and not above it.
    above_tie = np.array([1.0625 + 2**-40])
    assert rounded(library, above_tie, "float8_e4m3fn", Fill(1))[1] == 0x38


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_floats(library: ctypes.CDLL, dtype: str) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for kind in (np.float32, np.float64):
        generator = np.random.default_rng(1)
        scale = 2.0 ** generator.uniform(-3, np.log2(high), 10**5)
        values = (scale * generator.choice((1, -1), scale.size)).astype(kind)
        edges = np.array(
            [low, 0, -0.0, 0.5, -0.99, high / 2, np.nextafter(kind(high), kind(0))], kind
        )
        values = np.concatenate([values, edges])
        values = values[(values >= low) & (values <= np.nextafter(kind(high), kind(0)))]
        wanted = torch.from_numpy(values).to(getattr(torch, dtype)).numpy()
        np.testing.assert_array_equal(rounded(library, values, dtype, Fill(1))[1], wanted)


def test_floats_that_no_integer_holds(library: ctypes.CDLL) -> None:
    for kind in (np.float32, np.float64):
        values = np.array([300, -3, 70000, 1e30, -1e30, np.inf, -np.inf], kind)
        for dtype, wanted in (
            ("uint8", (44, 253, 112, 255, 0, 255, 0)),
            ("int8", (44, -3, 112, -1, 0, -1, 0)),
            ("int16", (300, -3, 4464, -1, 0, -1, 0)),
            ("int32", (300, -3, 70000, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31))),
            ("int64", (300, -3, 70000, 2**63 - 1, -(2**63), 2**63 - 1, -(2**63))),
        ):
            assert tuple(rounded(library, values, dtype, Fill(1))[1]) == wanted
        assert rounded(library, np.array([np.nan], kind), "int8", Fill(1))[1] == 0


@pytest.mark.parametrize("compute", [np.float32, np.float64])
@pytest.mark.parametrize("dtype", DTYPES[:-2])
def test_round_to(library: ctypes.CDLL, dtype: str, compute: type) -> None:
    values = floats()
    if compute is np.float64:
        values = torch.from_numpy(values).double().mul(1 + 2.0**-30).numpy()
    wanted = torch.from_numpy(values)
    if dtype in ("half", "bfloat16", "float"):
        wanted = wanted.to(getattr(torch, dtype)).to(wanted.dtype)
    memory = Memory.of(np.ones(values.shape), dtype)
    for like in (memory, Fill(1.0, dtype)):
        ours = rounded(library, values, "float", like)[0]
        np.testing.assert_array_equal(ours, wanted.numpy())
        assert (np.signbit(ours) == np.signbit(values))[values == values].all()


def test_fill_is_not_rounded_to_storage(library: ctypes.CDLL) -> None:
    ones = Memory.of(np.ones(600), "half")
    write = Memory.zeros((600,), "float")
    run(library, MULTIPLY, make_loop(library, (600,), [ones, Fill(0.1)], [write]))
    assert (write.array == np.float32(0.1)).all()


@pytest.mark.parametrize("number", [2**53 + 1, -(2**62) - 3, 2**63 - 1])
def test_whole_numbers_keep_all_their_digits(library: ctypes.CDLL, number: int) -> None:
    ones = Memory.of(np.ones(70), "int64")
    write = Memory.zeros((70,), "int64")
    reads = [ones, Fill(number, "int64")]
    run(library, MULTIPLY, make_loop(library, (70,), reads, [write], "int64"), (0,))
    assert (write.array == number).all()
    reads = [ones, Fill(0, "int64")]
    run(library, MULTIPLY, make_loop(library, (70,), reads, [write], "int64"), (number,))
    assert (write.array == number).all()


def test_a_whole_number_is_rounded_to_float_once(library: ctypes.CDLL) -> None:
    above = 2**60 + 2**36 + 1  # as a double it lies halfway between two floats
    ones = Memory.of(np.ones(70), "float")
    write = Memory.zeros((70,), "float")
    run(library, MULTIPLY, make_loop(library, (70,), [ones, Fill(above, "int64")], [write]))
    assert (write.array == np.float32(2**60 + 2**37)).all()
