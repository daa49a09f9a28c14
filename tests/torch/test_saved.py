"""The sample ops save exactly the tensors that the needed gradients read."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
import torch
from sample_ops import (
    OPS,
    C,
    bias_gelu,
    gated_add,
    lltm_cell,
    quantise,
    randn,
    same_bits,
    sample,
    swiglu,
    total,
)
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")

# (op, reference, shapes, the saved tensors for the gradient of each input)
OPS_KEPT = {
    "swiglu": (sample("swiglu"), swiglu, [(3, 4), (3, 4)], [{0, 1}, {0}]),
    "swiglu_row": (sample("swiglu"), swiglu, [(3, 4), (4,)], [{0, 1}, {0}]),
    "swiglu_cross": (sample("swiglu"), swiglu, [(3, 1), (2, 1, 4)], [{0, 1}, {0}]),
    "bias_gelu": (sample("bias_gelu"), bias_gelu, [(3, 4), (4,)], [{0, 1}, {0, 1}]),
    "gated_add": (
        sample("gated_add"),
        gated_add,
        [(3, 4), (3, 4), (4,), (3, 4)],
        [set(), set(), {0}, {0}],
    ),
    "gated_add_row": (
        sample("gated_add"),
        gated_add,
        [(4,), (3, 1), (1, 4), (3, 4)],
        [set(), set(), {0}, {0}],
    ),
    "lltm_cell": (
        sample("lltm_cell"),
        lltm_cell,
        [(3, 12), (3, 4)],
        [{0, "new_cell"}, {0, "new_cell"}],
    ),
    "quantise": (
        lambda x, y: C.quantise(x, y)[::3],
        lambda x, y: quantise(x, y)[::3],
        [(3, 4), (4,)],
        [{0, 1}, {0}],
    ),
}
each_op = pytest.mark.parametrize("name", OPS_KEPT)
DTYPES = (torch.float, torch.double, torch.bfloat16, torch.half)


def subsets(count: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, count + 1):
        yield from itertools.combinations(range(count), size)


def leaves(values: Sequence[Tensor], wanted: Sequence[int]) -> list[Tensor]:
    return [t.clone().requires_grad_(i in wanted) for i, t in enumerate(values)]


def packed_by(function: Callable[[], object], tensors: Sequence[Tensor]) -> tuple[object, set]:
    """The result of a call, and the saved tensors: indices into `tensors`, or "new_cell"."""
    places = {t.data_ptr(): i for i, t in enumerate(tensors)}
    packed: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        result = function()
    return result, {places.get(t.data_ptr(), "new_cell") for t in packed}


def as_tuple(outputs: object) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)  # type: ignore[arg-type]


@each_op
def test_a_needed_gradient_keeps_what_it_reads(name):
    op, _, shapes, kept = OPS_KEPT[name]
    values = [randn(*shape, grad=False) for shape in shapes]
    for wanted in subsets(len(shapes)):
        args = leaves(values, wanted)
        _, packed = packed_by(lambda args=args: op(*args), args)
        assert packed == set().union(*(kept[i] for i in wanted))


@each_op
@pytest.mark.parametrize("shift", range(len(DTYPES)))
def test_gradients_are_the_same_whatever_else_is_needed(name, shift):
    """For all mixtures of dtypes, bit for bit, even if tensors that they do not read change."""
    op, _, shapes, kept = OPS_KEPT[name]
    dtypes = itertools.islice(itertools.cycle(DTYPES), shift, None)
    for mixture in ([DTYPES[shift]] * len(shapes), list(itertools.islice(dtypes, len(shapes)))):
        values = [
            randn(*shape, dtype=dtype, grad=False)
            for shape, dtype in zip(shapes, mixture, strict=True)
        ]
        everything = leaves(values, range(len(shapes)))
        outputs = as_tuple(op(*everything))
        arriving = [torch.randn(out.shape).to(out.dtype) for out in outputs]
        expected = torch.autograd.grad(outputs, everything, arriving)
        for wanted in subsets(len(shapes)):
            args = leaves(values, wanted)
            outputs = as_tuple(op(*args))
            needed = set().union(*(kept[i] for i in wanted))
            with torch.no_grad():
                for i, t in enumerate(args):
                    if i not in needed:
                        t.fill_(float("nan"))
            found = torch.autograd.grad(outputs, [args[i] for i in wanted], arriving)
            for i, grad in zip(wanted, found, strict=True):
                assert same_bits(grad, expected[i])
                assert grad.stride() == expected[i].stride()


@each_op
def test_what_a_needed_gradient_reads_may_not_be_changed(name):
    op, _, shapes, kept = OPS_KEPT[name]
    for wanted in subsets(len(shapes)):
        for i in set().union(*(kept[k] for k in wanted)) & set(range(len(shapes))):
            args = leaves([randn(*shape, grad=False) for shape in shapes], wanted)
            outputs = as_tuple(op(*args))
            with torch.no_grad():
                args[i].zero_()
            with pytest.raises(RuntimeError, match="modified by an inplace"):
                torch.autograd.grad([out.sum() for out in outputs], [args[k] for k in wanted])


@each_op
def test_gradients_alone_are_those_of_all(name):
    """A gradient requested alone has the bits that it has with all others."""
    op, _, shapes, _ = OPS_KEPT[name]
    args = [randn(*shape) for shape in shapes]
    outputs = as_tuple(op(*args))
    arriving = [torch.randn_like(out) for out in outputs]
    expected = torch.autograd.grad(outputs, args, arriving, retain_graph=True)
    for i, t in enumerate(args):
        (found,) = torch.autograd.grad(outputs, t, arriving, retain_graph=True)
        assert same_bits(found, expected[i])


@each_op
def test_higher_derivatives_of_a_part(name):
    op, reference, shapes, _ = OPS_KEPT[name]
    if name == "quantise":
        pytest.skip("rounds")
    values = [randn(*shape, grad=False) for shape in shapes]
    for wanted in subsets(len(shapes)):
        args = leaves(values, wanted)
        chosen = [args[i] for i in wanted]

        def derivatives(f, args=args, chosen=chosen):
            first = torch.autograd.grad(total(f(*args)), chosen, create_graph=True)
            second = torch.autograd.grad(
                total(first), chosen, create_graph=True, materialize_grads=True
            )
            third = torch.autograd.grad(total(second), chosen, materialize_grads=True)
            return first, second, third

        torch.testing.assert_close(derivatives(op), derivatives(reference))
        assert torch.autograd.gradgradcheck(
            lambda *chosen, args=args, wanted=wanted: op(
                *(chosen[wanted.index(i)] if i in wanted else t for i, t in enumerate(args))
            ),
            chosen,
            check_batched_grad=True,
        )


@each_op
def test_transforms_of_a_part(name):
    op, reference, shapes, _ = OPS_KEPT[name]
    values = [randn(*shape, grad=False) for shape in shapes]
    batch = [torch.stack([t, t * 2, t - 1]) for t in values]
    for i in range(len(shapes)):
        for transform in (
            lambda f, i=i: torch.func.grad(f, i)(*values),
            lambda f, i=i: torch.func.vmap(torch.func.grad(f, i))(*batch),
            lambda f, i=i: torch.func.grad(lambda *a: torch.func.vmap(f)(*a).sum(), i)(*batch),
            lambda f, i=i: torch.func.vmap(
                torch.func.grad(f, i), tuple(0 if k == i else None for k in range(len(values)))
            )(*(batch[k] if k == i else t for k, t in enumerate(values))),
            lambda f, i=i: torch.func.vmap(
                torch.func.grad(f, i), tuple(None if k == i else 0 for k in range(len(values)))
            )(*(values[k] if k == i else t for k, t in enumerate(batch))),
            lambda f, i=i: torch.func.hessian(f, i)(*values),
        ):
            ours, theirs = (transform(lambda *a, f=f: total(f(*a)).sum()) for f in (op, reference))
            torch.testing.assert_close(ours, theirs)


@each_op
@pytest.mark.parametrize("dynamic", [False, True])
def test_graphs_of_a_part(name, dynamic):
    _, reference, shapes, _ = OPS_KEPT[name]
    if name.startswith("quantise"):
        pytest.skip("not one op of the dispatcher")
    packet = getattr(OPS, name.removesuffix("_row").removesuffix("_cross")).default
    torch._dynamo.reset()  # all cases share one function: dynamo limits its recompilations
    compiled = torch.compile(
        lambda *a: total(packet(*a)), fullgraph=True, dynamic=dynamic, backend="aot_eager"
    )
    for i in range(len(shapes)):
        args = leaves([randn(*shape, grad=False) for shape in shapes], [i])
        (ours,) = torch.autograd.grad(compiled(*args), args[i])
        (theirs,) = torch.autograd.grad(total(reference(*args)), args[i])
        torch.testing.assert_close(ours, theirs)


def held_by(function: Callable[..., object], shape: tuple[int, ...], grad: bool) -> bool:
    """True if the result of a function keeps the memory of its input alive."""
    array = np.ones(shape)
    t = torch.from_numpy(array)
    if grad:
        t.add_(randn(*shape))  # not a leaf: autograd keeps leaves to accumulate gradients
    out = function(t)
    alive = weakref.ref(array)
    del array, t
    assert as_tuple(out)[0].requires_grad
    return alive() is not None


@pytest.mark.parametrize("shape", [(3, 4), (4,), (3, 1), ()])
def test_memory_is_held_for_values_alone(shape):
    """Memory is not kept for shapes, nor for gradients that are not needed."""
    x, a, b = randn(3, 4, grad=False), randn(3, 4), randn(4)
    assert not held_by(lambda t: C.gated_add(a, t, b, b), shape, grad=True)
    assert not held_by(lambda t: C.gated_add(a, t, b, b), shape, grad=False)
    assert not held_by(lambda t: C.swiglu(x, t), shape, grad=True)
    assert held_by(lambda t: C.swiglu(a, t), shape, grad=True)
    assert held_by(lambda t: C.swiglu(a, t), shape, grad=False)
    assert held_by(lambda t: C.swiglu(t, a), shape, grad=False)


def test_a_gradient_lies_in_memory_as_its_input_does():
    x = torch.randn(2, 3, 4, 5)
    for y in (
        torch.randn(2, 5, 3, 4).permute(0, 2, 3, 1),
        torch.randn(5, 4, 3, 2).permute(3, 2, 1, 0),
        torch.randn(1, 5, 3, 4).permute(0, 2, 3, 1),
        torch.randn(4, 3, 5).transpose(0, 1),
        torch.randn(5, 4).t().contiguous().t().t(),
        torch.randn(2, 3, 4, 5).bfloat16(),
        torch.randn(5),
    ):
        for wanted in ([1], [0, 1]):
            args = leaves([x, y], wanted)
            out = C.swiglu(*args)
            (grad,) = torch.autograd.grad(out, args[1], torch.ones_like(out))
            assert (grad.stride(), grad.dtype) == (args[1].stride(), y.dtype)


def test_what_is_read_must_be_there():
    x = torch.randn(3, 4)
    with pytest.raises(
        RuntimeError, match="swiglu_backward: x is None, but a needed output depends on it"
    ):
        OPS.swiglu_backward(x, None, x, [True, False])
    grad_x, grad_y = OPS.swiglu_backward(x, x, None, [False, True])
    assert grad_x is None
    torch.testing.assert_close(grad_y, x * swiglu(x, torch.ones(())))
    grad_y = OPS.swiglu_backward(x, x, torch.zeros(()).expand(4), [False, True])[1]
    assert grad_y.shape == (4,)


def test_second_backward_of_what_saves_nothing():
    """A second backward works, as for torch.add, because there is nothing to free."""
    x, a, b = (randn(3, 4, grad=False) for _ in range(3))
    for y in (randn(3, 4), randn(4)):
        out = C.gated_add(x, y, a, b).sum()
        (first,) = torch.autograd.grad(out, y, retain_graph=True)
        torch.testing.assert_close(torch.autograd.grad(out, y)[0], first)
