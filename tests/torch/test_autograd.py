"""Autograd on the sample ops (tests/torch/ops): derivatives, sums, forwarded gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sample_ops import (
    OPS,
    C,
    each_case,
    gated_add,
    lltm_cell,
    randn,
    same_bits,
    start,
    swiglu,
    total,
    weigh,
)
from torch import Tensor
from torch.library import opcheck

# -- values and derivatives


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


# -- detached inputs and outputs


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


# -- inputs that the backward does not read, and gradients that are forwarded


def gradients(
    out: Tensor, inputs: list[Tensor], grad: Tensor
) -> tuple[tuple[Tensor, ...], list[list[bool]]]:
    """The gradients of gated_add, and which of them each call of its backward is asked for.

    Nothing but the backward may be called, unless it is to cast a gradient.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    calls = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function is OPS.gated_add_backward.default:
                calls.append(args[-1])
            else:
                assert function is torch.ops.aten._to_copy.default
            return function(*args, **(kwargs or {}))

    with Mode():
        return torch.autograd.grad(out, inputs, grad), calls


@pytest.mark.parametrize("shape", [(4,), (3, 1), (1, 4), (1, 1), (), (3, 4)])
def test_the_kernel_sums_the_gradient_of_an_input_that_it_does_not_read(shape):
    args = [randn(3, 4), randn(*shape), randn(*shape), randn(4)]
    grad = randn(3, 4, grad=False)
    found, _ = gradients(C.gated_add(*args), args, grad)
    torch.testing.assert_close(found, torch.autograd.grad(gated_add(*args), args, grad))


def test_inputs_that_are_not_read_add_dimensions():
    args = [randn(3, 1), randn(5, 1, 1, 1), randn(2, 1, 4), randn(1)]
    grad = randn(5, 2, 3, 4, grad=False)
    found, calls = gradients(C.gated_add(*args), args, grad)
    assert calls == [[True] * 4]
    torch.testing.assert_close(found, torch.autograd.grad(gated_add(*args), args, grad))


def test_equal_gradients_of_one_shape_are_summed_once():
    x, y = randn(3, 4), randn(3, 4)
    grad = randn(3, 4, grad=False)
    for a, b, once in ((randn(4), randn(4), True), (randn(4), randn(3, 1), False)):
        (grad_a, grad_b), calls = gradients(C.gated_add(x, y, a, b), [a, b], grad)
        assert calls == [[False, False, True, not once]]
        assert is_same_memory(grad_a, grad_b) == once
        theirs = torch.autograd.grad(gated_add(x, y, a, b), [a, b], grad)
        torch.testing.assert_close((grad_a, grad_b), theirs)


def test_a_sum_has_the_type_of_its_input_and_is_rounded_once():
    x, grad = torch.zeros(1024, 1), torch.full((1024, 1), 1.125).bfloat16().float()
    y = torch.zeros(1, 1, dtype=torch.bfloat16, requires_grad=True)
    (grad_y,), _ = gradients(C.gated_add(x, y, x, x), [y], grad)
    assert grad_y.dtype == torch.bfloat16
    assert grad_y.item() == 1152


def test_no_input_is_held_for_its_shape():
    import weakref

    def is_held(shape: tuple[int, ...], grad: bool) -> bool:
        array = np.ones(shape)
        y = torch.from_numpy(array)
        if grad:
            y.add_(randn(*shape))  # a leaf would be held to accumulate its gradient
        out = C.gated_add(randn(3, 4), y, randn(4), randn(4))
        alive = weakref.ref(array)
        del array, y
        assert out.requires_grad
        return alive() is not None

    assert not is_held((4,), grad=True)
    assert not is_held((4,), grad=False)
    assert not is_held((3, 4), grad=True)


def test_shapes_that_are_kept_are_not_saved_tensors():
    args = [randn(3, 4), randn(4), randn(3, 1), randn(4)]
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        out = C.gated_add(*args)
    assert [t.shape for t in packed] == [(3, 4)]
    wanted = torch.autograd.grad(gated_add(*args).sum(), args)
    with torch.no_grad():
        for t in args[1:]:
            t.mul_(2).add_(1)  # changes no gradient, as with ATen's add
    torch.testing.assert_close(torch.autograd.grad(out.sum(), args), wanted)


def test_sums_over_rows_that_another_sum_keeps_get_a_pass_each():
    x, y = randn(2, 70, 1, 33, dtype=torch.float), randn(2, 1, 90, 33, dtype=torch.float)
    grad = randn(2, 70, 90, 33, dtype=torch.float, grad=False)
    both = OPS.swiglu_backward(grad, x, y, [True, True])
    alone = [
        OPS.swiglu_backward(grad, x, y, [True, False])[0],
        OPS.swiglu_backward(grad, x, y, [False, True])[1],
    ]
    assert all(map(same_bits, both, alone))
    wide = [t.detach().double().requires_grad_() for t in (x, y)]
    wanted = torch.autograd.grad(swiglu(*wide), wide, grad.double())
    torch.testing.assert_close(both, tuple(t.float() for t in wanted), rtol=1e-4, atol=1e-4)


