"""The torch runtime, on hand-written sample ops that look like generated ones (tests/runtime)."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from filelock import FileLock
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
        f"flags = -std=c++20 -O1 -DAT_PER_OPERATOR_HEADERS -fopenmp -fPIC "
        f"-fvisibility=hidden -Wall -Wextra -Werror {system} -I{ROOT}/runtime/include",
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
    with FileLock(BUILD / "lock"):  # pytest-xdist has several processes import this
        (BUILD / "build.ninja").write_text("\n".join(lines) + "\n")
        command = ["ninja", "-j2"]
        done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
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
runtime.register_vmap("fusewise_test::gated_add", (None,))
runtime.register_vmap("fusewise_test::gated_add_backward", (1, 2, 3, 4))
runtime.register_vmap("fusewise_test::gated_add_double_backward", (4,))
runtime.register_vmap("fusewise_test::lltm_cell", (None, None))
runtime.register_vmap("fusewise_test::lltm_cell_backward", (2, 4))
runtime.register_vmap("fusewise_test::lltm_cell_double_backward", (2, 3, 4, 5))
runtime.register_vmap("fusewise_test::weigh", (None, None))
runtime.register_vmap("fusewise_test::weigh_backward", (1,))
runtime.register_vmap("fusewise_test::weigh_double_backward", (1, 2))
runtime.register_vmap("fusewise_test::quantise", (None,) * 4)
runtime.register_vmap("fusewise_test::quantise_backward", (2, 3))
runtime.register_vmap("fusewise_test::quantise_scale", (None,))
runtime.register_vmap("fusewise_test::dequantise", (None,))


def swiglu(x: Tensor, y: Tensor) -> Tensor:
    return torch.nn.functional.silu(x) * y


def bias_gelu(x: Tensor, bias: Tensor | None = None, alpha: float = 1.702) -> Tensor:
    u = x if bias is None else x + bias
    return u * torch.sigmoid(alpha * u)


def lltm_cell(gates: Tensor, old_cell: Tensor) -> tuple[Tensor, Tensor]:
    i, o, c = gates.chunk(3, -1)
    new_cell = old_cell + torch.nn.functional.elu(c) * torch.sigmoid(i)
    return torch.tanh(new_cell) * torch.sigmoid(o), new_cell


def gated_add(x: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return x + y + torch.where(x > 0, a + b, 0)


def weigh(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    return x * x * w.detach(), torch.exp(w.detach()).expand_as(x)


def quantise(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """In the compute type, with a product that is rounded to the type of x."""
    compute = torch.double if torch.double in (x.dtype, y.dtype) else torch.float
    a, b = x.to(compute), y.to(compute)
    exact = a * b
    product = exact + (exact.to(x.dtype).to(compute) - exact).detach()
    tiny = product.detach().to(torch.float8_e4m3fn)
    return (product + b).float(), product.round().to(torch.int8), tiny, (product * a).to(x.dtype)


def same_bits(ours: Tensor, theirs: Tensor) -> bool:
    assert ours.dtype == theirs.dtype
    kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[ours.itemsize]
    return torch.equal(ours.detach().view(kind), theirs.detach().view(kind))


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
    "gated_add": (
        C.gated_add,
        gated_add,
        lambda: (randn(3, 1), randn(4), randn(3, 4), randn(3, 4)),
    ),
    "gated_add_rows": (
        C.gated_add,
        gated_add,
        lambda: (randn(3, 1), randn(4), randn(2, 1, 1), randn(1)),
    ),
    "gated_add_same": (C.gated_add, gated_add, lambda: tuple(randn(3, 4) for _ in range(4))),
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


def test_a_gradient_that_nobody_needs_takes_no_memory():
    from torch.profiler import ProfilerActivity, profile

    def allocated(grad: bool) -> int:
        x, y = randn(64, 64), randn(64, 64, grad=grad)
        out, arriving = C.swiglu(x, y), randn(64, 64, grad=False)
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            found = torch.autograd.grad(out, [x, y] if grad else [x], arriving)
        assert len(found) == 1 + grad
        return sum(max(0, event.self_cpu_memory_usage) for event in profiler.events() or ())

    assert (allocated(grad=False), allocated(grad=True)) == (64 * 64 * 8, 2 * 64 * 64 * 8)


# -- detached inputs and outputs


def packed_by(op, *args: Tensor) -> list[Tensor]:
    """What is saved for the backward."""
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        op(*args)
    return packed


def test_a_detached_input_has_no_gradient():
    x, w = randn(3, 4), randn(4)
    for op in (C.weigh, weigh):
        out, weight = op(x, w)
        assert out.requires_grad
        assert not weight.requires_grad
        grad_x, grad_w = torch.autograd.grad(out.sum(), (x, w), allow_unused=True)
        torch.testing.assert_close(grad_x, 2 * x * w)
        assert grad_w is None
        x.grad = w.grad = None
        op(x, w)[0].sum().backward()
        assert x.grad is not None
        assert w.grad is None


def test_a_detached_input_alone_records_nothing():
    x, w = randn(3, 4, grad=False), randn(4)
    for op in (C.weigh, weigh):
        assert not any(output.requires_grad for output in op(x, w))
        assert not packed_by(op, x, w)
    outs = (torch.empty(3, 4, dtype=torch.double), torch.empty(3, 4, dtype=torch.double))
    OPS.weigh.out(x, w, out0=outs[0], out1=outs[1])
    torch.testing.assert_close(outs[0], weigh(x, w)[0])
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        OPS.weigh.out(randn(3, 4), w, out0=outs[0], out1=outs[1])


def test_a_detached_input_in_the_double_backward():
    x, w = randn(3, 4), randn(4)
    for op in (C.weigh, weigh):
        grad = randn(3, 4)
        (grad_x,) = torch.autograd.grad(op(x, w)[0], x, grad, create_graph=True)
        second = torch.autograd.grad(grad_x.sum(), (grad, x, w), allow_unused=True)
        torch.testing.assert_close(second[:2], (2 * x * w, 2 * grad * w))
        assert second[2] is None
    # A gradient whose formula depends on a detached tensor only.
    x, grad = randn(3, 4, grad=False), randn(3, 4, grad=False)
    assert not OPS.weigh_backward(grad, x, w, [True]).requires_grad
    assert not packed_by(lambda w: OPS.weigh_backward(grad, x, w, [True]), w)


def test_third_order_of_a_detached_input():
    x, w = randn(3, 4), randn(4)

    def third(op):
        (first,) = torch.autograd.grad((op(x, w)[0] ** 2).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sin().sum(), x, create_graph=True)
        return torch.autograd.grad(second.sin().sum(), (x, w), allow_unused=True)

    ours, theirs = third(C.weigh), third(weigh)
    torch.testing.assert_close(ours[0], theirs[0])
    assert ours[1] is theirs[1] is None


def test_a_tangent_of_a_detached_input_goes_nowhere():
    import torch.autograd.forward_ad as forward_ad

    x, w = randn(3, 4, grad=False), randn(4, grad=False)
    for op in (C.weigh, weigh):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(w, torch.ones_like(w))
            assert all(forward_ad.unpack_dual(out).tangent is None for out in op(x, dual))
            out, weight = op(forward_ad.make_dual(x, torch.ones_like(x)), dual)
            torch.testing.assert_close(forward_ad.unpack_dual(out).tangent, 2 * x * w)
            assert forward_ad.unpack_dual(weight).tangent is None


def test_transforms_of_a_detached_input():
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

    args = (randn(3, 4, grad=False), randn(4, grad=False))
    for transform in (jacrev, jacfwd):
        ours, theirs = (transform(f, (0, 1))(*args) for f in (C.weigh, weigh))
        torch.testing.assert_close(ours, theirs)
    ours, theirs = (jvp(f, args, args) for f in (C.weigh, weigh))
    torch.testing.assert_close(ours, theirs)
    for transform in (grad, hessian):
        ours, theirs = (
            transform(lambda *a, f=f: total(f(*a)), (0, 1))(*args) for f in (C.weigh, weigh)
        )
        torch.testing.assert_close(ours, theirs)
    batch = tuple(torch.stack([t, t + 1]) for t in args)
    ours, theirs = (
        vmap(grad(lambda *a, f=f: total(f(*a)), (0, 1)))(*batch) for f in (C.weigh, weigh)
    )
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("packet", ["default", "composite"])
def test_a_detached_input_in_a_graph(packet):
    def function(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        out, weight = getattr(OPS.weigh, packet)(x, w)
        return out.sin(), weight

    torch._dynamo.reset()
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    x, w = randn(3, 4), randn(4)
    out, weight = compiled(x, w)
    assert not weight.requires_grad
    found = torch.autograd.grad(out.sum(), (x, w), allow_unused=True)
    wanted = torch.autograd.grad(weigh(x, w)[0].sin().sum(), (x, w), allow_unused=True)
    torch.testing.assert_close(found[0], wanted[0])
    assert found[1] is wanted[1] is None
    assert not compiled(x.detach(), w)[0].requires_grad
    opcheck(OPS.weigh.default, (x, w))
    opcheck(OPS.weigh.default, (x.detach(), w))
    opcheck(OPS.weigh_backward.default, (x, x, w, [True]))


# -- inputs that the backward does not read, and gradients that are handed on


def gradients(
    out: Tensor, inputs: list[Tensor], grad: Tensor
) -> tuple[tuple[Tensor, ...], list[list[bool]]]:
    """The gradients of gated_add, and which of them each call of its backward is asked for.

    Nothing but the backward may be called, unless it is to cast a gradient.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    calls = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function is OPS.gated_add_backward.default:
                calls.append(args[-1])
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


