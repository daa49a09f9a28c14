"""The torch runtime on the sample ops (tests/torch/ops): layouts, types, errors, other features."""

from __future__ import annotations

import itertools
import os

import pytest
import torch
from sample_ops import (
    CASES,
    OPS,
    C,
    each_case,
    lltm_cell,
    quantise,
    randn,
    runtime,
    same_bits,
    start,
    swiglu,
    total,
)
from torch import Tensor
from torch.library import opcheck

# -- layouts: the same strides as native ops, for fake tensors too


def layouts() -> list[Tensor]:
    base = torch.randn(2, 3, 4, 5)
    return [
        base,
        base.contiguous(memory_format=torch.channels_last),
        torch.randn(5, 4, 3, 2).permute(3, 2, 1, 0),
        torch.randn(3, 2, 5, 4).permute(1, 0, 3, 2),
        torch.randn(2, 3, 4, 10)[..., ::2],
        torch.randn(2, 3, 9, 5)[:, :, 2:6],
        torch.randn(4, 5),
        torch.randn(5, 4).t(),
        torch.randn(3, 1, 1),
        torch.randn(1, 3, 1, 1).contiguous(memory_format=torch.channels_last),
        torch.randn(5),
        torch.randn(()),
        torch.randn(1, 1).expand(4, 5),
        torch.randn(2, 1, 4, 5).expand(2, 3, 4, 5),
        torch.randn(4, 1),
    ]


@pytest.mark.parametrize("empty", [False, True])
def test_strides_are_native(empty):
    from torch._subclasses import FakeTensorMode

    for x, y in itertools.product(layouts(), repeat=2):
        if empty:
            x, y = (t[..., :0] if t.dim() and t.shape[-1] == 5 else t for t in (x, y))
        try:
            native = torch.mul(x, y)
        except RuntimeError:
            continue
        ours = C.swiglu(x, y)
        torch.testing.assert_close(ours, swiglu(x, y))
        assert ours.stride() == native.stride(), (x.shape, x.stride(), y.shape, y.stride())
        with FakeTensorMode(allow_non_fake_inputs=False) as mode:
            fake = [mode.from_tensor(t) for t in (x, y)]
            assert C.swiglu(*fake).stride() == ours.stride()
            metas = OPS.swiglu_backward(mode.from_tensor(ours), *fake, [True, True])
        grads = OPS.swiglu_backward(ours, x, y, [True, True])
        for t, grad, meta in zip((x, y), grads, metas, strict=False):
            assert grad.stride() == meta.stride()
            assert grad.stride() == torch.empty_like(t).stride() or grad.numel() == 0


def test_packed_parts_are_read_in_place():
    gates, cell = randn(3, 7, 12, grad=False), randn(3, 7, 4, grad=False)
    for g, c in (
        (gates, cell),
        (gates.transpose(0, 1), cell.transpose(0, 1)),
        (randn(3, 7, 24, grad=False)[..., 1::2], cell),
        (randn(12, 3, 7, grad=False).permute(1, 2, 0), cell),
        (gates[:, :1], cell),
    ):
        g, c = g.detach().requires_grad_(), c.detach().requires_grad_()
        torch.testing.assert_close(C.lltm_cell(g, c), lltm_cell(g, c))
        ours, theirs = (
            torch.autograd.grad(total(f(g, c)), (g, c)) for f in (C.lltm_cell, lltm_cell)
        )
        torch.testing.assert_close(ours, theirs)


def test_mixed_dtypes():
    dtypes = [torch.half, torch.bfloat16, torch.float, torch.double, torch.int32, torch.bool]
    for a, b in itertools.product(dtypes, repeat=2):
        for shapes in (((3, 4), (3, 4)), ((3, 4), ()), ((), ())):
            x, y = (torch.ones(s, dtype=d) for s, d in zip(shapes, (a, b), strict=False))
            expected = torch.sigmoid(torch.mul(x, y)).dtype
            assert C.swiglu(x, y).dtype == expected, (a, b, shapes)


def test_many_dimensions():
    x = torch.randn([2] * 14)
    y = torch.randn(1, *[2] * 13)
    torch.testing.assert_close(C.swiglu(x, y), swiglu(x, y))
    with pytest.raises(RuntimeError, match="swiglu: more than 12 dimensions that cannot be merged"):
        C.swiglu(x, x.permute(*range(13, -1, -1)))


