"""The errors of ops whose elements are independent, at points that the formula places.

The exact value is that of the formula in the spec, or of its derivative before stable forms replace
anything, in so many digits that cancellation does no harm. `_Judge` defines the error, and
docs/numerics.md describes it.
"""

from __future__ import annotations

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
from fusewise.graph.passes import Operand
from fusewise.language.choices import Choice
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import ADD, DIV, MUL, NEG, SUB
from fusewise.language.model import Spec
from fusewise.measure.accuracy.op import MeasuredOp, float_writes
from fusewise.measure.accuracy.report import DIGITS, Error, Row
from fusewise.measure.columns import MODERATE, Columns, columns_of, packed, parts_of
from fusewise.numeric.float32 import LARGEST
from fusewise.numeric.points import Point, evaluate, place_points

RANDOM_POINTS = 300

# A point is near a zero if a relative change of one input by this share changes the sign.
NEAR_ZERO = 1 / 8
# A sum cancels if the magnitude of its terms exceeds it by this factor, both as written and in the
# stable form. Its errors are then measured in ulp of that magnitude divided by this factor.
CANCELLATION = 1000
# A point is ill-conditioned if one ulp of an input changes the value by more than this many ulp.
CONDITION = 256
STEP = 2.0**-20  # the relative change of inputs that measures the condition
# If STEP changes the value by this share of it, the value need not be finite.
UNKNOWN = 1 / 8
# Below this multiple of the smallest normal number, a factor may have been subnormal.
UNDERFLOW = 1024
# A value above the largest number divided by this may overflow in an intermediate result.
HEAD_ROOM = 1024


class ElementOp(MeasuredOp):
    """A variant of an op whose elements are independent: each is a point."""

    def __init__(self, spec: Spec, choice: Choice, module: ModuleType, device: str) -> None:
        super().__init__(spec, choice, module, device)
        stable = map(simplify, self.passes)
        self.stable = [part for source in stable for part in float_writes(source).values()]

    def rows(self, count: Mapping[str, int]) -> list[Row]:
        points = self._points()
        rows = []
        for dtype, most in count.items():
            columns = self._columns(points, most, getattr(torch, dtype))
            rows += self._rows(columns, dtype)
        return rows

    def _points(self) -> list[Point]:
        roots = [part for _, part in self.results]
        domain = {name: MODERATE for entry in self.spec.inputs for name in entry.names}
        domain |= self.spec.domain
        domain |= {name: (Fraction(v), Fraction(v)) for name, v in self.params.items() if v < 1e38}
        return list(place_points(self.passes[-1].dag, roots, domain, RANDOM_POINTS, beyond=True))

    def _columns(self, points: Sequence[Point], most: int, dtype: torch.dtype) -> Columns:
        return columns_of(points, self.nodes, most, dtype)

    def _rows(self, columns: Columns, dtype: str) -> list[Row]:
        kind = getattr(torch, dtype)
        exact = self._exact(columns)
        fused = self._run(self.fused, columns, kind)
        eager = self._run(self.eager, columns, kind)
        moved = self._moved(columns)
        judges = {
            name: _Judge(self._used(node, columns), exact, name, moved[name])
            for name, node in self.results
            if name in moved
        }
        return self.compared(judges, fused, eager, dtype)

    def _used(self, result: Node, columns: Columns) -> Columns:
        used = set(topological([result]))
        return {node: column for node, column in columns.items() if node in used}

    def _exact(self, columns: Columns) -> _Exact:
        roots = [part for _, part in self.results]
        params = {node: mpmath.mpf(self.params[node.name]) for node in self.forward.params}
        functions = [
            node
            for node in topological(simplify(self.forward).roots)
            if node.type == "float" and node.function and node.function.symbol is None
        ]
        held = [*functions]
        held += (n.args[0] for n in functions if n.function and n.function.large == "angle")
        found, terms, in_range = [], [], []
        with mpmath.workdps(DIGITS):
            for values in zip(*(column.tolist() for column in columns.values()), strict=True):
                point = dict(zip(columns, map(mpmath.mpf, values), strict=True))
                value = evaluate([*roots, *self.stable, *held], {**point, **params})
                found.append([float(value[root]) for root in roots])
                written, stable = (_sizes(nodes, value) for nodes in (roots, self.stable))
                terms.append(
                    [
                        min(float(stable[node]), float(written[root]), key=_nan_last)
                        for root, node in zip(roots, self.stable, strict=True)
                    ]
                )
                largest = max((abs(value[node]) for node in held), default=0)
                in_range.append(bool(largest < LARGEST / HEAD_ROOM))
        names = [name for name, _ in self.results]
        return _Exact(
            dict(zip(names, torch.tensor(found, dtype=torch.float64).unbind(1), strict=True)),
            dict(zip(names, torch.tensor(terms, dtype=torch.float64).unbind(1), strict=True)),
            torch.tensor(in_range),
        )

    def _run(
        self, function: Callable[..., Any], columns: Columns, dtype: torch.dtype
    ) -> Mapping[str, Tensor]:
        return self.found(function, _Points(columns), dtype)

    def _moved(self, columns: Columns) -> dict[str, _Moved]:
        """The results of the op in float64 at the points, and after changes of each input."""
        here = self._run(self.fused, columns, torch.float64)
        inputs = [part for t in self.forward.reads if t.floating for part in t.parts]
        results = {name: _Moved(value, [], []) for name, value in here.items()}
        for node in inputs:
            for share, kind in ((NEAR_ZERO, "far"), (STEP, "near"), (STEP / 1.6, "near")):
                for sign in (1, -1):
                    changed = {**columns, node: columns[node] * (1 + sign * share)}
                    for name, value in self._run(self.fused, changed, torch.float64).items():
                        getattr(results[name], kind).append(value)
        return results


