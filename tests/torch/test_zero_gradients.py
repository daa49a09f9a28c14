"""An op whose gradients are all zero: it has no second derivative, as PyTorch's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fusewise
import pytest
import torch
from torch import Tensor

pytestmark = pytest.mark.slow

SPEC = """
op: floored
inputs: {x: tensor, y: tensor}
outputs: {out: floor(x + y)}
"""


@pytest.fixture(scope="module")
def floored(op_cache: Path) -> Callable[..., Tensor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "0")
        return fusewise.load(SPEC, cache_dir=op_cache).floored


def expected(x: Tensor, y: Tensor) -> Tensor:
    return torch.floor(x + y)


@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((3, 4), (4,)), ((), (2,)), ((0, 3), (3,))])
def test_gradients(floored: Callable[..., Tensor], shapes: tuple[tuple[int, ...], ...]) -> None:
    for op in (floored, expected):
        x, y = (torch.randn(shape, requires_grad=True) for shape in shapes)
        out = op(x, y)
        assert torch.equal(out, expected(x, y))
        grads = torch.autograd.grad(out, (x, y), torch.ones_like(out), create_graph=True)
        for grad, of in zip(grads, (x, y), strict=True):
            assert torch.equal(grad, torch.zeros_like(of))
            assert not grad.requires_grad


def test_in_forward_mode(floored: Callable[..., Tensor]) -> None:
    x, y = torch.randn(3), torch.randn(3)
    for op in (floored, expected):
        tangent = torch.func.jvp(op, (x, y), (torch.ones(3), torch.ones(3)))[1]
        assert torch.equal(tangent, torch.zeros(3))
