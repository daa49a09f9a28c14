"""The table of functions, lowered intrinsics and special forms: every fact in one row."""

from fusewise.language.functions.forms import FORMS
from fusewise.language.functions.row import Form, Function, left_out
from fusewise.language.functions.table import CALLABLE, FUNCTIONS, INTRINSICS, ROWS

__all__ = ["CALLABLE", "FORMS", "FUNCTIONS", "INTRINSICS", "ROWS", "Form", "Function", "left_out"]
