"""Layouts other than strided: nested tensors, and sparse incoming gradients."""

from __future__ import annotations

import contextlib

import pytest
import torch
from sample_ops import OPS, C, gated_add, lltm_cell, randn, swiglu
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")


def values(tensor: Tensor) -> Tensor:
    return tensor.values() if tensor.is_nested else tensor


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
    offsets, last = torch.tensor([0, 2, 5]), torch.tensor([0, 2, 3])
    x = torch.nested.nested_tensor_from_jagged(torch.randn(5, 4), offsets)
    rows = torch.nested.nested_tensor_from_jagged(torch.tensor([1, 3, 0, 2, 3]), offsets)
    found = package.causal_softmax(x, rows)
    assert found.layout == torch.jagged
    torch.testing.assert_close(found.values(), package.causal_softmax(x.values(), rows.values()))
    message = (
        r"causal_softmax: last of shape \[3\] does not broadcast with x of shape \[2, j\d+, 4\]"
    )
    with pytest.raises(RuntimeError, match=message):
        package.causal_softmax(x, last)


JAGGED = {
    "rms_norm": lambda package, x: package.rms_norm(
        x, torch.arange(8.0)
    ),  # PyTorch's has other arguments
    "layer_norm": lambda package, x: package.layer_norm(x, torch.arange(8.0), torch.arange(8.0)),
    "log_softmax": lambda package, x: package.log_softmax(x),
    "swiglu_oai": lambda package, x: package.swiglu_oai(x),  # interleaved parts
    "mish_activation": lambda package, x: package.mish_activation(x),
    "kl_divergence": lambda package, x: package.kl_divergence(x, x * 2),  # one number a row
}


@pytest.mark.parametrize("name", JAGGED)
def test_jagged_nested_tensors_take_the_kernels(package, name):
    """Outputs, gradients and second gradients are those of the values, to the last bit."""
    x = nested(torch.jagged, width=8, grad=True)
    plain = x.values().detach().requires_grad_()
    results = []
    for leaf in (x, plain):
        out = JAGGED[name](package, leaf)
        (first,) = torch.autograd.grad(values(out).sin().sum(), leaf, create_graph=True)
        (second,) = torch.autograd.grad(values(first).square().sum(), leaf)
        results.append([values(out), values(first), values(second)])
    torch.testing.assert_close(*results, rtol=0, atol=0)


def test_jagged_results_may_change_in_place(package):
    x = nested(torch.jagged, width=8, grad=True)
    plain = x.values().detach().requires_grad_()
    grads = []
    for leaf in (x, plain):
        out = package.silu_and_mul(leaf).mul_(2)
        grads.append(values(torch.autograd.grad(values(out).sum(), leaf)[0]))
    torch.testing.assert_close(*grads)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        package.softmax(x).mul_(2).values().sum().backward()  # the gradient reads the result


@pytest.mark.parametrize("sizes", [(2, 1, 4), (1, 1, 4), (2, 1, 1), (1, 4), (4,), (1, 1, 1, 1), ()])
def test_plain_tensors_that_broadcast_with_jagged_ones(sizes):
    x, grads = nested(torch.jagged, grad=True), []
    plain = torch.randn(sizes, requires_grad=True)
    padded = torch.randn(2, 3, 4)
    for k, item in enumerate(x.unbind()):
        padded[k, : len(item)] = item.detach()
    is_given = torch.tensor([[True, True, False], [True, True, True]])
    for nest in (True, False):
        out = (
            C.swiglu(x, plain).values()
            if nest
            else swiglu(padded, plain).reshape(2, 3, 4)[is_given]
        )
        grads.append((out.detach(), *torch.autograd.grad(out.sum(), plain)))
    torch.testing.assert_close(*grads)


def test_jagged_nested_tensors_that_do_not_fit(package):
    x, y = nested(torch.jagged), nested(torch.jagged)
    different = (
        r"y of shape \[2, j\d+, 4\] and x of shape \[2, j\d+, 4\] are nested tensors of different "
    )
    for call, error, message in (
        (lambda: C.swiglu(x, y), RuntimeError, f"swiglu: {different}structure; their offsets must"),
        (
            lambda: C.swiglu(x, torch.randn(2, 3, 4)),
            RuntimeError,
            r"swiglu: y of shape \[2, 3, 4\] does not",
        ),
        (
            lambda: C.swiglu(x, torch.randn(3, 1, 4)),
            RuntimeError,
            r"swiglu: y of shape \[3, 1, 4\] does not",
        ),
        (
            lambda: C.swiglu(x, torch.randn(5, 4)),
            RuntimeError,
            r"swiglu: y of shape \[5, 4\] does not",
        ),
        (
            lambda: C.swiglu(x, torch.randn(2, 2, 1, 4)),
            RuntimeError,
            r"swiglu: y of shape \[2, 2, 1, 4\] does",
        ),
        (
            lambda: package.softmax(x.transpose(1, 2)),
            NotImplementedError,
            "softmax: x of shape .* is ragged in",
        ),
    ):
        with pytest.raises(error, match=message):
            call()


def test_jagged_nested_tensors_that_are_ragged_in_another_dimension():
    x = nested(torch.jagged)
    found = C.swiglu(x.transpose(1, 2), torch.ones(4, 1))
    assert found.shape[2] == x.shape[1]
    torch.testing.assert_close(found.transpose(1, 2).values(), swiglu(x.values(), torch.ones(4)))
    batch = torch.randn(2, 4, 1)
    found = C.swiglu(x.transpose(1, 2), batch).transpose(1, 2)
    for part, item, row in zip(found.unbind(), x.unbind(), batch, strict=True):
        torch.testing.assert_close(part, swiglu(item, row.squeeze(-1)))


@pytest.mark.parametrize("opaque", [True, False])
def test_compiled_jagged_nested_tensors(package, opaque):
    x, row = nested(torch.jagged, width=8, grad=True), torch.rand(8, requires_grad=True)

    def layer(x, row):
        return package.swiglu(package.rms_norm(x, row), x)

    package.set_opaque(opaque)
    try:
        results = []
        for f in (layer, torch.compile(layer, fullgraph=True, backend="aot_eager")):
            out = f(x, row).values()
            grads = torch.autograd.grad(out.sum(), (x, row))
            results.append((out, grads[0].values(), grads[1]))
    finally:
        package.set_opaque(False)
    torch.testing.assert_close(*results)


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
