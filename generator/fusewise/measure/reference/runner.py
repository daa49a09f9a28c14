"""Runs the reference of a spec in PyTorch, also with the noise that rounding causes in it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from fusewise.graph.passes import Operand, Pass
from fusewise.language.errors import Location, Problem, SpecError, did_you_mean, shown
from fusewise.language.model import Code, Reference
from fusewise.language.sections.reference import may_call

RUNS = 16  # with moved results
MOVED = 4 * torch.finfo(torch.float64).eps  # the largest share by which a result is moved
_MAX_MESSAGE = 200  # characters of PyTorch's own message


@dataclass(frozen=True, slots=True)
class Runner:
    """A reference with fixed params, for the inputs and outputs of a forward pass."""

    reference: Reference
    forward: Pass
    shapes: Sequence[list[int]]  # of the outputs
    arguments: Mapping[str, Any]

    def outputs(self, reads: Sequence[Tensor]) -> list[Tensor]:
        """The outputs in float64, one tensor each.

        Raises:
            SpecError: PyTorch raises an error, gives no tensor of the output's shape, or gives
                other values for the second run.
        """
        found, again = self._outputs(reads), self._outputs(reads)
        for code, first, second in zip(self.reference.outputs, found, again, strict=True):
            if not torch.equal(first.nan_to_num(), second.nan_to_num()):
                message = "the reference gives other values each time"
                hint = "an op draws no random numbers: give them as an input, as a mask"
                raise SpecError(Problem(message, code.location, hint))
        return found

    def noisy_outputs(self, reads: Sequence[Tensor]) -> list[list[Tensor]]:
        """The outputs of `RUNS` runs, in which the result of every operation is moved at random."""
        with _Moving():
            return [self._outputs(reads) for _ in range(RUNS)]

    def _outputs(self, reads: Sequence[Tensor]) -> list[Tensor]:
        names = [tensor.name for tensor in self.forward.reads]
        scope = {"torch": torch, **self.arguments, **dict(zip(names, reads, strict=True))}
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                self._output(code, tensor, shape, scope)
                for tensor, shape, code in zip(
                    self.forward.writes, self.shapes, self.reference.outputs, strict=True
                )
            ]

    def _output(
        self, code: Code, tensor: Operand, shape: list[int], scope: dict[str, Any]
    ) -> Tensor:
        value = self._value(code, scope)
        if not isinstance(value, Tensor) or value.is_complex():
            kind = "a complex tensor" if isinstance(value, Tensor) else type(value).__name__
            message = f"the reference of '{tensor.name}' gives {kind}, not a real tensor"
            raise SpecError(Problem(message, code.location, self._called_with(scope)))
        try:
            return value.double().expand(shape)
        except RuntimeError:
            message = (
                f"the reference of '{tensor.name}' gives a tensor of shape {list(value.shape)}, "
                f"where the formula gives {shape}"
            )
            raise SpecError(Problem(message, code.location, self._called_with(scope))) from None

    def _value(self, code: Code, scope: dict[str, Any]) -> Any:
        try:
            return _evaluated(code, scope)
        except Exception:
            # The first step that fails is the cause: its arguments come before it.
            for step in self.reference.steps:
                try:
                    _evaluated(step, scope)
                except Exception as error:
                    raise SpecError(self._failed(error, step.location, scope)) from None
            raise

    def _failed(self, error: Exception, location: Location, scope: dict[str, Any]) -> Problem:
        if isinstance(error, AttributeError) and isinstance(error.name, str):
            module = getattr(error.obj, "__name__", "PyTorch")
            names = (name for name in dir(error.obj) if may_call(module, name))
            guess = did_you_mean(error.name, names)
            return Problem(f"{module} has no '{error.name}'{guess}", location)
        text = str(error).strip().split("\n")[0].removesuffix(", but expected one of:")
        message = f"the reference fails: {type(error).__name__}"
        if text:
            message += f": {shown(text)[:_MAX_MESSAGE]}"
        return Problem(message, location, self._called_with(scope))

    def _called_with(self, scope: Mapping[str, Any]) -> str:
        kinds = [f"{name} is {_kind(scope[name])}" for name in (t.name for t in self.forward.reads)]
        kinds += [f"{name} is the number {value}" for name, value in self.arguments.items()]
        return f"here {', '.join(kinds)}"


def _kind(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"


def _evaluated(code: Code, scope: dict[str, Any]) -> Any:
    """The value of an expression, which the reader of the spec has checked and printed."""
    return eval(code.text, scope)


class _Moving(TorchDispatchMode):
    """Moves the floating result of every operation but views up or down at random."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(0)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if any(returned.alias_info for returned in func._schema.returns):
            return result  # a view, or an operation in place
        return tree_map_only(Tensor, self._moved, result)

    def _moved(self, tensor: Tensor) -> Tensor:
        if not tensor.is_floating_point():
            return tensor
        share = 2 * torch.rand(tensor.shape, generator=self.generator, dtype=torch.float64) - 1
        return tensor * (1 + MOVED * share).to(tensor.dtype)