def test_a_sum_has_the_type_of_its_input_and_is_rounded_once():
    x, grad = torch.zeros(1024, 1), torch.full((1024, 1), 1.125).bfloat16().float()
    y = torch.zeros(1, 1, dtype=torch.bfloat16, requires_grad=True)
    (grad_y,), _ = gradients(C.gated_add(x, y, x, x), [y], grad)
    assert grad_y.dtype == torch.bfloat16
    assert grad_y.item() == 1152


def test_only_inputs_that_are_broadcast_are_held_for_their_shape():
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

    assert is_held((4,), grad=True)
    assert not is_held((4,), grad=False)
    assert not is_held((3, 4), grad=True)


def test_inputs_held_for_their_shape_are_not_saved_tensors():
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
def test_an_incoming_gradient_is_handed_on(grad):
    args = [randn(3, 4, dtype=torch.float) for _ in range(4)]
    (grad_x, grad_y, grad_a, grad_b), calls = gradients(C.gated_add(*args), args, grad)
    assert calls == [[False, False, True, False]]
    assert is_same_memory(grad_x, grad)
    assert is_same_memory(grad_y, grad)
    assert is_same_memory(grad_a, grad_b)
    assert not is_same_memory(grad_a, grad)
    torch.testing.assert_close(grad_a, torch.where(args[0] > 0, grad, 0))


