"""An op without typical shapes hoists values of row scalars, and its results have the same bits."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import fusewise
import pytest
import torch
from torch import Tensor

pytestmark = pytest.mark.slow

SPEC = """
op: squashed
inputs: {x: tensor, y: tensor, z: tensor = 0}
outputs: {out: tanh(x * softplus(y) + exp(z))}
"""
DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]
ROWS = (37, 1)


@pytest.fixture(scope="module")
def ops(op_cache: Path) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "1" if torch.cuda.is_available() else "0")
        return fusewise.load(SPEC, cache_dir=op_cache)


def results(ops: ModuleType, x: Tensor, *others: Tensor | None) -> tuple[Tensor, Tensor]:
    """The output, and the gradient of x alone: other gradients of row scalars are sums."""
    x = x.detach().requires_grad_()
    out = ops.squashed(x, *others)
    (grad_x,) = torch.autograd.grad(out, x, torch.cos(x.detach()))
    return out.detach(), grad_x


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("columns", [1, 5, 67, 1024])
@pytest.mark.parametrize("device", DEVICES)
def test_row_scalars_give_the_bits_of_their_copies(
    ops: ModuleType, device: str, columns: int, dtype: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(0)

    def draw(*sizes: int) -> Tensor:
        return torch.randn(sizes, generator=generator).to(device, dtype)

    x, y, z = draw(37, columns), draw(*ROWS), draw(*ROWS)
    full_y, full_z = (tensor.expand(x.shape).contiguous() for tensor in (y, z))
    wanted = results(ops, x, full_y, full_z)
    assert wanted[0].isfinite().all()
    for others in ((y, z), (y, full_z), (full_y, z)):
        for found, exact in zip(results(ops, x, *others), wanted, strict=True):
            assert torch.equal(found, exact)
    zeros = results(ops, x, full_y, torch.zeros_like(x))
    for found, exact in zip(results(ops, x, y), zeros, strict=True):
        assert torch.equal(found, exact)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("place", ["strided", "other dtype", "single", "of channels", "transposed"])
@pytest.mark.parametrize("device", DEVICES)
def test_row_scalars_of_any_place_and_dtype_give_the_bits_of_their_copies(
    ops: ModuleType, device: str, place: str, dtype: torch.dtype
) -> None:
    """NaN and infinities stay in their rows."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 37, 267, generator=generator).to(device, dtype)
    numbers = torch.randn(37, 4, generator=generator).to(device, dtype)
    numbers[:6, 1] = torch.tensor([torch.nan, torch.inf, -torch.inf, 0.0, -0.0, 1e30])
    y, z = numbers[:, 1:2], numbers[:, 2:3]
    if place == "other dtype":
        y, z = y.float(), z.half()
    elif place == "single":
        y, z = y[7, 0], z[7:8]
    elif place == "of channels":
        y, z = y.contiguous(), z.contiguous()
    elif place == "transposed":
        x = x.mT.contiguous().mT
    full_y, full_z = (tensor.expand(x.shape).contiguous() for tensor in (y, z))
    wanted = results(ops, x, full_y, full_z)
    for others in ((y, z), (y, full_z), (full_y, z)):
        for found, exact in zip(results(ops, x, *others), wanted, strict=True):
            torch.testing.assert_close(found, exact.to(found.dtype), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("device", DEVICES)
def test_derivatives_of_both_orders_with_row_scalars(ops: ModuleType, device: str) -> None:
    generator = torch.Generator().manual_seed(0)
    sizes = ((5, 3), (5, 1), (5, 1))
    tensors = [
        torch.randn(size, generator=generator, dtype=torch.float64).to(device).requires_grad_()
        for size in sizes
    ]
    assert torch.autograd.gradcheck(ops.squashed, tensors)
    assert torch.autograd.gradgradcheck(ops.squashed, tensors)


@pytest.mark.parametrize("columns", [67, 1024])
@pytest.mark.parametrize("device", DEVICES)
def test_sums_of_row_scalars(ops: ModuleType, device: str, columns: int) -> None:
    generator = torch.Generator().manual_seed(0)
    sizes = ((37, columns), ROWS, ROWS)
    exact = [torch.randn(size, generator=generator).double().to(device) for size in sizes]
    wanted, found = (
        torch.autograd.grad(ops.squashed(*leaves).sum(), leaves)
        for leaves in (
            [tensor.to(dtype).requires_grad_() for tensor in exact]
            for dtype in (torch.float64, torch.float32)
        )
    )
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-4, atol=1e-5)
