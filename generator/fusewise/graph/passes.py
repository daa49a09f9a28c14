"""A `Spec` becomes the forward `Pass`, formulas over one hash-consed DAG."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from fusewise.graph.dag import MAX_INTEGER, Dag, Node, expand, rebuild, topological
from fusewise.graph.steps import name_steps, show_step, show_value
from fusewise.language.errors import Problem, SpecError
from fusewise.language.formula import CONSTANTS, INDEX, LENGTH, Call, Expr, Name, Number, walk
from fusewise.language.functions import CALLABLE, Extent, Function, Reduction
from fusewise.language.functions.operators import AMAX, AMIN, DIV, FLOORDIV, MOD, POW
from fusewise.language.model import FLOAT_DTYPES, Spec

Role = Literal["input", "output", "incoming gradient", "gradient"]


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor that a pass reads or writes: one part, or several packed along its last dimension.

    `parts` of a read are input nodes, of a write the formulas. `like` names the read, or one of
    `Pass.shapes`, whose shape, strides and dtype a gradient takes. No gradient goes to or from a
    `detached` one. `arrives` is the param that is false for an incoming gradient that is missing.
    """

    name: str
    role: Role
    parts: tuple[Node, ...]
    part_names: tuple[str, ...]
    layout: str | None = None  # chunked or interleaved when packed
    dtype: str = "float"  # float, int, bool or number; a write may have a fixed dtype, as int8
    default: Fraction | float | None = None  # what an absent tensor reads as
    like: str | None = None
    gradient_of: Operand | None = None  # the tensor of the pass before
    dtype_like: str | None = None  # the read whose dtype alone a write takes
    detached: bool = False
    extent: Extent = "element"  # a value for each element, or one for each row
    keepdim: bool = False  # whether a tensor of rows has the last dimension, with size 1
    arrives: Node | None = None

    @property
    def order(self) -> int:
        """Of the derivative: 0 for an input or output, 1 for its gradient, 2 for that one's."""
        return self.gradient_of.order + 1 if self.gradient_of else 0

    @property
    def origin(self) -> str:
        """The name of the input or output of the op that this is, or is a gradient of."""
        return self.gradient_of.origin if self.gradient_of else self.name

    @property
    def floating(self) -> bool:
        return self.dtype in ("float", "number", *FLOAT_DTYPES)

    @property
    def differentiable(self) -> bool:
        return self.floating and not self.detached


