"""Derivatives of the sample ops: values, saved tensors, hooks, torch.func."""

from __future__ import annotations

import pytest
import torch
from sample_ops import (
    OPS,
    C,
    each_case,
    lltm_cell,
    randn,
    start,
    swiglu,
    total,
)
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float, torch.double])
@each_case
def test_forward(case, dtype):
    op, reference, args = start(case)
    args = [t.detach().to(dtype) for t in args]
    torch.testing.assert_close(
        op(*args),
        reference(*(t.double() for t in args)),
        check_dtype=False,
        rtol=1e-2 if dtype.itemsize == 2 else None,
        atol=1e-2 if dtype.itemsize == 2 else None,
    )


@each_case
def test_gradients(case):
    op, _, args = start(case)
    assert torch.autograd.gradcheck(
        op, args, check_forward_ad=True, check_batched_grad=True, check_undefined_grad=True
    )
    assert torch.autograd.gradgradcheck(op, args, check_fwd_over_rev=True, check_batched_grad=True)


@each_case
def test_third_order(case):
    op, reference, args = start(case)

    def third(f):
        value = total(f(*args))
        for _ in range(2):
            grads = torch.autograd.grad(value, args, create_graph=True)
            value = torch.stack([g.sin().sum() for g in grads]).sum()
        return torch.autograd.grad(value, args)

    torch.testing.assert_close(third(op), third(reference))


def test_only_needed_gradients():
    x, y = randn(3, 4), randn(3, 4, grad=False)
    C.swiglu(x, y).sum().backward()
    assert y.grad is None
    grads = OPS.swiglu_backward(x.detach(), x.detach(), y, [False, True])
    assert grads[0] is None
    assert grads[1].shape == y.shape


def test_a_gradient_that_nobody_needs_takes_no_memory():
    from torch.profiler import ProfilerActivity, profile

    def allocated(grad: bool) -> int:
        x, y = randn(64, 64), randn(64, 64, grad=grad)
        out, arriving = C.swiglu(x, y), randn(64, 64, grad=False)
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            found = torch.autograd.grad(out, [x, y] if grad else [x], arriving)
        assert len(found) == 1 + grad
        return sum(max(0, event.self_cpu_memory_usage) for event in profiler.events() or ())

    assert (allocated(grad=False), allocated(grad=True)) == (64 * 64 * 8, 2 * 64 * 64 * 8)


@each_case
def test_incoming_gradients_of_any_layout(case):
    op, reference, args = start(case)
    outputs = [op(*args), reference(*args)]
    outputs = [o if isinstance(o, Tensor) else o[0] for o in outputs]
    shape = outputs[0].shape
    for grad in (
        randn(*reversed(shape), grad=False).permute(*reversed(range(len(shape)))),
        randn(1, grad=False).expand(shape),
        randn(*shape, 2, grad=False)[..., 0],
    ):
        ours, theirs = (torch.autograd.grad(o, args, grad, retain_graph=True) for o in outputs)
        torch.testing.assert_close(ours, theirs)


@each_case
def test_low_precision_gradients(case):
    op, reference, args = start(case)
    low = [t.detach().bfloat16().requires_grad_() for t in args]
    high = [t.detach().double().requires_grad_() for t in low]
    ours = torch.autograd.grad(total(op(*low)), low)
    theirs = torch.autograd.grad(total(reference(*high)), high)
    for a, b, t in zip(ours, theirs, low, strict=False):
        assert a.dtype == t.dtype
        torch.testing.assert_close(a.double(), b, rtol=5e-2, atol=5e-2)


def test_gradients_that_never_arrive():
    gates, cell = randn(3, 12), randn(3, 4)
    for k in range(2):
        ours = torch.autograd.grad(C.lltm_cell(gates, cell)[k].sum(), (gates, cell))
        theirs = torch.autograd.grad(lltm_cell(gates, cell)[k].sum(), (gates, cell))
        torch.testing.assert_close(ours, theirs)


