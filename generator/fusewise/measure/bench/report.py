"""Reports of `fusewise bench`: a table, a summary, JSON."""

from __future__ import annotations

import io
import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from fusewise.measure.environment import headline
from fusewise.measure.layouts import Layout

OURS = "fusewise"
DIRECTIONS = ("forward", "backward", "step")  # a step: a forward pass with autograd, and backward
HOLDERS = (OURS, "eager", "compile")  # contenders whose memory the table shows
PLAIN, KEPT = "plain", "kept"  # `Row.memory`: what a process on a CPU does with freed memory
LOWEST = 3  # the number of rows that a summary names
EXPLAINED = (
    "a / b: a in a plain process, whose new results need new pages; b with freed memory kept"
)
WIDTH = 120


@dataclass(frozen=True, slots=True)
class Row:
    """One pass, or a step, of one op at one choice of shapes; times in microseconds per call."""

    op: str
    shapes: Mapping[str, Sequence[int]]
    direction: str
    bytes: int  # the least that the pass reads and writes
    copy: float  # time of a plain copy that moves as many bytes
    times: Mapping[str, float]  # by contender
    held: Mapping[str, int]  # bytes kept between the passes beyond inputs and outputs, by contender
    memory: str = ""  # on a CPU: PLAIN or KEPT

    @property
    def largest(self) -> Sequence[int]:
        return max(self.shapes.values(), key=math.prod)

    @property
    def others(self) -> list[str]:
        """The other contenders with a time above 0. Eager takes no time to forward a gradient."""
        return [name for name, time in self.times.items() if name != OURS and time]

    def share(self, contender: str) -> float | None:
        """The time of the copy divided by a contender's; None if either took no time."""
        time = self.times.get(contender)
        return self.copy / time if time and self.copy else None

    def ratio(self, contender: str) -> float | None:
        """A contender's time divided by ours; `best` is the fastest contender."""
        ours = self.times.get(OURS)
        if contender == "best":
            time = min((self.times[name] for name in self.others), default=None)
        else:
            time = self.times.get(contender)
        return time / ours if time and ours else None


@dataclass(frozen=True, slots=True)
class Missing:
    """A contender that cannot run an op, and the reason."""

    contender: str
    op: str
    reason: str


@dataclass(frozen=True, slots=True)
class Results:
    """The measurements of one run, with the environment."""

    environment: Mapping[str, Any]
    dtype: str
    rounds: int
    rows: tuple[Row, ...]
    missing: tuple[Missing, ...]
    layout: Layout = "contiguous"

    @classmethod
    def parse(cls, text: str) -> Results:
        """The results from the text that `json` returns.

        Raises:
            ValueError: the text does not come from `json`.
        """
        try:
            found = json.loads(text)
            rows = tuple(Row(**row) for row in found.pop("rows"))
            missing = tuple(Missing(**entry) for entry in found.pop("missing"))
            return cls(**found, rows=rows, missing=missing)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("not what `fusewise bench --json` writes") from None

    def json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"

    @property
    def title(self) -> str:
        layout = "" if self.layout == "contiguous" else f", {self.layout}"
        return f"{headline(self.environment)}, {self.dtype}{layout}"

    @property
    def memories(self) -> list[str]:
        """The values of `Row.memory` in the order of measuring."""
        return list(dict.fromkeys(row.memory for row in self.rows))

    @property
    def contenders(self) -> list[str]:
        """All contenders that ran at least once, ours first."""
        return list(dict.fromkeys([OURS, *(name for row in self.rows for name in row.times)]))

    def label(self, row: Row) -> str:
        """The op and its largest shape, or all shapes if other rows have the same largest shape."""
        shapes = [row.largest]
        for other in self.rows:
            if (other.op, other.largest) == (row.op, row.largest) and other.shapes != row.shapes:
                shapes = [*row.shapes.values()]
        return f"{row.op} {', '.join('x'.join(map(str, shape)) for shape in shapes)}"

    def __str__(self) -> str:
        text = io.StringIO()
        console = Console(file=text, width=WIDTH, highlight=False)
        holders = [name for name in HOLDERS if name in self.contenders]
        console.print(self.title, markup=False)
        console.print(
            "our time, its share of a copy's speed, others' time over ours, "
            f"MB held by {' / '.join(holders)}"
        )
        if PLAIN in self.memories:
            console.print(EXPLAINED, markup=False)
        console.print(self._table(holders))
        for contender, reason, ops in self._absences():
            console.print(f"- {contender}: {', '.join(ops)}: {reason}", markup=False)
        console.print("others' time over ours: geometric mean, and the lowest rows")
        console.print(self._summary())
        return text.getvalue()

    def _table(self, holders: Sequence[str]) -> Table:
        others = self.contenders[1:]
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("op", overflow="fold")
        table.add_column("")
        for column in (f"{OURS}, us", "of copy", *others, "MB held"):
            table.add_column(column, justify="right")
        for (label, direction), rows in self._lines().items():
            cells = [
                [_microseconds(row.times.get(OURS)), _percent(row.share(OURS))]
                + [_times(row.ratio(name)) for name in others]
                for row in rows
            ]
            both = [" / ".join(of_each) for of_each in zip(*cells, strict=True)]
            held = " / ".join(_megabytes(rows[0].held.get(name)) for name in holders)
            table.add_row(label, direction, *both, held if rows[0].held else "")
        return table

    def _lines(self) -> dict[tuple[str, str], list[Row]]:
        """The rows that share a line of the table: those of a plain process and of kept memory."""
        lines: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            lines.setdefault((self.label(row), row.direction), []).append(row)
        return lines

    def _summary(self) -> Table:
        table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for column in ("", "against"):
            table.add_column(column)
        for column in ("rows", "mean"):
            table.add_column(column, justify="right")
        table.add_column("lowest")
        for direction in DIRECTIONS:
            for against in (*self.contenders[1:], "best"):
                for memory in self.memories:
                    found = self.ratios(direction, against, memory)
                    if found:
                        mean = statistics.geometric_mean(ratio for ratio, _ in found)
                        lowest = ", ".join(f"{label} {_times(r)}" for r, label in found[:LOWEST])
                        line = f"{direction} {memory}".strip()
                        table.add_row(line, against, str(len(found)), _times(mean), lowest)
        return table

    def ratios(self, direction: str, against: str, memory: str) -> list[tuple[float, str]]:
        """The ratios of a contender's time to ours in one direction, with labels, lowest first."""
        rows = [row for row in self.rows if (row.direction, row.memory) == (direction, memory)]
        found = [
            (ratio, self.label(row)) for row in rows if (ratio := row.ratio(against)) is not None
        ]
        return sorted(found)

    def _absences(self) -> Iterator[tuple[str, str, list[str]]]:
        """(contender, reason, ops) for each contender and reason."""
        ops: dict[tuple[str, str], list[str]] = {}
        for entry in self.missing:
            ops.setdefault((entry.contender, entry.reason), []).append(entry.op)
        for (contender, reason), names in ops.items():
            yield contender, reason, list(dict.fromkeys(names))


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _microseconds(time: float | None) -> str:
    return "-" if time is None else f"{time:.1f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _megabytes(count: int | None) -> str:
    return "-" if count is None else f"{round(count / 1e6, 3):.3g}"
