"""The section `reduce`: the dimensions of a row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from fusewise.language.document import List, Node, Scalar
from fusewise.language.model import Input, Output, Param, RowDims
from fusewise.language.names import FORM
from fusewise.language.scope import Scope
from fusewise.language.sections.reader import Reader

MAX_DIMS = 64  # of a tensor that PyTorch reduces
DIM = r"-([1-9]|[1-5][0-9]|6[0-4])"  # to -MAX_DIMS


def read_reduce(reader: Reader, node: Node | None, scope: Scope) -> RowDims:
    if node is None:
        return RowDims()
    if isinstance(node, Scalar) and node.text == "all":
        return RowDims(whole=True)
    if isinstance(node, Scalar) and re.fullmatch(FORM, node.text):
        reader.declare(node.text, "the dimension of a row", node.location)
        scope.hints[node.text] = "it names the dimension of a row, and has no value in a formula"
        return RowDims(param=Param(node.text, "int", Fraction(-1), (), node.location))
    return RowDims(_dims(reader, node))


def _dims(reader: Reader, node: Node) -> tuple[int, ...]:
    items = node.items if isinstance(node, List) else [node]
    if not items:
        reader.report(node.location, "'reduce' names one dimension or more")
    found: set[int] = set()
    for item in items:
        text = reader.text(item, "'reduce'")
        if text is None:
            continue
        if not re.fullmatch(DIM, text.text):
            message = f"'{text.text}' is no dimension of a row"
            hint = (
                f"dimensions count from the last one, which is -1, to -{MAX_DIMS}; "
                "a keyword stands alone: reduce: dim"
            )
            reader.report(text.location, message, hint)
        elif int(text.text) in found:
            reader.report(text.location, f"the dimension {text.text} stands here twice")
        else:
            found.add(int(text.text))
    return tuple(sorted(found)) or RowDims().dims


def check_reduce(
    reader: Reader,
    fields: Mapping[str, tuple[Scalar, Node]],
    rows: RowDims,
    declared: Sequence[Input | Param | Output],
    *,
    reduces: bool,
) -> None:
    """Reports a section of an op without rows, and tensors that cannot have such rows."""
    if "reduce" in fields and not reduces:
        message = "an op without rows has no 'reduce'"
        reader.report(
            fields["reduce"][0].location, message, "delete it, or call a reduction such as sum(x)"
        )
    for item in declared if not rows.are_last else ():
        if isinstance(item, Param):
            if item.choices and rows.whole:
                message = "a param of an op that reduces all elements cannot have 'choices' yet"
                reader.report(item.location, message, "write an op for each choice")
        elif item.layout is not None:
            message = f"'{item.name}' is packed along the last dimension, which must be the row"
            reader.report(item.location, message, "make each part a tensor of its own")
        elif rows.whole and isinstance(item, Input) and item.extent == "row":
            message = f"'{item.name}' has a number for each row, but all elements are one row"
            hint = f"{item.name}: tensor, and pass a tensor without dimensions"
            reader.report(item.location, message, hint)
