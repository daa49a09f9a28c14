"""Tests of the requirements on PyTorch ops: dispatcher, transforms, compilers, modes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, func
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from fusewise.testing.case import Call, OpCase, is_differentiable, promoted, skip_composed
from fusewise.testing.compare import are_equal, assert_close, gradients
from fusewise.testing.gradients import incoming
from fusewise.testing.layouts import layout_call

TRANSFORMS = ("grad", "vmap", "vmap_dims", "vmap_grad", "jacrev", "jacfwd", "jvp", "hessian")
COMPILED = ("static", "dynamic", "opaque", "inductor")
_OPCHECKS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)
MODES = (
    "autocast",
    "inference_mode",
    "checkpoint",
    "save_on_cpu",
    "compiled_autograd",
    "export",
    "export_dynamic",
)


class PyTorchTests:
    def test_opcheck(self, case: OpCase, device: str) -> None:
        """`torch.library.opcheck` passes for the op and its backward ops, on recorded inputs."""
        skip_composed(case, "the dispatcher has no op of this name")
        layouts = ("contiguous", "transposed", "expanded", "empty", "mixed")
        dtype = torch.float64 if case.takes_floats else torch.int64
        calls = [layout_call(case, layout, dtype, device) for layout in layouts]
        utils = _OPCHECKS
        if any(output.dtype.startswith("float8") for output in case.outputs):
            utils = _OPCHECKS[:-1]  # the last one sums the outputs; PyTorch cannot sum float8
        for layout, call in zip(layouts, calls, strict=True):
            # the last one takes most of the time, and sees strides as test_faketensor does
            chosen = utils if layout == "mixed" else _OPCHECKS[:-1]
            torch.library.opcheck(case.overload, call.tensors, dict(call.params), test_utils=chosen)
        if not case.differentiable:
            return
        leaves = calls[0].leaves()
        torch.library.opcheck(case.overload, leaves.tensors, dict(leaves.params), test_utils=utils)
        with _Recorder(case.dispatcher) as recorder:
            outputs = [out for out in leaves.run(case.overload) if out.requires_grad]
            if not outputs:
                return
            arriving: list[Tensor] = []
            for out in outputs:
                out.register_hook(arriving.append)
            total = torch.stack([(out * out.detach()).sum() for out in outputs]).sum()
            grads = [
                grad
                for grad in torch.autograd.grad(
                    total, leaves.floats, create_graph=True, allow_unused=True
                )
                if grad is not None
            ]
            forwarded = {grad.data_ptr() for grad in arriving}
            computed = [grad for grad in grads if grad.data_ptr() not in forwarded]
            again = torch.stack([(grad * grad).sum() for grad in grads]).sum()
            if again.requires_grad:
                torch.autograd.grad(again, leaves.floats, allow_unused=True)
        names = [op.name() for op in recorder.calls]
        if computed:
            assert case.dispatcher + "_backward" in names, (
                f"no backward op was called, only {names}"
            )
        for op, (args, kwargs) in recorder.calls.items():
            fresh = tuple(_leaf(arg) for arg in args)
            torch.library.opcheck(op, fresh, {name: _leaf(arg) for name, arg in kwargs.items()})

    def test_compile(self, case: OpCase, device: str, form: str) -> None:
        """`torch.compile(fullgraph=True)` gives the same values and gradients.

        The op is decomposed into its formula, or stays one opaque call of the dispatcher.
        `static` is a graph without gradients, `dynamic` and `opaque` serve two sizes.
        """
        from torch._inductor import config  # takes a second

        if form == "opaque":
            skip_composed(case, "the dispatcher has no op of this name")
        torch.compiler.reset()  # all ops share one function: dynamo limits its recompilations
        packet = case.op if case.composed else case.overload

        def step(op: Callable[..., Any], call: Call) -> tuple[Tensor, ...]:
            return tuple(out.sin() if is_differentiable(out) else out for out in call.run(op))

        def function(*tensors: Tensor | None, **params: Any) -> tuple[Tensor, ...]:
            call = Call(tensors, params)
            if form == "inductor":  # both forms in one graph, because compiling is slow
                return step(case.op, call) + step(packet, call)
            return step(packet if form == "opaque" else case.op, call)

        dynamic = form in ("dynamic", "opaque")

        def reference(*tensors: Tensor | None, **params: Any) -> tuple[Tensor, ...]:
            call = Call(tensors, params)
            both = step(case.expected, call) if form == "inductor" else ()
            return step(case.expected, call) + both

        compiled = torch.compile(
            function,
            fullgraph=True,
            dynamic=dynamic,
            backend="inductor" if form == "inductor" else "aot_eager",
        )
        dtype = torch.float64 if case.takes_floats else torch.int64
        # The cache finds a graph by the name of the op, even if the op has changed since.
        # Inductor's C++ compiles faster without vectors.
        with config.patch({"fx_graph_cache": False, "cpp.simdlen": 1}):
            for shape in ((3, 5), (4, 7))[: 1 + dynamic]:
                call = case.call(shape, dtype, device)
                # The graph that records has the values too. Compiling another one takes as long.
                records = case.differentiable and form != "static"
                given = call.leaves() if records else call
                assert_close(case, given.run(compiled), call.run(reference))
                if records:
                    grads = [
                        torch.cos(out) for out in call.run(reference) if is_differentiable(out)
                    ]
                    assert_close(
                        case, gradients(compiled, call, grads), gradients(reference, call, grads)
                    )

    def test_mode(self, case: OpCase, device: str, mode: str) -> None:
        """The op gives the same values or gradients inside a mode: autocast, export, ..."""
        dtype = torch.float64 if case.takes_floats else torch.int64
        call = case.call((3, 5), dtype, device)
        if mode == "autocast":
            _check_autocast(case, device)
        elif mode == "inference_mode":
            with torch.inference_mode():
                assert_close(case, call.run(case.op), call.run(case.reference))
        elif mode.startswith("export"):
            _check_export(case, call, dynamic=mode == "export_dynamic")
        elif not case.differentiable:
            pytest.skip("integers have no gradient")
        else:
            grads = incoming(case, call)
            want = gradients(case.expected, call, grads)
            assert_close(case, _backward_inside(mode, case, call, grads), want)


class TransformTests:
    def test_func(self, case: OpCase, device: str, transform: str) -> None:
        """A transform of the op gives the same as the transform of the reference."""
        forward_mode = transform in ("jacfwd", "jvp", "hessian")
        if case.surrogate is not None and forward_mode:
            pytest.skip("a surrogate backward says nothing about forward mode")
        call = case.call((2, 3), torch.float64, device)
        assert_close(
            case,
            _transformed(case.op, call, transform),
            _transformed(case.expected, call, transform),
        )


class _Recorder(TorchDispatchMode):
    """Records the arguments of each backward op: `<op>_backward` and higher orders."""

    def __init__(self, dispatcher: str) -> None:
        super().__init__()
        self.prefix = dispatcher + "_"
        self.calls: dict[Any, tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.name().startswith(self.prefix):
            self.calls.setdefault(func, (args, kwargs or {}))
        return func(*args, **kwargs or {})


def _leaf(arg: Any) -> Any:
    if not isinstance(arg, Tensor):
        return arg
    return arg.detach().requires_grad_(arg.is_floating_point())


def _transformed(function: Callable[..., Any], call: Call, transform: str) -> Any:
    bound, floats = call.bind(function), tuple(call.floats)
    argnums = tuple(range(len(floats)))

    def total(*tensors: Tensor) -> Tensor:
        outputs = bound(*tensors)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        return torch.stack([out.sin().sum() for out in outputs]).sum()

    if transform == "grad":
        return func.grad(total, argnums)(*floats)
    if transform == "jvp":
        return func.jvp(bound, floats, tuple(torch.cos(t) for t in floats))
    if transform == "hessian":
        return func.hessian(total, argnums)(*floats)
    if transform in ("jacrev", "jacfwd"):
        return getattr(func, transform)(bound, argnums)(*floats)
    batch = [torch.stack([t, t.flip(0), t * 0.5], dim=-1) for t in floats]
    if transform == "vmap":
        return func.vmap(bound, in_dims=-1)(*batch)
    if transform == "vmap_grad":
        return func.vmap(func.grad(total, argnums), in_dims=-1)(*batch)
    # Only the first input is batched. No out_dims: PyTorch rejects them for an output that is not
    # batched, and an output of the reference may ignore the first input.
    in_dims = (-1, *[None] * (len(floats) - 1))
    return func.vmap(bound, in_dims=in_dims)(batch[0], *floats[1:])


def _check_autocast(case: OpCase, device: str) -> None:
    skip_composed(case, "they are cast as autocast says")
    for dtype in (torch.bfloat16, torch.float32):
        call = case.call((3, 5), dtype, device)
        outside = call.run(case.op)
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
            inside = call.run(case.op)
        for a, b in zip(inside, outside, strict=True):
            assert a.dtype == b.dtype, f"autocast turns {b.dtype} into {a.dtype}"
            assert are_equal(a, b)


def _check_export(case: OpCase, call: Call, *, dynamic: bool) -> None:
    if dynamic and case.composed:
        pytest.skip("composed of other ops: their shapes depend on one another")

    class Module(torch.nn.Module):
        def forward(self, tensors: tuple[Tensor | None, ...]) -> tuple[Tensor, ...]:
            return Call(tensors, call.params).run(case.op)

    batch = {0: torch.export.Dim("batch", min=2, max=64)}
    shapes = {"tensors": tuple(None if t is None else batch for t in call.tensors)}
    with torch.no_grad():
        program = torch.export.export(
            Module(), (call.tensors,), dynamic_shapes=shapes if dynamic else None
        )
        if dynamic:
            call = case.call((7, 5), promoted(call.present), call.present[0].device.type)
        assert_close(case, program.module()(call.tensors), call.run(case.reference))


def _backward_inside(mode: str, case: OpCase, call: Call, grads: Any) -> tuple[Tensor, ...]:
    if mode == "checkpoint":
        return gradients(
            lambda *tensors, **params: checkpoint(case.op, *tensors, use_reentrant=False, **params),
            call,
            grads,
        )
    context: contextlib.AbstractContextManager[Any] = torch.autograd.graph.save_on_cpu()
    if mode == "compiled_autograd":
        from torch._dynamo import compiled_autograd  # takes a second

        context = compiled_autograd._enable(torch.compile(backend="aot_eager", fullgraph=True))
    with context:
        return gradients(case.op, call, grads)
