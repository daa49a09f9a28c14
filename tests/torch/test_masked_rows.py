"""Elements of -inf in rows of float32, on the CPU."""

from __future__ import annotations

import ctypes
from types import ModuleType

import pytest
import torch

FE_UNDERFLOW = 0x10
FE_ALL_EXCEPT = 0x3F


@pytest.mark.skipif(torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="no x86 with AVX2")
@pytest.mark.parametrize("mask", [-torch.inf, -1e9, -1e4])
def test_masked_elements_do_not_underflow(mask: float, package: ModuleType) -> None:
    """A result that underflows takes a processor hundreds of cycles, even if it rounds to 0."""
    libm = ctypes.CDLL("libm.so.6")
    length = 256  # whole vectors: lanes beyond a row contain any numbers, and may underflow
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
