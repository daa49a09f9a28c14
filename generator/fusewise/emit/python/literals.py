"""Numbers of a spec as Python."""

from __future__ import annotations

import math
from fractions import Fraction

from fusewise.emit.printing import literal


def python_literal(value: Fraction | float | bool) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"
    return literal(value)
