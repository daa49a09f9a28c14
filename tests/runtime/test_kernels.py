"""The hand-written loops by themselves: layouts, dtypes and reductions against numpy."""

from __future__ import annotations

import ctypes
import itertools
import math
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from fusewise.build.toolchain import CAPABILITIES, FLOAT_FLAGS, capability_defines

ROOT = Path(__file__).resolve().parents[2]
CPP = ROOT / "tests" / "runtime"
INCLUDE = ROOT / "runtime"

MAX_DIMS = 12
MAX_OPERANDS = 32
DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "half",
    "bfloat16",
    "float",
    "double",
    "float8_e4m3fn",
    "float8_e5m2",
)
FLOAT8 = DTYPES[-2:]
INTEGERS = DTYPES[1:6]
NUMPY = {
    "half": "float16",
    "bfloat16": "uint16",
    "float": "float32",
    "double": "float64",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
}
FLOATS = ("half", "bfloat16", "float", "double")
MULTIPLY, MIX, SWIGLU_BACKWARD, ROUND, PREPARED, FUNCTIONS, ELEMENTARY = range(7)
NUM_WRITES = {FUNCTIONS: 13, ELEMENTARY: 28}
ABSENT, DENSE, COLUMN, ALL, ROW, NEAR, FAR = range(7)


class CNumber(ctypes.Structure):
    _fields_ = (("bits", ctypes.c_int64), ("is_whole", ctypes.c_bool))

    @staticmethod
    def of(value: float) -> CNumber:
        if isinstance(value, int):
            return CNumber(value, True)
        return CNumber(ctypes.c_int64.from_buffer(ctypes.c_double(value)).value, False)


class COperand(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("fill", CNumber),
        ("dtype", ctypes.c_int8),
        ("strides", ctypes.c_int64 * MAX_DIMS),
    )


class CLoop(ctypes.Structure):
    _fields_ = (
        ("num_dims", ctypes.c_int),
        ("sizes", ctypes.c_int64 * MAX_DIMS),
        ("num_reads", ctypes.c_int),
        ("num_writes", ctypes.c_int),
        ("operands", COperand * MAX_OPERANDS),
        ("compute", ctypes.c_int8),
    )


@dataclass(frozen=True, slots=True)
class Memory:
    """An array with the name of its dtype: those that numpy lacks stand as bits in integers."""

    array: np.ndarray
    dtype: str

    @staticmethod
    def of(values: np.ndarray, dtype: str) -> Memory:
        return Memory(to_storage(values, dtype), dtype)

    @staticmethod
    def zeros(shape: tuple[int, ...], dtype: str) -> Memory:
        return Memory(np.zeros(shape, NUMPY.get(dtype, dtype)), dtype)

    def values(self) -> np.ndarray:
        if self.dtype == "bfloat16":
            return (self.array.astype(np.uint32) << 16).view(np.float32)
        return self.array


@dataclass(frozen=True, slots=True)
class Fill:
    """A read that is a number."""

    value: float
    dtype: str = "float"


def to_storage(values: np.ndarray, dtype: str) -> np.ndarray:
    """Rounds to nearest even."""
    values = np.asarray(values)
    if dtype != "bfloat16":
        return values.astype(NUMPY.get(dtype, dtype))
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16).reshape(values.shape)