def test_saved_tensors_modified_in_place_raise():
    x, y = randn(3, 4), randn(4)
    out = C.swiglu(x, y)
    with torch.no_grad():
        x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        out.sum().backward()
    gates = randn(3, 12)
    h, new_cell = C.lltm_cell(gates, randn(3, 4))
    new_cell.detach().zero_()  # a saved output
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        h.sum().backward()


def test_an_input_detached_in_place_raises():
    """As of a native op: an input without its history would have that of the node in its place."""
    for op in (C.swiglu, swiglu, C.bias_gelu):
        x, y = randn(3, 4), randn(3, 4)
        inner, other = x * 2, y * 2
        out = op(inner, other)
        inner.detach_()
        other.detach_()
        with pytest.raises(RuntimeError, match="detached in-place"):
            torch.autograd.grad(out.sum(), y, create_graph=True)
    gates, cell = randn(3, 12), randn(3, 4)
    h, _ = C.lltm_cell(gates, cell)  # a saved output has the history of the node
    torch.autograd.grad(h.sum(), gates, create_graph=True)


def test_second_backward_raises():
    out = C.swiglu(randn(3), randn(3)).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="second time"):
        out.backward()


@each_case
def test_checkpoint_and_saved_tensor_hooks(case):
    from torch.utils.checkpoint import checkpoint

    op, reference, args = start(case)
    theirs = torch.autograd.grad(total(reference(*args)), args)
    ours = torch.autograd.grad(total(checkpoint(op, *args, use_reentrant=False)), args)
    torch.testing.assert_close(ours, theirs)
    with torch.autograd.graph.save_on_cpu():
        loss = total(op(*args))
    torch.testing.assert_close(torch.autograd.grad(loss, args), theirs)


def test_function_names():
    out = C.swiglu(randn(3), randn(3))
    assert out.grad_fn.name() == "SwigluBackward"


@each_case
def test_func_transforms(case):
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

    op, reference, args = start(case)
    args = tuple(t.detach() for t in args)
    argnums = tuple(range(len(args)))
    for transform in (jacrev, jacfwd):
        ours, theirs = (transform(f, argnums)(*args) for f in (op, reference))
        torch.testing.assert_close(ours, theirs)
    for f in (grad, hessian):
        ours, theirs = (f(lambda *a, g=g: total(g(*a)), argnums)(*args) for g in (op, reference))
        torch.testing.assert_close(ours, theirs)
    ours, theirs = (jvp(f, args, args) for f in (op, reference))
    torch.testing.assert_close(ours, theirs)
    batch = tuple(torch.stack([t, t + 1, t * 2], dim=-1) for t in args)
    in_dims = tuple(t.dim() - 1 for t in batch)
    for dims in (in_dims, (in_dims[0],) + (None,) * (len(args) - 1)):
        given = tuple(b if d is not None else t for b, t, d in zip(batch, args, dims, strict=False))
        ours, theirs = (vmap(f, dims)(*given) for f in (op, reference))
        torch.testing.assert_close(ours, theirs)
        ours, theirs = (
            vmap(grad(lambda *a, f=f: total(f(*a)), argnums), dims)(*given) for f in (op, reference)
        )
        torch.testing.assert_close(ours, theirs)


def test_vmap_keeps_the_promotion_of_one_example():
    x, y = randn(5, 3, dtype=torch.float, grad=False), randn(5, grad=False)
    assert torch.vmap(C.swiglu)(x, y).dtype == torch.float
    for in_dims, given in (((0, 0), (x, y)), ((0, 0), (y, x)), ((0, None), (x[:, 0], y[0]))):
        found = torch.vmap(C.swiglu, in_dims)(*given)
        one = C.swiglu(*(a if d is None else a[0] for a, d in zip(given, in_dims, strict=True)))
        assert found.dtype == one.dtype
        grads = torch.vmap(torch.func.grad(lambda *a: C.swiglu(*a).sum(), (0, 1)), in_dims)(*given)
        assert [g.dtype for g in grads] == [t.dtype for t in given]


def test_vmap_of_no_examples_of_two_types():
    x, y = torch.zeros(0), torch.zeros(0, dtype=torch.double)
    found, expected = torch.vmap(C.swiglu)(x, y), torch.vmap(torch.mul)(x, y)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
