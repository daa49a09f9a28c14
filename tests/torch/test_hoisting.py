"""An op without typical shapes hoists values of row scalars, and its results have the same bits."""

from __future__ import annotations

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
def ops(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "1" if torch.cuda.is_available() else "0")
        patch.setenv("FUSEWISE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return fusewise.load(SPEC)


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
