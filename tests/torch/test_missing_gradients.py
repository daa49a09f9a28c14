"""Several outputs, or gradients, of which a loss uses some: the others do not count."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
op: rooted
inputs: {x: tensor, weight: tensor}
outputs: {out: x * sqrt(weight)}
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


def gradients(
    values: Sequence[Tensor], of: Sequence[Tensor], used: int
) -> tuple[list[Tensor], list[Tensor]]:
    """The gradients of those values whose bits `used` has, and their incoming gradients."""
    generator = torch.Generator().manual_seed(1)
    drawn = [torch.rand(v.shape, dtype=v.dtype, generator=generator) for v in values]
    chosen = [i for i, v in enumerate(values) if used >> i & 1 and v.requires_grad]
    arriving = [drawn[i].requires_grad_() for i in chosen]
    grads = torch.autograd.grad(
        [values[i] for i in chosen],
        of,
        arriving,
        create_graph=True,
        allow_unused=True,
        materialize_grads=True,
    )
    return list(grads), arriving


def assert_equal_where_finite(found: Sequence[Tensor], wanted: Sequence[Tensor]) -> None:
    for got, want in zip(found, wanted, strict=True):
        finite = want.isfinite()
        assert finite.any()
        torch.testing.assert_close(got[finite], want[finite])


@pytest.mark.parametrize(
    ("reference", "used"),
    [(two_ways, k) for k in range(1, 8)]
    + [(centred, k) for k in range(1, 8)]
    + [(rotated, k) for k in range(1, 4)],
)
def test_values_without_a_gradient_do_not_count(
    ops: ModuleType, reference: Callable[..., tuple[Tensor, ...]], used: int
) -> None:
    leaves = inputs(reference.__name__)
    functions = (getattr(ops, reference.__name__), reference)
    pairs = [gradients(function(*leaves), leaves, used) for function in functions]
    assert_equal_where_finite(*(grads for grads, _ in pairs))
    for second in range(1, 4):  # the gradient of x, of y, or both
        if not any(g.requires_grad for i, g in enumerate(pairs[0][0]) if second >> i & 1):
            continue
        found = [gradients(grads, [*leaves, *arriving], second)[0] for grads, arriving in pairs]
        assert_equal_where_finite(*found)


def test_a_weight_of_zero_that_does_not_learn(ops: ModuleType) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = ops.rooted(x, torch.tensor([0.0, 4.0]))
    grad = torch.ones(2, requires_grad=True)
    (first,) = torch.autograd.grad(out, x, grad, create_graph=True)
    assert first.tolist() == [0, 2]
    (second,) = torch.autograd.grad(first, grad, torch.ones(2))
    assert second.tolist() == [0, 2]


def test_of_one_point(ops: ModuleType) -> None:
    x = torch.zeros((), requires_grad=True)
    ops.two_ways(x, torch.ones(()))[0].backward()
    assert x.grad == 2
