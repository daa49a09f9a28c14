"""The blocks of a report, which HTML and Markdown show alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, with code between backticks."""

    text: str
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Maths:
    mathml: str
    kind: str = "maths"


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class Figure:
    name: str  # of its file, without a suffix
    alt: str
    svg: str


@dataclass(frozen=True, slots=True)
class Figures:
    entries: tuple[Figure, ...]
    kind: str = "figures"


@dataclass(frozen=True, slots=True)
class Code:
    """A text that is folded below its title."""

    title: str
    language: str
    text: str
    kind: str = "code"


Block = Text | Maths | Table | Figures | Code


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table without the columns that are empty."""
    filled = list(map(tuple, rows))
    kept = [k for k in range(len(columns)) if any(row[k] for row in filled)]
    return Table(
        tuple(columns[k] for k in kept), tuple(tuple(row[k] for k in kept) for row in filled)
    )


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    blocks: tuple[Block, ...]

    @property
    def anchor(self) -> str:
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Page:
    """The report of an op."""

    op: str
    signature: str
    doc: tuple[Text, ...]
    thumbnail: str  # an SVG; empty for an op without plots
    sections: tuple[Section, ...]

    @property
    def figures(self) -> list[Figure]:
        blocks = [block for section in self.sections for block in section.blocks]
        return [f for block in blocks if isinstance(block, Figures) for f in block.entries]
