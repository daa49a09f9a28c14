"""Reports of the accuracy of ops: the largest errors as a Markdown page, which is read again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fusewise.measure.tables import cells, markdown

DTYPES = ("float32", "float16", "bfloat16")
DIGITS = 120  # of exact values: more than a cancellation in the range of float32 can lose


@dataclass(frozen=True, slots=True)
class Error:
    """The largest error of one result, its point, and the number of results that are not finite."""

    ulp: float
    at: str
    not_finite: int

    def __str__(self) -> str:
        missing = f" +{self.not_finite} nan" if self.not_finite else ""
        return f"{self.ulp:.2g}{missing}" if self.ulp < 100 else f"{self.ulp:.0f}{missing}"


@dataclass(frozen=True, slots=True)
class Row:
    """One result of one op in one dtype; `eager` is None if eager PyTorch has no such gradient."""

    op: str
    result: str
    dtype: str
    points: int
    bound: float | None
    fused: Error
    eager: Error | None

    @property
    def fails(self) -> str:
        """The reason why the row exceeds the bound of the spec, or empty."""
        if self.fused.not_finite:
            return f"{self.fused.not_finite} values are not finite"
        if self.dtype == "float32" and self.bound is not None and self.fused.ulp > self.bound:
            return f"{self.fused.ulp:.1f} ulp, stated are {self.bound:g}"
        return ""


@dataclass(frozen=True, slots=True)
class Page:
    """The errors of one run as texts: a row for each result of an op, or of a variant of it."""

    title: str  # device, version and date
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Page:
        """The page from its text, as `Results` prints it.

        Raises:
            ValueError: the text has no such table.
        """
        lines = [line for line in text.splitlines() if line]
        start = next((k for k, line in enumerate(lines) if line.startswith("| op ")), 0)
        if not start:
            raise ValueError("not what `fusewise accuracy --output` writes")
        columns, _, *rows = map(cells, lines[start:])
        return cls(lines[start - 1], columns, tuple(rows))

    def of(self, op: str) -> Page:
        """The rows of one op. The first column names the variant; it is empty without variants."""
        rows = tuple(
            (row[0].removeprefix(op).strip("()"), *row[1:])
            for row in self.rows
            if row[0].partition("(")[0] == op
        )
        return replace(self, columns=("", *self.columns[1:]), rows=rows)


@dataclass(frozen=True, slots=True)
class Results:
    """All rows of one run; the title names device, version and date."""

    title: str
    rows: tuple[Row, ...]

    @property
    def failures(self) -> list[str]:
        return [f"{r.op}: {r.result} in {r.dtype}: {r.fails}" for r in self.rows if r.fails]

    @property
    def page(self) -> Page:
        errors = (column for dtype in DTYPES for column in (dtype, "eager"))
        columns = ("op", "result", "stated", *errors, "float32 at")
        return Page(self.title, columns, tuple(self._lines()))

    def __str__(self) -> str:
        page = self.page
        intro = (
            "# Accuracy\n\n"
            "Largest errors in units in the last place of the stored type, against the formula in "
            f"{DIGITS} digits (of long rows in float64),\nbeside PyTorch eager's; `nan` counts "
            "values that are not finite and should be.\n"
            "[docs/numerics.md](../../docs/numerics.md#accuracy) says what counts. "
            "Made by `fusewise accuracy --output`.\n\n"
            f"{self.title}\n\n"
        )
        return intro + markdown(page.columns, page.rows)

    def _lines(self) -> list[tuple[str, ...]]:
        cells: dict[tuple[str, str], dict[str, Row]] = {}
        for row in self.rows:
            cells.setdefault((row.op, row.result), {})[row.dtype] = row
        lines = []
        for (op, result), rows in cells.items():
            first = next(iter(rows.values()))
            line = [op, result, f"{first.bound:g}" if first.bound else ""]
            for dtype in DTYPES:
                row = rows.get(dtype)
                line += [str(row.fused), str(row.eager or "")] if row else ["", ""]
            lines.append((*line, rows["float32"].fused.at if "float32" in rows else ""))
        return lines