def test_negative_views():
    x, y = randn(3, 4, grad=False), randn(4, grad=False)
    torch.testing.assert_close(C.swiglu(torch.ops.aten._neg_view(x), y), swiglu(-x, y))


# -- outputs of other types, and rounding to the type of an input


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


def test_inductor_calls_the_op_at_any_size():
    compiled = torch.compile(
        lambda x, y: OPS.swiglu.default(x, y) * 2, fullgraph=True, dynamic=True
    )
    for size in (16, 24):
        x, y = torch.randn(4, size), torch.randn(4, size)
        torch.testing.assert_close(compiled(x, y), swiglu(x, y) * 2)


# -- errors


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


# -- out=


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


@pytest.mark.parametrize("gates_shape", [(0, 12), (1, 0, 12), (2, 0, 12), (5, 1, 0, 12)])
def test_gradients_where_a_packed_input_is_empty_and_another_is_not(gates_shape):
    gates, cell = randn(*gates_shape), randn(2, 1, 4)
    ours, theirs = (
        torch.autograd.grad(total(op(gates, cell)), (gates, cell))
        for op in (C.lltm_cell, lltm_cell)
    )
    torch.testing.assert_close(ours, theirs)
    assert ours[1].shape == (2, 1, 4)


# -- the rest of PyTorch


@each_case
def test_opcheck(case):
    op, _, args = start(case)
    packet = getattr(OPS, op.__name__)
    opcheck(packet.default, args)
    outputs = packet(*args)
    outputs = [o.detach() for o in ((outputs,) if isinstance(outputs, Tensor) else outputs)]
    if op.__name__ == "swiglu":
        opcheck(OPS.swiglu_backward.default, (torch.ones_like(outputs[0]), *args, [True, True]))
        opcheck(OPS.swiglu_backward.default, (torch.ones_like(outputs[0]), *args, [False, True]))
    if op.__name__ == "lltm_cell":
        for shape in (args[1].detach(), None):
            opcheck(
                OPS.lltm_cell_backward.default,
                (outputs[0], None, args[0].detach(), outputs[1], shape, [True, True]),
            )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("overload", ["default", "decomposition"])
@pytest.mark.parametrize(
    "name", ["swiglu", "lltm_cell", "no_bias", "gated_add", "gated_add_rows", "gated_add_same"]
)
def test_compile(name, overload, dynamic):
    torch._dynamo.reset()  # one function serves all cases, and would be compiled again too often
    op, reference, make = CASES[name]
    packet = getattr(getattr(OPS, op.__name__), overload)
    args = make()
    compiled = torch.compile(
        lambda *a: total(packet(*a)), fullgraph=True, dynamic=dynamic, backend="aot_eager"
    )
    ours = torch.autograd.grad(compiled(*args), args)
    torch.testing.assert_close(ours, torch.autograd.grad(total(reference(*args)), args))


def test_compile_switch():
    seen = []

    def backend(module, _):
        seen.extend(str(node.target) for node in module.graph.nodes if node.op == "call_function")
        return module

    x, y = torch.randn(3, 4), torch.randn(4)

    def targets() -> list[str]:
        torch._dynamo.reset()  # so that the backend sees the graph of each call
        seen.clear()
        function = torch.compile(
            lambda: runtime.call_compiled("swiglu", OPS.swiglu, x, y),
            fullgraph=True,
            backend=backend,
        )
        torch.testing.assert_close(function(), swiglu(x, y))
        return list(seen)

    assert targets() == ["fusewise_test.swiglu.decomposition"]
    runtime.set_opaque(True, "swiglu")
    assert targets() == ["fusewise_test.swiglu.default"]
    runtime.set_opaque(False)
    assert targets() == ["fusewise_test.swiglu.decomposition"]