def test_vmap_of_a_backward_without_the_shape_of_an_input():
    x, grad, row = randn(3, 4, grad=False), randn(5, 3, 4, grad=False), torch.ones(4).double()
    op = torch.vmap(
        lambda g, y: OPS.gated_add_backward(g, x, y, None, None, [False, True, True, False])[1:3],
        (0, None),
    )
    for y in (row, None):
        grad_y, grad_a = op(grad, y)
        torch.testing.assert_close(grad_y, grad if y is None else grad.sum(1))
        torch.testing.assert_close(grad_a, torch.where(x > 0, grad, 0))


def test_a_cpu_number_that_is_not_read_stands_beside_other_devices():
    x, y = torch.empty(3, 4, device="meta"), torch.ones((), dtype=torch.double)
    needs = [True, True, False, False]
    grad_x, grad_y, *_ = OPS.gated_add_backward(x, x, y, None, None, needs)
    assert (grad_x.shape, grad_x.dtype, grad_x.device.type) == ((3, 4), torch.float, "meta")
    assert (grad_y.shape, grad_y.dtype, grad_y.device.type) == ((), torch.double, "meta")


def is_same_memory(a: Tensor, b: Tensor) -> bool:
    return (a.data_ptr(), a.stride(), a.shape) == (b.data_ptr(), b.stride(), b.shape)


@pytest.mark.parametrize(
    "grad",
    [torch.randn(3, 4), torch.randn(4, 3).t(), torch.randn(1).expand(3, 4)],
    ids=["dense", "transposed", "expanded"],
)
def test_an_incoming_gradient_is_forwarded(grad):
    args = [randn(3, 4, dtype=torch.float) for _ in range(4)]
    (grad_x, grad_y, grad_a, grad_b), calls = gradients(C.gated_add(*args), args, grad)
    assert calls == [[False, False, True, False]]
    assert is_same_memory(grad_x, grad)
    assert is_same_memory(grad_y, grad)
    assert is_same_memory(grad_a, grad_b)
    assert not is_same_memory(grad_a, grad)
    torch.testing.assert_close(grad_a, torch.where(args[0] > 0, grad, 0))


def test_only_wanted_gradients_are_forwarded():
    x, y, a, b = (randn(3, 4) for _ in range(4))
    grad = randn(3, 4, grad=False)
    for wanted, expected in (
        ([x, y], []),
        ([y], []),
        ([b], [[False, False, False, True]]),
        ([x, a], [[False, False, True, False]]),
    ):
        args = [t if any(t is w for w in wanted) else t.detach() for t in (x, y, a, b)]
        found, calls = gradients(C.gated_add(*args), wanted, grad)
        assert calls == expected
        torch.testing.assert_close(found, torch.autograd.grad(gated_add(*args), wanted, grad))


def test_a_gradient_of_another_shape_or_type_is_not_forwarded():
    y, a, b = (randn(3, 4, dtype=torch.float) for _ in range(3))
    grad = randn(3, 4, dtype=torch.float, grad=False)
    for x in (randn(3, 1, dtype=torch.float), randn(3, 4, dtype=torch.bfloat16)):
        (grad_x, grad_y), calls = gradients(C.gated_add(x, y, a, b), [x, y], grad)
        assert calls == [[True, False, False, False]]
        wanted = grad.to(x.dtype) if x.shape == grad.shape else grad.sum(1, keepdim=True)
        torch.testing.assert_close(grad_x, wanted)
        assert is_same_memory(grad_y, grad)
    y = randn(3, 4, dtype=torch.bfloat16)  # the engine casts
    (grad_y,), calls = gradients(C.gated_add(a, y, a, b), [y], grad)
    assert not calls
    torch.testing.assert_close(grad_y, grad.bfloat16())


def test_sums_of_one_gradient_are_computed_once():
    a, b = randn(3, 4), randn(3, 4)
    for shapes, computed in (
        (((4,), (4,)), [True, False, False, False]),
        (((4,), (1, 4)), [True, True, False, False]),
    ):
        x, y = (randn(*shape) for shape in shapes)
        grad = randn(3, 4, grad=False)
        (grad_x, grad_y), calls = gradients(C.gated_add(x, y, a, b), [x, y], grad)
        assert calls == [computed]
        assert is_same_memory(grad_x, grad_y) == (x.shape == y.shape)
        for found, t in ((grad_x, x), (grad_y, y)):
            torch.testing.assert_close(found, grad.sum_to_size(t.shape))


def test_gradients_of_leaves_share_no_memory():
    for make in (lambda: randn(3, 4, grad=False), lambda: torch.ones(()).expand(3, 4).double()):
        args = [randn(3, 4) for _ in range(4)]
        grad = make()
        before = grad.clone()
        C.gated_add(*args).backward(grad)
        found = [t.grad for t in args if t.grad is not None]
        wanted = [t.clone() for t in found]
        for k in range(4):
            found[k].zero_()
            assert torch.equal(grad, before)
            assert all(map(torch.equal, found[k + 1 :], wanted[k + 1 :]))


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


# -- torch.func


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