CAPABILITY_FLAGS = CAPABILITIES if platform.machine() == "x86_64" else {}
CAPABILITY_NAMES = ("default", *CAPABILITY_FLAGS)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of tests/runtime and the runtime that make a library, by a name for each build."""
    folder = tmp_path_factory.mktemp("loops")
    flags = f"-std=c++20 -O2 -Wall -Wextra -Werror -fPIC -pthread {FLOAT_FLAGS}"
    flags += f" {capability_defines(CAPABILITY_FLAGS)}"
    runtime = [
        path
        for folder in ("core", "cpu")
        for path in sorted((ROOT / "runtime/fusewise" / folder).glob("*.cpp"))
        if not path.stem.endswith("_cpu")
    ]
    builds = {path.stem: (path, "") for path in runtime}
    builds["loop_ops"] = (CPP / "loop_ops.cpp", "")
    for name in CAPABILITY_NAMES:
        own = f"{CAPABILITY_FLAGS[name]} -DFUSEWISE_CAPABILITY={name}" if name != "default" else ""
        builds[name] = (CPP / "loop_ops_cpu.cpp", own)
        builds[f"{name}_elementary"] = (CPP / "loop_elementary_cpu.cpp", own)
        builds[f"{name}_conversions"] = (ROOT / "runtime/fusewise/cpu/conversions_cpu.cpp", own)
    targets = {}
    for name, (source, own) in builds.items():
        targets[name] = folder / f"{name}.o"
        command = ["g++", *flags.split(), *own.split(), f"-I{INCLUDE}", "-c", str(source)]
        subprocess.run([*command, "-o", str(targets[name])], check=True)
    return targets


def load_library(objects: dict[str, Path], capability: str) -> ctypes.CDLL:
    """A library of its own for each capability: it asks the environment when it is loaded."""
    target = objects["loop_ops"].with_name(f"{capability}.so")
    if not target.exists():
        command = ["g++", "-shared", "-pthread", *map(str, objects.values()), "-o", str(target)]
        subprocess.run(command, check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATEN_CPU_CAPABILITY", capability)
        loops = ctypes.CDLL(str(target))
    if loops.loop_capability() != CAPABILITY_NAMES.index(capability):
        pytest.skip(f"this processor has no {capability}")
    loops.loop_run.restype = ctypes.c_char_p
    loops.loop_size.restype = ctypes.c_int64
    loops.loop_partials.restype = ctypes.c_int64
    loops.loop_parallel_calls.restype = ctypes.c_int64
    loops.loop_cache_bytes.restype = ctypes.c_int64
    assert loops.loop_size() == ctypes.sizeof(CLoop)
    return loops


@pytest.fixture(scope="session", params=CAPABILITY_NAMES)
def library(request: pytest.FixtureRequest, objects: dict[str, Path]) -> ctypes.CDLL:
    return load_library(objects, request.param)


def make_loop(
    library: ctypes.CDLL,
    shape: tuple[int, ...],
    reads: Sequence[Memory | Fill],
    writes: Sequence[Memory | None],
    compute: str = "float",
) -> CLoop:
    loop = CLoop()
    loop.num_dims = len(shape)
    loop.sizes[: len(shape)] = shape[::-1]
    loop.num_reads, loop.num_writes = len(reads), len(writes)
    loop.compute = DTYPES.index(compute)
    for operand, memory in zip(loop.operands, (*reads, *writes), strict=False):
        if isinstance(memory, Fill):
            operand.fill = CNumber.of(memory.value)
            operand.dtype = DTYPES.index(memory.dtype)
        elif memory is not None:
            array = memory.array
            operand.data = array.ctypes.data
            operand.dtype = DTYPES.index(memory.dtype)
            # Absent leading dimensions keep the stride 0 that they have.
            for dim in range(array.ndim):
                broadcast = array.shape[-1 - dim] == 1 and shape[-1 - dim] != 1
                operand.strides[dim] = 0 if broadcast else array.strides[-1 - dim]
    library.loop_coalesce(ctypes.byref(loop))
    return loop


def run(
    library: ctypes.CDLL,
    op: int,
    loop: CLoop,
    params: tuple[float, ...] = (0.0,),
    threading: int = 0,
) -> None:
    numbers = (CNumber * len(params))(*map(CNumber.of, params))
    message = library.loop_run(op, ctypes.byref(loop), numbers, threading)
    assert message is None, message


def small_integers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Values whose products and sums are exact in every float type of computing."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float64)


def mixed(reads: list[np.ndarray], shape: tuple[int, ...]) -> list[np.ndarray]:
    a, b, c = (np.broadcast_to(read, shape) for read in reads)
    return [a * b, a + c]


def reduced_to(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sums over leading dimensions and over those of size 1 in `shape`."""
    shape = (1,) * (values.ndim - len(shape)) + shape
    axes = tuple(
        d
        for d, (size, full) in enumerate(zip(shape, values.shape, strict=True))
        if size == 1 and full != 1
    )
    return values.sum(axis=axes, keepdims=True)


def check(memory: Memory, expected: np.ndarray) -> None:
    want = Memory.of(expected.reshape(memory.array.shape), memory.dtype).values()
    np.testing.assert_array_equal(memory.values(), want)