@dataclass(frozen=True, slots=True)
class Pass:
    """Forward, backward or double backward: writes as formulas of reads and params."""

    order: int  # of the derivative: 0, 1 or 2
    dag: Dag
    reads: tuple[Operand, ...]
    params: tuple[Node, ...]
    writes: tuple[Operand, ...]
    lets: tuple[tuple[str, Node], ...] = ()
    rewrites: tuple[str, ...] = ()  # the rules that simplify applied, for people
    shapes: tuple[Operand, ...] = ()  # inputs that are not read: a gradient takes the shape of each

    @property
    def name(self) -> str:
        return ("forward", "backward", "double_backward")[self.order]

    @property
    def title(self) -> str:
        """The name for people."""
        return self.name.replace("_", " ")

    @property
    def given_names(self) -> set[str]:
        """The names of reads and params, which no step may have."""
        reads = {part.name for tensor in self.reads for part in tensor.parts}
        return reads | {param.name for param in self.params}

    @property
    def incoming(self) -> tuple[Operand, ...]:
        """The gradients that autograd calls the pass with."""
        return tuple(
            tensor
            for tensor in self.reads
            if tensor.role == "incoming gradient" and tensor.order == self.order
        )

    def equal_to(self, write: Operand) -> Operand | None:
        """The tensor that a gradient equals: an incoming gradient, or a gradient before it.

        The autograd node forwards that tensor if shape and dtype are the same too. None if no
        tensor is equal.
        """
        if not self.order:
            return None
        candidates = [*self.incoming, *self.writes[: self.writes.index(write)]]
        return next((t for t in candidates if _written(t) == _written(write)), None)

    def reads_of(self, write: Operand) -> tuple[Operand, ...]:
        """The reads that a write is made of, be it of their type alone."""
        used = set(topological(write.parts))
        return tuple(t for t in self.reads if used.intersection(t.parts) or t.arrives in used)

    @property
    def reduces(self) -> bool:
        """Whether a value depends on a whole row, on its length, or on the place in it."""
        tensors = (*self.reads, *self.writes, *self.shapes)
        if any(tensor.extent == "row" for tensor in tensors):
            return True
        reduces = any(node.reduction for node in topological(self.roots))
        return reduces or bool(self.row_leaves)

    @property
    def reads_index(self) -> bool:
        """Whether a value depends on the place of an element in its row."""
        return INDEX in self.row_leaves

    @property
    def row_leaves(self) -> frozenset[str]:
        """Those of `index` and `length` that a value depends on; an op may have inputs so named."""
        own = {*self.params, *(part for tensor in self.reads for part in tensor.parts)}
        leaves = {
            node.name for node in topological(self.roots) if not node.args and node not in own
        }
        return frozenset(leaves & {INDEX, LENGTH})

    @property
    def needs_elements(self) -> bool:
        """Whether a row of length 0 is an error, as in PyTorch: nothing has no maximum."""
        return any(node.row in (AMAX, AMIN) for node in topological(self.roots))

    @property
    def roots(self) -> tuple[Node, ...]:
        return tuple(part for tensor in self.writes for part in tensor.parts)

    @property
    def formulas(self) -> tuple[Node, ...]:
        """The roots, and the steps that the user named."""
        return (*self.roots, *(node for _, node in self.lets))

    def where_all_arrive(self) -> Pass:
        """The pass without the cases that an incoming gradient is missing."""
        dag = self.dag.copy()
        known = {tensor.arrives: dag.const(1) for tensor in self.reads if tensor.arrives}
        return self.mapped(dag, rebuild(dag, self.formulas, known=known)) if known else self

    def mapped(self, dag: Dag, done: Mapping[Node, Node]) -> Pass:
        """The pass with other formulas, which stand in `dag`."""
        writes = (replace(t, parts=tuple(done[part] for part in t.parts)) for t in self.writes)
        lets = tuple((name, done[node]) for name, node in self.lets)
        return replace(self, dag=dag, writes=tuple(writes), lets=lets)

    def __str__(self) -> str:
        return "\n".join([f"{self.name}:", *(f"  {line}" for line in self.lines())])

    def lines(self) -> list[str]:
        """The formulas for people: shared expressions have a name of their own."""
        lets = {node: name for name, node in self.lets}
        steps = name_steps(self.roots, lets, self.given_names)
        names = {node: name for name, node in steps}
        lines = [f"{name} = {show_step(node, names)}" for name, node in steps]
        writes = parts_by_name(self.writes).items()
        return lines + [f"{name} = {show_value(node, names)}" for name, node in writes]


def _written(tensor: Operand) -> tuple[object, ...]:
    """The numbers of a tensor, and their order in memory."""
    return tensor.parts, tensor.layout, tensor.extent, tensor.keepdim


def build_graph(spec: Spec) -> Pass:
    """The forward pass of a checked spec.

    Raises:
        SpecError: the spec uses what the language has and no stage can do yet.
    """
    _refuse_unsupported(spec)
    dag = Dag()
    reads = []
    for entry in spec.inputs:
        names, is_element = entry.names, entry.extent == "element"
        nodes = tuple(dag.input(name, entry.dtype, is_element=is_element) for name in names)
        default = entry.default.value if entry.default is not None else None
        operand = Operand(entry.name, "input", nodes, names, entry.layout, entry.dtype, default)
        reads.append(replace(operand, extent=entry.extent))
    params = tuple(dag.param(param.name, param.type) for param in spec.params)
    names = {node.name: node for node in (*params, *(p for t in reads for p in t.parts))}
    lets = []
    for step in spec.let:
        names[step.name] = _built(dag, step.formula, names)
        lets.append((step.name, names[step.name]))
    kinds = {tensor.name: tensor.dtype for tensor in reads}
    promoted = _promoted(kinds.values())
    writes = []
    for output in spec.outputs:
        nodes = tuple(_built(dag, part, names) for part in output.parts)
        like = output.like
        dtype = kinds[like] if like else output.dtype or promoted
        operand = Operand(output.name, "output", nodes, output.names, output.layout, dtype)
        described = replace(operand, extent=output.extent, keepdim=output.keepdim)
        writes.append(replace(described, dtype_like=like))
    built = Pass(0, dag, tuple(reads), params, tuple(writes), tuple(lets))
    if not spec.computes_floats:
        _refuse_fractions(spec, built, names)
    return built


