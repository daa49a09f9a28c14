"""The sections `inputs` and `params`."""

from __future__ import annotations

import math
import re
import sys
from fractions import Fraction
from typing import Any

from fusewise.language.document import List, Node, Scalar, Table
from fusewise.language.formula import Number
from fusewise.language.functions import Extent
from fusewise.language.model import Input, Param
from fusewise.language.sections.keys import PACKED_INPUT, PARAM, PARAM_TYPES
from fusewise.language.sections.reader import Reader

INPUT_FORM = r"(?:(float|int|bool|number)\s+)?(?:(row)\s+)?tensor(?:\s*=\s*(.*))?"
PARAM_FORM = r"(\w+)(?:\s*=\s*(.*))?"


def read_inputs(reader: Reader, node: Node) -> tuple[Input, ...]:
    table = reader.table(node, "'inputs'")
    inputs: list[Input] = []
    for key, value in table.entries if table else ():
        reader.declare(key.text, "an input", key.location)
        entry = (
            _packed(reader, key, value) if isinstance(value, Table) else _plain(reader, key, value)
        )
        if entry.default is None and any(before.default is not None for before in inputs):
            message = f"'{entry.name}' must be given, but stands behind an optional input"
            reader.report(entry.location, message, "move it up")
        inputs.append(entry)
    always = [entry for entry in inputs if entry.default is None]
    if table and not always:
        reader.report(table.location, "at least one input must be a tensor that is always given")
    elif table and all(entry.extent == "row" for entry in always):
        message = "at least one input that is no row tensor must always be given"
        reader.report(table.location, message, "it gives the rows their length")
    return tuple(inputs)


def _plain(reader: Reader, key: Scalar, value: Node) -> Input:
    """A plain input: `tensor`, `int tensor`, `row tensor`, `tensor = 0`."""
    dtype: Any = "float"
    extent: Extent = "element"
    default = None
    text = reader.text(value, f"input '{key.text}'")
    match = re.fullmatch(INPUT_FORM, text.text, re.DOTALL) if text else None
    if match:
        dtype = match.group(1) or "float"
        extent = "row" if match.group(2) else "element"
    elif text:
        hint = (
            "tensor, int tensor, bool tensor or number tensor; int row tensor is one number a row;"
            " tensor = 0 is optional"
        )
        reader.report(text.location, f"'{text.text}' is no kind of input", hint)
    if text and match and match.group(3) is not None:
        constant = text.part(*match.span(3))
        number = reader.finite(constant, f"the default of '{key.text}'")
        default = None if number is None else Number(number, constant.location)
        if dtype != "float":
            reader.report(text.location, "only a floating-point tensor can be optional")
    return Input(key.text, dtype, default, (), None, key.location, extent)


def _packed(reader: Reader, key: Scalar, value: Table) -> Input:
    """A packed input: `{split: [a, b], layout: chunked}`."""
    fields = reader.fields(value, "a packed input", PACKED_INPUT)
    parts = []
    if "split" not in fields:
        hint = "as in {split: [a, b], layout: chunked}"
        reader.report(value.location, "a packed input names its parts in 'split'", hint)
    else:
        split = fields["split"][1]
        for item in reader.items(split, "'split'"):
            if part := reader.text(item, "a part"):
                reader.declare(part.text, f"a part of '{key.text}'", part.location)
                parts.append(part.text)
        if isinstance(split, List) and len(split.items) < 2:
            reader.report(split.location, "'split' names two parts or more")
    return Input(key.text, "float", None, tuple(parts), reader.layout(fields), key.location)


def read_params(reader: Reader, node: Node) -> tuple[Param, ...]:
    table = reader.table(node, "'params'")
    params = []
    for key, value in table.entries if table else ():
        reader.declare(key.text, "a param", key.location)
        param = (
            _choice(reader, key, value) if isinstance(value, Table) else _param(reader, key, value)
        )
        params.append(param)
    return tuple(params)


def _param(reader: Reader, key: Scalar, value: Node) -> Param:
    """A plain param: `float`, `int = 2`, `bool = true`."""
    text = reader.text(value, f"param '{key.text}'")
    match = re.fullmatch(PARAM_FORM, text.text, re.DOTALL) if text else None
    if text is None:
        return Param(key.text, "float", None, (), key.location)
    if match is None:
        hint = "float, int or bool, with a default or not: limit: float = inf"
        reader.report(text.location, f"'{text.text}' is no kind of param", hint)
        return Param(key.text, "float", None, (), key.location)
    kind = _param_type(reader, text.part(*match.span(1)))
    default = None
    if match.group(2) is not None:
        default = _param_value(reader, text.part(*match.span(2)), kind, "default", key.text)
    return Param(key.text, kind, default, (), key.location)


def _choice(reader: Reader, key: Scalar, value: Table) -> Param:
    """A param with one kernel for each value: `{type: int, default: 2, choices: [2, 3]}`."""
    fields = reader.fields(value, "a param", PARAM)
    if "type" not in fields:
        reader.report(value.location, "a param has a 'type': float, int or bool")
    kind = _param_type(reader, fields["type"][1]) if "type" in fields else "float"
    default, choices = None, []
    if "default" in fields:
        default = _param_value(reader, fields["default"][1], kind, "default", key.text)
    if "choices" in fields:
        node = fields["choices"][1]
        if isinstance(node, List) and not node.items:
            reader.report(node.location, "'choices' holds one value or more")
        for item in reader.items(node, "'choices'"):
            choice = _param_value(reader, item, kind, "choice", key.text)
            if choice is None:
                continue
            if math.isnan(choice):
                reader.report(item.location, "nan is no choice: it equals no value of a caller")
            if float(choice) in map(float, choices):
                reader.report(item.location, "this choice stands here twice")
            choices.append(choice)
        if default is not None and default not in choices:
            message = f"the default of '{key.text}' is none of its choices"
            reader.report(fields["default"][1].location, message)
    return Param(key.text, kind, default, tuple(choices), key.location)


def _param_type(reader: Reader, node: Node) -> Any:
    return reader.word(node, "type", PARAM_TYPES) or "float"


def _param_value(
    reader: Reader, node: Node, kind: str, role: str, name: str
) -> Fraction | float | bool | None:
    what = f"the {role} of '{name}'"
    if kind == "bool":
        return reader.boolean(node, what)
    if kind == "float":
        number = reader.constant(node, what)
        if role == "default" and number and abs(float(number)) < sys.float_info.min:
            message = f"{what} is too near to 0 for the schema of a PyTorch op"
            reader.report(node.location, message, "write 0, or 2.3e-308 or more")
        return number
    value = reader.finite(node, what)
    if value is not None and value.denominator != 1:
        reader.report(node.location, f"{what} is a whole number")
    elif value is not None and abs(value) > 2**53:
        message = f"{what} is a whole number from -2^53 to 2^53"
        reader.report(node.location, message, "float64 does not hold every larger one")
    return value
