"""What was measured of an op: speed and accuracy, from this machine or from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fusewise.language.model import Spec
from fusewise.measure.accuracy.report import Page
from fusewise.measure.bench.cases import reduced
from fusewise.measure.bench.report import PLAIN, Results, Row
from fusewise.measure.bench.run import CPU_ELEMENTS
from fusewise.measure.environment import is_cpu, machine

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Speed:
    """The rows of an op in one run."""

    results: Results
    rows: tuple[Row, ...]

    @property
    def is_cpu(self) -> bool:
        return is_cpu(self.results.environment)

    @property
    def label(self) -> str:
        """The machine and the dtype, without versions and date."""
        return f"{machine(self.results.environment)}, {self.results.dtype}"


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of `fusewise bench` and pages of `fusewise accuracy`, of any ops."""

    results: Sequence[Results] = ()
    pages: Sequence[Page] = ()

    @classmethod
    def read(cls, folder: Path) -> Measured:
        """What the files bench-*.json and accuracy-*.md of a folder hold.

        Raises:
            ValueError: a file is not what these commands write.
        """
        results = _parsed(Results.parse, folder.glob("bench-*.json"))
        return cls(results, _parsed(Page.parse, folder.glob("accuracy-*.md")))

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

    def accuracies(self, op: str) -> list[Page]:
        """The rows of an op, and of its variants, in each page that has some."""
        return [found for page in self.pages if (found := page.of(op)).rows]


def _parsed(parse: Callable[[str], T], paths: Iterable[Path]) -> tuple[T, ...]:
    found = []
    for path in sorted(paths):
        try:
            found.append(parse(path.read_text()))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    return tuple(found)
