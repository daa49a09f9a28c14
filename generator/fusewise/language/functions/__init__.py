"""The table of functions, intrinsics, special forms and reductions: every fact in one row."""

from fusewise.language.functions.forms import FORMS
from fusewise.language.functions.row import Extent, Form, Function, Reduction, left_out
from fusewise.language.functions.table import CALLABLE, FUNCTIONS, INTRINSICS, REDUCTIONS, ROWS

__all__ = [
    "CALLABLE",
    "FORMS",
    "FUNCTIONS",
    "INTRINSICS",
    "REDUCTIONS",
    "ROWS",
    "Extent",
    "Form",
    "Function",
    "Reduction",
    "left_out",
]
