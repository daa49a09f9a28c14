"""The body of an op that calls other ops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from fusewise.emit.printing import literal, wrapped
from fusewise.language.choices import default_choice
from fusewise.language.formula import Expr, Name, Number
from fusewise.language.model import Compose, Spec
from fusewise.language.names import camel_case
from fusewise.language.sections.compose import ATEN_FUNCTIONS

_REGISTRATION = "kRegistration"  # the constant that the template adds


@dataclass(frozen=True, slots=True)
class ComposeView:
    lines: tuple[str, ...]
    callees: tuple[tuple[str, str], ...]  # a constant in C++, the op that it names
    aten_functions: tuple[str, ...]  # that it calls, each of a header of its own


def compose_view(compose: Compose, inputs: Sequence[str], ops: Mapping[str, Spec]) -> ComposeView:
    functions: set[str] = set()
    constants: dict[str, str] = {}  # of the ops that it calls
    lines = [f"const Tensor& {name} = reads[{index}];" for index, name in enumerate(inputs)]

    def show(expr: Expr) -> str:
        if isinstance(expr, Name):
            return expr.id
        if isinstance(expr, Number):
            return literal(expr.value)
        shown = [show(arg) for arg in expr.args]
        args = ", ".join(shown)
        if expr.function == "list":
            return f"{{{args}}}"
        if expr.function in ATEN_FUNCTIONS:
            functions.add(expr.function)
            return f"at::{expr.function}({args})"
        choice = default_choice(ops[expr.function])
        assert choice is not None  # check_compose refuses a param without a default
        callee = choice.spec
        args = ", ".join(shown + ["Tensor()"] * (len(callee.inputs) - len(shown)))
        defaults = [param.default for param in callee.params]
        params = ", ".join(literal(default) for default in defaults if default is not None)
        if callee.name not in constants:
            constant = f"k{camel_case(callee.name)}"
            constants[callee.name] = _new(constant, {_REGISTRATION, *constants.values()})
        given = f"{{{args}}}, {{{params}}}" if params else f"{{{args}}}"
        return f"call_op({constants[callee.name]}, decompose, {given})[0]"

    named = {*inputs, *(target for step in compose.steps for target in step.targets)}
    for index, step in enumerate(compose.steps):
        text = show(step.call)
        if len(step.targets) == 1:
            lines += wrapped(f"const Tensor {step.targets[0]} = {text};", 2)
            continue
        results = _new(f"step{index}", named)
        lines += wrapped(f"const std::vector<Tensor> {results} = {text.removesuffix('[0]')};", 2)
        for k, target in enumerate(step.targets):
            lines.append(f"const Tensor& {target} = {results}[{k}];")
    lines += [f"writes[{index}] = {name};" for index, name in enumerate(compose.outputs)]
    callees = sorted((constant, op) for op, constant in constants.items())
    return ComposeView(tuple(lines), tuple(callees), tuple(sorted(functions)))


def _new(name: str, taken: Collection[str]) -> str:
    """A name that is not taken."""
    while name in taken:
        name += "_"
    return name
