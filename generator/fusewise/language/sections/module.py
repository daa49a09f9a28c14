"""The section `module`: a class of torch.nn.Module that holds some of the inputs as parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fusewise.language.document import Node, Scalar, Table
from fusewise.language.errors import Problem, SpecError
from fusewise.language.formula import Call, Name, plain_number
from fusewise.language.model import Input, Module, Param, Parameter, Spec
from fusewise.language.names import camel_case, name_problem
from fusewise.language.sections.keys import INITS, MODULE, PARAMETER
from fusewise.language.sections.reader import WHOLE, Reader

CLASS_FORM = r"[A-Z][A-Za-z0-9]{0,39}"
# The names that a generated package uses beside those of ops.
RESERVED_CLASSES = ("Tensor", "Device", "None", "True", "False")
# An attribute of one of these names would hide one of torch.nn.Module.
_ATTRIBUTES = """
    add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches
    eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu
    load_state_dict modules mtia named_buffers named_children named_modules named_parameters
    parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
    register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    reset_parameters set_extra_state set_submodule share_memory state_dict to to_empty train
    training type xpu zero_grad
    """
MODULE_ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_ARGUMENTS = ("device", "dtype", "nn", "super")


def read_module(
    reader: Reader,
    key: Scalar,
    node: Node,
    op: str,
    inputs: Sequence[Input],
    params: Sequence[Param],
) -> Module:
    fields = reader.fields(node, "'module'", MODULE)
    name, location = camel_case(op), key.location
    if "name" in fields and (text := reader.text(fields["name"][1], "the name of the module")):
        name, location = text.text, text.location
    if not re.fullmatch(CLASS_FORM, name):
        hint = "as in RMSNorm: up to 40 letters and digits, the first one a capital letter"
        reader.report(location, f"'{name}' is no name of a class", hint)
    elif name in RESERVED_CLASSES:
        hint = f"for example {name}Module" if "name" in fields else "give the module a 'name'"
        reader.report(location, f"'{name}' is taken: generated code uses it", hint)
    parameters = []
    if "parameters" in fields:
        table = reader.table(fields["parameters"][1], "'parameters'")
        for word, value in table.entries if table else ():
            if (entry := _input(reader, word, inputs)) is not None:
                _check_attribute(reader, entry)
                parameters.append(_parameter(reader, entry, value))
    for param in params:
        _check_attribute(reader, param)
    _check_forward(reader, key, op, inputs, {parameter.name for parameter in parameters})
    return Module(name, tuple(parameters), location)


def _input(reader: Reader, word: Scalar, inputs: Sequence[Input]) -> Input | None:
    """The input of a parameter. Reports a name that is none, or that has no gradient."""
    by_name = {entry.name: entry for entry in inputs}
    if word.text not in by_name:
        hint = f"the inputs are {', '.join(by_name)}"
        packed = [entry.name for entry in inputs if word.text in entry.parts]
        if packed:
            hint = f"it is a part of '{packed[0]}', which is one tensor: write {packed[0]}"
            reader.report(word.location, f"'{word.text}' is no input", hint)
        else:
            reader.unknown("input", word, by_name, hint)
    elif by_name[word.text].dtype != "float":
        message = f"'{word.text}' is no parameter: only a floating-point tensor can be one"
        reader.report(word.location, message, "'forward' takes every other input")
    return by_name.get(word.text)


def _check_attribute(reader: Reader, item: Input | Param) -> None:
    if item.name in (*MODULE_ATTRIBUTES, *_ARGUMENTS):
        message = f"'{item.name}' is taken in an op with a module: {_use(item.name)}"
        reader.report(item.location, message, f"for example {item.name}_value")


def _use(name: str) -> str:
    inherited = name in MODULE_ATTRIBUTES
    return "an attribute of torch.nn.Module" if inherited else "the constructor uses it"


def _check_forward(
    reader: Reader, key: Scalar, op: str, inputs: Sequence[Input], held: set[str]
) -> None:
    remaining = [entry for entry in inputs if entry.name not in held]
    if not any(entry.default is None for entry in remaining):
        message = "every input that must be given is a parameter: 'forward' needs a tensor"
        reader.report(key.location, message)
    for entry in remaining:
        if entry.name == op:
            message = f"'{op}' is taken in an op with a module: 'forward' calls the op"
            reader.report(entry.location, message, f"for example {op}_value")


def _parameter(reader: Reader, entry: Input, node: Node) -> Parameter:
    what = f"parameter '{entry.name}'"
    fields = reader.fields(node, what, PARAMETER)
    for key in PARAMETER if isinstance(node, Table) else ():
        if key not in fields:
            hint = "as in {shape: [features], init: ones}"
            reader.report(node.location, f"{what} has no '{key}'", hint)
    shape: list[str | int] = []
    if "shape" in fields:
        for item in reader.items(fields["shape"][1], f"the shape of '{entry.name}'"):
            shape += _size(reader, item)
    init, values = _init(reader, fields["init"][1]) if "init" in fields else ("zeros", ())
    return Parameter(entry.name, tuple(shape), init, values)


def _size(reader: Reader, node: Node) -> list[str | int]:
    """A size: a whole number, or the name of an argument of the constructor."""
    text = reader.text(node, "a size")
    if text is None:
        return []
    if re.fullmatch(WHOLE, text.text):
        return [int(text.text)]
    if problem := name_problem(text.text):
        reader.report(text.location, *problem)
    elif text.text in reader.declared:
        message = f"'{text.text}' is already the name of {reader.declared[text.text]}"
        reader.report(text.location, message, f"for example {text.text}_size")
    elif text.text in (*MODULE_ATTRIBUTES, *_ARGUMENTS):
        message = f"'{text.text}' is taken: {_use(text.text)}"
        reader.report(text.location, message, f"for example {text.text}_size")
    return [text.text]


def _init(reader: Reader, node: Node) -> tuple[Any, tuple[Fraction, ...]]:
    """The function of `torch.nn.init` without its underscore, and its numbers."""
    formula = reader.formula(node, "'init'")
    if formula is None:
        return "zeros", ()
    function, args = "constant", (formula,)
    match formula:
        case Name("zeros" | "ones" as word):
            return word, ()
        case Call("normal" | "uniform" as function, args):
            pass
    values = tuple(value for value in map(plain_number, args) if isinstance(value, Fraction))
    if len(values) != len(args) or not _is_valid(function, values):
        hint = f"a finite number, {', '.join(INITS)}; std is positive, and low less than high"
        reader.report(formula.location, "this is no kind of initial values", hint)
    return function, values


def _is_valid(function: str, values: tuple[Fraction, ...]) -> bool:
    match function, values:
        case "normal", (std,):
            return std > 0
        case "uniform", (low, high):
            return low < high
    return function == "constant"


def check_modules(specs: Sequence[Spec]) -> None:
    """Check that the modules of one build have different names.

    Raises:
        SpecError: two of them have the same name.
    """
    first: dict[str, Spec] = {}
    problems = []
    for spec in specs:
        if spec.module and first.setdefault(spec.module.name, spec) is not spec:
            name = spec.module.name
            message = f"'{name}' is the module of {first[name].path} already"
            hint = "a package has one class of a name: give one of the two another 'name'"
            problems.append(Problem(message, spec.module.location, hint))
    if problems:
        raise SpecError(*problems)
