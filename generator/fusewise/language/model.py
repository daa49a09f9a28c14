"""A spec as data. It is checked: every name is resolved, and every number is exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from fusewise.language.errors import Location
from fusewise.language.extents import row_terms
from fusewise.language.formula import Expr, Name, Number, format_expr
from fusewise.language.functions import Extent


@dataclass(frozen=True, slots=True)
class Dtype:
    """A dtype that an output can have whatever the inputs have."""

    kind: Literal["bool", "int", "float", "float8"]
    bytes: int
    cpp: str  # its name in dtype.h
    short: str = ""  # the other name that PyTorch has for it


DTYPES = {
    "bool": Dtype("bool", 1, "kBool"),
    "uint8": Dtype("int", 1, "kUInt8"),
    "int8": Dtype("int", 1, "kInt8"),
    "int16": Dtype("int", 2, "kInt16", "short"),
    "int32": Dtype("int", 4, "kInt32", "int"),
    "int64": Dtype("int", 8, "kInt64", "long"),
    "float16": Dtype("float", 2, "kHalf", "half"),
    "bfloat16": Dtype("float", 2, "kBFloat16"),
    "float32": Dtype("float", 4, "kFloat", "float"),
    "float64": Dtype("float", 8, "kDouble", "double"),
    "float8_e4m3fn": Dtype("float8", 1, "kFloat8E4M3FN"),
    "float8_e5m2": Dtype("float8", 1, "kFloat8E5M2"),
}
INT_DTYPES = tuple(name for name, row in DTYPES.items() if row.kind == "int")
FLOAT_DTYPES = tuple(name for name, row in DTYPES.items() if row.kind == "float")
# Only for quantised results without a gradient.
FLOAT8_DTYPES = tuple(name for name, row in DTYPES.items() if row.kind == "float8")
# The names of dtypes in PyTorch -> the names in a spec.
_SHORT_DTYPES = {row.short: name for name, row in DTYPES.items() if row.short}
OTHER_DTYPES = _SHORT_DTYPES | {
    f"torch.{name}": _SHORT_DTYPES.get(name, name) for name in (*DTYPES, *_SHORT_DTYPES)
}

Layout = Literal["chunked", "interleaved"]
Shapes = tuple[tuple[str, tuple[int, ...]], ...]  # of the inputs, by name


@dataclass(frozen=True, slots=True)
class Input:
    """An input tensor: plain, or several parts packed along the last dimension."""

    name: str
    dtype: Literal["float", "int", "bool", "number"]
    default: Number | None  # the value of every element if the tensor is absent; None: required
    parts: tuple[str, ...]  # empty for a plain tensor
    layout: Layout | None
    location: Location
    extent: Extent = "element"  # row: the shape has no dimension of a row

    @property
    def names(self) -> tuple[str, ...]:
        """The names that formulas use: those of the parts, or the input's own."""
        return self.parts or (self.name,)

    @property
    def floating(self) -> bool:
        """True if it can be a tensor of floats, which can have a gradient."""
        return self.dtype in ("float", "number")


@dataclass(frozen=True, slots=True)
class Param:
    """A plain number, never differentiated. Finite numbers are Fractions; floats are inf or NaN."""

    name: str
    type: Literal["float", "int", "bool"]
    default: Fraction | float | bool | None
    choices: tuple[Fraction | float | bool, ...]
    location: Location

    def cast(self, value: Fraction | float | bool) -> float | int | bool:
        """The value in the type that Python callers pass."""
        return {"float": float, "int": int, "bool": bool}[self.type](value)


