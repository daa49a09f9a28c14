"""Features of PyTorch on the sample ops: compile, export, autocast, modes, subclasses."""

from __future__ import annotations

import fusewise_ops  # noqa: F401 - its ops are in torch.ops
import pytest
import torch
from sample_ops import (
    CASES,
    OPS,
    C,
    each_case,
    lltm_cell,
    randn,
    runtime,
    start,
    swiglu,
    total,
)
from torch import Tensor
from torch.library import opcheck

pytestmark = pytest.mark.usefixtures("sample_ops")


def test_inductor_calls_the_op_at_any_size():
    compiled = torch.compile(
        lambda x, y: OPS.swiglu.default(x, y) * 2, fullgraph=True, dynamic=True
    )
    for size in (16, 24):
        x, y = torch.randn(4, size), torch.randn(4, size)
        torch.testing.assert_close(compiled(x, y), swiglu(x, y) * 2)


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
    "name",
    [
        *("swiglu", "lltm_cell", "no_bias", "gated_add", "gated_add_rows", "gated_add_same"),
        *("row_scale", "row_scale_wide", "row_total", "row_total_wide"),
    ],
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


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own
def test_a_package_of_aotinductor(tmp_path):
    """Inductor loses integers that have their defaults, if the op has a tag for layouts."""

    class Model(torch.nn.Module):
        def forward(self, x: Tensor, target: Tensor) -> Tensor:
            return torch.ops.fusewise.cross_entropy.default(x, target)

    args = (torch.randn(4, 8), torch.tensor([0, 3, 2, 7]))
    program = torch.export.export(Model(), args).run_decompositions()
    path = torch._inductor.aoti_compile_and_package(
        program, package_path=str(tmp_path / "model.pt2")
    )
    found = torch._inductor.aoti_load_package(path)(*args)
    torch.testing.assert_close(found, torch.nn.functional.cross_entropy(*args, reduction="none"))


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
