"""Dtypes: promotion, outputs of other dtypes than the inputs, rounding to the dtype of an input."""

from __future__ import annotations

import itertools

import pytest
import torch
from sample_ops import (
    OPS,
    C,
    quantise,
    randn,
    same_bits,
)
from torch import Tensor
from torch.library import opcheck

pytestmark = pytest.mark.usefixtures("sample_ops")


def test_mixed_dtypes():
    dtypes = [torch.half, torch.bfloat16, torch.float, torch.double, torch.int32, torch.bool]
    for a, b in itertools.product(dtypes, repeat=2):
        for shapes in (((3, 4), (3, 4)), ((3, 4), ()), ((), ())):
            x, y = (torch.ones(s, dtype=d) for s, d in zip(shapes, (a, b), strict=False))
            expected = torch.sigmoid(torch.mul(x, y)).dtype
            assert C.swiglu(x, y).dtype == expected, (a, b, shapes)


FLOATS = (torch.half, torch.bfloat16, torch.float, torch.double)


@pytest.mark.parametrize("dtypes", list(itertools.product(FLOATS, repeat=2)), ids=str)
def test_output_dtypes(dtypes):
    torch.manual_seed(0)
    x, y = (3 * torch.randn(5, 7, dtype=torch.double).to(dtype) for dtype in dtypes)
    given = [t.clone().requires_grad_() for t in (x, y)]
    grads = []
    for f in (C.quantise, OPS.quantise.decomposition, quantise):
        outputs = f(*given)
        assert [t.requires_grad for t in outputs] == [True, False, False, True]
        assert all(map(same_bits, outputs, quantise(x, y)))
        loss = (outputs[0] * 3).sum() + (outputs[3] * 2).sum()
        grads.append(torch.autograd.grad(loss, given))
    for ours in grads[:2]:
        for grad, wanted in zip(ours, grads[2], strict=True):
            rtol = 2e-2 if wanted.itemsize == 2 else 1e-5  # the reference rounds in between
            torch.testing.assert_close(grad, wanted, rtol=rtol, atol=rtol)
    meta = OPS.quantise(*(t.to("meta") for t in (x, y)))
    assert [t.dtype for t in meta] == [torch.float, torch.int8, torch.float8_e4m3fn, x.dtype]


def test_the_gradient_of_a_wide_output_is_not_rounded():
    x = torch.ones(1, dtype=torch.bfloat16, requires_grad=True)
    y = torch.full((1,), 1.5, dtype=torch.bfloat16)
    grad = torch.tensor([1 + 0.99 * 2**-8])  # in bfloat16, 1
    for f in (C.quantise, OPS.quantise.decomposition):
        (ours,) = torch.autograd.grad(f(x, y)[0], x, grad)
        assert ours.item() == 1.5078125


