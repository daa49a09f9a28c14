"""The sections `test` and `shapes`: the samples of tests, and the typical shapes of an op."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from fusewise.language.document import List, Node, Scalar
from fusewise.language.errors import SpecError
from fusewise.language.extents import extent_of
from fusewise.language.formula import Expr
from fusewise.language.model import Input, Output, Param, Reference, RowDims, Shapes, Test
from fusewise.language.scope import Scope
from fusewise.language.sections.keys import TEST
from fusewise.language.sections.reader import Reader
from fusewise.language.sections.reference import parse_reference

_MAX_ELEMENTS = 2**36


def read_test(
    reader: Reader,
    node: Node,
    inputs: Sequence[Input],
    params: Sequence[Param],
    outputs: Sequence[Output],
    scope: Scope,
    rows: RowDims,
) -> Test:
    fields = reader.fields(node, "'test'", TEST)
    domain, reference, exclude, ulp = [], None, None, None
    if "domain" in fields:
        names = {name for entry in inputs for name in (entry.name, *entry.parts)}
        names |= {param.name for param in params if param.type != "bool"}
        table = reader.table(fields["domain"][1], "'domain'")
        for key, value in table.entries if table else ():
            if key.text not in names:
                reader.unknown("input", key, names)
            elif (bounds := _range(reader, value)) is not None:
                domain.append((key.text, *bounds))
    if "reference" in fields and not reader.problems:
        text = reader.text(fields["reference"][1], "the reference")
        if text:
            known = (*inputs, *params, *rows.params)
            reference = _reference(reader, text, inputs, known, len(outputs))
    if "exclude" in fields:
        exclude = reader.formula(fields["exclude"][1], "'exclude'")
        if exclude is not None and scope.check_condition(exclude) and not reader.problems:
            _check_points(reader, exclude, scope)
    if "ulp" in fields:
        ulp = reader.finite(fields["ulp"][1], "'ulp'")
        if isinstance(ulp, Fraction) and ulp <= 0:
            message = "'ulp' is a positive number: the largest error in units in the last place"
            reader.report(fields["ulp"][1].location, message)
    return Test(tuple(domain), reference, exclude, ulp)


def _check_points(reader: Reader, exclude: Expr, scope: Scope) -> None:
    if extent_of(exclude, scope.extents) is None:
        message = "'exclude' names no tensor, but it leaves out points of the inputs"
        reader.report(exclude.location, message, "'domain' has the values of a param: p: [0, 3]")


def _range(reader: Reader, node: Node) -> tuple[Fraction, Fraction] | None:
    items = node.items if isinstance(node, List) else ()
    bounds = [reader.finite(item, "a bound") for item in items]
    match bounds:
        case [Fraction() as low, Fraction() as high] if low < high:
            return low, high
    if None not in bounds:
        reader.report(node.location, "a domain is [low, high]", "as in x: [-20, 20]")
    return None


def _reference(
    reader: Reader,
    text: Scalar,
    inputs: Sequence[Input],
    known: Sequence[Input | Param],
    count: int,
) -> Reference | None:
    names = {item.name: item.name for item in known}
    for entry in inputs:
        for k, part in enumerate(entry.parts):
            n = len(entry.parts)
            chunked = f"torch.chunk({entry.name}, {n}, -1)[{k}]"
            names[part] = f"{entry.name}[..., {k}::{n}]" if entry.layout != "chunked" else chunked
    try:
        return parse_reference(text, names, count)
    except SpecError as error:
        reader.problems += error.problems
        return None


def read_shapes(
    reader: Reader, node: Node, inputs: Sequence[Input], rows: RowDims | None
) -> tuple[Shapes, ...]:
    """The typical shapes. Those of one case must broadcast, unless an op is composed (no rows)."""
    cases = []
    for item in reader.items(node, "'shapes'"):
        problems = len(reader.problems)
        case = _case(reader, item, inputs)
        if rows and len(reader.problems) == problems:
            _check_broadcast(reader, item, inputs, dict(case), rows)
        cases.append(case)
    return tuple(cases)


def _case(reader: Reader, node: Node, inputs: Sequence[Input]) -> Shapes:
    """The shape of each tensor in one case; optional ones may be left out."""
    names = [entry.name for entry in inputs]
    fields = reader.fields(node, "a case of 'shapes'", names)
    shapes = []
    for entry in inputs:
        if entry.name in fields:
            items = reader.items(fields[entry.name][1], f"the shape of '{entry.name}'")
            sizes = [reader.whole(item, "a size") for item in items]
            shapes.append((entry.name, tuple(size for size in sizes if size is not None)))
            if entry.parts and sizes and sizes[-1] and sizes[-1] % len(entry.parts):
                message = f"the last size is no multiple of the {len(entry.parts)} parts"
                reader.report(fields[entry.name][1].location, message)
        elif entry.default is None:
            reader.report(node.location, f"the shape of '{entry.name}' is missing")
    if any(math.prod(shape) > _MAX_ELEMENTS for _, shape in shapes):
        reader.report(node.location, "a tensor of this shape is too large")
    return tuple(shapes)


def _check_broadcast(
    reader: Reader,
    node: Node,
    inputs: Sequence[Input],
    case: Mapping[str, Sequence[int]],
    rows: RowDims,
) -> None:
    """Reports shapes that do not broadcast, and a row tensor that has a dimension of a row."""
    given = [entry for entry in inputs if entry.name in case]
    ranks = [len(case[entry.name]) for entry in given if entry.extent == "element"]
    if not ranks:
        return  # no input gives the rows their length, which is reported already
    rank = max(ranks)
    hint = "a row tensor lacks the last dimension: [8] beside [8, 4]"
    if not rows.are_last:
        hint = f"a row tensor lacks the dimensions of a row: {', '.join(map(str, rows.dims))}"
    if rank < -rows.dims[0]:
        message = f"a row is dimension {rows.dims[0]}, but these shapes have {rank} sizes"
        if not rows.are_last:
            reader.report(node.location, message)
            return
    for entry in given:
        if entry.extent == "row" and len(case[entry.name]) + len(rows.dims) > rank:
            reader.report(node.location, f"the shape of '{entry.name}' has too many sizes", hint)
            return
    shapes = [reversed(rows.full_shape(entry, case[entry.name])) for entry in given]
    for sizes in itertools.zip_longest(*shapes, fillvalue=1):
        if len({*sizes} - {1}) > 1:
            has_rows = any(entry.extent == "row" for entry in given)
            reader.report(node.location, "these shapes do not broadcast", hint if has_rows else "")
            return
