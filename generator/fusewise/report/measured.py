"""What was measured of an op: speed and accuracy, from this machine or from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fusewise.language.model import Spec
from fusewise.measure.bench.cases import reduced
from fusewise.measure.bench.report import PLAIN, Results, Row
from fusewise.measure.bench.run import CPU_ELEMENTS


@dataclass(frozen=True, slots=True)
class Speed:
    """The rows of an op in one run."""

    results: Results
    rows: tuple[Row, ...]

    @property
    def is_cpu(self) -> bool:
        return self.results.environment["device"] == self.results.environment["cpu"]

    @property
    def label(self) -> str:
        """The machine and the dtype, without versions and date."""
        device, threads = (self.results.environment[key] for key in ("device", "threads"))
        count = f", {threads} thread{'s' * (threads != 1)}" if self.is_cpu else ""
        return f"{device}{count}, {self.results.dtype}"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The errors of an op in one run; the title names device, version and date.

    The first column names the variant; it is empty for an op that has but one.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of `fusewise bench`, and pages of `fusewise accuracy`, of any ops."""

    results: Sequence[Results] = ()
    pages: Sequence[str] = ()

    @classmethod
    def read(cls, folder: Path) -> Measured:
        """What the files bench-*.json and accuracy-*.md of a folder hold.

        Raises:
            ValueError: a file is not what `fusewise bench --json` writes.
        """
        results = tuple(map(_parsed, sorted(folder.glob("bench-*.json"))))
        pages = tuple(path.read_text() for path in sorted(folder.glob("accuracy-*.md")))
        return cls(results, pages)

    def speeds(self, spec: Spec) -> list[Speed]:
        """The runs with contiguous tensors of an op's typical shapes, those on a GPU first.

        On a CPU the shapes are smaller, as `fusewise bench` makes them. Where a CPU was measured
        twice, the rows are those with freed memory kept, since the copy has its pages too.
        """
        typical = [dict(shapes) for shapes in spec.shapes]
        typical += [dict(reduced(spec, shapes, CPU_ELEMENTS)) for shapes in spec.shapes]
        found = []
        for run in self.results:
            rows = tuple(
                row
                for row in run.rows
                if row.op == spec.name and row.memory != PLAIN
                if {name: tuple(shape) for name, shape in row.shapes.items()} in typical
            )
            if rows and run.layout == "contiguous":
                found.append(Speed(run, rows))
        return sorted(found, key=lambda speed: (speed.is_cpu, speed.label))

    def accuracies(self, op: str) -> list[Accuracy]:
        """The rows of an op, and of its variants, in each page that has some."""
        found = []
        for page in self.pages:
            lines = [line for line in page.splitlines() if line]
            start = next(k for k, line in enumerate(lines) if line.startswith("| op "))
            rows = tuple(
                (cells[0].removeprefix(op).strip("()"), *cells[1:])
                for cells in map(_cells, lines[start + 2 :])
                if cells[0].partition("(")[0] == op
            )
            if rows:
                columns = ("", *_cells(lines[start])[1:])
                found.append(Accuracy(lines[start - 1], columns, rows))
        return found


def _parsed(path: Path) -> Results:
    try:
        return Results.parse(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a line of a Markdown table."""
    return tuple(cell.strip() for cell in line.strip("|").split("|"))
