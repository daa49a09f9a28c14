"""Totals of rows that the forward pass keeps for the backward."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import fusewise_ops
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]
DTYPES = (torch.float, torch.double, torch.bfloat16, torch.half)
COMPUTED = {torch.double: torch.double}  # all others are computed in float

each_device = pytest.mark.parametrize("device", DEVICES)
each_dtype = pytest.mark.parametrize("dtype", DTYPES)


def layer_norm(x: Tensor, weight: Tensor) -> Tensor:
    return fusewise_ops.layer_norm(x, weight)


def cosine(x: Tensor, weight: Tensor) -> Tensor:
    return fusewise_ops.cosine_similarity(x, weight)


def kl(x: Tensor, weight: Tensor) -> Tensor:
    return fusewise_ops.kl_divergence(x, weight)


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    return fusewise_ops.rms_norm(x, weight)


def reference_layer_norm(x: Tensor, weight: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, eps=1e-5)


def reference_cosine(x: Tensor, weight: Tensor) -> Tensor:
    return torch.nn.functional.cosine_similarity(x, weight, dim=-1)


def reference_rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, eps=1e-6)


def reference_kl(x: Tensor, weight: Tensor) -> Tensor:
    p = torch.softmax(weight, -1)
    return (p * (torch.log_softmax(weight, -1) - torch.log_softmax(x, -1))).sum(-1)


OPS: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor], int]] = {
    "layer_norm": (layer_norm, reference_layer_norm, 2),
    "cosine": (cosine, reference_cosine, 3),
    "kl": (kl, reference_kl, 5),
    "rms_norm": (rms_norm, reference_rms_norm, 1),
}
each_op = pytest.mark.parametrize("name", OPS)


def draw(*shape: int, dtype: torch.dtype = torch.double, device: str = "cpu") -> Tensor:
    return torch.randn(shape, dtype=torch.double).to(device, dtype).requires_grad_()


def saved_by(function: Callable[[], Tensor]) -> tuple[Tensor, list[Tensor]]:
    saved: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        return function(), saved


def totals_of(out: Tensor, *inputs: Tensor) -> list[Tensor]:
    """The totals that the backward of an op gets for the gradients of these inputs."""
    totals: list[Tensor] = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            names = [argument.name for argument in function._schema.arguments]
            totals.extend(
                value
                for name, value in zip(names, args, strict=False)
                if name.startswith("kept_total") and value is not None
            )
            return function(*args, **(kwargs or {}))

    with Log():
        torch.autograd.grad(out.sum(), inputs)
    return totals


def without_totals(
    op: Callable[..., Tensor], x: Tensor, weight: Tensor, grad: Tensor
) -> tuple[Tensor, ...]:
    """The gradients by a transform, which keeps no totals."""
    return torch.func.vjp(op, x.detach(), weight.detach())[1](grad)


@each_device
@each_dtype
@each_op
def test_totals_are_a_number_for_each_row(name, dtype, device):
    op, _, count = OPS[name]
    x, weight = draw(3, 5, 40, dtype=dtype, device=device), draw(40, dtype=dtype, device=device)
    totals = totals_of(op(x, weight), x, weight)
    assert [t.shape for t in totals] == [(3, 5)] * count
    assert {t.dtype for t in totals} == {COMPUTED.get(dtype, torch.float)}
    assert not any(t.requires_grad for t in totals)


@each_device
@each_dtype
@each_op
@pytest.mark.parametrize(
    "layout",
    [
        lambda t: t,
        lambda t: t.transpose(0, 1).contiguous().transpose(0, 1),
        lambda t: t[..., ::2],
        lambda t: t[:1].expand(3, -1, -1),
    ],
    ids=["contiguous", "transposed", "strided", "expanded"],
)
def test_gradients_have_the_same_bits_without_them(name, dtype, device, layout):
    op, _, _ = OPS[name]
    x = layout(draw(3, 5, 1030, dtype=dtype, device=device).detach()).requires_grad_()
    weight = draw(x.shape[-1], dtype=dtype, device=device)
    out = op(x, weight)
    grad = torch.randn_like(out)
    kept = torch.autograd.grad(out, [x, weight], grad)
    for ours, other in zip(kept, without_totals(op, x, weight, grad), strict=True):
        assert torch.equal(ours, other)


@each_device
@each_op
def test_only_what_a_gradient_reads_is_kept(name, device):
    op, _, count = OPS[name]
    x, weight = draw(4, 8, device=device), draw(8, device=device)
    assert saved_by(lambda: op(x.detach(), weight.detach()))[1] == []
    assert len(totals_of(op(x.detach(), weight), weight)) == count
    bias = draw(8, device=device)
    assert saved_by(lambda: fusewise_ops.layer_norm(x.detach(), weight.detach(), bias))[1] == []


@each_device
@each_op
def test_derivatives(name, device):
    op, reference, _ = OPS[name]
    tensors = draw(3, 7, device=device), draw(7, device=device)

    def derivatives(f):
        out = f(*tensors)
        first = torch.autograd.grad(out.square().sum(), tensors, create_graph=True)
        second = torch.autograd.grad(torch.stack([t.square().sum() for t in first]).sum(), tensors)
        return out, first, second

    torch.testing.assert_close(derivatives(op), derivatives(reference))
    assert torch.autograd.gradcheck(op, tensors, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(op, tensors, check_batched_grad=True)


@each_device
@each_op
def test_transforms(name, device):
    op, reference, _ = OPS[name]
    x, weight = draw(4, 3, 7, device=device).detach(), draw(7, device=device).detach()

    def loss(f):
        return lambda x, weight: f(x, weight).square().sum()

    for transform in (
        lambda f: torch.func.grad(loss(f), (0, 1))(x, weight),
        lambda f: torch.func.vmap(torch.func.grad(loss(f), (0, 1)), (0, None))(x, weight),
        lambda f: torch.func.grad(loss(torch.func.vmap(f, (0, None))), (0, 1))(x, weight),
        lambda f: torch.func.jacrev(f)(x[0], weight),
        lambda f: torch.func.hessian(loss(f))(x[0], weight),
    ):
        torch.testing.assert_close(transform(op), transform(reference))


@each_device
@each_op
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (0, 4), (3, 1)])
def test_small_shapes(name, device, shape):
    op, _, _ = OPS[name]
    x, weight = draw(*shape, device=device), draw(*shape[-1:], device=device)
    if name == "kl" and shape[-1:] == (0,):
        with pytest.raises(IndexError, match="a row has no elements, but a maximum needs one"):
            op(x, weight)
        return
    out = op(x, weight)
    grad = torch.ones_like(out)
    kept = torch.autograd.grad(out, [x, weight], grad)
    for ours, other in zip(kept, without_totals(op, x, weight, grad), strict=True):
        torch.testing.assert_close(ours, other, rtol=0, atol=0, equal_nan=True)


@each_device
def test_a_graph_is_used_twice_and_freed(device):
    x, weight = draw(3, 7, device=device), draw(7, device=device)
    out = layer_norm(x, weight).square().sum()
    first = torch.autograd.grad(out, x, retain_graph=True)[0]
    assert torch.equal(torch.autograd.grad(out, x)[0], first)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(out, x)


@each_device
def test_saved_tensors_may_go_elsewhere(device):
    x, weight = draw(3, 7, device=device), draw(7, device=device)
    expected = torch.autograd.grad(layer_norm(x, weight).square().sum(), [x, weight])
    with torch.autograd.graph.save_on_cpu():
        out = layer_norm(x, weight).square().sum()
    assert all(map(torch.equal, torch.autograd.grad(out, [x, weight]), expected))
    again = checkpoint(layer_norm, x, weight, use_reentrant=False)
    found = torch.autograd.grad(again.square().sum(), [x, weight])
    assert all(map(torch.equal, found, expected))


@each_device
def test_a_mode_sees_the_op_itself(device):
    """A subclass or mode intercepts the op, which then keeps no totals."""
    seen: list[str] = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return function(*args, **(kwargs or {}))

    x, weight = draw(3, 7, device=device), draw(7, device=device)
    expected = torch.autograd.grad(layer_norm(x, weight).sum(), x)[0]
    with Log():
        out = layer_norm(x, weight).sum()
    assert "layer_norm.default" in seen
    assert torch.equal(torch.autograd.grad(out, x)[0], expected)


@each_device
@pytest.mark.parametrize("where", ["forward", "backward"])
def test_a_mode_around_one_pass_of_a_checkpoint(device, where):
    """A checkpoint finds each saved tensor by its number among those of the first call."""

    def score(x: Tensor) -> Tensor:
        return torch.exp(-fusewise_ops.cross_entropy(x, target))

    x, target = draw(4, 8, device=device), torch.tensor([0, 3, 2, 7], device=device)
    expected = torch.autograd.grad(score(x).sum(), x)[0]
    forward, backward = contextlib.nullcontext(), contextlib.nullcontext()
    if where == "forward":
        forward = FlopCounterMode(display=False)
    else:
        backward = FlopCounterMode(display=False)
    with forward:
        out = checkpoint(score, x, use_reentrant=False)
    with backward:
        found = torch.autograd.grad(out.sum(), x)[0]
    assert torch.equal(found, expected)


def test_a_total_has_the_compute_type():
    x, weight = torch.randn(3, 7), torch.randn(7)
    backward = torch.ops.fusewise.layer_norm_backward
    total = torch.zeros(3, dtype=torch.half)
    message = "layer_norm_backward: kept_total0 must be a float32 or float64 tensor, got float16"
    with pytest.raises(RuntimeError, match=message):
        backward(x, x, weight, total, total, None, eps=1e-5, needs=[True, False, False])
    message = "kept_total0 of shape .2., which has one number for each row, does not broadcast"
    total = torch.zeros(2)
    with pytest.raises(RuntimeError, match=message):
        backward(x, x, weight, total, total, None, eps=1e-5, needs=[True, False, False])
