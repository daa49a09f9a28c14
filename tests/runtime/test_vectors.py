"""Vector code has the bits of scalar code, whatever the instructions of the processor are."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from loops import (
    CAPABILITY_FLAGS,
    CAPABILITY_NAMES,
    ELEMENTARY,
    FUNCTIONS,
    HOISTED,
    NUM_WRITES,
    Memory,
    all_libraries,
    bits_of,
    load_library,
    make_loop,
    random_backward,
    run,
)


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


def hoisted(library: ctypes.CDLL, *reads: Memory) -> np.ndarray:
    write = Memory(np.zeros(reads[0].array.shape, np.float32), "float")
    run(library, HOISTED, make_loop(library, write.array.shape, [*reads], [write]))
    return bits_of(write.array)


@pytest.mark.parametrize("row", [1, 29, 64, 200, 1000])
@pytest.mark.parametrize("dtype", ["half", "float", "int32"])
def test_row_scalars_hoist_the_values_of_their_elements(
    objects: dict[str, Path], row: int, dtype: str
) -> None:
    """Row scalars, their copies and one of each give the same bits, whatever the capability."""
    random = np.random.default_rng(0)
    x = Memory(random.standard_normal((300, row), np.float32), "float")
    numbers = Memory.of(5 * random.standard_normal((300, 1), np.float32), dtype)
    copies = Memory(np.ascontiguousarray(np.broadcast_to(numbers.array, x.array.shape)), dtype)
    gaps = Memory(np.repeat(copies.array, 3, axis=1)[:, ::3], dtype)
    results = []
    for library in all_libraries(objects):
        results += [
            hoisted(library, x, first, second)
            for first in (numbers, copies, gaps)
            for second in (numbers, copies)
        ]
    assert all((result == results[0]).all() for result in results)
    values = numbers.values().astype(np.float64)
    value = np.log1p(np.exp(values)) * values
    with np.errstate(divide="ignore"):
        wanted = np.where(values > 0, x.array + value, x.array / value)
    np.testing.assert_allclose(results[0].view(np.float32), wanted, rtol=1e-5, atol=1e-5)


def test_capabilities_give_the_same_bits(objects: dict[str, Path]) -> None:
    """Gradients and their sums: the order of a sum does not depend on the width of a vector."""
    results = []
    for library in all_libraries(objects):
        sums = [
            array.tobytes()
            for reduced in ((300,), (700, 1), (1,), (700, 300))
            for array in random_backward(library, (700, 300), reduced, 0)
        ]
        results.append(sums)
    assert all(result == results[0] for result in results)


@pytest.mark.skipif(not CAPABILITY_FLAGS, reason="one build of the kernels on this machine")
def test_the_capability_is_what_pytorch_would_take(objects: dict[str, Path]) -> None:
    """The capability that the variable names, or the best of the processor if it has not got it."""
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
@pytest.mark.parametrize("source", ["", "_conversions", "_lanes"])
def test_builds_share_no_symbols(objects: dict[str, Path], capability: str, source: str) -> None:
    """The linker keeps one of equal weak symbols, and code for AVX-512 would run everywhere."""
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
