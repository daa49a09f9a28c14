"""Elements of -inf in rows of float32, on the CPU."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch

FE_UNDERFLOW = 0x10
FE_ALL_EXCEPT = 0x3F
M_PERTURB = -6  # of malloc.h


@pytest.fixture
def filled_memory() -> Iterator[None]:
    """New memory holds tiny numbers, of which most operations underflow."""
    libc = ctypes.CDLL("libc.so.6")
    libc.mallopt(M_PERTURB, 0x7F)  # glibc writes the complement, 0x80, into each byte
    yield
    libc.mallopt(M_PERTURB, 0)


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="no x86 with AVX2")
@pytest.mark.usefixtures("filled_memory")
@pytest.mark.parametrize("length", [256, 200, 65])  # 200 and 65 end within a group of lanes
@pytest.mark.parametrize("mask", [-torch.inf, -1e9, -1e4])
def test_masked_elements_do_not_underflow(mask: float, length: int, package: ModuleType) -> None:
    """A result that underflows takes a processor hundreds of cycles, even if it rounds to 0."""
    libm = ctypes.CDLL("libm.so.6")
    x = torch.linspace(-3, 3, 4 * length).view(4, length)
    x[:, ::3] = mask
    keep = x > -100
    wanted = torch.softmax(x.double(), 1)
    for op, inputs in ((package.softmax, (x,)), (package.masked_softmax, (x, keep))):
        libm.feclearexcept(FE_ALL_EXCEPT)
        found = op(*inputs)
        assert libm.fetestexcept(FE_UNDERFLOW) == 0
        torch.testing.assert_close(found.double(), wanted, rtol=1e-6, atol=0)
        assert (found[:, ::3] == 0).all()
