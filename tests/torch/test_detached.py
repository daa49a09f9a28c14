"""Inputs and outputs that a formula detaches: they have no gradient, and record nothing."""

from __future__ import annotations

import pytest
import torch
from sample_ops import (
    OPS,
    C,
    randn,
    total,
    weigh,
)
from torch import Tensor
from torch.library import opcheck

pytestmark = pytest.mark.usefixtures("sample_ops")


def packed_by(op, *args: Tensor) -> list[Tensor]:
    """What is saved for the backward."""
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        op(*args)
    return packed


def test_a_detached_input_has_no_gradient():
    x, w = randn(3, 4), randn(4)
    for op in (C.weigh, weigh):
        out, weight = op(x, w)
        assert out.requires_grad
        assert not weight.requires_grad
        grad_x, grad_w = torch.autograd.grad(out.sum(), (x, w), allow_unused=True)
        torch.testing.assert_close(grad_x, 2 * x * w)
        assert grad_w is None
        x.grad = w.grad = None
        op(x, w)[0].sum().backward()
        assert x.grad is not None
        assert w.grad is None


def test_a_detached_input_alone_records_nothing():
    x, w = randn(3, 4, grad=False), randn(4)
    for op in (C.weigh, weigh):
        assert not any(output.requires_grad for output in op(x, w))
        assert not packed_by(op, x, w)
    outs = (torch.empty(3, 4, dtype=torch.double), torch.empty(3, 4, dtype=torch.double))
    OPS.weigh.out(x, w, out0=outs[0], out1=outs[1])
    torch.testing.assert_close(outs[0], weigh(x, w)[0])
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        OPS.weigh.out(randn(3, 4), w, out0=outs[0], out1=outs[1])


def test_a_detached_input_in_the_double_backward():
    x, w = randn(3, 4), randn(4)
    for op in (C.weigh, weigh):
        grad = randn(3, 4)
        (grad_x,) = torch.autograd.grad(op(x, w)[0], x, grad, create_graph=True)
        second = torch.autograd.grad(grad_x.sum(), (grad, x, w), allow_unused=True)
        torch.testing.assert_close(second[:2], (2 * x * w, 2 * grad * w))
        assert second[2] is None
    # A gradient whose formula depends on a detached tensor only.
    x, grad = randn(3, 4, grad=False), randn(3, 4, grad=False)
    assert not OPS.weigh_backward(grad, x, w, [True]).requires_grad
    assert not packed_by(lambda w: OPS.weigh_backward(grad, x, w, [True]), w)


def test_third_order_of_a_detached_input():
    x, w = randn(3, 4), randn(4)

    def third(op):
        (first,) = torch.autograd.grad((op(x, w)[0] ** 2).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sin().sum(), x, create_graph=True)
        return torch.autograd.grad(second.sin().sum(), (x, w), allow_unused=True)

    ours, theirs = third(C.weigh), third(weigh)
    torch.testing.assert_close(ours[0], theirs[0])
    assert ours[1] is theirs[1] is None


def test_a_tangent_of_a_detached_input_goes_nowhere():
    import torch.autograd.forward_ad as forward_ad

    x, w = randn(3, 4, grad=False), randn(4, grad=False)
    for op in (C.weigh, weigh):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(w, torch.ones_like(w))
            assert all(forward_ad.unpack_dual(out).tangent is None for out in op(x, dual))
            out, weight = op(forward_ad.make_dual(x, torch.ones_like(x)), dual)
            torch.testing.assert_close(forward_ad.unpack_dual(out).tangent, 2 * x * w)
            assert forward_ad.unpack_dual(weight).tangent is None


def test_transforms_of_a_detached_input():
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

    args = (randn(3, 4, grad=False), randn(4, grad=False))
    for transform in (jacrev, jacfwd):
        ours, theirs = (transform(f, (0, 1))(*args) for f in (C.weigh, weigh))
        torch.testing.assert_close(ours, theirs)
    ours, theirs = (jvp(f, args, args) for f in (C.weigh, weigh))
    torch.testing.assert_close(ours, theirs)
    for transform in (grad, hessian):
        ours, theirs = (
            transform(lambda *a, f=f: total(f(*a)), (0, 1))(*args) for f in (C.weigh, weigh)
        )
        torch.testing.assert_close(ours, theirs)
    batch = tuple(torch.stack([t, t + 1]) for t in args)
    ours, theirs = (
        vmap(grad(lambda *a, f=f: total(f(*a)), (0, 1)))(*batch) for f in (C.weigh, weigh)
    )
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("packet", ["default", "decomposition"])
def test_a_detached_input_in_a_graph(packet):
    def function(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        out, weight = getattr(OPS.weigh, packet)(x, w)
        return out.sin(), weight

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    x, w = randn(3, 4), randn(4)
    out, weight = compiled(x, w)
    assert not weight.requires_grad
    found = torch.autograd.grad(out.sum(), (x, w), allow_unused=True)
    wanted = torch.autograd.grad(weigh(x, w)[0].sin().sum(), (x, w), allow_unused=True)
    torch.testing.assert_close(found[0], wanted[0])
    assert found[1] is wanted[1] is None
    assert not compiled(x.detach(), w)[0].requires_grad
    opcheck(OPS.weigh.default, (x, w))
    opcheck(OPS.weigh.default, (x.detach(), w))
    opcheck(OPS.weigh_backward.default, (x, x, w, [True]))