def check_mix(
    library: ctypes.CDLL,
    shape: tuple[int, ...],
    write_shapes: tuple[tuple[int, ...] | None, ...],
    dtype: str = "float",
    compute: str = "float",
    threading: int = 0,
) -> None:
    values = [small_integers(shape, seed) for seed in range(3)]
    reads = [Memory.of(value, dtype) for value in values]
    writes = [None if s is None else Memory.zeros(s, dtype) for s in write_shapes]
    for write in writes:
        if write is not None:
            write.array.fill(7)
    loop = make_loop(library, shape, reads, writes, compute)
    run(library, MIX, loop, threading=threading)
    for write, expected in zip(writes, mixed(values, shape), strict=True):
        if write is not None:
            check(write, reduced_to(expected, write.array.shape))


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


def floats() -> np.ndarray:
    """All numbers of 16 bits, and many others, of every size and with every NaN's sign."""
    patterns = np.arange(2**16, dtype=np.uint16)
    random = np.random.default_rng(0).integers(0, 2**32, 10**6, np.uint32)
    near = patterns.astype(np.uint32)[:, None] * 2**16 + [0x7FFF, 0x8001, 0xFFFF]
    bits = (patterns.astype(np.uint32) << 16, near.astype(np.uint32).ravel(), random)
    halves = torch.from_numpy(patterns.view(np.float16)).float().numpy()
    return np.concatenate([halves, *(part.view(np.float32) for part in bits)])


def bits_of(values: np.ndarray) -> np.ndarray:
    """Bits of floats; all NaNs are one, of which the sign is not defined."""
    values = np.where(np.isnan(values), np.float32(np.nan), values)
    return values.view(np.uint32)


def copied(library: ctypes.CDLL, memory: Memory, write: Memory) -> np.ndarray:
    loop = make_loop(library, write.array.shape, [memory, Fill(1), Fill(0)], [None, write])
    run(library, ROUND, loop)
    return write.array


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


def pairs() -> tuple[np.ndarray, np.ndarray]:
    """Floats of every kind, and for each another one; the tails of halves and ties among them."""
    special = np.array(
        [0, 0.5, 1, 1.5, 2.5, 2**23 - 0.5, 2**23, 2**24 + 2, 1e-45, 1e-38, np.inf, np.nan]
    )
    special = np.concatenate([special, -special]).astype(np.float32)
    grid = np.meshgrid(special, special)
    random = np.random.default_rng(1).integers(0, 2**32, (2, 5000), np.uint32).view(np.float32)
    moderate = np.random.default_rng(2).standard_normal((2, 5000), np.float32) * np.float32(10)
    x, y = (
        np.concatenate([g.ravel(), r, m]) for g, r, m in zip(grid, random, moderate, strict=True)
    )
    return x, y


def functions(
    library: ctypes.CDLL,
    reads: Sequence[Memory],
    spread: int = 1,
    offset: int = 0,
    op: int = FUNCTIONS,
) -> np.ndarray:
    """What every function makes of the pairs, one row a function, in memory of that layout."""
    size = reads[0].array.size * spread + offset
    out = np.full((NUM_WRITES[op], size + 64), 7, np.float32)
    writes = [Memory(row[offset:size:spread], "float") for row in out]
    run(library, op, make_loop(library, reads[0].array.shape, reads, writes))
    untouched = np.ones(size + 64, bool)
    untouched[offset:size:spread] = False
    assert (out[:, untouched] == 7).all()
    return np.stack([write.array for write in writes])


@pytest.mark.parametrize("op", [*NUM_WRITES])
def test_vectors_have_the_bits_of_floats(library: ctypes.CDLL, op: int) -> None:
    x, y = pairs()
    wanted = np.zeros((x.size, NUM_WRITES[op]), np.float32)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, wanted)]
    library.loop_floats(op == ELEMENTARY, *pointers[:2], ctypes.c_int64(x.size), pointers[2])
    wanted = bits_of(wanted.T)
    dense = [Memory(x, "float"), Memory(y, "float")]
    strided = [Memory(np.repeat(values, 3)[::3], "float") for values in (x, y)]
    assert (bits_of(functions(library, dense, op=op)) == wanted).all()
    assert (bits_of(functions(library, strided, spread=2, op=op)) == wanted).all()
    assert (bits_of(functions(library, [dense[0], strided[1]], op=op)) == wanted).all()


@pytest.mark.parametrize("count", [1, 15, 16, 17, 63, 64, 65, 127, 128, 600])
def test_tails_have_the_bits_of_the_body(library: ctypes.CDLL, count: int) -> None:
    """At every place of memory that a float can have in a vector."""
    x, y = (values[:count] for values in pairs())
    wanted = bits_of(functions(library, [Memory(v, "float") for v in pairs()]))[:, :count]
    for offset in range(17):
        moved = [Memory(np.zeros(offset + count, np.float32)[offset:], "float") for _ in "xy"]
        for memory, values in zip(moved, (x, y), strict=True):
            memory.array[...] = values
        assert (bits_of(functions(library, moved, offset=offset)) == wanted).all()


