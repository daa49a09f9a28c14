"""An op as a typed function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fusewise.emit.printing import bracketed, python_tuple
from fusewise.emit.python.docstring import doc_lines
from fusewise.emit.python.literals import python_literal
from fusewise.language.choices import Choice
from fusewise.language.model import Input, Param, Spec
from fusewise.plan.kept import KeptTotals
from fusewise.plan.memory import MemoryPlan


@dataclass(frozen=True, slots=True)
class PythonView:
    """The op as a Python function, in ready lines."""

    variant_lines: tuple[str, ...]  # the table of variants by their choices, if there are any
    definition_lines: tuple[str, ...]  # def swiglu(x: Tensor, ...) -> Tensor: and the docstring
    choice_lines: tuple[str, ...]  # how a variant is picked
    compiled_lines: tuple[str, ...]  # the call while a graph is captured
    call_lines: tuple[str, ...]


def python_view(
    spec: Spec, choices: Sequence[Choice], plans: Sequence[MemoryPlan], totals: KeptTotals
) -> PythonView:
    """The function of an op; `plans` are those of the backward, one for each choice."""
    names = [entry.name for entry in spec.inputs]
    signature = list(map(tensor_argument, spec.inputs))
    params = list(map(param_argument, spec.keywords))
    result = result_type(spec)
    keywords = [param.name for param in spec.keywords if not param.choices]
    if spec.compose is None:
        params.append(f"out: {result} | None = None")
        keywords.append("out")
    signature += ["*", *params] if params else []
    chosen = [param.name for param in spec.params if param.choices]
    op, call = f"_ops.{spec.name}", f"_C.{spec.name}"
    if chosen:
        op, call = "getattr(_ops, variant)", "getattr(_C, variant)"
    compiled = [f'"{spec.name}"', op, *names, *(f"{name}={name}" for name in keywords)]
    doc = doc_lines(spec, plans, totals)
    return PythonView(
        tuple(_variants(spec, choices) if chosen else ()),
        (*bracketed(f"def {spec.name}(", signature, f") -> {result}:"), *doc),
        tuple(_choose(spec, chosen) if chosen else ()),
        tuple(bracketed("return _runtime.call_compiled(", compiled, ")", indent=8)),
        tuple(bracketed(f"return {call}(", [*names, *keywords], ")", indent=4)),
    )


def tensor_argument(entry: Input) -> str:
    return f"{entry.name}: Tensor" + ("" if entry.default is None else " | None = None")


def param_argument(param: Param) -> str:
    default = "" if param.default is None else f" = {python_literal(param.default)}"
    return f"{param.name}: {param.type}{default}"


def result_type(spec: Spec) -> str:
    tensors = ", ".join(["Tensor"] * len(spec.outputs))
    return tensors if len(spec.outputs) == 1 else f"tuple[{tensors}]"


def _variants(spec: Spec, choices: Sequence[Choice]) -> list[str]:
    """The variants by what was chosen, as a table: `{(1,): "bias_act__act_1", ...}`."""
    items = []
    for choice in choices:
        values = python_tuple([python_literal(value) for _, value in choice.values])
        items.append(f'{values}: "{choice.spec.name}"')
    return bracketed(f"{_table(spec)} = {{", items, "}")


def _table(spec: Spec) -> str:
    return f"_{spec.name.upper()}_VARIANTS"


def _choose(spec: Spec, chosen: Sequence[str]) -> list[str]:
    table = _table(spec)
    arguments = [f'"{spec.name}"', table, *(f"{name}={name}" for name in chosen)]
    return [
        f"    variant = {table}.get({python_tuple(chosen)})",
        "    if variant is None:",
        *bracketed("variant = _runtime.find_variant(", arguments, ")", indent=8),
    ]
