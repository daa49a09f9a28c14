"""A variant of a built op whose errors are measured, and eager PyTorch beside it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Protocol

import torch
from torch import Tensor

from fusewise.derive.autodiff import differentiate, mark_detached
from fusewise.graph.dag import Node
from fusewise.graph.passes import Operand, Pass, build_graph, parts_by_name
from fusewise.language.choices import Choice
from fusewise.language.model import Spec
from fusewise.measure.accuracy.report import Error, Row
from fusewise.measure.contenders import eager_function, reference_learns


class Samples(Protocol):
    """Values of the inputs and of the gradients that arrive."""

    def tensor(self, operand: Operand, dtype: torch.dtype) -> Tensor:
        """The tensor of an input, or of a gradient."""
        ...

    def parts_of(self, operand: Operand, value: Tensor) -> dict[str, Tensor]:
        """The parts of an output, or of a gradient, by name."""
        ...


def float_writes(source: Pass) -> dict[str, Node]:
    """The formulas of the writes in floats, by the names of their parts."""
    return parts_by_name(tensor for tensor in source.writes if tensor.floating)


class Judge(Protocol):
    """Knows the exact values of one result."""

    def error(self, found: Tensor) -> Error:
        """The largest error of these values."""
        ...


class MeasuredOp:
    """One variant of an op."""

    def __init__(self, spec: Spec, choice: Choice, module: ModuleType, device: str) -> None:
        self.spec, self.device = spec, device
        self.name = f"{spec.name}({choice})" if choice.values else spec.name
        self.bound = float(spec.test.ulp) if spec.test.ulp is not None else None
        self.forward = mark_detached(build_graph(choice.spec), choice.spec.backward)
        self.params = {param.name: param.cast(spec.usual(param)) for param in choice.spec.params}
        self.arguments = {**self.params, **choice.arguments, **spec.rows.arguments}
        self.fused = getattr(module, spec.name)
        self.eager = eager_function(spec, module, self.arguments)
        self.backward = self._backward(choice.spec)
        self.passes = [self.forward, *([self.backward] if self.backward else [])]
        self.eager_learns = reference_learns(choice.spec)
        tensors = (*self.forward.reads, *(self.backward.reads if self.backward else ()))
        self.nodes = list(dict.fromkeys(part for tensor in tensors for part in tensor.parts))
        self.results = [item for source in self.passes for item in float_writes(source).items()]

    def _backward(self, spec: Spec) -> Pass | None:
        """The exact backward; None without gradients. The gradients of a surrogate are exact."""
        for tensors in (self.forward.reads, self.forward.writes):
            if not any(tensor.differentiable for tensor in tensors):
                return None
        given = spec.backward.gradients if spec.backward and spec.is_surrogate else ()
        return differentiate(self.forward, given)

    def compared(
        self,
        judges: Mapping[str, Judge],
        fused: Mapping[str, Tensor],
        eager: Mapping[str, Tensor],
        dtype: str,
    ) -> list[Row]:
        """A row for each result in floats that the op gives."""
        rows = []
        for name, _ in self.results:
            if name not in fused or not fused[name].is_floating_point():
                continue
            error = judges[name].error(fused[name])
            other = judges[name].error(eager[name]) if name in eager else None
            count = fused[name].numel()
            rows.append(Row(self.name, name, dtype, count, self.bound, error, other))
        return rows

    def found(
        self, function: Callable[..., Any], samples: Samples, dtype: torch.dtype
    ) -> Mapping[str, Tensor]:
        """The outputs and gradients of a function by name, on the CPU."""
        reads = [samples.tensor(t, dtype).to(self.device) for t in self.forward.reads]
        learning = [tensor.differentiable for tensor in self.forward.reads]
        leaves = [t.requires_grad_() for t in itertools.compress(reads, learning)]
        outputs = function(*reads, **self.arguments)
        outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
        found: dict[str, Tensor] = {}
        for tensor, output in zip(self.forward.writes, outputs, strict=True):
            found |= samples.parts_of(tensor, output.detach().cpu())
        if self.backward is None:
            return found
        pairs = [
            (output, samples.tensor(tensor, output.dtype).to(self.device))
            for tensor, output in zip(
                self.backward.incoming,
                (o for t, o in zip(self.forward.writes, outputs, strict=True) if t.differentiable),
                strict=True,
            )
            if output.requires_grad
        ]
        if not pairs or (function is self.eager and not self.eager_learns):
            return found
        gradients = torch.autograd.grad(
            [output for output, _ in pairs],
            leaves,
            [gradient.view_as(output) for output, gradient in pairs],
            materialize_grads=True,
            allow_unused=True,
        )
        for tensor, gradient in zip(self.backward.writes, gradients, strict=True):
            found |= samples.parts_of(tensor, gradient.cpu())
        return found
