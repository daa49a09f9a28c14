"""Layouts other than strided: nested tensors, and sparse incoming gradients."""

from __future__ import annotations

import contextlib

import pytest
import torch
from sample_ops import OPS, C, gated_add, lltm_cell, randn, swiglu
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")

MODES = {
    "grad": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}
each_mode = pytest.mark.parametrize("mode", MODES)


def nested(layout: torch.layout, *, width: int = 4, grad: bool = False) -> Tensor:
    parts = [torch.randn(2, width), torch.randn(3, width)]
    return torch.nested.nested_tensor(parts, layout=layout, requires_grad=grad)


@each_mode
@pytest.mark.parametrize("inside", [False, True])
def test_strided_nested_tensors_are_refused(mode, inside):
    row, out = torch.randn(4), torch.empty(3, 4)
    outside = nested(torch.strided, grad=True)
    with MODES[mode]():
        a = nested(torch.strided, grad=True) if inside else outside
        for call, name in (
            (lambda: C.swiglu(a, a), "swiglu: x"),
            (lambda: C.swiglu(row, a), "swiglu: y"),
            (lambda: C.lltm_cell(a, row), "lltm_cell: gates"),
            (lambda: OPS.swiglu(a, row), "swiglu: x"),
            (lambda: OPS.swiglu.decomposition(a, row), "swiglu: x"),
            (lambda: OPS.swiglu.out(a.detach(), row, out=out), "swiglu: x"),
            (lambda: OPS.swiglu_backward(row, a, row, [True, True]), "swiglu_backward: x"),
        ):
            message = f"{name} is a strided nested tensor; supported are jagged ones"
            with pytest.raises(NotImplementedError, match=message):
                call()


@each_mode
@pytest.mark.parametrize("inside", [False, True])
def test_jagged_nested_tensors(mode, inside):
    for op, reference, width in ((C.swiglu, swiglu, 4), (C.lltm_cell, lltm_cell, 12)):
        outside, row = nested(torch.jagged, width=width), torch.randn(4)
        with MODES[mode]():
            a = nested(torch.jagged, width=width) if inside else outside
            outputs = op(a, row)
            wanted = reference(a.values(), row)
            outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
            wanted = (wanted,) if isinstance(wanted, Tensor) else wanted
            for ours, theirs in zip(outputs, wanted, strict=True):
                assert ours.layout == torch.jagged
                torch.testing.assert_close(ours.values(), theirs)


def test_gradients_of_jagged_nested_tensors():
    a = nested(torch.jagged, grad=True)
    results = []
    for f in (C.swiglu, swiglu):
        out = f(a, a * 2)
        results.append((out.values(), torch.autograd.grad(out.values().sum(), a)[0].values()))
    torch.testing.assert_close(*results)


def test_rows_of_a_jagged_nested_tensor(package):
    x, last = nested(torch.jagged), torch.tensor([0, 2, 3])
    rows = torch.nested.nested_tensor_from_jagged(torch.tensor([1, 3, 0, 2, 3]), x.offsets())
    found = package.causal_softmax(x, rows)
    assert found.layout == torch.jagged
    torch.testing.assert_close(found.values(), package.causal_softmax(x.values(), rows.values()))
    with pytest.raises(ValueError, match="expected condition to be a jagged layout"):
        package.causal_softmax(x, last)  # PyTorch's where takes no other condition


def test_gradients_of_packed_jagged_nested_tensors(package):
    x = nested(torch.jagged, width=8, grad=True)
    plain = x.values().detach().requires_grad_()
    out, other = package.silu_and_mul(x), package.silu_and_mul(plain)
    (grad,), (wanted,) = (
        torch.autograd.grad(result.sum(), leaf)
        for result, leaf in ((out.values(), x), (other, plain))
    )
    torch.testing.assert_close(grad.values(), wanted)


def sparse(grad: bool = False) -> Tensor:
    dense = torch.randn(4, 4).double() * (torch.rand(4, 4) < 0.5)
    return dense.to_sparse_coo().coalesce().requires_grad_(grad)


def test_sparse_gradients_that_arrive():
    x, grad = randn(4, 4), sparse()
    for y in (randn(4, 4), randn(4)):  # torch.mul cannot sum a sparse gradient
        found = torch.autograd.grad(C.swiglu(x, y), (x, y), grad)
        wanted = torch.autograd.grad(swiglu(x, y), (x, y), grad.to_dense())
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("fused", [True, False], ids=["swiglu", "mul"])
def test_sparse_gradients_in_the_double_backward(fused):
    op = C.swiglu if fused else torch.mul
    x, y, dense, second = randn(4, 4), randn(4, 4), randn(4, 4), sparse()
    found = []
    for grad in (sparse(grad=True), None):
        leaf = found[0][0].to_dense().requires_grad_() if grad is None else grad
        first = torch.autograd.grad(op(x, y), (x, y), leaf, create_graph=True)
        loss = (first[0].to_dense() * first[1].to_dense()).sum()
        found.append((leaf.detach(), *torch.autograd.grad(loss, (leaf, x, y))))
    (grad, of_grad, *ours), (_, of_leaf, *theirs) = found
    torch.testing.assert_close([t.to_dense() for t in ours], theirs)
    torch.testing.assert_close(of_grad.to_dense(), torch.where(grad.to_dense() != 0, of_leaf, 0))
    first = torch.autograd.grad(op(x, y), (x, y), dense, create_graph=True)
    ours, theirs = (
        [t.to_dense() for t in torch.autograd.grad(first[0], wanted, arriving, retain_graph=True)]
        for wanted in [(dense, x, y) if fused else (dense, y)]
        for arriving in (second, second.to_dense())
    )
    torch.testing.assert_close(ours, theirs)


def test_a_sparse_gradient_is_forwarded_as_it_is():
    """torch.add forwards it too."""
    x, y, a, b = (randn(4, 4) for _ in range(4))
    grad = sparse()
    grad_x, grad_y, grad_a, grad_b = torch.autograd.grad(
        C.gated_add(x, y, a, b), (x, y, a, b), grad
    )
    assert grad_x.is_sparse
    assert grad_y.is_sparse
    wanted = torch.autograd.grad(gated_add(x, y, a, b), (x, y, a, b), grad.to_dense())
    found = (grad_x.to_dense(), grad_y.to_dense(), grad_a, grad_b)
    torch.testing.assert_close(found, wanted)


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
def test_compressed_gradients_are_refused_by_the_engine():
    x, y = randn(4, 4), randn(4, 4)
    for op in (C.swiglu, torch.mul):
        with pytest.raises(RuntimeError, match="expected layout Strided but got SparseCsr"):
            torch.autograd.grad(op(x, y), (x, y), torch.randn(4, 4).double().to_sparse_csr())