@pytest.mark.parametrize("opaque", [False, True])
def test_compile_out(opaque):

    def function(x: Tensor, gates: Tensor, *outs: Tensor) -> tuple[Tensor, ...]:
        out = runtime.call_compiled("swiglu", OPS.swiglu, x, x, out=outs[0])
        both = runtime.call_compiled("lltm_cell", OPS.lltm_cell, gates, x, out=outs[1:])
        return out + 1, *both

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    x, gates = torch.randn(3, 4), torch.randn(3, 12)
    expected = (swiglu(x, x), *lltm_cell(gates, x))
    outs = tuple(torch.empty(4, 3).t() for _ in expected)
    runtime.set_opaque(opaque)
    found = compiled(x, gates, *outs)
    runtime.set_opaque(False)
    torch.testing.assert_close(outs, expected)
    torch.testing.assert_close(found, (expected[0] + 1, *expected[1:]))
    compiled = torch.compile(function, backend="aot_eager")
    for wrong, text in (
        (torch.empty(4, 4), r"swiglu: out must have shape \[3, 4\]"),
        (torch.empty(3, 4).half(), "swiglu: out must have dtype float32, got float16"),
    ):
        with pytest.raises(RuntimeError, match=text):
            compiled(x, gates, wrong, *outs[1:])


@pytest.mark.parametrize("overload", ["default", "decomposition"])
def test_export(overload):
    class Model(torch.nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            return getattr(OPS.swiglu, overload)(x, y)

    args = (torch.randn(3, 4), torch.randn(4))
    program = torch.export.export(
        Model(), args, dynamic_shapes={"x": {0: torch.export.Dim("n")}, "y": {}}
    )
    torch.testing.assert_close(
        program.module()(torch.randn(5, 4), args[1]).shape, torch.Size([5, 4])
    )
    if overload == "default":
        assert "fusewise_test.swiglu" in str(program.graph)


def test_autocast_promotes_like_native():
    x, y = torch.randn(3, 4, dtype=torch.bfloat16), torch.randn(3, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert C.swiglu(x, y).dtype == torch.mul(x, y).dtype
        assert C.swiglu(x, x).dtype == torch.bfloat16


def test_inference_mode():
    with torch.inference_mode():
        x = torch.randn(3, 4)
        torch.testing.assert_close(C.swiglu(x, x), swiglu(x, x))
        C.swiglu(x, x, out=torch.empty(3, 4))


def test_modes_and_subclasses():
    from torch.overrides import TorchFunctionMode

    x, y = torch.randn(3, 4), torch.randn(4)
    seen = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            seen.append((function, args, kwargs))
            return function(*args, **(kwargs or {}))

    with Mode():
        C.swiglu(x, y)
        C.bias_gelu(x, alpha=2.0)
    assert [len(args) for _, args, _ in seen] == [2, 1]
    assert seen[1][2] == {"alpha": 2.0}

    class Sub(torch.Tensor):
        pass

    assert type(C.swiglu(x.as_subclass(Sub), y)) is Sub
    assert type(C.swiglu(torch.nn.Parameter(x), y)) is Tensor


def test_wrapper_subclass():
    from torch.testing._internal.two_tensor import TwoTensor

    a = TwoTensor(torch.randn(3, 4), torch.randn(3, 4)).requires_grad_()
    C.swiglu(a, a).sum().backward()
    assert type(a.grad) is TwoTensor


def test_function_tracing():
    from torch.fx.experimental.proxy_tensor import make_fx

    x, y = torch.randn(3, 4), torch.randn(4)
    for mode in ("real", "fake", "symbolic"):
        graph = make_fx(lambda a, b: C.swiglu(a, b), tracing_mode=mode)(x, y)
        torch.testing.assert_close(graph(x, y), swiglu(x, y))
    torch.testing.assert_close(torch.func.functionalize(C.swiglu)(x, y), swiglu(x, y))


def test_compose():
    n = 4
    args = (randn(3, 5), randn(3 * n, n + 5), randn(3 * n), randn(3, n), randn(3, n))

    def reference(input, weights, bias, old_h, old_cell):  # noqa: A002
        return lltm_cell(
            torch.nn.functional.linear(torch.cat([old_h, input], 1), weights, bias), old_cell
        )

    for op in (C.lltm, OPS.lltm.decomposition):
        torch.testing.assert_close(op(*args), reference(*args))
        ours, theirs = (torch.autograd.grad(total(f(*args)), args) for f in (op, reference))
        torch.testing.assert_close(ours, theirs)
