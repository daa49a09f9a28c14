"""The torch runtime, on hand-written sample ops that look like generated ones (tests/runtime)."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch.library import opcheck

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "test_runtime"
TORCH = Path(torch.__file__).parent
OPS = torch.ops.fusewise_test

if shutil.which("g++") is None or shutil.which("ninja") is None:
    pytest.skip("needs g++ and ninja", allow_module_level=True)


def _build() -> Path:
    includes = [
        TORCH / "include",
        TORCH / "include/torch/csrc/api/include",
        sysconfig.get_path("include"),
    ]
    system = " ".join(f"-isystem {path}" for path in includes)
    objects = []
    lines = [
        f"flags = -std=c++20 -O1 -fopenmp -fPIC -fvisibility=hidden -Wall -Wextra -Werror {system} "
        f"-I{ROOT}/runtime/include",
        "rule compile",
        "  command = g++ $flags -MMD -MF $out.d -c $in -o $out",
        "  depfile = $out.d",
        "  deps = gcc",
        "rule link",
        f"  command = g++ -shared -fopenmp $in -o $out -L{TORCH}/lib "
        "-ltorch_python -ltorch_cpu -lc10",
    ]
    sources = [*(ROOT / "runtime/src").glob("*.cpp"), *(ROOT / "tests/runtime").glob("*.cpp")]
    for source in sorted(sources):
        objects.append(f"{source.stem}.o")
        lines.append(f"build {objects[-1]}: compile {source}")
    lines.append(f"build _C.so: link {' '.join(objects)}")
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "build.ninja").write_text("\n".join(lines) + "\n")
    done = subprocess.run(["ninja", "-j2"], cwd=BUILD, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    return BUILD / "_C.so"


def _module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


C = _module("_C", _build())
runtime = _module("_runtime", ROOT / "runtime/python/_runtime.py")
runtime.register_vmap("fusewise_test::swiglu", (None,))
runtime.register_vmap("fusewise_test::swiglu_backward", (1, 2))
runtime.register_vmap("fusewise_test::swiglu_double_backward", (2, 3, 4))
runtime.register_vmap("fusewise_test::bias_gelu", (None,))
runtime.register_vmap("fusewise_test::bias_gelu_backward", (1, 2))
runtime.register_vmap("fusewise_test::bias_gelu_double_backward", (2, 3, 4))
runtime.register_vmap("fusewise_test::lltm_cell", (None, None))
runtime.register_vmap("fusewise_test::lltm_cell_backward", (2, None))
runtime.register_vmap("fusewise_test::lltm_cell_double_backward", (2, 3, 4, 5))


def swiglu(x: Tensor, y: Tensor) -> Tensor:
    return torch.nn.functional.silu(x) * y


def bias_gelu(x: Tensor, bias: Tensor | None = None, alpha: float = 1.702) -> Tensor:
    u = x if bias is None else x + bias
    return u * torch.sigmoid(alpha * u)


def lltm_cell(gates: Tensor, old_cell: Tensor) -> tuple[Tensor, Tensor]:
    i, o, c = gates.chunk(3, -1)
    new_cell = old_cell + torch.nn.functional.elu(c) * torch.sigmoid(i)
    return torch.tanh(new_cell) * torch.sigmoid(o), new_cell


def randn(*shape: int, dtype: torch.dtype = torch.double, grad: bool = True) -> Tensor:
    return torch.randn(shape, dtype=dtype, requires_grad=grad)


# Op, what it stands for, arguments.
CASES = {
    "swiglu": (C.swiglu, swiglu, lambda: (randn(3, 4), randn(4))),
    "swiglu_same": (C.swiglu, swiglu, lambda: (randn(3, 4), randn(3, 4))),
    "swiglu_rows": (C.swiglu, swiglu, lambda: (randn(3, 1), randn(2, 1, 4))),
    "bias_gelu": (C.bias_gelu, bias_gelu, lambda: (randn(3, 4), randn(4))),
    "no_bias": (C.bias_gelu, bias_gelu, lambda: (randn(3, 4),)),
    "lltm_cell": (C.lltm_cell, lltm_cell, lambda: (randn(3, 12), randn(3, 4))),
    "lltm_cell_row": (C.lltm_cell, lltm_cell, lambda: (randn(3, 12), randn(4))),
}


@pytest.fixture(params=CASES, autouse=False)
def case(request: pytest.FixtureRequest):
    torch.manual_seed(0)
    op, reference, make = CASES[request.param]
    return op, reference, make()


def total(outputs: Tensor | tuple[Tensor, ...]) -> Tensor:
    outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
    return sum((t * (k + 1)).sin().sum() for k, t in enumerate(outputs))  # type: ignore[return-value]


# -- values and derivatives


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float, torch.double])
def test_forward(case, dtype):
    op, reference, args = case
    args = [t.detach().to(dtype) for t in args]
    torch.testing.assert_close(
        op(*args),
        reference(*(t.double() for t in args)),
        check_dtype=False,
        rtol=1e-2 if dtype.itemsize == 2 else None,
        atol=1e-2 if dtype.itemsize == 2 else None,
    )


def test_gradients(case):
    op, _, args = case
    assert torch.autograd.gradcheck(
        op, args, check_forward_ad=True, check_batched_grad=True, check_undefined_grad=True
    )
    assert torch.autograd.gradgradcheck(op, args, check_fwd_over_rev=True, check_batched_grad=True)


def test_third_order(case):
    op, reference, args = case

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


def test_incoming_gradients_of_any_layout(case):
    op, reference, args = case
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


def test_low_precision_gradients(case):
    op, reference, args = case
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


def test_second_backward_raises():
    out = C.swiglu(randn(3), randn(3)).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="second time"):
        out.backward()


def test_checkpoint_and_saved_tensor_hooks(case):
    from torch.utils.checkpoint import checkpoint

    op, reference, args = case
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


def test_func_transforms(case):
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

    op, reference, args = case
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
            "swiglu: y must be on cpu like x, got meta",
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
        (lambda: C.bias_gelu(x, alpha="a"), TypeError, "alpha must be a float, got str"),
        (lambda: C.bias_gelu(x, bias=1), TypeError, "bias must be a Tensor or None, got int"),
    ):
        with pytest.raises(error, match=text):
            call()


# -- out=


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
        (torch.empty(3, 4, device="meta"), (x, x), "must be on cpu"),
        (torch.empty(4).expand(3, 4), (x, x), "single memory location"),
        (
            base[1:13].view(3, 4),
            (base[:12].view(3, 4), x),
            "partially overlap|some elements of the input",
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
    with pytest.raises(RuntimeError, match="single memory location"):
        C.lltm_cell(torch.randn(3, 12), x, out=(out, out))
    with pytest.raises(TypeError, match="out must be a tuple of 2 Tensors"):
        C.lltm_cell(torch.randn(3, 12), x, out=out)


# -- the rest of PyTorch


def test_opcheck(case):
    op, _, args = case
    packet = getattr(OPS, op.__name__)
    opcheck(packet.default, args)
    outputs = packet(*args)
    outputs = [o.detach() for o in ((outputs,) if isinstance(outputs, Tensor) else outputs)]
    if op.__name__ == "swiglu":
        opcheck(OPS.swiglu_backward.default, (torch.ones_like(outputs[0]), *args, [True, True]))
        opcheck(OPS.swiglu_backward.default, (torch.ones_like(outputs[0]), *args, [False, True]))
    if op.__name__ == "lltm_cell":
        opcheck(
            OPS.lltm_cell_backward.default,
            (outputs[0], None, args[0].detach(), outputs[1], [True, True]),
        )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("overload", ["default", "composite"])
@pytest.mark.parametrize("name", ["swiglu", "lltm_cell", "no_bias"])
def test_compile(name, overload, dynamic):
    torch._dynamo.reset()
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
        torch._dynamo.reset()
        seen.clear()
        function = torch.compile(
            lambda: runtime.call_compiled("swiglu", OPS.swiglu, x, y),
            fullgraph=True,
            backend=backend,
        )
        torch.testing.assert_close(function(), swiglu(x, y))
        return list(seen)

    assert targets() == ["fusewise_test.swiglu.composite"]
    runtime.set_opaque(True, "swiglu")
    assert targets() == ["fusewise_test.swiglu.default"]
    runtime.set_opaque(False)
    assert targets() == ["fusewise_test.swiglu.composite"]


def test_compiled_autograd(case):
    import torch._dynamo.compiled_autograd as compiled_autograd

    op, reference, args = case
    torch._dynamo.reset()
    with compiled_autograd._enable(torch.compile(backend="aot_eager", fullgraph=True)):
        total(op(*args)).backward()
    theirs = torch.autograd.grad(total(reference(*args)), args)
    torch.testing.assert_close(tuple(t.grad for t in args), theirs)


def test_compiled_autograd_sees_params():
    import torch._dynamo.compiled_autograd as compiled_autograd

    torch._dynamo.reset()
    with compiled_autograd._enable(torch.compile(backend="aot_eager", fullgraph=True)):
        for alpha in (1.0, 2.0):
            x = randn(3, 4)
            C.bias_gelu(x, alpha=alpha).sum().backward()
            (theirs,) = torch.autograd.grad(bias_gelu(x, alpha=alpha).sum(), x)
            torch.testing.assert_close(x.grad, theirs)


@pytest.mark.parametrize("overload", ["default", "composite"])
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


def test_nested_tensors():
    parts = [torch.randn(2, 4), torch.randn(3, 4)]
    results = []
    for f in (C.swiglu, swiglu):
        a = torch.nested.nested_tensor(parts, layout=torch.jagged, requires_grad=True)
        out = f(a, a * 2)
        out.values().sum().backward()
        assert a.grad is not None
        results.append((out.values(), a.grad.values()))
    torch.testing.assert_close(*results)


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

    for op in (C.lltm, OPS.lltm.composite):
        torch.testing.assert_close(op(*args), reference(*args))
        ours, theirs = (torch.autograd.grad(total(f(*args)), args) for f in (op, reference))
        torch.testing.assert_close(ours, theirs)


def test_missing_extension_is_explained(tmp_path, monkeypatch):
    (tmp_path / "some_ops").mkdir()
    (tmp_path / "some_ops/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="the extension of some_ops is not built"):
        runtime.load_extension("some_ops")
