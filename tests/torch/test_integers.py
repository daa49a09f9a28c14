"""Ops of integers are exact in all 64 bits for tensors, params and constants."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import fusewise
import pytest
import torch

pytestmark = pytest.mark.slow

SPEC = """
op: shifted_whole
doc: Integers by an integer.
inputs:
  x: int tensor
  y: int tensor
params:
  k: int = 3
  b: bool = false
outputs:
  out: x * (k + 1) - (y if b else k) + k // 2
  large: x + 9007199254740993
"""
DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]
WHOLE = [3, 2**53 + 1, -(2**60) - 7, 2**62 - 1]


@pytest.fixture(scope="module")
def ops(op_cache: Path) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "1" if torch.cuda.is_available() else "0")
        return fusewise.load(SPEC, cache_dir=op_cache)


def wrapped(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def expected(x: int, y: int, k: int, b: bool) -> tuple[int, int]:
    return wrapped(x * (k + 1) - (y if b else k) + k // 2), wrapped(x + 2**53 + 1)


@pytest.mark.parametrize("k", WHOLE)
@pytest.mark.parametrize("b", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (70,)])
@pytest.mark.parametrize("device", DEVICES)
def test_params_and_numbers_are_exact(
    ops: ModuleType, k: int, b: bool, shape: tuple[int, ...], device: str
) -> None:
    x, y = 5, 2**53 + 3
    args = (torch.full(shape, x, device=device), torch.tensor(y))  # y stays on the CPU
    kernel, formula = (
        ops.shifted_whole,
        getattr(torch.ops, ops.__name__).shifted_whole.decomposition,
    )
    for form in (kernel, formula):
        results = form(*args, k=k, b=b)
        for result, value in zip(results, expected(x, y, k, b), strict=True):
            assert result.dtype == torch.int64
            assert (result == value).all(), (form, result.flatten()[:1], value)
