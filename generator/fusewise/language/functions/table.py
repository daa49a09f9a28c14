"""The rows by name: functions, lowered intrinsics, special forms and reductions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fusewise.language.formula import Call, walk
from fusewise.language.functions.forms import FORMS
from fusewise.language.functions.language import LANGUAGE
from fusewise.language.functions.lowered import LOWERED
from fusewise.language.functions.reductions import REDUCTION_ROWS
from fusewise.language.functions.row import Form, Function, Reduction


def _with_costs(rows: tuple[Function, ...]) -> dict[str, Function]:
    """The rows by name. The cost of a composite is the cost of the distinct calls of its body."""
    table = {row.name: row for row in rows}

    def cost(name: str) -> int:
        row = table.get(name)
        if row is None:  # a special form, `where`
            return 1
        calls = {node for node in walk(row.body) if isinstance(node, Call)} if row.body else set()
        return row.cost or sum(cost(call.function) for call in calls)

    return {name: replace(row, cost=cost(name)) for name, row in table.items()}


# ROWS: all functions. FUNCTIONS: the functions of the language. CALLABLE: everything with a name.
ROWS: Mapping[str, Function] = _with_costs((*LANGUAGE, *LOWERED))
FUNCTIONS: Mapping[str, Function] = {row.name: ROWS[row.name] for row in LANGUAGE}
INTRINSICS: Mapping[str, Function] = {row.name: ROWS[row.name] for row in LOWERED}
REDUCTIONS: Mapping[str, Reduction] = {row.name: row for row in REDUCTION_ROWS}
CALLABLE: Mapping[str, Function | Form | Reduction] = {**ROWS, **FORMS, **REDUCTIONS}