def test_rounding_has_the_gradient_of_the_identity():
    def same(x: Tensor, y: Tensor) -> Tensor:
        return C.quantise(x, y)[3]

    args = (randn(3, 4), randn(4))
    assert torch.autograd.gradcheck(same, args, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(same, args, check_batched_grad=True)
    # In half 1e-3 * 1e-3 is subnormal, 300 * 300 infinite and -1e-9 a zero.
    x = torch.tensor([1e-3, 300, torch.inf, -1e-9], dtype=torch.half, requires_grad=True)
    y = torch.tensor([1e-3, 300, 2, 1], requires_grad=True)
    wide = OPS.quantise.decomposition(x, y)[0]
    assert same_bits(wide, (x.float() * y).half().float() + y)
    (grad,) = torch.autograd.grad(wide.sum(), x)
    assert same_bits(grad, y.half())


def test_tangents_of_other_types():
    import torch.autograd.forward_ad as forward_ad

    x, y = (torch.randn(3, dtype=torch.bfloat16) for _ in range(2))
    with forward_ad.dual_level():
        outputs = C.quantise(forward_ad.make_dual(x, torch.ones_like(x)), y)
        tangents = [forward_ad.unpack_dual(t).tangent for t in outputs]
    assert [t if t is None else t.dtype for t in tangents] == [
        torch.float,
        None,
        None,
        torch.bfloat16,
    ]
    torch.testing.assert_close(tangents[0], y.float())


def test_nothing_is_recorded_for_outputs_without_a_gradient():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    x, scale = torch.randn(3, requires_grad=True), torch.tensor(0.5)
    with Mode():
        out = C.quantise_scale(x, scale)
    assert seen == ["fusewise_test.quantise_scale.default"]
    assert not out.requires_grad
    assert same_bits(out, (x / scale).to(torch.float8_e5m2))


def test_float8_decompositions_do_not_overflow_to_nan():
    x = torch.tensor([1e9, -500.0, 449, torch.inf, torch.nan])
    for f in (C.quantise, OPS.quantise.decomposition):
        assert f(x, torch.ones(5))[2].view(torch.uint8).tolist() == [126, 254, 126, 126, 127]


@pytest.mark.parametrize("mask", [True, False])
def test_integers_that_give_floats(mask):
    index = torch.tensor([2**40 + 1, 3, -7])
    keep = torch.tensor([True, mask, True])
    for name, dtype in (("dequantise", torch.float), ("dequantise_double", torch.double)):
        wanted = torch.where(keep, index.to(dtype) * 0.25, 0)
        for f in (getattr(C, name), getattr(OPS, name).decomposition):
            assert same_bits(f(index, keep, scale=0.25), wanted)
        small = index.to(torch.int8)
        assert same_bits(getattr(C, name)(small, keep), torch.where(keep, small.to(dtype) * 0.1, 0))
        assert getattr(OPS, name)(index.to("meta"), keep.to("meta")).dtype == dtype
    opcheck(OPS.dequantise.default, (index, keep))


def test_out_of_other_types():
    x, y = torch.randn(3, 4).bfloat16(), torch.randn(4).bfloat16()
    wanted = quantise(x, y)
    out = tuple(torch.empty_like(t) for t in wanted)
    C.quantise(x, y, out=out)
    assert all(map(same_bits, out, wanted))
    for k, name in enumerate(("float32", "int8", "float8_e4m3fn", "bfloat16")):
        bad = (*out[:k], torch.empty(3, 4, dtype=torch.int32), *out[k + 1 :])
        with pytest.raises(RuntimeError, match=f"out must have dtype {name}, got int32"):
            C.quantise(x, y, out=bad)


@pytest.mark.parametrize("dtypes", list(itertools.product(FLOATS, repeat=2)), ids=str)
def test_vmap_of_other_types(dtypes):
    for shapes in (((3, 5), (3, 5)), ((3,), (3, 5)), ((3, 5), (3,)), ((3,), (5,))):
        x, y = (torch.randn(s).to(d) for s, d in zip(shapes, dtypes, strict=True))
        in_dims = (0, 0 if y.shape[0] == 3 else None)
        ours = torch.vmap(C.quantise, in_dims)(x, y)
        ys = y if in_dims[1] == 0 else y.expand(3, 5)
        loop = [C.quantise(a, b) for a, b in zip(x, ys, strict=True)]
        for batch, examples in zip(ours, zip(*loop, strict=True), strict=True):
            wanted = torch.stack([t if t.itemsize > 1 else t.view(torch.int8) for t in examples])
            if batch.dtype == torch.float8_e4m3fn:
                batch = batch.view(torch.int8)
            torch.testing.assert_close(batch, wanted)


def test_opcheck_of_other_types():
    x = torch.randn(3, 4, dtype=torch.bfloat16, requires_grad=True)
    y = torch.randn(4, requires_grad=True)
    # Not the check that sums outputs, which PyTorch cannot for float8; see the test of compile.
    checks = ("test_schema", "test_autograd_registration", "test_faketensor")
    opcheck(OPS.quantise.default, (x, y), test_utils=checks)
    opcheck(OPS.quantise_scale.default, (x, y), test_utils=checks)
    wide = torch.randn(3, 4)
    needs = [True, True]
    opcheck(OPS.quantise_backward.default, (wide, None, x.detach(), y.detach(), needs))


@pytest.mark.parametrize(
    ("overload", "backend"),
    [("default", "aot_eager"), ("decomposition", "aot_eager"), ("decomposition", "inductor")],
)
def test_compile_of_other_types(overload, backend):
    x = torch.randn(3, 4, dtype=torch.bfloat16, requires_grad=True)
    y = torch.randn(4, requires_grad=True)
    packet = getattr(OPS.quantise, overload)
    compiled = torch.compile(lambda *a: packet(*a), fullgraph=True, backend=backend)
    outputs = compiled(x, y)
    assert [t.requires_grad for t in outputs] == [True, False, False, True]
    assert all(map(same_bits, outputs, quantise(x, y)))
    ours, theirs = (
        torch.autograd.grad(o[0].sum() + o[3].sum(), (x, y)) for o in (outputs, C.quantise(x, y))
    )
    torch.testing.assert_close(ours, theirs)
