"""The JSON Schema of specs, with which editors complete keys, show their meaning and mark errors.

It is made from the tables of the language. It covers the structure of a spec: formulas are texts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fusewise.language.formula import MAX_LENGTH as MAX_FORMULA
from fusewise.language.functions import CALLABLE, INTRINSICS, Form
from fusewise.language.model import DTYPES
from fusewise.language.names import (
    FORM,
    MAX_LENGTH,
    NUMBERED,
    OUT,
    RESERVED,
    RESERVED_FOR_OPS,
    gradient_name,
)
from fusewise.language.scope import signature
from fusewise.language.sections.compose import ATEN_FUNCTIONS
from fusewise.language.sections.inputs import INPUT_FORM
from fusewise.language.sections.keys import (
    BACKWARD,
    BACKWARD_KINDS,
    INITS,
    INPUT_FORMS,
    LAYOUTS,
    MODULE,
    NOT_COMPOSED,
    OUTPUT_FORMS,
    OUTPUT_OPTIONS,
    PACKED_INPUT,
    PARAM,
    PARAM_TYPES,
    PARAMETER,
    REQUIRED_SECTIONS,
    SECTIONS,
    TEST,
)
from fusewise.language.sections.module import CLASS_FORM, RESERVED_CLASSES
from fusewise.language.sections.reader import WHOLE
from fusewise.language.sections.reduce import DIM

Schema = dict[str, Any]

# YAML tools read a plain scalar as a number or as true and false where it looks like one.
_NUMBER: Schema = {
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^[+-]?\s*\.?[0-9][\w.+-]*$"}]
}
_SIZE: Schema = {
    "anyOf": [
        {"type": "integer", "exclusiveMinimum": -1},
        {"type": "string", "pattern": f"^{WHOLE}$"},
    ]
}
_VALUE: Schema = {"type": ["string", "number", "boolean"], "pattern": r"\S"}


def spec_schema() -> str:
    """The text of the JSON Schema, of draft 7."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A spec of Fusewise",
        **_mapping(SECTIONS, _sections(), REQUIRED_SECTIONS),
        "if": {"required": ["compose"]},
        "then": {"properties": _composed()},
        "else": {"properties": {"outputs": _named(_output(), "output_name")}},
        "definitions": {
            "name": _name(RESERVED),
            "output_name": _name(RESERVED, taken=NUMBERED),
            "formula": _formula(),
            "layout": _words(LAYOUTS),
        },
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _sections() -> dict[str, Schema]:
    formula = _ref("formula")
    results = rf"^\s*{FORM}(\s*,\s*{FORM})*\s*$"
    gradients = f"^{gradient_name(FORM)}$"
    test = {"domain": _named(_list(_NUMBER, 2, 2)), "reference": _VALUE}
    return {
        "op": _name({*RESERVED, *RESERVED_FOR_OPS, *ATEN_FUNCTIONS}, "_backward$"),
        "doc": _VALUE,
        "inputs": {**_named(_input()), "minProperties": 1},
        "params": _named(_param()),
        "reduce": _reduce(),
        "let": _named(formula),
        "backward": {
            **_mapping(BACKWARD, {"is": _words(BACKWARD_KINDS)}, tuple(BACKWARD)),
            "patternProperties": {gradients: formula},
        },
        "save": {**_list({"type": "string"}), "uniqueItems": True},
        "compose": {**_named(formula), "propertyNames": {"pattern": results}},
        "module": _module(),
        "test": _mapping(TEST, {**test, "exclude": formula, "ulp": _NUMBER}),
        "shapes": _list(_named(_list(_SIZE))),
    }


def _composed() -> dict[str, Schema | bool]:
    """What differs in a composed op."""
    names = _list({"type": "string", "pattern": f"^{FORM}$"}, 1)
    plain = {"additionalProperties": {"type": "string"}}
    return {**dict.fromkeys(NOT_COMPOSED, False), "inputs": plain, "outputs": names}


def _input() -> Schema:
    packed = {"split": {**_list(_ref("name"), 2), "uniqueItems": True}, "layout": _ref("layout")}
    plain = {"type": "string", "pattern": f"^(?:{INPUT_FORM})$"}
    return {"anyOf": [_words(INPUT_FORMS), plain, _mapping(PACKED_INPUT, packed, ("split",))]}


def _param() -> Schema:
    types = "|".join(PARAM_TYPES)
    plain = {"type": "string", "pattern": rf"^({types})(\s*=\s*\S.*)?$"}
    choices = {**_list(_VALUE, 1), "uniqueItems": True}
    keys = {"type": _words(PARAM_TYPES), "default": _VALUE, "choices": choices}
    return {"anyOf": [_words(PARAM_TYPES), plain, _mapping(PARAM, keys, ("type",))]}


