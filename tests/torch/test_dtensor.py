"""Distributed tensors: two processes compute parts, which together are what one computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, distributed
from torch.multiprocessing.spawn import spawn
from torch.testing import assert_close

if not distributed.is_available():
    pytest.skip("torch has no torch.distributed", allow_module_level=True)
if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 13):
    pytest.skip("DTensor tells the calls of a backward apart since 2.13", allow_module_level=True)

PROCESSES = 2
SIZES = {"x": (4, 6, 8), "packed": (4, 6, 16), "row": (8,), "column": (6, 1)}


class Case(NamedTuple):
    call: Callable[..., Any]
    inputs: dict[str, Any]  # for each, the dimension that is divided, or None
    output: Any  # the dimension of the output that is divided, or None
    gradients: tuple[Any, ...]  # those of the gradients, or "sum" for parts of a sum


def cases(ops: ModuleType) -> list[Case]:
    return [
        Case(ops.swiglu, {"x": 0, "row": None}, 0, (0, "sum")),
        Case(ops.swiglu, {"x": 2, "row": 0}, 2, (2, 0)),
        Case(ops.swiglu, {"x": 1, "column": 0}, 1, (1, 0)),
        Case(ops.swiglu, {"x": None, "row": None}, None, (None, None)),
        Case(ops.silu_and_mul, {"packed": 1}, 1, (1,)),
        Case(ops.silu_and_mul, {"packed": 2}, None, (None,)),  # the parts lie in another order
        Case(ops.rms_norm, {"x": 0, "row": None}, 0, (0, "sum")),
        Case(ops.rms_norm, {"x": 2, "row": 0}, None, (None, None)),
        Case(ops.rms_norm, {"x": 1}, 1, (1,)),
        Case(lambda x, row: ops.add_rms_norm(x, x, row)[0], {"x": 0, "row": None}, 0, (0, "sum")),
        Case(lambda x: ops.softmax(x, dim=1), {"x": 0}, 0, (0,)),
        Case(lambda x: ops.softmax(x, dim=1), {"x": 1}, None, (None,)),
        Case(lambda x: ops.kl_divergence(x, 2 * x), {"x": 1}, 1, (1,)),  # one number a row
    ]


def run_process(rank: int, store: str) -> None:
    distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=PROCESSES
    )
    try:
        check_compiled()  # first, while no call has registered anything
        check_cases()
        check_needs()
    finally:
        distributed.destroy_process_group()


def check_cases() -> None:
    import fusewise_ops
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (PROCESSES,))

    def placement(dim: Any) -> tuple[Any]:
        return (Replicate() if dim is None else Partial() if dim == "sum" else Shard(dim),)

    for k, case in enumerate(cases(fusewise_ops)):
        torch.manual_seed(k)
        whole = [torch.randn(SIZES[n], dtype=torch.double, requires_grad=True) for n in case.inputs]
        divided = [
            distribute_tensor(tensor.detach(), mesh, placement(dim)).requires_grad_()
            for tensor, dim in zip(whole, case.inputs.values(), strict=True)
        ]
        found, wanted = second_order(case.call, divided), second_order(case.call, whole)
        shown = []
        for ours, theirs in zip(found, wanted, strict=True):
            assert isinstance(ours, DTensor)
            assert_close(ours.full_tensor(), theirs, msg=lambda text, k=k: f"case {k}: {text}")
            shown.append(ours.placements)
        expected = [placement(dim) for dim in (case.output, *case.gradients)]
        assert shown[: len(expected)] == expected, (k, shown)


def check_needs() -> None:
    """DTensor does not take the results of a call for those of one that needs other gradients."""
    import fusewise_ops
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (PROCESSES,))
    torch.manual_seed(0)
    ops = ((fusewise_ops.rms_norm, (8,)), (fusewise_ops.geglu, ()), (fusewise_ops.swiglu, (8,)))
    for op, shape in ops:
        whole = [torch.randn(4, 8), torch.randn(shape)]
        for needs in ((True, False), (True, True), (False, True), (True, True)):
            ours: list[Any] = [
                distribute_tensor(tensor, mesh, (place,)).requires_grad_(need)
                for tensor, place, need in zip(whole, (Shard(0), Replicate()), needs, strict=True)
            ]
            theirs = [t.clone().requires_grad_(n) for t, n in zip(whole, needs, strict=True)]
            op(*ours).sin().sum().backward()
            op(*theirs).sin().sum().backward()
            for a, b in zip(ours, theirs, strict=True):
                assert (a.grad is None) == (b.grad is None)
                if a.grad is not None:
                    assert_close(a.grad.full_tensor(), b.grad)


def check_compiled() -> None:
    """A graph takes distributed tensors, opaque or not, of dynamic sizes too."""
    import fusewise_ops
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (PROCESSES,))
    torch.manual_seed(0)
    for opaque in (True, False):
        fusewise_ops.set_opaque(opaque)
        for op in (fusewise_ops.rms_norm, fusewise_ops.layer_norm, fusewise_ops.addone):
            torch._dynamo.reset()
            compiled: Any = torch.compile(op, backend="aot_eager", fullgraph=True)
            for rows in (4, 6, 10):
                whole = torch.randn(rows, 8)
                x: Any = distribute_tensor(whole, mesh, (Shard(0),)).requires_grad_()
                out = compiled(x)
                assert_close(out.full_tensor(), op(whole))
                out.sin().sum().backward()
                assert x.grad is not None
                assert x.grad.placements == (Shard(0),)


def second_order(call: Callable[..., Tensor], inputs: list[Tensor]) -> list[Tensor]:
    """The output, the gradients, and their gradients."""
    out = call(*inputs)
    first = torch.autograd.grad(out.sin().sum(), inputs, create_graph=True)
    loss = sum(gradient.sin().sum() for gradient in first)
    assert isinstance(loss, Tensor)
    return [out, *first, *torch.autograd.grad(loss, inputs)]


def test_distributed_tensors(package: ModuleType, tmp_path: Path) -> None:
    assert package.__name__ == "fusewise_ops"
    spawn(run_process, (str(tmp_path / "store"),), PROCESSES)