@dataclass(frozen=True, slots=True)
class _Points:
    """Points as tensors of an op."""

    columns: Columns

    def tensor(self, operand: Operand, dtype: torch.dtype) -> Tensor:
        return packed(operand, self.columns, dtype)

    def parts_of(self, operand: Operand, value: Tensor) -> dict[str, Tensor]:
        return parts_of(operand, value)


@dataclass(frozen=True, slots=True)
class _Exact:
    """The exact value of each result, and the magnitude of the terms of its sums."""

    values: Mapping[str, Tensor]
    terms: Mapping[str, Tensor]
    in_range: Tensor  # a mask: the values of functions and angles are in the range of float32


@dataclass(frozen=True, slots=True)
class _Moved:
    """A result, and the results after one input changes by NEAR_ZERO (far) or STEP (near)."""

    here: Tensor
    far: list[Tensor]
    near: list[Tensor]


class _Judge:
    """Measures the errors of one result at each point."""

    def __init__(self, columns: Columns, exact: _Exact, name: str, moved: _Moved) -> None:
        self.columns, self.in_range = columns, exact.in_range
        self.exact = exact.values[name]
        sizes = [column.abs() for column in columns.values()] or [torch.zeros_like(self.exact)]
        self.largest_input = torch.stack(sizes).amax(0)
        # errors are measured in ulp of this size
        self.size = self.exact.abs().maximum(exact.terms[name] / CANCELLATION)
        for value in moved.far:
            crossed = value.isfinite() & (value.sign() != moved.here.sign())
            self.size = torch.where(crossed, self.size.maximum(value.abs()), self.size)
        self.change = torch.zeros_like(self.exact)  # the relative change if one input changes
        for value in moved.near:
            difference = (value - moved.here).abs()
            share = difference / self.size.maximum(value.abs())
            share = torch.where(difference == 0, 0.0, share).nan_to_num(math.inf)
            self.change = self.change.maximum(share)

    def error(self, found: Tensor) -> Error:
        info = torch.finfo(found.dtype)
        value = found.double().cpu()
        ulp = ulp_of(self.size.clamp(min=UNDERFLOW * info.smallest_normal), found.dtype)
        known = self._must_be_finite(found.dtype)
        missing = known & ~value.isfinite()
        measured = known & ~missing & (self.change <= CONDITION * STEP)
        errors = torch.where(measured, (value - self.exact).abs() / ulp, 0.0)
        worst = int(missing.nonzero()[0]) if missing.any() else int(errors.argmax())
        at = ", ".join(f"{node.name}={column[worst]:.7g}" for node, column in self.columns.items())
        return Error(errors.max().item(), at, int(missing.sum()))

    def _must_be_finite(self, dtype: torch.dtype) -> Tensor:
        """A mask of the points where the exact value and the intermediate values are well in range.

        Types of 16 bits are computed in float32, which has a larger range.
        """
        info = torch.finfo(dtype)
        limit = torch.full_like(self.exact, info.max / (2 if info.bits == 16 else HEAD_ROOM))
        if info.bits > 16:
            extreme = self.largest_input > info.max / HEAD_ROOM
            limit = torch.where(extreme, float(HEAD_ROOM), limit)
        return (self.exact.abs() < limit) & self.in_range & (self.change < UNKNOWN)


def ulp_of(size: Tensor, dtype: torch.dtype) -> Tensor:
    """The ulp of `dtype` at float64 values that are normal numbers of it."""
    exponent = torch.frexp(size.clamp(max=torch.finfo(dtype).max))[1] - 1
    return torch.ldexp(torch.full_like(size, torch.finfo(dtype).eps), exponent)


def _sizes(roots: Sequence[Node], values: Mapping[Node, Any]) -> dict[Node, Any]:
    """The value that each node would have if all terms of its sums and products were positive."""
    sizes: dict[Node, Any] = {}
    for node in topological(roots):
        parts = [sizes[arg] for arg in node.args]
        if node.row in (ADD, SUB):
            sizes[node] = parts[0] + parts[1]
        elif node.row is MUL:
            sizes[node] = parts[0] * parts[1]
        elif node.row is DIV:
            sizes[node] = abs(parts[0] / values[node.args[1]]) if values[node.args[1]] else 0
        elif node.row is NEG:
            sizes[node] = parts[0]
        elif node.row is WHERE:
            sizes[node] = parts[1] if values[node.args[0]] else parts[2]
        else:
            sizes[node] = abs(values[node])
    return sizes


def _nan_last(value: float) -> float:
    return math.inf if math.isnan(value) else value