def test_only_wanted_gradients_are_handed_on():
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


def test_a_gradient_of_another_shape_or_type_is_not_handed_on():
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


# -- outputs of other types, and rounding to the type of an input


FLOATS = (torch.half, torch.bfloat16, torch.float, torch.double)


@pytest.mark.parametrize("dtypes", list(itertools.product(FLOATS, repeat=2)), ids=str)
def test_output_dtypes(dtypes):
    torch.manual_seed(0)
    x, y = (3 * torch.randn(5, 7, dtype=torch.double).to(dtype) for dtype in dtypes)
    given = [t.clone().requires_grad_() for t in (x, y)]
    grads = []
    for f in (C.quantise, OPS.quantise.composite, quantise):
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
    for f in (C.quantise, OPS.quantise.composite):
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
    wide = OPS.quantise.composite(x, y)[0]
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


def test_float8_composites_do_not_overflow_to_nan():
    x = torch.tensor([1e9, -500.0, 449, torch.inf, torch.nan])
    for f in (C.quantise, OPS.quantise.composite):
        assert f(x, torch.ones(5))[2].view(torch.uint8).tolist() == [126, 254, 126, 126, 127]


@pytest.mark.parametrize("mask", [True, False])
def test_integers_that_give_floats(mask):
    index = torch.tensor([2**40 + 1, 3, -7])
    keep = torch.tensor([True, mask, True])
    for name, dtype in (("dequantise", torch.float), ("dequantise_double", torch.double)):
        wanted = torch.where(keep, index.to(dtype) * 0.25, 0)
        for f in (getattr(C, name), getattr(OPS, name).composite):
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
    [("default", "aot_eager"), ("composite", "aot_eager"), ("composite", "inductor")],
)
def test_compile_of_other_types(overload, backend):
    torch._dynamo.reset()
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
    torch._dynamo.reset()
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
        for shape in (args[1].detach(), None):
            opcheck(
                OPS.lltm_cell_backward.default,
                (outputs[0], None, args[0].detach(), outputs[1], shape, [True, True]),
            )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("overload", ["default", "composite"])
@pytest.mark.parametrize(
    "name", ["swiglu", "lltm_cell", "no_bias", "gated_add", "gated_add_rows", "gated_add_same"]
)
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
