"""The calls that are timed: both passes of a contender and a step of them, and a plain copy."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

from fusewise.measure.bench.cases import Case, Setting
from fusewise.measure.bench.report import OURS
from fusewise.measure.contenders import Function, contender
from fusewise.measure.timing import Action


class Contender:
    """A function with inputs of its own, since some overwrite what they have saved."""

    def __init__(self, case: Case, function: Function, setting: Setting) -> None:
        self.function, self.params = function, case.params
        self.inputs = case.inputs(setting)
        self.idle = False  # whether the backward pass forwards what arrives, and does no work

    @classmethod
    def of(cls, case: Case, name: str, module: ModuleType, setting: Setting) -> Contender | None:
        """Ours or another one by its name; None where it has no such op."""
        if name == OURS:
            return cls(case, getattr(module, case.spec.name), setting)
        function = contender(name, case.spec, module, case.params)
        return None if function is None else cls(case, function, setting)

    def forward(self) -> None:
        with torch.no_grad():
            self.outputs()

    def outputs(self) -> list[Tensor]:
        found = self.function(**self.inputs, **self.params)
        return [found] if isinstance(found, Tensor) else list(found)

    def actions(self) -> dict[str, Action]:
        """Both passes and a step; the forward pass alone where there are no gradients."""
        leaves = [tensor for tensor in self.inputs.values() if tensor.requires_grad]
        recorded = self.recorded()
        if not recorded:
            return {"forward": self.forward}
        gradients = [torch.randn_like(output) for output in recorded]

        def backward(outputs: list[Tensor]) -> tuple[Tensor | None, ...]:
            return torch.autograd.grad(
                outputs, leaves, gradients, retain_graph=True, allow_unused=True
            )

        arriving = {_storage(gradient) for gradient in gradients}
        found = backward(recorded)
        self.idle = all(each is None or _storage(each) in arriving for each in found)
        return {
            "forward": self.forward,
            "backward": lambda: backward(recorded),
            "step": lambda: backward(self.recorded()),
        }

    def recorded(self) -> list[Tensor]:
        return [output for output in self.outputs() if output.requires_grad]

    def held(self) -> int:
        """Bytes that a recorded forward pass leaves behind beside its outputs."""
        storages = set(map(_storage, self.inputs.values()))
        if torch.cuda.is_initialized():
            before = torch.cuda.memory_allocated()
            outputs = self.outputs()
            taken = torch.cuda.memory_allocated() - before
        else:
            with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
                outputs = self.outputs()
            taken = sum(event.self_cpu_memory_usage for event in profiler.events() or ())
        own = {_storage(output): output.untyped_storage().nbytes() for output in outputs}
        return taken - sum(size for storage, size in own.items() if storage not in storages)


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def copy_action(size: int, setting: Setting) -> Action:
    count = max(1, size // 2 // setting.itemsize)
    source = torch.ones(count, dtype=getattr(torch, setting.dtype), device=setting.device)
    target = torch.ones_like(source)
    return lambda: target.copy_(source)


def forget() -> None:
    """Frees what the calls of a case have left."""
    gc.collect()  # graphs may hold tensors in circles
    if "torch._dynamo" in sys.modules:  # which takes a second to import
        torch.compiler.reset()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()
