"""Layouts: outputs and gradients have the strides of native ops, for fake tensors too."""

from __future__ import annotations

import itertools

import pytest
import torch
from sample_ops import (
    OPS,
    C,
    lltm_cell,
    randn,
    swiglu,
    total,
)
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")


def layouts() -> list[Tensor]:
    base = torch.randn(2, 3, 4, 5)
    return [
        base,
        base.contiguous(memory_format=torch.channels_last),
        torch.randn(5, 4, 3, 2).permute(3, 2, 1, 0),
        torch.randn(3, 2, 5, 4).permute(1, 0, 3, 2),
        torch.randn(2, 3, 4, 10)[..., ::2],
        torch.randn(2, 3, 9, 5)[:, :, 2:6],
        torch.randn(4, 5),
        torch.randn(5, 4).t(),
        torch.randn(3, 1, 1),
        torch.randn(1, 3, 1, 1).contiguous(memory_format=torch.channels_last),
        torch.randn(5),
        torch.randn(()),
        torch.randn(1, 1).expand(4, 5),
        torch.randn(2, 1, 4, 5).expand(2, 3, 4, 5),
        torch.randn(4, 1),
    ]


@pytest.mark.parametrize("empty", [False, True])
def test_strides_are_native(empty):
    from torch._subclasses import FakeTensorMode

    for x, y in itertools.product(layouts(), repeat=2):
        if empty:
            x, y = (t[..., :0] if t.dim() and t.shape[-1] == 5 else t for t in (x, y))
        try:
            native = torch.mul(x, y)
        except RuntimeError:
            continue
        ours = C.swiglu(x, y)
        torch.testing.assert_close(ours, swiglu(x, y))
        assert ours.stride() == native.stride(), (x.shape, x.stride(), y.shape, y.stride())
        with FakeTensorMode(allow_non_fake_inputs=False) as mode:
            fake = [mode.from_tensor(t) for t in (x, y)]
            assert C.swiglu(*fake).stride() == ours.stride()
            metas = OPS.swiglu_backward(mode.from_tensor(ours), *fake, [True, True])
        grads = OPS.swiglu_backward(ours, x, y, [True, True])
        for t, grad, meta in zip((x, y), grads, metas, strict=False):
            assert grad.stride() == meta.stride()
            assert grad.stride() == torch.empty_like(t).stride() or grad.numel() == 0


def in_orders(*shape: int) -> list[Tensor]:
    """Tensors whose dimensions lie in memory in some orders."""
    orders = itertools.permutations(range(len(shape)))
    return [
        torch.randn([shape[d] for d in order]).permute([order.index(d) for d in range(len(shape))])
        for order in orders
    ]


def test_a_decomposition_has_the_strides_of_the_kernels(package):
    angles = torch.randn(5, 4), torch.randn(5, 4)
    for x in in_orders(2, 3, 5, 8):
        for call in (
            lambda x: package.rope(x, *angles),
            lambda x: package.softmax(x, dim=1),
            lambda x: package.log_softmax(x),
            lambda x: package.silu_and_mul(x),
        ):
            torch._dynamo.reset()
            compiled = torch.compile(call, backend="aot_eager", fullgraph=True)(x)
            eager = call(x)
            torch.testing.assert_close(compiled, eager)
            assert compiled.stride() == eager.stride(), (x.stride(), call)


def test_a_result_of_no_grad_may_change_in_place(package):
    factors = torch.ones(3, 4, requires_grad=True)
    for dim in (0, 1):
        with torch.no_grad():
            result = package.softmax(torch.randn(3, 4), dim=dim)
        assert result.mul_(factors).requires_grad


def test_packed_parts_are_read_in_place():
    gates, cell = randn(3, 7, 12, grad=False), randn(3, 7, 4, grad=False)
    for g, c in (
        (gates, cell),
        (gates.transpose(0, 1), cell.transpose(0, 1)),
        (randn(3, 7, 24, grad=False)[..., 1::2], cell),
        (randn(12, 3, 7, grad=False).permute(1, 2, 0), cell),
        (gates[:, :1], cell),
    ):
        g, c = g.detach().requires_grad_(), c.detach().requires_grad_()
        torch.testing.assert_close(C.lltm_cell(g, c), lltm_cell(g, c))
        ours, theirs = (
            torch.autograd.grad(total(f(g, c)), (g, c)) for f in (C.lltm_cell, lltm_cell)
        )
        torch.testing.assert_close(ours, theirs)


def test_many_dimensions():
    x = torch.randn([2] * 14)
    y = torch.randn(1, *[2] * 13)
    torch.testing.assert_close(C.swiglu(x, y), swiglu(x, y))
    with pytest.raises(RuntimeError, match="swiglu: more than 12 dimensions that cannot be merged"):
        C.swiglu(x, x.permute(*range(13, -1, -1)))


def test_negative_views():
    x, y = randn(3, 4, grad=False), randn(4, grad=False)
    torch.testing.assert_close(C.swiglu(torch.ops.aten._neg_view(x), y), swiglu(-x, y))


@pytest.mark.parametrize("gates_shape", [(0, 12), (1, 0, 12), (2, 0, 12), (5, 1, 0, 12)])
def test_gradients_where_a_packed_input_is_empty_and_another_is_not(gates_shape):
    gates, cell = randn(*gates_shape), randn(2, 1, 4)
    ours, theirs = (
        torch.autograd.grad(total(op(gates, cell)), (gates, cell))
        for op in (C.lltm_cell, lltm_cell)
    )
    torch.testing.assert_close(ours, theirs)
    assert ours[1].shape == (2, 1, 4)