def test_mixtures_have_the_bits_of_floats(library: ctypes.CDLL) -> None:
    x, y = pairs()
    with np.errstate(over="ignore"):
        narrow = [Memory.of(x, "bfloat16"), Memory.of(y, "half")]
    wide = [Memory(memory.values().astype(np.float32), "float") for memory in narrow]
    wanted = bits_of(functions(library, wide))
    assert (bits_of(functions(library, narrow)) == wanted).all()
    one = [Memory(wide[0].array[:600], "float"), Memory(narrow[1].array[7:8], "half")]
    spread = Memory(np.repeat(wide[1].array[7], 600), "float")
    assert (bits_of(functions(library, one)) == bits_of(functions(library, [one[0], spread]))).all()


def prepared(library: ctypes.CDLL, x: Memory, numbers: Memory) -> np.ndarray:
    write = Memory(np.zeros(x.array.shape, np.float32), "float")
    run(library, PREPARED, make_loop(library, x.array.shape, [x, numbers], [write]))
    return bits_of(write.array)


@pytest.mark.parametrize("row", [1, 29, 64, 200, 1000])
@pytest.mark.parametrize("dtype", ["half", "float", "int32"])
def test_numbers_of_a_row_prepare_what_their_elements_do(
    objects: dict[str, Path], row: int, dtype: str
) -> None:
    """The same bits from a number, from all of its copies, and on all processors."""
    random = np.random.default_rng(0)
    x = Memory(random.standard_normal((300, row), np.float32), "float")
    numbers = Memory.of(5 * random.standard_normal((300, 1), np.float32), dtype)
    copies = Memory(np.ascontiguousarray(np.broadcast_to(numbers.array, x.array.shape)), dtype)
    gaps = Memory(np.repeat(copies.array, 3, axis=1)[:, ::3], dtype)
    results = []
    for capability in CAPABILITY_NAMES:
        try:
            library = load_library(objects, capability)
        except pytest.skip.Exception:
            continue
        results += [prepared(library, x, memory) for memory in (numbers, copies, gaps)]
    assert all((result == results[0]).all() for result in results)
    values = numbers.values().astype(np.float64)
    value = np.log1p(np.exp(values)) * values
    with np.errstate(divide="ignore"):
        wanted = np.where(values > 0, x.array + value, x.array / value)
    np.testing.assert_allclose(results[0].view(np.float32), wanted, rtol=1e-5, atol=1e-5)


def test_capabilities_give_the_same_bits(objects: dict[str, Path]) -> None:
    """Gradients and their sums, which are in one order whatever the width of a vector."""
    results = []
    for capability in CAPABILITY_NAMES:
        try:
            library = load_library(objects, capability)
        except pytest.skip.Exception:
            continue
        sums = [
            array.tobytes()
            for reduced in ((300,), (700, 1), (1,), (700, 300))
            for array in random_backward(library, (700, 300), reduced, 0)
        ]
        results.append(sums)
    assert all(result == results[0] for result in results)


@pytest.mark.skipif(not CAPABILITY_FLAGS, reason="one build of the kernels on this machine")
def test_the_capability_is_what_pytorch_would_take(objects: dict[str, Path]) -> None:
    """What the variable names, but not more than the processor has; nothing else is a wish."""
    load_library(objects, "default")
    script = (
        "import ctypes, sys\n"
        f"print(ctypes.CDLL({str(objects['loop_ops'].with_name('default.so'))!r}).loop_capability())"
    )

    def chosen(wish: str | None) -> int:
        environ = {k: v for k, v in os.environ.items() if k != "ATEN_CPU_CAPABILITY"}
        environ |= {} if wish is None else {"ATEN_CPU_CAPABILITY": wish}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    best = chosen(None)
    assert chosen("nonsense") == best
    for place, name in enumerate(CAPABILITY_NAMES):
        assert chosen(name) == min(place, best)


