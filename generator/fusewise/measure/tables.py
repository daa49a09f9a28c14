"""Tables in Markdown, which a terminal shows aligned: written, and read again."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    table = Table(*columns, box=MARKDOWN)
    for row in rows:
        table.add_row(*(cell.replace("<", "\\<") for cell in row))
    text = io.StringIO()
    Console(file=text, width=1000, markup=False, highlight=False).print(table)
    return text.getvalue().strip() + "\n"


def cells(line: str) -> tuple[str, ...]:
    """The cells of a row that `markdown` wrote."""
    return tuple(cell.strip().replace("\\<", "<") for cell in line.strip("|").split("|"))
