"""The hand-written loops as a library: its structures, arrays of every storage type, references."""

from __future__ import annotations

import contextlib
import ctypes
import platform
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from filelock import FileLock
from fusewise.build.toolchain import CAPABILITIES

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
MULTIPLY, MIX, SWIGLU_BACKWARD, ROUND, HOISTED, FUNCTIONS, ELEMENTARY, TOTALS = range(8)
ROW_PASS, HELD_ROW_PASS = 8, 9
NUM_WRITES = {FUNCTIONS: 13, ELEMENTARY: 28}
ABSENT, DENSE, COLUMN, ALL, ROW, AXIS0, AXIS1 = range(7)


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


def load_library(objects: dict[str, Path], capability: str) -> ctypes.CDLL:
    """A library of its own for each capability: it asks the environment when it is loaded."""
    target = objects["loop_ops"].with_name(f"{capability}.so")
    with FileLock(f"{target}.lock"):
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


def all_libraries(objects: dict[str, Path]) -> Iterator[ctypes.CDLL]:
    """The libraries of the capabilities that this processor has."""
    for capability in CAPABILITY_NAMES:
        with contextlib.suppress(pytest.skip.Exception):
            yield load_library(objects, capability)


def make_loop(
    library: ctypes.CDLL,
    shape: tuple[int, ...],
    reads: Sequence[Memory | Fill],
    writes: Sequence[Memory | None],
    compute: str = "float",
    coalesces: bool = True,
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
    if coalesces:
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