@pytest.mark.skipif(not CAPABILITY_FLAGS, reason="one build of the kernels on this machine")
@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm")
@pytest.mark.parametrize("capability", [*CAPABILITY_FLAGS])
@pytest.mark.parametrize("source", ["", "_conversions"])
def test_builds_share_no_symbols(objects: dict[str, Path], capability: str, source: str) -> None:
    """Of weak symbols the linker keeps one: code for AVX-512 would run on other processors."""
    listed = subprocess.run(
        ["nm", "--defined-only", "--extern-only", str(objects[capability + source])],
        capture_output=True,
        text=True,
        check=True,
    )
    symbols = [line.split() for line in listed.stdout.splitlines()]
    names = [name for _, kind, name in symbols if kind in "TW"]  # code, not constants
    assert names
    assert [name for name in names if capability not in name] == []


@pytest.mark.skipif(not CAPABILITY_FLAGS, reason="other registers on this machine")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump")
@pytest.mark.parametrize(("capability", "register"), [("avx2", "ymm"), ("avx512", "zmm")])
def test_loops_are_of_vector_instructions(
    objects: dict[str, Path], capability: str, register: str
) -> None:
    listed = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", str(objects[capability])],
        capture_output=True,
        text=True,
        check=True,
    )
    loops = [part for part in listed.stdout.split("\n\n") if "float_rows<Functions>" in part[:200]]
    assert loops
    for instruction in ("vfm(add|sub)", "vdivps", "vsqrtps", "vmovntdq"):
        assert any(re.search(rf"{instruction}.*%{register}", loop) for loop in loops)


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


def test_scalar_loop(library: ctypes.CDLL) -> None:
    check_mix(library, (), ((), ()))


def random_backward(
    library: ctypes.CDLL, shape: tuple[int, ...], reduced: tuple[int, ...], threading: int
) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    reads = [Memory(generator.standard_normal(shape, np.float32), "float") for _ in range(3)]
    writes = [Memory.zeros(reduced, "float"), Memory.zeros(shape, "float")]
    loop = make_loop(library, shape, list(reads), list(writes))
    run(library, SWIGLU_BACKWARD, loop, threading=threading)
    grad, x, y = (read.array.astype(np.float64) for read in reads)
    sigmoid = 1 / (1 + np.exp(-x))
    expected = grad * y * sigmoid * (1 + x * (1 - sigmoid))
    np.testing.assert_allclose(writes[1].array, grad * x * sigmoid, rtol=1e-6, atol=1e-7)
    error = abs(writes[0].array - reduced_to(expected, reduced).reshape(reduced))
    assert (error <= 1e-6 * reduced_to(abs(expected), reduced).reshape(reduced) + 1e-6).all()
    return writes[0].array, writes[1].array


@pytest.mark.parametrize("reduced", [(300,), (700, 1), (1,)])
def test_bits_do_not_depend_on_threads(library: ctypes.CDLL, reduced: tuple[int, ...]) -> None:
    serial = random_backward(library, (700, 300), reduced, 0)
    for threading in (1, 2):
        for one, other in zip(
            serial, random_backward(library, (700, 300), reduced, threading), strict=True
        ):
            assert one.tobytes() == other.tobytes()


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


def test_long_sums_keep_their_digits(library: ctypes.CDLL) -> None:
    ones = Memory(np.broadcast_to(np.float32(0.1), (3_000_001, 7)), "float")
    total = Memory.zeros((7,), "float")
    zeros = Memory(np.broadcast_to(np.float32(0), (3_000_001, 7)), "float")
    run(library, MIX, make_loop(library, ones.array.shape, [ones, zeros, zeros], [None, total]))
    exact = 3_000_001 * np.float64(np.float32(0.1))
    np.testing.assert_allclose(total.array, exact, rtol=1e-5)


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


def cuda_cut(
    library: ctypes.CDLL, num_reads: int, shape: tuple[int, ...], *writes: tuple[int, ...]
) -> tuple[int, int, list[int]]:
    """Rows of a run, chunks, and the modes of the writes."""
    data = np.zeros(1, np.float32)
    reads = [Memory(np.broadcast_to(data, shape), "float")] * num_reads
    dense = np.lib.stride_tricks.as_strided
    outputs: list[Memory | None] = []
    for write in writes:
        strides = np.cumprod((4, *write[:0:-1]))[::-1]
        outputs.append(Memory(dense(data, write, strides), "float"))
    loop = make_loop(library, shape, list(reads), outputs)
    run_rows, chunks = ctypes.c_int64(), ctypes.c_int64()
    modes = (ctypes.c_int8 * len(writes))()
    library.loop_plan(
        ctypes.byref(loop), 8, ctypes.byref(run_rows), ctypes.byref(chunks), ctypes.byref(modes)
    )
    return run_rows.value, chunks.value, list(modes)


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
    run_rows, _, modes = cuda_cut(library, 1, shape, *writes)
    return run_rows, modes


