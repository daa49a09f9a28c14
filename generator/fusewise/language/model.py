"""What a spec says, as data: checked, with every name resolved and every number exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from fusewise.language.errors import Location
from fusewise.language.formula import Expr, Name, Number, format_expr

INT_DTYPES = ("uint8", "int8", "int16", "int32", "int64")
FLOAT_DTYPES = ("float16", "bfloat16", "float32", "float64")
FLOAT8_DTYPES = ("float8_e4m3fn", "float8_e5m2")  # of quantised results, which have no gradient

Layout = Literal["chunked", "interleaved"]
Shapes = tuple[tuple[str, tuple[int, ...]], ...]  # of the inputs, by name


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor: plain, or packed along its last dimension and then known by its parts."""

    name: str
    dtype: Literal["float", "int", "bool", "number"]
    default: Number | None  # what an absent tensor reads as; None: it must be given
    parts: tuple[str, ...]  # empty for a plain tensor
    layout: Layout | None
    location: Location

    @property
    def names(self) -> tuple[str, ...]:
        """What formulas call it."""
        return self.parts or (self.name,)

    def part_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of each part, at least one-dimensional."""
        *outer, last = shape or (1,)
        return (*outer, last // len(self.names))


@dataclass(frozen=True, slots=True)
class Param:
    """A plain number, never differentiated. Only infinities and NaN are held as float."""

    name: str
    type: Literal["float", "int", "bool"]
    default: Fraction | float | bool | None
    choices: tuple[Fraction | float | bool, ...]
    location: Location

    def cast(self, value: Fraction | float | bool) -> float | int | bool:
        """A value as Python callers give it."""
        return {"float": float, "int": int, "bool": bool}[self.type](value)


@dataclass(frozen=True, slots=True)
class Step:
    """A formula with a name: under `let`, and the gradients under `backward`."""

    name: str
    formula: Expr
    location: Location


@dataclass(frozen=True, slots=True)
class Output:
    """A formula, or several that are packed along the last dimension."""

    name: str
    parts: tuple[Expr, ...]
    layout: Layout | None
    dtype: str | None  # `bool` (also of a condition), `int8`, `like x`; None: the inputs' promoted
    location: Location

    @property
    def names(self) -> tuple[str, ...]:
        """What its gradients are called after `grad_`; parts of a packed one count from 0."""
        if self.layout is None:
            return (self.name,)
        return tuple(f"{self.name}_{k}" for k in range(len(self.parts)))

    @property
    def like(self) -> str | None:
        """The input whose dtype it takes."""
        return self.dtype[5:] if self.dtype and self.dtype.startswith("like ") else None

    def is_differentiable(self, inputs: Sequence[Input]) -> bool:
        """Whether a gradient can arrive: at a float of 16 bits or more."""
        if self.like:
            return any(i.name == self.like and i.dtype in ("float", "number") for i in inputs)
        return self.dtype in (None, *FLOAT_DTYPES)


@dataclass(frozen=True, slots=True)
class Backward:
    """The gradients that the user wrote, `grad_<input or part>`; the others are derived."""

    kind: Literal["derivative", "surrogate"]
    gradients: tuple[Step, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Save:
    """What the backward keeps, where the user pins it: names of inputs and outputs."""

    names: tuple[Name, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class ComposeStep:
    """`h, c: cell(gates, c0)`. A list among the arguments is a call of `list`."""

    targets: tuple[str, ...]
    call: Expr
    location: Location


@dataclass(frozen=True, slots=True)
class Compose:
    """An op that calls ATen functions and other ops; its formulas are calls of tensors."""

    steps: tuple[ComposeStep, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """What the generated tests should know."""

    domain: tuple[tuple[str, Fraction, Fraction], ...] = ()  # of inputs, parts and params
    reference: str | None = None  # a PyTorch expression; a tuple if there are several outputs
    exclude: Expr | None = None  # where finite differences mean nothing
    ulp: Fraction | None = None  # bound of the errors of float32 outputs and gradients


@dataclass(frozen=True, slots=True)
class Spec:
    """One op. Of a composed one, each output is the name of a step's target."""

    path: str
    name: str
    doc: str
    inputs: tuple[Input, ...]
    params: tuple[Param, ...]
    let: tuple[Step, ...]
    outputs: tuple[Output, ...]
    backward: Backward | None
    save: Save | None
    compose: Compose | None
    test: Test
    shapes: tuple[Shapes, ...]  # the typical ones, a case each
    text: str
    location: Location  # of the op's name

    @property
    def computes_floats(self) -> bool:
        """Whether kernels of the op compute in floats whatever they are given."""
        fixed = {output.dtype for output in self.outputs}
        return any(entry.dtype == "float" for entry in self.inputs) or not fixed.isdisjoint(
            (*FLOAT_DTYPES, *FLOAT8_DTYPES)
        )

    def loop_shape(self, shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
        """What inputs of these shapes broadcast to, each part of a packed one by itself."""
        loop: list[int] = []
        for entry in self.inputs:
            reverse = entry.part_shape(shapes.get(entry.name, ()))[::-1]
            loop += [1] * (len(reverse) - len(loop))
            for k, size in enumerate(reverse):
                loop[k] = size if loop[k] == 1 else loop[k]
        return tuple(reversed(loop))

    @property
    def is_surrogate(self) -> bool:
        """Whether the backward is, on purpose, not the derivative."""
        return self.backward is not None and self.backward.kind == "surrogate"

    @property
    def shown_path(self) -> str:
        """The path as generated files name it: it cannot break out of a comment."""
        return "".join(char if char.isprintable() else "?" for char in self.path)

    def __str__(self) -> str:
        inputs = [f"{i.name}[{', '.join(i.parts)}]" if i.parts else i.name for i in self.inputs]
        params = [param.name for param in self.params]
        lines = [f"{self.name}({', '.join([*inputs, *params])}):"]
        if self.compose:
            for step in self.compose.steps:
                lines.append(f"  {', '.join(step.targets)} = {format_expr(step.call)}")
            return "\n".join([*lines, f"  return {', '.join(self.compose.outputs)}"])
        gradients = self.backward.gradients if self.backward else ()
        lines += [f"  {step.name} = {format_expr(step.formula)}" for step in self.let]
        for output in self.outputs:
            parts = ", ".join(map(format_expr, output.parts))
            lines.append(f"  {output.name} = {parts if output.layout is None else f'[{parts}]'}")
        lines += [f"  {step.name} = {format_expr(step.formula)}" for step in gradients]
        return "\n".join(lines)
