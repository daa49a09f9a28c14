"""The functions of a test file, in plain PyTorch: the formulas as the user wrote them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fusewise.derive.autodiff import differentiate, mark_detached
from fusewise.derive.simplify import simplify
from fusewise.emit.plain_pytorch import Printer, value_text
from fusewise.emit.printing import assigned_python, bracketed, python_tuple
from fusewise.graph.dag import Node, to_expr
from fusewise.graph.passes import build_graph, names_of
from fusewise.graph.steps import name_long_steps
from fusewise.language.formula import Call, Expr, Name, Number, format_expr, walk
from fusewise.language.functions import CALLABLE
from fusewise.language.functions.forms import WHERE
from fusewise.language.model import FLOAT8_DTYPES, Backward, Compose, Output, Param, Spec, Step
from fusewise.language.names import gradient_name
from fusewise.language.sections.compose import ATEN_FUNCTIONS, reached_ops


@dataclass(frozen=True, slots=True)
class TestFunction:
    """A function of plain PyTorch that the test file defines, as ready lines."""

    name: str
    lines: tuple[str, ...]


def functions_of_case(spec: Spec, called: Mapping[str, str]) -> list[TestFunction]:
    """The functions that are fields of the case; `called` is that of `called_names`."""
    functions = [_reference(spec, "reference", called)]
    if spec.test.reference is not None:
        doc, result = "The reference that the spec gives.", str(spec.test.reference)
        arguments = _arguments(spec, spec.keywords)
        functions.append(_function("oracle", arguments, doc, _unpacked(spec), result))
    if spec.test.exclude is not None:
        functions.append(_exclude(spec, spec.test.exclude))
    if spec.backward and spec.is_surrogate:
        functions.append(_surrogate(spec, spec.backward))
    return functions


def called_references(called: Mapping[str, str], ops: Mapping[str, Spec]) -> list[TestFunction]:
    """The references of the ops that a composed op calls; `called` is that of `called_names`."""
    return [_reference(ops[op], name, called) for op, name in called.items()]


def called_names(spec: Spec, ops: Mapping[str, Spec]) -> dict[str, str]:
    """The function for each called op; no value of a function that calls ops has its name."""
    called = reached_ops(spec, ops)
    values: set[str] = set()
    for caller in (spec, *(ops[op] for op in called)):
        if caller.compose:
            values |= {entry.name for entry in (*caller.inputs, *caller.keywords)}
            values |= {target for step in caller.compose.steps for target in step.targets}
    names: dict[str, str] = {}
    for op in called:
        name = op
        while name in values or (name != op and name in called):
            name += "_"
        names[op] = name
    return names


def _reference(spec: Spec, name: str, called: Mapping[str, str]) -> TestFunction:
    if spec.compose:
        doc, results = "The calls as the spec has them.", ", ".join(spec.compose.outputs)
        return _function(name, _arguments(spec), doc, _composed(spec.compose, called), results)
    printer = Printer(spec)
    lines = _prepared(spec)
    used: dict[str, set[str]] = {}  # the inputs that each step always uses
    for step in spec.let:
        used[step.name] = _always_used(step.formula, printer, used)
        lines.append(printer.step(step.name, step.formula))
    results = [
        _packed(spec, output, [_full(spec, output, part, printer, used) for part in output.parts])
        for output in spec.outputs
    ]
    doc = "The formula as the spec has it."
    return _function(name, _arguments(spec), doc, lines, ", ".join(results))


def _full(
    spec: Spec, output: Output, formula: Expr, printer: Printer, used: Mapping[str, set[str]]
) -> str:
    """The formula in the shape that all inputs broadcast to, where it does not use all of them."""
    shown = printer.tensor(formula) if printer.is_number(formula) else printer.node(formula)
    names = _always_used(formula, printer, used)
    unused = [
        f"testing.row_of({entry.names[0]})" if output.extent == "row" else entry.names[0]
        for entry in spec.inputs
        if names.isdisjoint(entry.names)
    ]
    if output.extent == "element" and printer.may_be_of_row(formula):
        unused = list(dict.fromkeys([*unused, printer.element]))
    text = ast.unparse(shown)
    return f"torch.broadcast_tensors({', '.join([text, *unused])})[0]" if unused else text


def _always_used(expr: Expr, printer: Printer, steps: Mapping[str, set[str]]) -> set[str]:
    """The names that a formula uses whatever the params are, in place of steps what those use."""
    if isinstance(expr, Name):
        return steps.get(expr.id, {expr.id})
    if isinstance(expr, Number):
        return set()
    used = [_always_used(arg, printer, steps) for arg in expr.args]
    if CALLABLE[expr.function] is WHERE and printer.is_number(expr.args[0]):
        return used[1] & used[2]
    return set().union(*used)


def _exclude(spec: Spec, condition: Expr) -> TestFunction:
    printer = Printer(spec)
    formulas = [condition]
    steps: list[Step] = []
    for step in reversed(spec.let):
        if any(Name(step.name) in walk(formula) for formula in formulas):
            formulas.append(step.formula)
            steps.insert(0, step)
    lines = [*_prepared(spec), *(printer.step(step.name, step.formula) for step in steps)]
    doc = "Where finite differences mean nothing."
    return _function("exclude", _arguments(spec), doc, lines, printer.show(condition))


def _surrogate(spec: Spec, backward: Backward) -> TestFunction:
    """The gradients as functions of all params, also of those with choices."""
    forward = simplify(mark_detached(build_graph(spec), backward))
    derived = differentiate(forward, backward.gradients)
    printer = Printer(spec)
    gradients = [gradient_name(output.name) for output in spec.outputs]
    lines = _unpacked(spec)
    for output in spec.outputs:
        if len(output.parts) > 1:
            names = list(map(gradient_name, output.names))
            lines.append(_unpack(gradient_name(output.name), names, output.layout))
    floats = [entry.name for entry in spec.inputs if entry.floating]
    results = dict.fromkeys(floats, "None")  # of those that are detached
    steps: dict[Node, str] = {}
    lets = {node: name for name, node in derived.lets}
    taken = {*gradients, *names_of(derived.reads), *(param.name for param in spec.params)}
    taken |= {entry.name for entry in spec.inputs}
    for name, node in name_long_steps(derived.roots, lets, taken):
        lines.append(printer.step(name, to_expr(node, steps)))
        steps[node] = name
    for tensor in derived.writes:
        shown = [steps.get(part) or printer.show(to_expr(part, steps)) for part in tensor.parts]
        full = gradients[0]  # a gradient has the shape of the outputs even where it is a number
        parts = [f"torch.zeros_like({full})" if part == "0" else part for part in shown]
        assert tensor.gradient_of is not None
        results[tensor.gradient_of.name] = (
            parts[0] if len(parts) == 1 else _pack(parts, tensor.layout)
        )
    arguments = [*gradients, *_arguments(spec)]
    doc = "The backward as the spec writes it."
    return _function("surrogate", arguments, doc, lines, python_tuple(list(results.values())))


def _composed(compose: Compose, called: Mapping[str, str]) -> list[str]:
    def show(expr: Expr) -> str:
        if not isinstance(expr, Call):
            return format_expr(expr)
        args = ", ".join(show(arg) for arg in expr.args)
        if expr.function == "list":
            return f"[{args}]"
        if expr.function in ATEN_FUNCTIONS:
            module = "torch.nn.functional" if expr.function == "linear" else "torch"
            return f"{module}.{expr.function}({args})"
        return f"{called[expr.function]}({args})"

    return [f"{', '.join(step.targets)} = {show(step.call)}" for step in compose.steps]


def _function(
    name: str, arguments: Sequence[str], doc: str, body: Sequence[str], result: str
) -> TestFunction:
    """A function whose body is assignments, one a line, and a result."""
    lines = [*bracketed(f"def {name}(", arguments, "):"), f'    """{doc}"""']
    for line in body:
        target, _, expression = line.partition(" = ")
        lines += assigned_python(f"{target} =", expression, indent=4)
    return TestFunction(name, (*lines, *assigned_python("return", result, indent=4)))


def _arguments(spec: Spec, keywords: Sequence[Param] | None = None) -> list[str]:
    """The arguments of a function: the inputs, and keywords, by default the params."""
    names = [f"{e.name}=None" if e.default is not None else e.name for e in spec.inputs]
    params = [
        param.name if param.default is None else f"{param.name}={value_text(param.default)}"
        for param in (spec.params if keywords is None else keywords)
    ]
    return [*names, *(["*", *params] if params else [])]


def _unpacked(spec: Spec, *, with_columns: bool = False) -> list[str]:
    """Lines that give every part and every absent input its value.

    With columns, a row tensor gets a last dimension, for the elements of its rows.
    """
    lines = []
    for entry in spec.inputs:
        if entry.parts:
            lines.append(_unpack(entry.name, entry.parts, entry.layout))
        has_column = with_columns and entry.extent == "row"
        given = f"{entry.name}.unsqueeze(-1)" if has_column else entry.name
        if entry.default is not None:
            like, value = Printer(spec).like, value_text(entry.default.value)
            absent = f"{like}.new_tensor({value})"
            given = f"{absent} if {entry.name} is None else {given}"
        if given != entry.name:
            lines.append(f"{entry.name} = {given}")
    return lines


def _prepared(spec: Spec) -> list[str]:
    """The lines before a formula.

    In an op that reduces, row tensors get a last dimension and elements the length of a row.
    """
    if not spec.reduces:
        return _unpacked(spec)
    elements = ", ".join(n for e in spec.inputs if e.extent == "element" for n in e.names)
    return [
        *_unpacked(spec, with_columns=True),
        f"{elements}, index = testing.rows({elements})",
        "length = index.numel()",
    ]


def _unpack(name: str, parts: Sequence[str], layout: str | None) -> str:
    if layout == "interleaved":
        slices = ", ".join(f"{name}[..., {k}::{len(parts)}]" for k in range(len(parts)))
        return f"{', '.join(parts)} = {slices}"
    return f"{', '.join(parts)} = {name}.chunk({len(parts)}, dim=-1)"


def _packed(spec: Spec, output: Output, parts: Sequence[str]) -> str:
    """An output as one tensor of its dtype; a condition is bool already."""
    text = parts[0] if len(parts) == 1 else _pack(parts, output.layout)
    if output.extent == "row" and not output.keepdim:
        text = f"({text}).squeeze(-1)"
    if output.dtype is None and spec.computes_floats:
        names = [entry.name for entry in spec.inputs if entry.dtype != "bool"]
        if names and all(entry.dtype != "float" for entry in spec.inputs):
            return f"({text}).to(testing.promoted([{', '.join(names)}]))"
    if output.like:
        return f"({text}).to({output.like}.dtype)"
    if output.dtype in FLOAT8_DTYPES:
        return f"testing.to_float8({text}, torch.{output.dtype})"
    return f"({text}).to(torch.{output.dtype})" if output.dtype not in (None, "bool") else text


def _pack(parts: Sequence[str], layout: str | None) -> str:
    together = f"torch.broadcast_tensors({', '.join(parts)})"
    if layout == "interleaved":
        return f"torch.stack({together}, dim=-1).flatten(-2)"
    return f"torch.cat({together}, dim=-1)"
