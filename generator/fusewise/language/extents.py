"""The extent of a formula: one number for each element, or for each row of elements.

A row holds the elements along the dimensions that are reduced. A row expression meets an element
expression by broadcasting. Params and plain numbers have no extent and go with both.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from fusewise.language.formula import INDEX, LENGTH, Call, Expr, Name, walk
from fusewise.language.functions import CALLABLE, REDUCTIONS, Extent, Form, Reduction

# A declaration of such a name takes precedence in an op that does not reduce.
LEAVES: Mapping[str, Extent | None] = {INDEX: "element", LENGTH: None}


def extent_of(expr: Expr, names: Mapping[str, Extent | None]) -> Extent | None:
    """The extent of a formula whose names have the given extents; None: a plain number."""
    if isinstance(expr, Name):
        return names[expr.id] if expr.id in names else LEAVES.get(expr.id)
    if not isinstance(expr, Call):
        return None
    row = CALLABLE.get(expr.function)
    if isinstance(row, Reduction):
        return row.extent
    type_of = row.type_of if isinstance(row, Form) else None
    args = [arg for position, arg in enumerate(expr.args) if position != type_of]
    extents = {extent_of(arg, names) for arg in args}
    return next((extent for extent in ("element", "row") if extent in extents), None)


def row_terms(formulas: Iterable[Expr], declared: Container[str]) -> list[Name | Call]:
    """The reductions of formulas, and those of `LEAVES` that are no declared names."""
    return [
        node
        for formula in formulas
        for node in walk(formula)
        if (isinstance(node, Call) and node.function in REDUCTIONS)
        or (isinstance(node, Name) and node.id in LEAVES and node.id not in declared)
    ]
