"""Inputs that the backward does not read: forwarded gradients, and sums shared by equal ones."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sample_ops import (
    OPS,
    C,
    bias_gelu,
    gated_add,
    randn,
    same_bits,
    swiglu,
)
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")


def gradients(
    out: Tensor, inputs: list[Tensor], grad: Tensor
) -> tuple[tuple[Tensor, ...], list[list[bool]]]:
    """The gradients, and which of them each call of the op's backward is asked for.

    Nothing but the backward may be called, unless it is to cast a gradient.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    calls = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function in (OPS.gated_add_backward.default, OPS.bias_gelu_backward.default):
                calls.append(list((kwargs or {}).get("needs", args[-1])))
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


@pytest.mark.parametrize(
    ("shape", "dtype", "once"),
    [
        ((3, 4), torch.float32, True),
        ((3, 4), torch.float64, False),
        ((4,), torch.float32, False),
        ((1, 3, 4), torch.float32, False),
    ],
)
def test_equal_gradients_of_inputs_that_are_read_are_computed_once(shape, dtype, once):
    x = randn(3, 4).detach().float().requires_grad_()
    bias = randn(*shape).detach().to(dtype).requires_grad_()
    out = C.bias_gelu(x, bias)
    grad = torch.randn_like(out)
    (grad_x, grad_bias), calls = gradients(out, [x, bias], grad)
    assert calls == [[True, not once]]
    assert is_same_memory(grad_x, grad_bias) == once
    theirs = torch.autograd.grad(bias_gelu(x, bias), [x, bias], grad)
    torch.testing.assert_close((grad_x, grad_bias), theirs)
    (alone,), calls = gradients(C.bias_gelu(x, bias), [bias], grad)
    assert calls == [[False, True]]
    torch.testing.assert_close(alone, theirs[1])


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