def _reduce() -> Schema:
    """The dimensions of a row: one, a list, `all`, or the keyword that names one."""
    dim = {
        "anyOf": [
            {"type": "integer", "exclusiveMaximum": 0},
            {"type": "string", "pattern": f"^{DIM}$"},
        ]
    }
    dims = {**_list(dim, 1), "uniqueItems": True}
    return {"anyOf": [dim, dims, {"const": "all"}, _name({*RESERVED, "all"})]}


def _module() -> Schema:
    name = {"type": "string", "pattern": f"^{CLASS_FORM}$", "not": {"enum": [*RESERVED_CLASSES]}}
    words = _words({form: meaning for form, meaning in INITS.items() if "(" not in form})
    calls = [form.partition("(")[0] for form in INITS if "(" in form]
    call = {"type": "string", "pattern": rf"^\s*({'|'.join(calls)})\s*\(.*\)\s*$"}
    size = {"anyOf": [_SIZE, _ref("name")]}
    values = {"shape": _list(size), "init": {"anyOf": [words, _NUMBER, call]}}
    parameters = _named(_mapping(PARAMETER, values, tuple(PARAMETER)))
    return _mapping(MODULE, {"name": name, "parameters": parameters})


def _output() -> Schema:
    dtype = {"anyOf": [{"enum": list(DTYPES)}, {"type": "string", "pattern": rf"^like\s+{FORM}$"}]}
    options = {"layout": _ref("layout"), "dtype": dtype}
    values = {"formula": _ref("formula"), "pack": _list(_ref("formula"), 2), **options}
    mapping = _mapping({**OUTPUT_FORMS, **OUTPUT_OPTIONS}, values)
    mapping["oneOf"] = [{"required": [form]} for form in OUTPUT_FORMS]
    mapping["dependencies"] = {"layout": ["pack"]}
    return {"anyOf": [_ref("formula"), mapping]}


def _formula() -> Schema:
    """A formula. Its description lists the functions, and a snippet completes the call of each."""
    offered = [row for name, row in CALLABLE.items() if name not in INTRINSICS]
    calls = {
        signature(row.name): row.meaning
        if isinstance(row, Form)
        else "; ".join(filter(None, [row.ref, row.convention]))
        for row in offered
    }
    lines = [f"{call}: {meaning}" for call, meaning in calls.items()]
    return {
        "type": ["string", "number"],
        "pattern": r"\S",
        "maxLength": MAX_FORMULA,
        "description": "\n".join(["A formula. It may call these functions:", *lines]),
        "defaultSnippets": [
            {"label": call, "description": calls[call], "bodyText": _snippet(row.name, row.params)}
            for call, row in zip(calls, offered, strict=True)
        ],
    }


def _snippet(function: str, params: Sequence[str]) -> str:
    fields = (f"${{{position}:{param}}}" for position, param in enumerate(params, start=1))
    return f"{function}({', '.join(fields)})"


def _mapping(
    keys: Mapping[str, str], values: Mapping[str, Schema], required: Sequence[str] = ()
) -> Schema:
    """A mapping of known keys; a key without an entry in `values` takes any value."""
    properties = {
        key: {**values.get(key, {}), "description": meaning} for key, meaning in keys.items()
    }
    closed = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**closed, "required": list(required)} if required else closed


def _named(value: Schema, names: str = "name") -> Schema:
    """A mapping whose keys are names."""
    return {"type": "object", "propertyNames": _ref(names), "additionalProperties": value}


def _name(
    reserved: Collection[str], ending: str = "__", taken: str = f"{NUMBERED}|{OUT}"
) -> Schema:
    """A name that is not reserved or taken, without two underscores and a certain ending."""
    pattern = f"^(?!{gradient_name('')})(?!({taken})$)(?!.*__)(?!.*{ending}){FORM}$"
    words = {"enum": sorted(reserved)}
    return {"type": "string", "pattern": pattern, "maxLength": MAX_LENGTH, "not": words}


def _list(items: Schema, least: int = 0, most: int | None = None) -> Schema:
    sizes = {"minItems": least} if least else {}
    return {"type": "array", "items": items, **sizes, **({"maxItems": most} if most else {})}


def _words(meanings: Mapping[str, str]) -> Schema:
    return {"enum": list(meanings), "enumDescriptions": list(meanings.values())}


def _ref(definition: str) -> Schema:
    # within allOf, since draft 7 ignores what stands beside a reference
    return {"allOf": [{"$ref": f"#/definitions/{definition}"}]}
