"""Stage emit, the Python: an op as a typed function with a docstring."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fusewise.emit.printing import bracketed, literal, python_tuple, wrapped
from fusewise.language.choices import Choice
from fusewise.language.model import Spec


@dataclass(frozen=True, slots=True)
class PythonView:
    """The op as a Python function, in ready lines."""

    variant_lines: tuple[str, ...]  # the table of variants by their choices, if there are any
    definition_lines: tuple[str, ...]  # def swiglu(x: Tensor, ...) -> Tensor: and the docstring
    choice_lines: tuple[str, ...]  # how a variant is picked
    compiled_lines: tuple[str, ...]  # the call while a graph is captured
    call_lines: tuple[str, ...]


def python_view(spec: Spec, choices: Sequence[Choice]) -> PythonView:
    names = [entry.name for entry in spec.inputs]
    signature = [
        f"{entry.name}: Tensor" + ("" if entry.default is None else " | None = None")
        for entry in spec.inputs
    ]
    params = []
    for param in spec.params:
        default = "" if param.default is None else f" = {_python(param.default)}"
        params.append(f"{param.name}: {param.type}{default}")
    tensors = ", ".join(["Tensor"] * len(spec.outputs))
    result = tensors if len(spec.outputs) == 1 else f"tuple[{tensors}]"
    keywords = [param.name for param in spec.params if not param.choices]
    if spec.compose is None:
        params.append(f"out: {result} | None = None")
        keywords.append("out")
    signature += ["*", *params] if params else []
    chosen = [param.name for param in spec.params if param.choices]
    op, call = f"_ops.{spec.name}", f"_C.{spec.name}"
    if chosen:
        op, call = "getattr(_ops, variant)", "getattr(_C, variant)"
    compiled = [f'"{spec.name}"', op, *names, *(f"{name}={name}" for name in keywords)]
    return PythonView(
        tuple(_variants(spec, choices) if chosen else ()),
        (*bracketed(f"def {spec.name}(", signature, f") -> {result}:"), *doc_lines(spec)),
        tuple(_choose(spec, chosen) if chosen else ()),
        tuple(bracketed("return _runtime.call_compiled(", compiled, ")", indent=8)),
        tuple(bracketed(f"return {call}(", [*names, *keywords], ")", indent=4)),
    )


def _variants(spec: Spec, choices: Sequence[Choice]) -> list[str]:
    """The variants by what was chosen, as a table: `{(1,): "bias_act__act_1", ...}`."""
    items = []
    for choice in choices:
        values = python_tuple([_python(value) for _, value in choice.values])
        items.append(f'{values}: "{choice.spec.name}"')
    return bracketed(f"_{spec.name.upper()} = {{", items, "}")


def _choose(spec: Spec, chosen: Sequence[str]) -> list[str]:
    table = f"_{spec.name.upper()}"
    arguments = [f'"{spec.name}"', table, *(f"{name}={name}" for name in chosen)]
    return [
        f"    variant = {table}.get({python_tuple(chosen)})",
        "    if variant is None:",
        *bracketed("variant = _runtime.find_variant(", arguments, ")", indent=8),
    ]


def doc_lines(spec: Spec) -> list[str]:
    """The docstring: the spec's own text, then the formulas. Nothing in it can end the string."""
    lines = [*(spec.doc or spec.name).strip().splitlines(), "", *str(spec).splitlines()[1:]]
    for param in spec.params:
        if param.choices:
            values = ", ".join(_python(value) for value in param.choices)
            lines.append(f"  {param.name} is one of {values}")
    lines = [line.replace("\\", "\\\\").replace('"', '\\"').rstrip() for line in lines]
    lines[0] = f'"""{lines[0]}'
    pieces = [piece for line in lines for piece in (wrapped(line, 4) if len(line) > 96 else [line])]
    return [f"    {piece}".rstrip() for piece in [*pieces, '"""']]


def _python(value: Fraction | float | bool | None) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"
    return literal(value) if value is not None else "None"
