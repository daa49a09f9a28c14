"""Calls of the sample ops: error messages, threads, `out=`."""

from __future__ import annotations

import os

import pytest
import torch
from sample_ops import (
    OPS,
    C,
    lltm_cell,
    randn,
    same_bits,
    swiglu,
)
from torch import Tensor
from torch.library import opcheck

pytestmark = pytest.mark.usefixtures("sample_ops")


def test_errors():
    x = torch.randn(3, 4)
    for call, error, text in (
        (
            lambda: C.swiglu(x, torch.randn(5)),
            RuntimeError,
            r"swiglu: y of shape \[5\] does not broadcast",
        ),
        (
            lambda: C.swiglu(x, x.to("meta")),
            RuntimeError,
            "swiglu: y must be on device cpu like x, got meta",
        ),
        (
            lambda: C.swiglu(x, x.to(torch.cfloat)),
            NotImplementedError,
            "swiglu: y has dtype complex64; supported",
        ),
        (
            lambda: C.swiglu(x.to(torch.float8_e4m3fn), x),
            NotImplementedError,
            "x has dtype float8_e4m3fn",
        ),
        (
            lambda: C.lltm_cell(torch.randn(3, 7), x),
            RuntimeError,
            "lltm_cell: gates: last dimension is 7, expected a multiple of 3",
        ),
        (lambda: C.swiglu(x.to_sparse(), x.to_sparse()), NotImplementedError, "has layout Sparse"),
        (lambda: C.swiglu(x), TypeError, r"swiglu\(\) missing required argument 'y'"),
        (lambda: C.swiglu(x, 1.0), TypeError, r"swiglu\(\): y must be a Tensor, got float"),
        (lambda: C.swiglu(x, x, z=x), TypeError, "unexpected keyword argument 'z'"),
        (lambda: C.swiglu(x, x, x=x), TypeError, "multiple values for argument 'x'"),
        (lambda: C.bias_gelu(x, bias=1), TypeError, "bias must be a Tensor or None, got int"),
    ):
        with pytest.raises(error, match=text):
            call()


class Calls(torch.utils.data.Dataset):
    """Each item is an op's result, large enough for several threads."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Tensor:
        x = torch.full((300, 400), float(index))
        return OPS.swiglu(x, x)


def test_forked_workers():
    """The parent's threads, which a fork does not copy, have run by then."""
    wanted = [item.clone() for item in map(Calls().__getitem__, range(4))]
    loader = torch.utils.data.DataLoader(
        Calls(), batch_size=None, num_workers=2, multiprocessing_context="fork", timeout=60
    )
    assert all(same_bits(ours, item) for ours, item in zip(loader, wanted, strict=True))


@pytest.mark.parametrize("shape", [(700, 300), (70_001,)])
def test_bits_do_not_depend_on_threads(shape):
    x, y, grad = (randn(*shape, dtype=torch.float, grad=False) for _ in range(3))
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 2 * (os.cpu_count() or 1) + 1):
            torch.set_num_threads(threads)
            row = y[:1] if y.dim() == 2 else y
            grads = OPS.swiglu_backward(grad, x, row, [True, True])
            results.append((OPS.swiglu(x, y), *grads))
    finally:
        torch.set_num_threads(before)
    for result in results[1:]:
        assert all(map(same_bits, result, results[0]))


def test_out():
    x, y = torch.randn(3, 4), torch.randn(4)
    out = torch.empty(4, 3).t()
    version = out._version
    assert C.swiglu(x, y, out=out) is out
    assert out.stride() == (1, 3)
    assert out._version > version
    torch.testing.assert_close(out, swiglu(x, y))
    empty = torch.empty(0)
    torch.testing.assert_close(C.swiglu(x, y, out=empty), swiglu(x, y))
    assert empty.shape == (3, 4)
    expected = swiglu(x, y)
    assert C.swiglu(x, y, out=x) is x
    torch.testing.assert_close(x, expected)
    h, c = torch.empty(3, 4), torch.empty(3, 4)
    gates = torch.randn(3, 12)
    C.lltm_cell(gates, x, out=(h, c))
    torch.testing.assert_close((h, c), lltm_cell(gates, x))
    meta = torch.empty(3, 4, device="meta")
    assert C.swiglu(meta, meta, out=meta) is meta
    opcheck(OPS.swiglu.out, (x, y), {"out": torch.empty(3, 4)}, test_utils="test_schema")


def test_out_errors():
    x = torch.randn(3, 4)
    base = torch.randn(24)
    for out, inputs, text in (
        (torch.empty(4, 4), (x, x), r"swiglu: out must have shape \[3, 4\], got \[4, 4\]"),
        (
            torch.empty(3, 4, dtype=torch.half),
            (x, x),
            "swiglu: out must have dtype float32, got float16",
        ),
        (torch.empty(3, 4, device="meta"), (x, x), "out must be on device cpu, got meta"),
        (torch.empty(4).expand(3, 4), (x, x), "single memory location"),
        (
            base[1:13].view(3, 4),
            (base[:12].view(3, 4), x),
            "swiglu: out may share memory with x; clone one of them",
        ),
        (
            torch.empty(3, 4),
            (x.clone().requires_grad_(), x),
            "don't support automatic differentiation",
        ),
        (torch.empty(3, 4, requires_grad=True), (x, x), "don't support automatic differentiation"),
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError), match=text):
            C.swiglu(*inputs, out=out)
    out = torch.empty(3, 4)
    with pytest.raises(RuntimeError, match="two tensors of out may share memory"):
        C.lltm_cell(torch.randn(3, 12), x, out=(out, out))
    with pytest.raises(TypeError, match="out must be a tuple of 2 Tensors"):
        C.lltm_cell(torch.randn(3, 12), x, out=out)