@dataclass(frozen=True, slots=True)
class RowDims:
    """The dimensions of a row, which the spec or the caller names."""

    dims: tuple[int, ...] = (-1,)  # negative and ascending
    param: Param | None = None  # by which a caller names one dimension instead
    whole: bool = False  # all dimensions of a call, however many, instead

    @property
    def are_last(self) -> bool:
        return self == RowDims()

    @property
    def params(self) -> tuple[Param, ...]:
        return (self.param,) if self.param else ()

    @property
    def sampled(self) -> tuple[int, ...]:
        """The dimensions of a row in samples, where a caller names the last but one."""
        return (-2,) if self.param else self.dims

    @property
    def arguments(self) -> dict[str, int]:
        """The argument by which a caller names the dimension of samples."""
        return {self.param.name: self.sampled[0]} if self.param else {}

    def of(self, rank: int) -> Sequence[int]:
        """The dimensions of a row in a shape of this rank."""
        return range(-rank, 0) if self.whole else self.dims

    def full_shape(self, entry: Input, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of each part of an input with size 1 for the dimensions that it lacks."""
        if entry.extent == "element":
            *outer, last = shape or (1,)
            return (*outer, last // len(entry.names))
        sizes = list(shape)
        for dim in reversed(self.dims):
            sizes = [1] * (-1 - dim - len(sizes)) + sizes
            sizes.insert(len(sizes) + dim + 1, 1)
        return tuple(sizes)

    def rows_last(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape as kernels see it: the row is the last dimension."""
        sizes = dict(zip(range(-len(shape), 0), shape, strict=True))
        row = math.prod(sizes.pop(dim, 1) for dim in self.of(len(shape)))
        return (*sizes.values(), row)


@dataclass(frozen=True, slots=True)
class Step:
    """A named formula: an entry of `let`, or a gradient under `backward`."""

    name: str
    formula: Expr
    location: Location


@dataclass(frozen=True, slots=True)
class Output:
    """An output tensor: one formula, or several that are packed along the last dimension."""

    name: str
    parts: tuple[Expr, ...]
    layout: Layout | None
    dtype: str | None  # `bool` (of a condition), `int8`, `like x`; None: the promoted input dtype
    location: Location
    extent: Extent = "element"  # row: the shape has no dimension of a row, or with keepdim size 1
    keepdim: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts: the output's own, or `<name>_<k>` for each packed formula."""
        if self.layout is None:
            return (self.name,)
        return tuple(f"{self.name}_{k}" for k in range(len(self.parts)))

    @property
    def like(self) -> str | None:
        """The name of the input whose dtype the output has."""
        return self.dtype[5:] if self.dtype and self.dtype.startswith("like ") else None

    def is_differentiable(self, inputs: Sequence[Input]) -> bool:
        """True if the output can have a gradient: its dtype is a float of at least 16 bits."""
        if self.like:
            return any(i.name == self.like and i.floating for i in inputs)
        return self.dtype in (None, *FLOAT_DTYPES)


@dataclass(frozen=True, slots=True)
class Backward:
    """The gradients in the spec, `grad_<input or part>`; the other gradients are derived."""

    kind: Literal["derivative", "surrogate"]
    gradients: tuple[Step, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Save:
    """The inputs and outputs that the spec lists to be saved for the backward."""

    names: tuple[Name, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class ComposeStep:
    """One step of a composed op: `h, c: cell(gates, c0)`. A list argument is a call of `list`."""

    targets: tuple[str, ...]
    call: Expr
    location: Location


@dataclass(frozen=True, slots=True)
class Compose:
    """The steps of a composed op: calls of ATen functions and other ops with tensors."""

    steps: tuple[ComposeStep, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input that a module holds: its shape, and the call of `torch.nn.init` that fills it."""

    name: str
    shape: tuple[str | int, ...]  # a name is an argument of the constructor
    init: Literal["zeros", "ones", "constant", "normal", "uniform"]
    values: tuple[Fraction, ...]  # of a constant; std; low and high


@dataclass(frozen=True, slots=True)
class Module:
    """A class of torch.nn.Module that calls the op."""

    name: str
    parameters: tuple[Parameter, ...]
    location: Location

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that the constructor takes, in the order in which shapes name them."""
        named = (size for parameter in self.parameters for size in parameter.shape)
        return tuple(dict.fromkeys(size for size in named if isinstance(size, str)))


@dataclass(frozen=True, slots=True)
class Code:
    """A Python expression that has been checked, and its place in the spec."""

    text: str
    location: Location


@dataclass(frozen=True, slots=True)
class Reference:
    """The user's PyTorch expressions for the outputs."""

    outputs: tuple[Code, ...]
    steps: tuple[Code, ...]  # each call and operation; arguments come before their users

    def __str__(self) -> str:
        texts = [code.text for code in self.outputs]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


@dataclass(frozen=True, slots=True)
class Test:
    domain: tuple[tuple[str, Fraction, Fraction], ...] = ()  # of inputs, parts and params
    reference: Reference | None = None
    exclude: Expr | None = None  # a condition: finite differences are meaningless where it is true
    ulp: Fraction | None = None  # bound of the errors of float32 outputs and gradients, in ulp


@dataclass(frozen=True, slots=True)
class Spec:
    """One op. Each output of a composed op is the name of a step's target."""

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
    module: Module | None
    test: Test
    shapes: tuple[Shapes, ...]  # the typical ones, a case each
    location: Location  # of the op's name
    rows: RowDims = RowDims()

    @property
    def keywords(self) -> tuple[Param, ...]:
        """What callers pass by keyword."""
        return (*self.params, *self.rows.params)

    @property
    def formulas(self) -> tuple[Expr, ...]:
        """The formulas of the forward pass: of the steps, then of the outputs."""
        parts = [part for output in self.outputs for part in output.parts]
        return (*(step.formula for step in self.let), *parts)

    @property
    def domain(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The ranges of samples by name, where there are any; a part has that of the whole."""
        stated = {name: (low, high) for name, low, high in self.test.domain}
        for entry in self.inputs:
            if entry.name in stated:
                stated = dict.fromkeys(entry.parts, stated[entry.name]) | stated
        return stated

    def usual(self, param: Param) -> Fraction | float | bool:
        """The value of a param where one stands for all.

        It is the default, else the first choice, else the middle of the domain, else 1 or false.
        """
        if param.default is not None:
            return param.default
        if param.choices:
            return param.choices[0]
        if param.type == "bool":
            return False
        middle = sum(self.domain.get(param.name, (Fraction(1), Fraction(1)))) / 2
        return Fraction(math.floor(middle)) if param.type == "int" else middle

    @property
    def rows_name(self) -> str:
        """The name of the op whose rows are the last dimension, which has the kernels."""
        return self.name if self.rows.are_last else f"{self.name}__rows"

    @property
    def computes_floats(self) -> bool:
        """True if the kernels compute in floats for all inputs: an input or output is a float."""
        fixed = {output.dtype for output in self.outputs}
        return any(entry.dtype == "float" for entry in self.inputs) or not fixed.isdisjoint(
            (*FLOAT_DTYPES, *FLOAT8_DTYPES)
        )

    @property
    def reduces(self) -> bool:
        """True if values of an element depend on its row: the loop keeps its dimension."""
        if self.compose:
            return False
        items = (*self.inputs, *self.params, *self.let)
        declared = {item.name for item in items} | {n for i in self.inputs for n in i.names}
        rows = any(entry.extent == "row" for entry in self.inputs)
        return rows or bool(row_terms(self.formulas, declared))

    @property
    def first_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the first typical case; none without typical shapes."""
        return dict(self.shapes[0]) if self.shapes else {}

    def full_shape(self, shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
        """What inputs of these shapes broadcast to, each part of a packed one by itself."""
        loop: list[int] = []
        for entry in self.inputs:
            reverse = self.rows.full_shape(entry, shapes.get(entry.name, ()))[::-1]
            loop += [1] * (len(reverse) - len(loop))
            for k, size in enumerate(reverse):
                loop[k] = size if loop[k] == 1 else loop[k]
        return tuple(reversed(loop))

    def loop_shape(self, shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
        """The shape of the loop for inputs of these shapes, with the row as its last dimension."""
        return self.rows.rows_last(self.full_shape(shapes))

    def part_shape(self, entry: Input, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of each part of an input in the loop, at least one-dimensional."""
        return self.rows.rows_last(self.rows.full_shape(entry, shape))

    @property
    def is_surrogate(self) -> bool:
        """True if the spec declares its backward to differ from the derivative."""
        return self.backward is not None and self.backward.kind == "surrogate"

    @property
    def shown_path(self) -> str:
        """The path for comments in generated files, without characters that could end a comment."""
        return "".join(char if char.isprintable() else "?" for char in self.path)

    def __str__(self) -> str:
        inputs = [f"{i.name}[{', '.join(i.parts)}]" if i.parts else i.name for i in self.inputs]
        params = [param.name for param in self.keywords]
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
