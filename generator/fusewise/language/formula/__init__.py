"""The formula language: Python's expression syntax, read into a small tree and printed back."""

from fusewise.language.formula.parser import MAX_DEPTH, parse_formula
from fusewise.language.formula.printer import format_expr
from fusewise.language.formula.tokens import MAX_LENGTH
from fusewise.language.formula.tree import (
    CONSTANTS,
    INDEX,
    LENGTH,
    Call,
    Expr,
    Name,
    Number,
    map_names,
    plain_number,
    substitute,
    walk,
)

__all__ = [
    "CONSTANTS",
    "INDEX",
    "LENGTH",
    "MAX_DEPTH",
    "MAX_LENGTH",
    "Call",
    "Expr",
    "Name",
    "Number",
    "format_expr",
    "map_names",
    "parse_formula",
    "plain_number",
    "substitute",
    "walk",
]
