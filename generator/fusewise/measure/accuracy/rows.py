"""The errors of ops that reduce rows, for rows of several lengths and of special forms.

The exact values of short rows are those of the formula in the spec, or of its derivative before
stable forms replace anything, in many digits. Those of long rows are the stable forms in float64.
docs/numerics.md describes how errors are measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import mpmath
import torch
from torch import Tensor

from fusewise.derive.simplify import simplify
from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Pass
from fusewise.language.choices import Choice
from fusewise.language.model import Spec
from fusewise.measure.accuracy.elements import (
    HEAD_ROOM,
    NEAR_ZERO,
    STEP,
    UNDERFLOW,
    UNKNOWN,
    ulp_of,
)
from fusewise.measure.accuracy.noise import noise_of
from fusewise.measure.accuracy.op import MeasuredOp, float_writes
from fusewise.measure.accuracy.report import DIGITS, Error, Row
from fusewise.measure.columns import MODERATE
from fusewise.measure.float64 import Values, evaluate_rows, number
from fusewise.measure.rows import Rows, draw_rows
from fusewise.numeric.float32 import LARGEST
from fusewise.numeric.points import Domain
from fusewise.numeric.rows import evaluate_row, sums_and_maxima

LENGTHS = (1, 7, 768, 4096, 65537)
SHORT = 32  # the longest row whose exact values have many digits
# A value jumps if a change of the inputs moves it by this multiple of the noise.
_JUMP = 4


class RowOp(MeasuredOp):
    """A variant of an op that reduces rows."""

    def __init__(self, spec: Spec, choice: Choice, module: ModuleType, device: str) -> None:
        super().__init__(spec, choice, module, device)
        self.written = list(itertools.chain.from_iterable(map(_expanded, self.passes)))
        stable = [*map(simplify, self.passes)]
        self.stable = list(itertools.chain.from_iterable(map(_expanded, stable)))
        noise = [_noise(source) for source in stable]
        self.noise = list(itertools.chain.from_iterable(noise))
        self.called = [
            node
            for node in topological(self.stable)
            if node.type == "float" and node.function and node.function.symbol is None
        ]

    def rows(self, dtypes: Sequence[str], lengths: Sequence[int]) -> list[Row]:
        """The largest errors of each result among rows of all lengths."""
        found = []
        for dtype in dtypes:
            parts = [self._rows(self.drawn(length, dtype), dtype) for length in lengths]
            found += [_largest(same) for same in zip(*parts, strict=True)]
        return found

    def drawn(self, length: int, dtype: str) -> Rows:
        numbers = [n.value for n in topological(self.written) if n.value is not None]
        numbers += self.params.values()
        thresholds = [float(value) for value in numbers if abs(value) < LARGEST]
        domain: Domain = {name: MODERATE for entry in self.spec.inputs for name in entry.names}
        domain |= self.spec.domain
        domain |= {n.name: (Fraction(-2), Fraction(2)) for n in self.nodes if n.order}
        dims = self.spec.rows
        rows = draw_rows(self.nodes, domain, thresholds, length, dims=dims, beyond=True)
        return rows.rounded(getattr(torch, dtype))

    def _rows(self, rows: Rows, dtype: str) -> list[Row]:
        fused = self._by_calls(self.fused, rows, dtype)
        eager = self._by_calls(self.eager, rows, dtype)
        return self.compared(self.judges(rows), fused, eager, dtype)

    def _by_calls(
        self, function: Callable[..., Any], rows: Rows, dtype: str
    ) -> Mapping[str, Tensor]:
        calls = [self.found(function, each, getattr(torch, dtype)) for each in rows.calls()]
        return {name: torch.cat([found[name] for found in calls]) for name in calls[0]}

    def judges(self, rows: Rows) -> dict[str, _Judge]:
        values = self._float64(rows, [*self.stable, *self.noise, *self.called])
        sizes = [values[node].abs().amax(1, keepdim=True) for node in self.called]
        largest = torch.cat([torch.zeros(len(rows.names), 1).double(), *sizes], 1)
        in_range = largest.amax(1, keepdim=True) < LARGEST / HEAD_ROOM
        exact = self._exact(rows) if rows.length <= SHORT else [values[n] for n in self.stable]
        moved = [self._float64(self._moved(rows, sign), self.stable) for sign in (1, -1)]
        judges = {}
        for k, (name, node) in enumerate(self.results):
            here = values[self.stable[k]]
            change = [(there[self.stable[k]] - here).abs() for there in moved]
            judges[name] = _Judge(
                rows,
                {n for n in topological([node]) if n in rows.values},
                exact[k],
                values[self.noise[k]].nan_to_num(nan=0.0),
                torch.stack(change).nan_to_num(nan=math.inf).amax(0),
                in_range,
            )
        return judges

    def _moved(self, rows: Rows, sign: int) -> Rows:
        """All numbers of a read change by the same share: equal ones stay equal."""
        floats = [node for node in self.nodes if node.floating]
        return rows.scaled({n: 1 + sign * STEP * (-1) ** k for k, n in enumerate(floats)})

    def _float64(self, rows: Rows, roots: Sequence[Node]) -> Values:
        params = {n: number(self.params[n.name]) for n in self._params(roots)}
        shape = (len(rows.names), rows.length)
        values = evaluate_rows(roots, {**rows.values, **params}, rows.length)
        return {n: values[n].expand(shape if n.is_element else (shape[0], 1)) for n in roots}

    def _params(self, roots: Sequence[Node]) -> list[Node]:
        nodes = topological(roots)
        return [node for node in nodes if node.kind == "param" and node.name in self.params]

    def _exact(self, rows: Rows) -> list[Tensor]:
        found = []
        with mpmath.workdps(DIGITS):
            params = {
                node: mpmath.mpf(self.params[node.name]) for node in self._params(self.written)
            }
            for row in rows.lists():
                values = evaluate_row(self.written, {**row, **params}, rows.length)
                found.append([_floats(values[root]) for root in self.written])
        return [
            torch.tensor(list(column), dtype=torch.float64) for column in zip(*found, strict=True)
        ]


def _expanded(source: Pass) -> list[Node]:
    """The floating results in sums and maxima."""
    done = sums_and_maxima(source.dag.copy(), source.roots)
    return [done[part] for part in float_writes(source).values()]


def _noise(source: Pass) -> list[Node]:
    dag = source.dag.copy()
    done = sums_and_maxima(dag, source.roots)
    noise = noise_of(dag, done.values())
    return [noise[done[part]] for part in float_writes(source).values()]


def _floats(value: Any) -> list[float]:
    return [*map(float, value)] if isinstance(value, list) else [float(value)]


@dataclass(frozen=True, slots=True)
class _Judge:
    """Measures the errors of one result."""

    rows: Rows
    used: set[Node]
    exact: Tensor
    noise: Tensor  # the change for a relative change of what is read, as `noise_of` gives it
    change: Tensor  # where all that is read changes by STEP
    in_range: Tensor  # a mask of rows: the values of functions are in the range of float32

    def error(self, found: Tensor) -> Error:
        info = torch.finfo(found.dtype)
        value, exact, noise, change, in_range = torch.broadcast_tensors(
            found.double(), self.exact, self.noise, self.change, self.in_range
        )
        size = exact.abs().maximum(noise * NEAR_ZERO)
        ulp = ulp_of(size.clamp(min=UNDERFLOW * info.smallest_normal), found.dtype)
        limit = info.max / (2 if info.bits == 16 else HEAD_ROOM)
        known = (exact.abs() < limit) & in_range & (change <= UNKNOWN * size)
        missing = known & ~value.isfinite()
        jumps = change > _JUMP * STEP * noise + STEP**2 * size
        errors = torch.where(known & ~missing & ~jumps, (value - exact).abs() / ulp, 0.0)
        worst = int(missing.flatten().nonzero()[0]) if missing.any() else int(errors.argmax())
        at = divmod(worst, exact.shape[1])
        return Error(errors.max().item(), self._place(*at), int(missing.sum()))

    def _place(self, row: int, index: int) -> str:
        numbers = {
            node: value[row, index if value.shape[1] > 1 else 0].item()
            for node, value in self.rows.values.items()
            if node in self.used
        }
        place = f"length {self.rows.length}, {self.rows.names[row]}"
        values = ", ".join(f"{node.name} = {value:.7g}" for node, value in numbers.items())
        return f"{place}, index {index}: {values}"


def _largest(rows: Sequence[Row]) -> Row:
    """The row of the largest error of the op, with the largest one of eager PyTorch."""
    first = rows[0]
    eager = [row.eager for row in rows if row.eager]
    return Row(
        first.op,
        first.result,
        first.dtype,
        sum(row.points for row in rows),
        first.bound,
        _worst([row.fused for row in rows]),
        _worst(eager) if eager else None,
    )


def _worst(errors: Sequence[Error]) -> Error:
    most = max(errors, key=lambda error: (error.not_finite > 0, error.ulp))
    return Error(most.ulp, most.at, sum(error.not_finite for error in errors))