def _built(dag: Dag, formula: Expr, names: Mapping[str, Node]) -> Node:
    """The node of a formula, with each reduction that has no gradient of its own expanded."""
    node = dag.build(formula, names)
    return expand(dag, [node], _without_gradient, {given: given for given in names.values()})[node]


def _without_gradient(row: Function | Reduction) -> Expr | None:
    return row.body if isinstance(row, Reduction) and row.gradient is None else None


def _promoted(kinds: Iterable[str]) -> str:
    """What tensors of these kinds have in common."""
    found = set(kinds)
    if "number" in found:
        return "number"
    return "float" if "float" in found else "int"


def _refuse_unsupported(spec: Spec) -> None:
    if any(entry.dtype == "float" for entry in spec.inputs):
        return
    problems = []
    floats = {*CONSTANTS, *(param.name for param in spec.params if param.type == "float")}
    in_floats = spec.computes_floats
    for formula in spec.formulas:
        for node in walk(formula):
            if isinstance(node, Number) and abs(node.value) > MAX_INTEGER:
                problems.append(Problem("this number does not fit 64 bits", node.location))
            elif not in_floats and _needs_floats(node, floats):
                message = "this needs floats, but the op computes in integers"
                hint = "write it in whole numbers, or declare an input as 'tensor'"
                problems.append(Problem(message, node.location, hint))
    if problems:
        raise SpecError(*problems)


def _refuse_fractions(spec: Spec, built: Pass, names: Mapping[str, Node]) -> None:
    """Raises SpecError for calls without an integer result, unless no output needs them."""
    wrong = {node: text for node in topological(built.roots) if (text := _fraction(node))}
    found = {
        call.location: wrong[node]
        for formula in (spec.formulas if wrong else ())
        for call in walk(formula)
        if isinstance(call, Call) and (node := built.dag.build(call, names)) in wrong
    }
    if found:
        hint = "declare an input as 'tensor'"
        raise SpecError(*(Problem(text, place, hint) for place, text in found.items()))


def _fraction(node: Node) -> str:
    """Why a node of an op that computes in integers has no integer value; empty if it has one."""
    last = node.args[-1] if node.args else node
    if node.row in (FLOORDIV, MOD) and last.is_zero:
        return "integers cannot be divided by zero"
    is_negative = isinstance(last.value, Fraction) and last.value < 0
    is_power = node.row is DIV or (node.row is POW and is_negative)  # x ** -1 is 1 / x
    if is_power or (isinstance(node.value, Fraction) and node.value.denominator != 1):
        return "a negative power is a fraction, but the op computes in integers"
    return ""


def _needs_floats(expr: Expr, names: Container[str]) -> bool:
    """Whether integers cannot hold this, whatever it is made of; `names` are those of floats."""
    if isinstance(expr, Number):
        return expr.value.denominator != 1
    if isinstance(expr, Name):
        return expr.id in names
    row = CALLABLE.get(expr.function)
    return isinstance(row, Function | Reduction) and not row.integer


def names_of(tensors: Iterable[Operand]) -> tuple[str, ...]:
    """The names of the parts of all these tensors, in their order."""
    return tuple(name for tensor in tensors for name in tensor.part_names)


def parts_by_name(tensors: Iterable[Operand]) -> dict[str, Node]:
    """The parts of all these tensors, in their order."""
    return {
        name: part
        for tensor in tensors
        for name, part in zip(tensor.part_names, tensor.parts, strict=True)
    }
