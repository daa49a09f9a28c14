"""Losses of logits: logits of -inf, and logits that are all far from zero."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch.nn import functional

DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]
OFFSET = 1e4  # logits are this far from zero, and differ by a few units
ERROR = 1e-6  # of losses, relative

pytestmark = pytest.mark.parametrize("device", DEVICES)

Op = Callable[..., Tensor]


def entropy(logits: Tensor) -> Tensor:
    return torch.special.entr(torch.softmax(logits, -1)).sum(-1)


def softcapped(logits: Tensor, target: Tensor) -> Tensor:
    return functional.cross_entropy(30 * torch.tanh(logits / 30), target, reduction="none")


def with_penalty(logits: Tensor, target: Tensor) -> Tensor:
    loss = functional.cross_entropy(logits, target, reduction="none")
    return loss + 1e-4 * torch.logsumexp(logits, -1) ** 2


# Each loss, as the op of the package and as PyTorch computes it.
LOSSES: dict[str, tuple[Callable[[ModuleType], Op], Op]] = {
    "cross_entropy": (
        lambda package: package.cross_entropy,
        lambda x, target: functional.cross_entropy(x, target, reduction="none"),
    ),
    "smoothed cross_entropy": (
        lambda package: lambda x, target: package.cross_entropy(x, target, smoothing=0.1),
        lambda x, target: functional.cross_entropy(
            x, target, reduction="none", label_smoothing=0.1
        ),
    ),
    "cross_entropy_z_loss": (
        lambda package: lambda x, target: package.cross_entropy_z_loss(x, target)[0],
        with_penalty,
    ),
    "softcapped_cross_entropy": (lambda package: package.softcapped_cross_entropy, softcapped),
    "logprob": (
        lambda package: lambda x, token: package.token_logprob(x, token)[0],
        lambda x, token: -functional.cross_entropy(x, token, reduction="none"),
    ),
    "entropy": (
        lambda package: lambda x, token: package.token_logprob(x, token)[1],
        lambda x, token: entropy(x),
    ),
    "kl_divergence": (
        lambda package: lambda x, token: package.kl_divergence(x.flip(-1), x),
        lambda x, token: functional.kl_div(
            torch.log_softmax(x.flip(-1), -1),
            torch.log_softmax(x, -1),
            reduction="none",
            log_target=True,
        ).sum(-1),
    ),
}
INFINITE = ("smoothed cross_entropy", "softcapped_cross_entropy")  # or as a logit of -30
each_loss = pytest.mark.parametrize("name", LOSSES)


def logits_and_target(device: str) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(5, 300, generator=generator).to(device), torch.arange(5, device=device) * 7


def value_and_gradient(op: Op, logits: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    leaf = logits.clone().requires_grad_()
    loss = op(leaf, target)
    (gradient,) = torch.autograd.grad(loss.sum(), leaf)
    return loss.detach(), gradient


@each_loss
def test_logits_far_from_zero(name: str, device: str, package: ModuleType) -> None:
    """The difference of two large logarithms has no digit left of a small loss."""
    ours, theirs = LOSSES[name]
    logits, target = logits_and_target(device)
    logits = logits + OFFSET
    found, gradient = value_and_gradient(ours(package), logits, target)
    want, wanted = value_and_gradient(theirs, logits.double(), target)
    torch.testing.assert_close(found.double(), want, rtol=ERROR, atol=ERROR)
    torch.testing.assert_close(gradient.double(), wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in LOSSES if name not in INFINITE])
@pytest.mark.parametrize("decomposed", [False, True])
def test_logits_of_minus_infinity(
    name: str, decomposed: bool, device: str, package: ModuleType
) -> None:
    """The loss is that of the other logits, and they have the gradient 0."""
    ours, theirs = LOSSES[name]
    logits, _ = logits_and_target(device)
    kept = torch.arange(300, device=device) % 4 == 1
    kept |= kept.flip(0)
    place = torch.arange(5, device=device) * 3
    op = ours(package)
    if decomposed:
        op = torch.compile(op, backend="aot_eager", fullgraph=True)
    target = kept.nonzero().flatten()[place]
    found, gradient = value_and_gradient(op, logits.where(kept, -torch.inf), target)
    want, wanted = value_and_gradient(theirs, logits[:, kept].double(), place)
    torch.testing.assert_close(found.double(), want, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(gradient[:, kept].double(), wanted, rtol=1e-4, atol=1e-6)
    assert (gradient[:, ~kept] == 0).all()


@each_loss
def test_second_gradients(name: str, device: str, package: ModuleType) -> None:
    ours, _ = LOSSES[name]
    logits, target = logits_and_target(device)
    leaf = logits[:, :9].double().requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x: ours(package)(x, target % 9), leaf)


def test_a_token_outside_the_row_picks_nothing(device: str, package: ModuleType) -> None:
    logits, token = logits_and_target(device)
    logits[2, 3] = torch.nan
    logprob, _ = package.token_logprob(logits, token - 300)
    assert torch.equal(logprob, torch.zeros_like(logprob))


def test_a_row_with_more_indices_than_float32_has(device: str, package: ModuleType) -> None:
    """float32 would have the same index for several elements; float64 has not."""
    count = 2**24
    logits = torch.zeros(1, count + 1, device=device, dtype=torch.double)
    logits[0, -2:] = torch.tensor([-7.0, 5.0])
    target = torch.tensor([count], device=device)
    expected = functional.cross_entropy(logits, target)
    torch.testing.assert_close(package.cross_entropy(logits, target), expected[None])
    message = (
        "cross_entropy: a row has 16777217 elements, but float32 has 16777216 indices; use float64"
    )
    for dtype in (torch.float, torch.half):
        with pytest.raises(ValueError) as raised:
            package.cross_entropy(logits.to(dtype), target)
        assert str(raised.value) == message
    fits = logits[:, 1:].float()
    expected = functional.cross_entropy(fits.double(), target - 1).float()
    torch.testing.assert_close(package.cross_entropy(fits, target - 1), expected[None])
