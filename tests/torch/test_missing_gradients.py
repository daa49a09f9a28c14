"""Several outputs, of which a loss uses some: the others do not count, as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import fusewise
import pytest
import torch
from torch import Tensor

pytestmark = pytest.mark.slow

SPECS = (
    """
op: two_ways
inputs: {x: tensor, y: tensor}
outputs: {twice: x * 2 * y, root: sqrt(x), inverse: -(1 / x) / 3}
""",
    """
op: centred
inputs: {x: tensor, y: tensor}
outputs: {out: x * y - mean(x * y), norm: "sqrt(sum(x * x))", both: (x - amax(x)) / norm_of}
let: {norm_of: sqrt(sum(x * x))}
""",
    """
op: rotated
inputs: {x: {split: [a, b], layout: chunked}, y: tensor}
outputs: {out: {pack: [a * y, b - y], layout: chunked}, logarithm: log(a) - y}
""",
)


def two_ways(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x * 2 * y, torch.sqrt(x), -(1 / x) / 3


def centred(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    norm = torch.sqrt(torch.sum(x * x, -1, keepdim=True))
    z = x * y
    return z - z.mean(-1, keepdim=True), norm.squeeze(-1), (x - x.amax(-1, keepdim=True)) / norm


def rotated(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    a, b = x.chunk(2, -1)
    return torch.cat([a * y, b - y], -1), torch.log(a) - y


@pytest.fixture(scope="module")
def ops(op_cache: Path) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSEWISE_CUDA", "0")
        return fusewise.load(SPECS, cache_dir=op_cache)


def inputs(op: str) -> list[Tensor]:
    """Rows of usual numbers, and such with a zero or an infinity, where slopes are infinite."""
    x = torch.rand(5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.1
    x[0] = 0
    x[1, 0] = math.inf
    x[2, ::2] = 0
    x[3, 1] = math.nan
    y = x[:, :3] if op == "rotated" else x
    return [x.requires_grad_(), y.detach().flip(0, 1).clone().requires_grad_()]


def differences(
    function: Callable[..., tuple[Tensor, ...]], leaves: list[Tensor], used: int, order: int
) -> list[Tensor]:
    """The gradients of first or second order of the outputs whose bits `used` has."""
    generator = torch.Generator().manual_seed(1)

    def weights(tensors: list[Tensor]) -> list[Tensor]:
        drawn = [torch.rand(t.shape, dtype=t.dtype, generator=generator) for t in tensors]
        return [weight.requires_grad_() for weight in drawn]

    outputs = [out for i, out in enumerate(function(*leaves)) if used >> i & 1]
    values, wanted = outputs, leaves
    for _ in range(order):
        arriving = weights(values)
        grads = torch.autograd.grad(
            values, wanted, arriving, create_graph=True, allow_unused=True, materialize_grads=True
        )
        values, wanted = [grad for grad in grads if grad.requires_grad], [*leaves, *arriving]
    return [grad.detach() for grad in grads]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(
    ("reference", "used"),
    [(two_ways, k) for k in range(1, 8)]
    + [(centred, k) for k in range(1, 8)]
    + [(rotated, k) for k in range(1, 4)],
)
def test_outputs_without_a_gradient_do_not_count(
    ops: ModuleType, reference: Callable[..., tuple[Tensor, ...]], used: int, order: int
) -> None:
    leaves = inputs(reference.__name__)
    found = differences(getattr(ops, reference.__name__), leaves, used, order)
    wanted = differences(reference, leaves, used, order)
    for got, want in zip(found, wanted, strict=True):
        finite = want.isfinite()
        assert finite.any()
        torch.testing.assert_close(got[finite], want[finite])


def test_of_one_point(ops: ModuleType) -> None:
    x = torch.zeros((), requires_grad=True)
    ops.two_ways(x, torch.ones(()))[0].backward()
    assert x.grad == 2
