"""Python functions that are read as specs."""

from __future__ import annotations

import linecache
from types import FunctionType
from typing import Any

from fusewise.language.document import Table
from fusewise.language.python import read_function


def read(text: str, file: str = "cell.py", **names: Any) -> Table:
    """The tree of the function that a text defines with the decorator `op`."""
    trees: list[Table] = []

    def op(function: FunctionType | None = None, **sections: Any) -> Any:
        if function is None:
            return lambda function: op(function, **sections)
        return trees.append(read_function(function, sections)[0])

    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), {"__name__": "__main__", "op": op, **names})
    return trees[-1]
