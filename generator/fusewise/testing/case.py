"""Facts about one op that its tests use: inputs, outputs, reference; and sample calls of it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from fusewise.testing.inputs import Input, Shape

SEED = 20
_FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_ROUNDING = {"float32": 1e-6, "float16": 2e-3, "bfloat16": 2e-2}
_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    parts: int = 1
    dtype: str = ""
    """`int8`, `float32`, `like x`; empty for the promoted dtype of the inputs."""
    is_row: bool = False
    """True if it has a value for each row: no last dimension, or with `keepdim` one of size 1."""
    keepdim: bool = False

    @property
    def like(self) -> str:
        """The name of the input whose dtype the output has, or empty."""
        return self.dtype[5:] if self.dtype.startswith("like ") else ""

    def dtype_of(self, call: Call, inputs: Sequence[Input]) -> torch.dtype:
        if not self.dtype:
            return promoted(call.present)
        if self.like:
            names = [operand.name for operand in inputs]
            like = call.tensors[names.index(self.like)]
            return like.dtype if like is not None else promoted(call.present)
        return getattr(torch, self.dtype)


@dataclass(frozen=True, slots=True)
class Choice:
    """Values of the params with `choices`. Each has its own kernels and name in the dispatcher."""

    name: str
    params: Mapping[str, Any]
    saves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one call of an op."""

    tensors: tuple[Tensor | None, ...]
    params: Mapping[str, Any]

    def run(self, function: Callable[..., Any]) -> tuple[Tensor, ...]:
        """The outputs of `function`, as a tuple even if it returns one tensor."""
        outputs = function(*self.tensors, **self.params)
        return (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)

    def map(self, change: Callable[[Tensor], Tensor]) -> Call:
        """The same call with every tensor changed; `stored_as` is copied."""

        def changed(tensor: Tensor) -> Tensor:
            result = change(tensor)
            if hasattr(tensor, "stored_as"):
                result.stored_as = tensor.stored_as  # type: ignore[attr-defined]
            return result

        return replace(self, tensors=tuple(None if t is None else changed(t) for t in self.tensors))

    def cast(self, dtype: torch.dtype) -> Call:
        """The same call with floating tensors in `dtype`; `stored_as` keeps the stored dtype."""

        def cast(tensor: Tensor) -> Tensor:
            if not tensor.is_floating_point():
                return tensor
            result = tensor.to(dtype, copy=True)
            result.stored_as = getattr(tensor, "stored_as", tensor.dtype)  # type: ignore[attr-defined]
            return result

        return self.map(cast)

    def to(self, device: str) -> Call:
        return self.map(lambda tensor: tensor.to(device))

    def leaves(self) -> Call:
        """The same call on new autograd leaves with the same strides and offsets."""
        return self.map(lambda t: t.detach().requires_grad_(t.is_floating_point()))

    def with_tensor(self, i: int, tensor: Tensor) -> Call:
        return replace(self, tensors=(*self.tensors[:i], tensor, *self.tensors[i + 1 :]))

    @property
    def present(self) -> list[Tensor]:
        return [tensor for tensor in self.tensors if tensor is not None]

    @property
    def floats(self) -> list[Tensor]:
        return [tensor for tensor in self.present if tensor.is_floating_point()]

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` of the floating tensors alone, with the other arguments fixed. It returns
        only the outputs that have a gradient."""

        def bound(*floats: Tensor) -> Any:
            remaining = iter(floats)
            call = self.map(lambda t: next(remaining) if t.is_floating_point() else t)
            outputs = tuple(out for out in call.run(function) if is_differentiable(out))
            return outputs[0] if len(outputs) == 1 else outputs

        return bound


@dataclass(frozen=True, slots=True)
class OpCase:
    """The facts about one op, the argument of every check of this package."""

    op: Callable[..., Any]
    """The function that users call: tensors by position, params and `out` by keyword."""
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    reference: Callable[..., Any]
    """The formula in plain PyTorch, for tensors of any dtype; its autograd is the gradient."""
    dispatcher: str = ""
    """`namespace::name`; empty for a composed op, which has no kernel of its own."""
    params: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Each param with the values to try, first the default or a typical value."""
    oracle: Callable[..., Any] | None = None
    """A second, independent reference for the values, written by the author of the spec."""
    exclude: Callable[..., Tensor] | None = None
    """A mask of the points where finite differences are meaningless."""
    surrogate: Callable[..., tuple[Tensor | None, ...]] | None = None
    """The written backward that is not the derivative: gradients of the outputs, inputs -> the
    gradients of the floating inputs, None for a detached one."""
    saves: tuple[str, ...] = ()
    """The inputs and outputs that the op saves for its backward."""
    choices: tuple[Choice, ...] = ()
    """The variants of an op whose params have `choices`; each variant has its own `saves`."""
    no_finite_differences: str = ""
    """The reason to skip finite differences of this gradient (surrogate, stop_grad), or empty."""
    reduces: bool = False
    """True if it reduces rows, which are what the inputs broadcast to in the last dimension."""
    exact: bool = False
    """True if inputs with few digits give exact results: the op only adds, multiplies, selects."""

    @property
    def chosen(self) -> tuple[OpCase, ...]:
        """One case for each choice; the case itself if it has none."""
        return tuple(map(self._take, self.choices)) or (self,)

    def _take(self, choice: Choice) -> OpCase:
        def bound(function: Callable[..., Any] | None) -> Any:
            return function and functools.partial(function, **choice.params)

        return replace(
            self,
            op=bound(self.op),
            reference=bound(self.reference),
            dispatcher=f"{self.dispatcher}__{choice.name}",
            oracle=bound(self.oracle),
            exclude=bound(self.exclude),
            surrogate=bound(self.surrogate),
            saves=choice.saves,
            choices=(),
        )

    @property
    def name(self) -> str:
        return self.dispatcher.split("::")[-1] or self.op.__name__

    @property
    def takes_floats(self) -> bool:
        return any(operand.kind in ("float", "number") for operand in self.inputs)

    @property
    def differentiable(self) -> bool:
        kinds = {operand.name: operand.kind for operand in self.inputs}
        return self.takes_floats and any(
            kinds[output.like] in ("float", "number")
            if output.like
            else not output.dtype
            or is_differentiable(torch.empty(0, dtype=getattr(torch, output.dtype)))
            for output in self.outputs
        )

    @property
    def tolerance(self) -> float:
        """The relative tolerance of results that were computed in float64."""
        explicit = {output.dtype for output in self.outputs} & set(_ROUNDING)
        return max((_ROUNDING[dtype] for dtype in explicit), default=1e-9)

    @property
    def composed(self) -> bool:
        return not self.dispatcher

    @property
    def packed(self) -> bool:
        return any(operand.parts > 1 for operand in (*self.inputs, *self.outputs))

    @property
    def dtypes(self) -> tuple[torch.dtype, ...]:
        kinds = {operand.kind for operand in self.inputs}
        if "float" in kinds:
            return _FLOATS
        return _FLOATS + _INTEGERS if "number" in kinds else _INTEGERS

    @property
    def stored_dtypes(self) -> tuple[torch.dtype, ...]:
        """The dtypes to test with tensors larger than the caches.

        The runtime stores large tensors in the same way for all ops, so only the exact ops try
        more than bfloat16.
        """
        if not self.takes_floats:
            return (torch.int32,)
        most = (torch.bfloat16,)
        return (*most, torch.float16, torch.float32) if self.exact else most

    @property
    def saves_outputs(self) -> bool:
        return any(output.name in self.saves for output in self.outputs)

    @property
    def overload(self) -> Any:
        """The op in the dispatcher, `torch.ops.<namespace>.<name>.default`."""
        namespace, name = self.dispatcher.split("::")
        return getattr(getattr(torch.ops, namespace), name).default

    def missing_dims(self, call: Call) -> list[int]:
        """For each tensor of a call, the number of the loop's dimensions before its first."""
        ranks = [
            tensor.dim() + operand.is_row
            for operand, tensor in zip(self.inputs, call.tensors, strict=True)
            if tensor is not None
        ]
        return [max(*ranks, int(self.reduces)) - rank for rank in ranks]

    def variants(self) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
        """Params and the names of omitted inputs: the first value of each param, then each other
        value of one param, then every combination of omitted inputs."""
        usual = {name: values[0] for name, values in self.params.items()}
        yield usual, frozenset()
        for name, values in self.params.items():
            for value in values[1:]:
                yield {**usual, name: value}, frozenset()
        optional = [operand.name for operand in self.inputs if operand.optional]
        for count in range(1, len(optional) + 1):
            for omitted in itertools.combinations(optional, count):
                yield usual, frozenset(omitted)

    def call(
        self,
        shapes: Shape | Sequence[Shape],
        dtype: torch.dtype = torch.float64,
        device: str = "cpu",
        *,
        variant: tuple[dict[str, Any], frozenset[str]] | None = None,
        wide: bool = False,
    ) -> Call:
        """A reproducible call. `shapes`: one shape for all inputs, or one for each input."""
        if not shapes or isinstance(shapes[0], int):
            shapes = [shapes] * len(self.inputs)  # type: ignore[list-item]
        params, omitted = variant or next(self.variants())
        generator = torch.Generator().manual_seed(SEED)

        def draw() -> Call:
            tensors = []
            for operand, shape in zip(self.inputs, shapes, strict=True):
                shape = operand.shape or operand.packed(shape)  # type: ignore[arg-type]
                values = operand.draw(shape, generator, wide=wide and not self.composed)
                if operand.kind in ("float", "number") or (
                    dtype in _INTEGERS and operand.kind == "int"
                ):
                    values = stored(values, dtype)
                tensors.append(None if operand.name in omitted else values.to(device))
            return Call(tuple(tensors), params)

        call = draw()
        if self.exclude is None:
            return call
        for attempt in range(100):
            (excluded,) = call.run(self.exclude)
            if not excluded.any():
                return call
            # Inputs that broadcast meet many elements: they change only if nothing else helps.
            call = self._redrawn(call, draw(), excluded) if attempt < 90 else draw()
        raise AssertionError("no sample of 100 escapes the points that the spec excludes")

    def _redrawn(self, call: Call, other: Call, excluded: Tensor) -> Call:
        """The call with the elements of `other` at these points, in the inputs that have them all;
        `other` if there is none."""
        changed = None
        for i, (operand, tensor) in enumerate(zip(self.inputs, call.tensors, strict=True)):
            if tensor is None or operand.is_row or not tensor.dim():
                continue
            shape = (*tensor.shape[:-1], tensor.shape[-1] // operand.parts)
            if torch.broadcast_shapes(shape, excluded.shape) == shape:
                at = operand.of_parts(excluded.expand(shape))
                values = torch.where(at, other.tensors[i], tensor)  # type: ignore[arg-type]
                changed = (changed or call).with_tensor(i, values)
        return changed or other

    def expected(self, *tensors: Tensor | None, **params: Any) -> Any:
        """The outputs of the reference, whose backward is the surrogate if the spec has one."""
        if self.surrogate is None:
            return self.reference(*tensors, **params)
        return _with_backward(self.reference, self.surrogate, params)(*tensors)


def skip_composed(case: OpCase, reason: str) -> None:
    if case.composed:
        pytest.skip(f"composed of other ops: {reason}")


def is_differentiable(tensor: Tensor) -> bool:
    """True if a tensor can have a gradient: its dtype is a float of at least 16 bits."""
    return tensor.is_floating_point() and tensor.itemsize > 1


def stored(values: Tensor, dtype: torch.dtype) -> Tensor:
    """`values` rounded to `dtype`; for an integer dtype, clamped to at most 100 in magnitude."""
    if not dtype.is_floating_point:
        values = values.round().clamp(max(torch.iinfo(dtype).min, -100), 100)
    return values.to(dtype)


def promoted(tensors: Sequence[Tensor]) -> torch.dtype:
    """The promoted dtype of `tensors`, by `torch.result_type`."""

    def promote(a: Tensor, b: Tensor) -> Tensor:
        dims = (1,) * max(a.dim(), b.dim())
        return torch.empty(dims, dtype=torch.result_type(a, b), device="meta")

    # A 0-dim tensor promotes only across kinds, so tensors with dimensions go first.
    dimensioned_first = sorted(tensors, key=lambda tensor: tensor.dim() == 0)
    return functools.reduce(promote, [t.to("meta") for t in dimensioned_first]).dtype


def _with_backward(
    reference: Callable[..., Any],
    backward: Callable[..., tuple[Tensor | None, ...]],
    params: Mapping[str, Any],
) -> Callable[..., Any]:
    class Written(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*tensors: Tensor | None) -> Any:
            outputs = reference(*tensors, **params)  # an output may be an input itself: clone
            single = isinstance(outputs, Tensor)
            return outputs.clone() if single else tuple(output.clone() for output in outputs)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            tensors = ctx.saved_tensors
            grads = iter(backward(*grad_outputs, *tensors, **params))
            floating = [t is not None and t.is_floating_point() for t in tensors]
            found = [next(grads) if is_float else None for is_float in floating]
            return tuple(
                grad if grad is None else grad.sum_to_size(t.shape)
                for t, grad in zip(tensors, found, strict=True)
            )

    return Written.apply
