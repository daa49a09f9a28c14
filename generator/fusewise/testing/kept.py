"""Checks of the tensors that an op saves if only some of its inputs require a gradient."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, func

from .case import SEED, Call, OpCase, is_differentiable
from .compare import are_equal, assert_close, recorded

_TYPES = (torch.float32, torch.bfloat16, torch.float64)


def check_parts(case: OpCase, call: Call) -> None:
    """Checks the saved tensors for each subset of inputs that require a gradient.

    The op saves exactly the tensors that it saves for each of these inputs alone. All other inputs
    may change before the backward, and each gradient has the same bits as if all inputs required
    one. The check runs with one dtype, with mixed dtypes, and with a broadcast input.
    """
    mixed = itertools.cycle(_TYPES)
    calls = [call, call.map(lambda t: t.to(next(mixed)) if t.is_floating_point() else t)]
    for each in (*calls, *_broadcast(call)[-1:]):
        count = len(each.floats)
        outputs = [out for out in each.run(case.op) if is_differentiable(out)]
        arriving = [torch.cos(out) for out in outputs]
        expected, _ = _backward(case, each, range(count), arriving)
        kept = {i: _backward(case, each, {i}, arriving)[1] for i in range(count)}
        for wanted in _parts(count):
            found, saved = _backward(case, each, wanted, arriving)
            assert saved == set().union(*(kept[i] for i in wanted)), (
                "more is saved than each takes alone"
            )
            for i in wanted:
                got, want = found[i], expected[i]
                if got is None or want is None:
                    assert got is want is None
                    continue
                assert (got.dtype, got.stride()) == (want.dtype, want.stride())
                assert are_equal(got, want)


def check_second_order_of_parts(case: OpCase, call: Call) -> None:
    """Checks the second derivatives for each subset of inputs that require a gradient.

    They are computed by reverse over reverse mode; for a broadcast input, by forward over reverse.
    A tensor that is not saved may be replaced by one without values, which no result may read.
    """
    parts = [(call, wanted) for wanted in _parts(len(call.floats))]
    parts += [(transposed, (i,)) for i, transposed in enumerate(_transposed(call))]
    for each, wanted in parts:
        with _new_memory_is_nan():
            got = _second(case.op, each, wanted)
        assert_close(case, got, _second(case.expected, each, wanted))
    if case.no_finite_differences:
        return
    for i, short in enumerate(_broadcast(call)):
        got, want = (_tangent(function, short, i) for function in (case.op, case.expected))
        assert_close(case, (got,), (want,))


def _broadcast(call: Call) -> list[Call]:
    """For each floating input, the same call with only the first row of it, which is broadcast."""
    return [call.with_tensor(i, t[:1]) for i, t in _floating(call)]


def _transposed(call: Call) -> list[Call]:
    """For each floating input, the same call with its memory transposed."""
    return [call.with_tensor(i, t.t().contiguous().t()) for i, t in _floating(call)]


def _floating(call: Call) -> list[tuple[int, Tensor]]:
    return [(i, t) for i, t in enumerate(call.tensors) if t is not None and t.is_floating_point()]


@contextlib.contextmanager
def _new_memory_is_nan() -> Iterator[None]:
    """PyTorch fills new memory with NaN, so that a result that depends on it is NaN."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def _parts(count: int) -> Iterator[tuple[int, ...]]:
    """The subsets of `count` indices with one element, and those without one element."""
    yield from itertools.combinations(range(count), 1)
    if count > 2:
        yield from itertools.combinations(range(count), count - 1)


def _leaves(call: Call, wanted: Collection[int]) -> Call:
    leaves = call.map(torch.clone).leaves()
    for i, leaf in enumerate(leaves.floats):
        leaf.requires_grad_(i in wanted)
    return leaves


def _backward(
    case: OpCase, call: Call, wanted: Collection[int], grads: Sequence[Tensor]
) -> tuple[list[Tensor | None], set[str]]:
    """The gradients of the floating inputs in `wanted`, and the names of the saved tensors.

    Inputs that were not saved are overwritten before the backward.
    """
    leaves = _leaves(call, wanted)
    saved: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        results = leaves.run(case.op)
    addresses = {t.data_ptr() for t in saved}
    outputs, arriving = recorded(results, grads)
    if not outputs:
        return [None] * len(leaves.floats), set()
    names = [operand.name for operand in case.inputs]
    named = [*zip(names, leaves.tensors, strict=True)]
    named += zip([output.name for output in case.outputs], results, strict=True)
    kept = {name for name, t in named if t is not None and t.data_ptr() in addresses}
    with torch.no_grad():
        for name, tensor in named[: len(names)]:
            if tensor is not None and name not in kept:
                tensor.fill_(float("nan") if tensor.is_floating_point() else 1)
    places = sorted(wanted)
    found = torch.autograd.grad(
        outputs, [leaves.floats[i] for i in places], arriving, allow_unused=True
    )
    gradients: list[Tensor | None] = [None] * len(leaves.floats)
    for i, grad in zip(places, found, strict=True):
        gradients[i] = grad
    return gradients, kept


def _tangent(function: Callable[..., Any], call: Call, i: int) -> Tensor:
    """The tangent of the gradient of the floating input `i`, with the others fixed."""
    floats = [t.detach() for t in call.floats]
    bound = call.bind(function)

    def total(x: Tensor) -> Tensor:
        outputs = bound(*floats[:i], x, *floats[i + 1 :])
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        return torch.stack([out.sin().sum() for out in outputs]).sum()

    return func.jvp(func.grad(total), (floats[i],), (torch.cos(floats[i]),))[1]


def _second(
    function: Callable[..., Any], call: Call, wanted: Collection[int]
) -> tuple[Tensor, ...]:
    leaves = _leaves(call, wanted)
    chosen = [leaves.floats[i] for i in sorted(wanted)]
    weights = torch.Generator().manual_seed(SEED)
    results = [out for out in leaves.run(function) if is_differentiable(out)]
    arriving = [
        torch.rand(out.shape, generator=weights).to(out).requires_grad_() for out in results
    ]
    outputs, grads = recorded(results, arriving)
    if not outputs:
        return tuple(torch.zeros_like(t) for t in (*chosen, *arriving))
    first = torch.autograd.grad(
        outputs, chosen, grads, create_graph=True, allow_unused=True, materialize_grads=True
    )
    total = torch.stack([(t * torch.cos(t.detach())).sum() for t in first]).sum()
    if not total.requires_grad:
        return tuple(torch.zeros_like(t) for t in (*chosen, *arriving))
    return torch.autograd.grad(
        total, [*chosen, *arriving], allow_unused=True, materialize_grads=True
    )
