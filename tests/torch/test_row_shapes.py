"""A backward that reads no value: the shape of the input is saved, which tells the rows' length."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fusewise
import pytest
import torch
from torch import Tensor

pytestmark = pytest.mark.slow

SPEC = """\
op: averaged
inputs: {x: tensor}
outputs:
  out: sum(x)
  kept: {formula: mean(x), keepdim: true}
  twice: 2 * x
"""
SHAPES = [(), (1,), (4,), (3, 4), (3, 1), (2, 3, 4), (3, 0), (0, 4), (0, 0)]

Op = Callable[[Tensor], tuple[Tensor, ...]]


def averaged(x: Tensor) -> tuple[Tensor, ...]:
    return x.sum(-1), x.mean(-1, keepdim=True), 2 * x


@pytest.fixture(scope="module")
def op(op_cache: Path) -> Op:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "0")
        return fusewise.load(SPEC, cache_dir=op_cache).averaged


def draw(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(shape, generator=generator, dtype=torch.double).requires_grad_()


def derivatives(outputs: tuple[Tensor, ...], x: Tensor) -> list[Tensor]:
    """The first derivative, and the second one by the gradients that arrive."""
    incoming = [t.detach().sin().requires_grad_() for t in outputs]
    (first,) = torch.autograd.grad(outputs, x, incoming, create_graph=True)
    return [first, *torch.autograd.grad(first, incoming, first.detach().cos())]


@pytest.mark.parametrize("used", [slice(3), slice(1), slice(1, 2), slice(2)], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_derivatives(shape: tuple[int, ...], used: slice, op: Op) -> None:
    """Of all outputs, and of those alone that have a number for each row."""
    x = draw(*shape)
    found, expected = op(x)[used], averaged(x)[used]
    torch.testing.assert_close(found, expected, equal_nan=True)
    assert found[0].grad_fn is not None
    assert found[0].grad_fn.name() == "AveragedBackward"
    pair = [derivatives(outputs, x) for outputs in (found, expected)]
    assert pair[0][0].shape == x.shape
    if shape == (3, 0):  # the sum of 0 / 0 for no element, which is not NaN in the reference alone
        pair = [first[:1] for first in pair]
    torch.testing.assert_close(*pair, equal_nan=True)


def test_no_value_is_saved(op: Op) -> None:
    saved: list[Tensor] = []

    def save(tensor: Tensor) -> Tensor:
        saved.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        op(draw(3, 4))
    assert saved == []


def test_vmap(op: Op) -> None:
    def gradient(function: Op, x: Tensor) -> Tensor:
        pulled = torch.func.vjp(function, x)
        return pulled[1](tuple(t.sin() for t in pulled[0]))[0]

    x = draw(5, 3, 4).detach()
    pair = [torch.func.vmap(lambda x, f=f: gradient(f, x))(x) for f in (op, averaged)]
    torch.testing.assert_close(*pair)


def test_compile(op: Op) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(op, fullgraph=True, dynamic=True, backend="aot_eager")
    for shape in ((3, 4), (5, 6)):
        x = draw(*shape)
        pair = [function(x) for function in (compiled, averaged)]
        torch.testing.assert_close(*pair)
        grads = [torch.autograd.grad(out.sin().sum(), x) for out, *_ in pair]
        torch.testing.assert_close(*grads)
