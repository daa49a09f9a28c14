"""The pages of large blocks: the system gives them before a pass writes, and contents stay."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest

PAGE = mmap.PAGESIZE
LEAST = 2**22  # bytes of a large block
LIBC = ctypes.CDLL(None)


def new_pages(count: int) -> np.ndarray:
    """Bytes of memory, of which no page has been given."""
    return np.frombuffer(mmap.mmap(-1, count * PAGE, mmap.MAP_PRIVATE), np.uint8)


def residents(memory: np.ndarray) -> list[bool]:
    """Whether each page is in memory."""
    found = (ctypes.c_ubyte * (memory.size // PAGE))()
    address = ctypes.c_void_p(memory.ctypes.data)
    assert LIBC.mincore(address, ctypes.c_size_t(memory.size), found) == 0
    return [bool(page & 1) for page in found]


def populate(library: ctypes.CDLL, block: np.ndarray) -> None:
    library.loop_populate(ctypes.c_void_p(block.ctypes.data), ctypes.c_size_t(block.size))


@pytest.mark.parametrize("begin", [0, 1, PAGE - 1, 5 * PAGE, 5 * PAGE + 64])
@pytest.mark.parametrize("size", [LEAST, LEAST + 1, 2 * LEAST + 3 * PAGE + 100])
def test_the_whole_pages_of_a_large_block_are_given(
    library: ctypes.CDLL, begin: int, size: int
) -> None:
    memory = new_pages(2 * LEAST // PAGE + 16)
    populate(library, memory[begin : begin + size])
    first, last = -(-begin // PAGE), (begin + size) // PAGE
    assert residents(memory) == [first <= page < last for page in range(memory.size // PAGE)]
    assert not memory.any()


def test_contents_stay(library: ctypes.CDLL) -> None:
    memory = new_pages(4 * LEAST // PAGE)
    memory[: memory.size // 2] = 7
    populate(library, memory)
    assert all(residents(memory))
    assert (memory[: memory.size // 2] == 7).all()
    assert not memory[memory.size // 2 :].any()


def test_nothing_is_asked_for_a_small_block_or_one_with_pages(library: ctypes.CDLL) -> None:
    for size, touched in ((LEAST - 1, []), (2 * LEAST, [2 * LEAST // PAGE - 1])):
        memory = new_pages(2 * LEAST // PAGE)
        for page in touched:
            memory[page * PAGE] = 7
        populate(library, memory[:size])
        assert [page for page, there in enumerate(residents(memory)) if there] == touched
