"""An op as a class of torch.nn.Module."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fusewise.emit.printing import WIDTH, bracketed, python_tuple
from fusewise.emit.python.docstring import DOC_WIDTH, prose, quoted_doc
from fusewise.emit.python.function import param_argument, result_type, tensor_argument
from fusewise.emit.python.literals import python_literal
from fusewise.language.model import Module, Parameter, Spec


@dataclass(frozen=True, slots=True)
class ModuleView:
    """The class; each field is a block of ready lines, or empty."""

    name: str
    head: str  # the docstring, and the types of the parameters
    init: str  # def __init__(self, ...) -> None:
    attributes: str  # set by the constructor; empty if the class needs none
    resets: str  # the body of reset_parameters
    forward: str  # def forward(self, x: Tensor) -> Tensor:
    call: str
    call_type: str  # for type checkers, since torch.nn.Module declares a call as Any
    extra_repr: str  # the body of extra_repr


def module_view(spec: Spec) -> ModuleView:
    module = spec.module
    assert module is not None
    held = {parameter.name: parameter for parameter in module.parameters}
    flags = [e.name for e in spec.inputs if e.name in held and e.default is not None]
    options = [param_argument(param) for param in spec.keywords]
    options += [f"{name}: bool = True" for name in flags]
    options += ["device: Device = None", "dtype: torch.dtype | None = None"] if held else []
    arguments = ["self", *(f"{size}: int" for size in module.sizes), *["*"] * bool(options)]
    call = [f"self.{e.name}" if e.name in held else e.name for e in spec.inputs]
    call += [f"{param.name}=self.{param.name}" for param in spec.keywords]
    forward = ["self", *(tensor_argument(e) for e in spec.inputs if e.name not in held)]
    types = [f"    {name}: nn.Parameter{' | None' * (name in flags)}" for name in held]
    types = ["", *types] if types else []
    result = f" -> {result_type(spec)}"
    plain = (*module.sizes, *(param.name for param in spec.keywords))
    attributes = [f"        self.{name} = {name}" for name in plain]
    resets: list[str] = []
    for parameter in module.parameters:
        attributes += _register(parameter, parameter.name in flags)
        resets += _reset(parameter, parameter.name in flags)
    return ModuleView(
        name=module.name,
        head=_block([*quoted_doc(_doc(spec, module, flags)), *types]),
        init=_block(bracketed("def __init__(", [*arguments, *options], ") -> None:", 4)),
        attributes=_block(attributes),
        resets=_block(resets),
        forward=_block(bracketed("def forward(", forward, f"){result}:", 4)),
        call_type=_block(bracketed("def __call__(", forward, f"){result}: ...", 8)),
        call=_block(bracketed(f"return {spec.name}(", call, ")", 8)),
        extra_repr=_block(_extra_repr(plain, flags)),
    )


def _block(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _doc(spec: Spec, module: Module, flags: Sequence[str]) -> list[str]:
    first = itertools.takewhile(bool, prose(spec))
    lines = [*first, "", f"A module that calls `{spec.name}`.", ""]
    for parameter in module.parameters:
        shape = f"[{', '.join(map(str, parameter.shape))}]"
        without = f"; None if {parameter.name}=False" if parameter.name in flags else ""
        line = f"  {parameter.name}: {shape}, at first {_initial(parameter)}{without}"
        lines += textwrap.wrap(line, DOC_WIDTH, subsequent_indent="      ")
    return lines if module.parameters else lines[:-1]


def _initial(parameter: Parameter) -> str:
    numbers = ", ".join(map(python_literal, parameter.values))
    if parameter.init == "constant":
        return numbers
    return f"{parameter.init}({numbers})" if numbers else parameter.init


def _register(parameter: Parameter, is_optional: bool) -> list[str]:
    shape = python_tuple([str(size) for size in parameter.shape])
    opening = f"self.{parameter.name} = nn.Parameter("
    empty = [f"torch.empty({shape}, device=device, dtype=dtype)"]
    if not is_optional:
        return bracketed(opening, empty, ")", 8)
    return [
        f'        self.register_parameter("{parameter.name}", None)',
        f"        if {parameter.name}:",
        *bracketed(opening, empty, ")", 12),
    ]


def _reset(parameter: Parameter, is_optional: bool) -> list[str]:
    numbers = list(map(python_literal, parameter.values))
    if parameter.init == "normal":
        numbers = ["0", *numbers]  # the mean
    opening, arguments = f"nn.init.{parameter.init}_(", [f"self.{parameter.name}", *numbers]
    if not is_optional:
        return bracketed(opening, arguments, ")", 8)
    condition = f"        if self.{parameter.name} is not None:"
    return [condition, *bracketed(opening, arguments, ")", 12)]


def _extra_repr(plain: Sequence[str], flags: Sequence[str]) -> list[str]:
    fields = [f"{name}={{self.{name}}}" for name in plain]
    fields += [f"{name}={{self.{name} is not None}}" for name in flags]
    line = f'        return f"{", ".join(fields)}"'
    if len(line) <= WIDTH or not fields:
        return [line] if fields else []
    ends = [", "] * (len(fields) - 1) + [""]
    pieces = (f'            f"{field}{end}"' for field, end in zip(fields, ends, strict=True))
    return ["        return (", *pieces, "        )"]