def test_chunks(library: ctypes.CDLL) -> None:
    dense, row = (16384, 4096), (1, 4096)  # 16 tiles of 256 columns, 8 rows a step
    assert cuda_cut(library, 2, dense, row)[1] == 16384 // (8 * 8)
    assert cuda_cut(library, 1, dense, row)[1] == 16384 // (32 * 8)
    # Two blocks a multiprocessor: 264 units or a little less, if that leaves few idle.
    assert cuda_cut(library, 4, dense, dense, row, row, row)[1] == 264 // 16
    assert cuda_cut(library, 4, (50432, 1024), *[(1, 1024)] * 4)[1] == 264 // 4
    # Of 56 tiles they would be 224, which leaves too many idle: those that do not begin at once.
    wide, wide_row = (8192, 14336), (1, 14336)
    assert cuda_cut(library, 5, wide, wide, wide, wide_row, wide_row)[1] == 1056 // 56
    # 2 chunks of each run of 197 rows would be more than 4 * 396 units.
    layers = (256, 197, 1024)
    assert cuda_cut(library, 4, layers, layers, (1, 1, 1024), (256, 1, 1))[1] == 256
    # In place of 512 units, of which 396 begin at once, so many.
    assert cuda_cut(library, 4, (262144, 64), (262144, 64), (1, 64), (1, 64))[1] == 396
    # One for each of so many channels, if nothing is written: that leaves nothing to add.
    for channels, chunks in (320, 320), (512, 512), (200, 400):
        shape, channel = (32, channels, 4096), (1, channels, 1)
        assert cuda_cut(library, 1, shape, channel)[1] == chunks
        assert cuda_cut(library, 2, shape, shape, channel)[1] == 8 * channels
    for columns, chunks in (65536, 1), (40960, 2):  # 256 and 160 tiles
        shape = (256, columns)
        assert cuda_cut(library, 4, shape, shape, *[(1, columns)] * 3)[1] == chunks


def test_plans(library: ctypes.CDLL) -> None:
    dense = (16384, 8192)
    assert cuda_plan(library, dense, dense, (1, 8192)) == (16384, [DENSE, COLUMN])
    # A few threads take each of many rows; of a few long ones each is cut among blocks.
    assert cuda_plan(library, dense, dense, (16384, 1)) == (16384, [DENSE, ROW])
    assert cuda_plan(library, (100, 8192), (100, 8192), (100, 1)) == (1, [DENSE, ALL])
    assert cuda_plan(library, (16384, 256), (16384, 256), (16384, 1)) == (16384, [DENSE, ROW])
    assert cuda_plan(library, dense, (1, 8192), (16384, 1)) == (16384, [COLUMN, ROW])
    # Per-channel: the batch is walked inside a run although it is the outermost dimension.
    nchw = (64, 256, 3136)
    assert cuda_plan(library, nchw, nchw, (1, 256, 1)) == (64, [DENSE, ALL])
    assert cuda_plan(library, nchw, (1, 256, 1), (1, 1, 1)) == (64, [ALL, ALL])
    assert cuda_plan(library, dense, (1, 1)) == (1, [ALL])


def test_plans_of_crossing_sums(library: ctypes.CDLL) -> None:
    joint = (8, 200, 50, 512)
    sums = (8, 200, 1, 512), (8, 1, 50, 512)
    assert cuda_plan(library, joint, *sums) == (200 * 50, [NEAR, FAR])
    assert cuda_plan(library, joint, *sums, joint) == (200 * 50, [NEAR, FAR, DENSE])
    large = (2, 300, 300, 512)
    assert cuda_plan(library, large, (2, 1, 300, 512), (2, 300, 1, 512)) == (300 * 300, [FAR, NEAR])
    # Neither dimension gives the threads enough to do, or something else is summed: a pass each.
    small = (8, 9, 10, 512)
    assert NEAR not in cuda_plan(library, small, (8, 9, 1, 512), (8, 1, 10, 512))[1]
    assert NEAR not in cuda_plan(library, joint, *sums, (8, 1, 1, 512))[1]
    assert NEAR not in cuda_plan(library, joint, *sums, (8, 200, 50, 1))[1]
