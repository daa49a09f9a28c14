"""Compiled autograd of the sample ops, in one process without resets between graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch._dynamo.compiled_autograd as compiled_autograd
from sample_ops import (
    C,
    bias_gelu,
    each_case,
    gated_add,
    lltm_cell,
    quantise,
    randn,
    sample,
    start,
    swiglu,
    total,
)
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")

Grads = tuple[Tensor | None, ...]


@pytest.fixture(scope="module", params=["eager", "aot_eager", "inductor"])
def compiler(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """One compiler for all tests of a backend, because the tests are about its cache."""
    torch._dynamo.reset()  # clears the counts of graphs and recompilations of other modules
    yield torch.compile(backend=request.param, fullgraph=True)
    torch._dynamo.reset()


def compiled(compiler: Any, out: Tensor, wanted: list[Tensor], grad: Tensor | None = None) -> Grads:
    with compiled_autograd._enable(compiler):
        return torch.autograd.grad(out, wanted, grad, allow_unused=True)


# Two ops with the same inputs, shapes and saved tensors. Only their formulas differ.
ALIKE = (
    (sample("swiglu"), swiglu),
    (lambda x, y: C.quantise(x, y)[0], lambda x, y: quantise(x, y)[0]),
)


@each_case
def test_each_op(case, compiler):
    op, reference, args = start(case)
    with compiled_autograd._enable(compiler):
        total(op(*args)).backward()
    theirs = torch.autograd.grad(total(reference(*args)), args)
    torch.testing.assert_close(tuple(t.grad for t in args), theirs)


def test_two_ops_of_the_same_shapes_in_turn(compiler):
    for op, reference in (*ALIKE, *ALIKE):
        args = [randn(3, 4, dtype=torch.float) for _ in range(2)]
        ours = compiled(compiler, op(*args).sum(), args)
        torch.testing.assert_close(ours, torch.autograd.grad(reference(*args).sum(), args))


def test_two_ops_in_one_graph(compiler):
    ops = [op for op, _ in ALIKE]
    for first, second in (ops, ops[::-1]):
        args = [randn(3, 4), randn(3, 4)]
        out = second(first(*args), args[1]).sum()
        wanted = torch.autograd.grad(out, args, retain_graph=True)
        torch.testing.assert_close(compiled(compiler, out, args), wanted)


def test_params(compiler):
    for alpha in (1.0, 2.0, 1.0):
        x = randn(3, 4)
        ours = compiled(compiler, C.bias_gelu(x, alpha=alpha).sum(), [x])
        theirs = torch.autograd.grad(bias_gelu(x, alpha=alpha).sum(), [x])
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("leaves", [True, False])
def test_which_gradients_are_needed(compiler, leaves):
    for op, reference in ALIKE:
        for need in ((True, True), (True, False), (False, True), (True, True)):
            args = [randn(3, 4, grad=leaf and leaves) for leaf in need]
            if not leaves:  # all tensors require a gradient, but only some are requested
                args = [randn(3, 4).exp() for _ in need]
            wanted = [t for t, n in zip(args, need, strict=True) if n]
            ours = compiled(compiler, op(*args).sum(), wanted)
            torch.testing.assert_close(ours, torch.autograd.grad(reference(*args).sum(), wanted))


def test_an_input_that_is_none(compiler):
    for bias in (None, randn(3, 4, grad=False), None, randn(4, grad=False)):
        x = randn(3, 4)
        ours = compiled(compiler, C.bias_gelu(x, bias).sum(), [x])
        torch.testing.assert_close(ours, torch.autograd.grad(bias_gelu(x, bias).sum(), [x]))


def test_which_output_has_a_gradient(compiler):
    for k in (0, 1, 0):
        args = [randn(3, 12), randn(3, 4)]
        ours = compiled(compiler, C.lltm_cell(*args)[k].sum(), args)
        torch.testing.assert_close(ours, torch.autograd.grad(lltm_cell(*args)[k].sum(), args))


def test_shapes_and_types(compiler):
    for shape in ((3, 4), (4,), (3, 1), ()):
        for dtype in (torch.float, torch.double):
            args = [randn(3, 4), randn(*shape, dtype=dtype), randn(4), randn(3, 4)]
            ours = compiled(compiler, C.gated_add(*args).sin().sum(), args)
            theirs = torch.autograd.grad(gated_add(*args).sin().sum(), args)
            torch.testing.assert_close(ours, theirs)


def test_double_backward(compiler):
    for op, reference in (*ALIKE, *ALIKE):
        for k in (0, 1):
            args = [randn(3, 4, dtype=torch.float) for _ in range(2)]
            ours, theirs = (
                torch.autograd.grad(f(*args).sin().sum(), args, create_graph=True)[k].sin().sum()
                for f in (op, reference)
            )
            wanted = torch.autograd.grad(theirs, args)
            torch.testing.assert_close(compiled(compiler, ours, args), wanted)


def test_saved_tensor_hooks(compiler):
    for op, reference in ALIKE:
        args = [randn(3, 4), randn(3, 4)]
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            out = op(*args).sum()
        ours = compiled(compiler, out, args)
        torch.testing.assert_close(ours, torch.autograd.grad(reference(*args).sum(), args))
