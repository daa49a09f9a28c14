"""The comparison of a spec's reference with its formula, both in float64, at sampled points.

The formula is evaluated in many digits, with constants in float64, and rounded. A value of the
reference may differ from it by `ROUNDINGS` roundings of the largest value of the output, since
functions of PyTorch have such errors in their tails, and by the noise that rounding causes in the
reference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import torch
from torch import Tensor

from fusewise.emit.tests import domain_of_samples
from fusewise.graph.dag import topological
from fusewise.graph.passes import build_graph
from fusewise.language.choices import Choice, take_choices
from fusewise.language.errors import Problem, SpecError
from fusewise.language.functions import FUNCTIONS
from fusewise.language.model import INT_DTYPES, Code, Reference, Spec
from fusewise.measure.columns import (
    MODERATE,
    Columns,
    columns_of,
    packed,
    parts_of,
    usual_value,
)
from fusewise.measure.reference.runner import Runner
from fusewise.numeric.evaluate import evaluate_in_order
from fusewise.numeric.points import domain_of, place_points

POINTS = 300  # the most for one choice of params
RANDOM_POINTS = 60
DIGITS = (50, 400)  # the second where values differ: a formula that cancels needs more
ROUNDINGS = 16
_EPS, _TINY = torch.finfo(torch.float64).eps, torch.finfo(torch.float64).tiny


def compare_reference(spec: Spec) -> int:
    """The number of points at which the reference of a spec equals its formula.

    It is 0 for a spec that has no reference, for a composed op and for one that reduces rows.

    Raises:
        SpecError: the reference fails, an output differs, or no point is left to compare.
    """
    reference = spec.test.reference
    if reference is None or spec.compose or spec.reduces:
        return 0
    count = sum(_Variant(spec, choice).points() for choice in take_choices(spec))
    if not count:
        message = "the reference cannot be compared: 'exclude' is true at every point"
        raise SpecError(Problem(message, reference.outputs[0].location))
    return count


class _Variant:
    """A variant of an op, and the points at which it is compared."""

    def __init__(self, spec: Spec, choice: Choice) -> None:
        assert spec.test.reference is not None
        self.spec, self.choice = spec, choice
        self.reference: Reference = spec.test.reference
        self.forward = build_graph(choice.spec)
        self.exclude = []
        if spec.test.exclude is not None:
            names = {part.name: part for tensor in self.forward.reads for part in tensor.parts}
            names |= {node.name: node for node in self.forward.params} | dict(self.forward.lets)
            names |= {name: self.forward.dag.const(value) for name, value in choice.values}
            self.exclude = [self.forward.dag.build(spec.test.exclude, names)]
        self.whole = {  # outputs that are stored as whole numbers
            name for t in self.forward.writes if t.dtype in INT_DTYPES for name in t.part_names
        }
        self.columns = self._columns()
        table = torch.stack(list(self.columns.values()), 1)
        self.table = table.tolist()
        # Columns are padded with copies of the first point.
        self.distinct = (table != table[0]).any(1)
        self.distinct[0] = True

    def _columns(self) -> Columns:
        domain = {
            name: domain_of_samples(self.spec, entry) or MODERATE
            for entry in self.spec.inputs
            for name in entry.names
        }
        domain |= domain_of(self.spec)
        usual = next(self._params())
        domain |= {name: (Fraction(v), Fraction(v)) for name, v in usual.items() if abs(v) < 1e38}
        points = list(place_points(self.forward.dag, self.forward.roots, domain, RANDOM_POINTS))
        nodes = [part for tensor in self.forward.reads for part in tensor.parts]
        return columns_of(points, nodes, POINTS, torch.float64)

    def _params(self) -> Iterator[Mapping[str, Any]]:
        """The usual values of the params, then each other value of one of them."""
        params = self.choice.spec.params
        usual = {param.name: usual_value(param, self.spec) for param in params}
        yield usual
        domain = domain_of(self.spec)
        for param in params:
            if param.type == "bool":
                yield {**usual, param.name: not usual[param.name]}
            elif param.name in domain:
                low, high = domain[param.name]
                ends = (math.ceil(low), math.floor(high)) if param.type == "int" else (low, high)
                for value in ends:
                    yield {**usual, param.name: param.cast(value)}

    def points(self) -> int:
        return sum(map(self._agreeing, self._params()))

    def _agreeing(self, params: Mapping[str, Any]) -> int:
        """The number of points at which all outputs agree."""
        arguments = {**params, **self.choice.arguments}
        runner = Runner(self.reference, self.forward, arguments)
        reads = [packed(tensor, self.columns, torch.float64) for tensor in self.forward.reads]
        found = self._by_name(runner.outputs(reads))
        exact, counted = self._exact(params, DIGITS[0])
        same = (self._same(name, found[name], exact[name]) for name in found)
        if all(bool((mask | ~counted).all()) for mask in same):
            return int(counted.sum())
        exact, _ = self._exact(params, DIGITS[1])
        noisy = list(map(self._by_name, runner.noisy_outputs(reads)))
        problems = []
        for tensor, code in zip(self.forward.writes, self.reference.outputs, strict=True):
            for name in tensor.part_names:
                noise = _noise(found[name], torch.stack([run[name] for run in noisy]))
                wrong = counted & ~self._same(name, found[name], exact[name], noise)
                if wrong.any():
                    at = self._plainest(wrong)
                    message = (
                        f"the reference of '{name}' differs from the formula at "
                        f"{int(wrong.sum())} of {int(counted.sum())} points: where "
                        f"{self._place(at, arguments)}, "
                        f"{_apart(found[name][at].item(), exact[name][at].item())}"
                    )
                    problems.append(Problem(message, code.location, _hint(code)))
        if problems:
            raise SpecError(*problems)
        return int(counted.sum())

    def _by_name(self, outputs: Sequence[Tensor]) -> dict[str, Tensor]:
        """The parts of all outputs."""
        values = {}
        for tensor, output in zip(self.forward.writes, outputs, strict=True):
            values |= parts_of(tensor, output)
        return values

    def _exact(self, params: Mapping[str, Any], digits: int) -> tuple[dict[str, Tensor], Tensor]:
        """The values of the formulas, and a mask of the points that are not excluded."""
        roots = [*self.forward.roots, *self.exclude]
        order = topological(roots)
        rows = []
        with mpmath.workdps(digits):
            numbers = {node: params[node.name] for node in self.forward.params}
            for row in self.table:
                point = dict(zip(self.columns, row, strict=True))
                values = evaluate_in_order(order, {**point, **numbers}, _leaf)
                rows.append([float(values[root]) for root in roots])
        columns = list(torch.tensor(rows, dtype=torch.float64).unbind(1))
        counted = self.distinct & (columns.pop() == 0) if self.exclude else self.distinct
        names = [name for tensor in self.forward.writes for name in tensor.part_names]
        return dict(zip(names, columns, strict=True)), counted

    def _same(self, name: str, value: Tensor, exact: Tensor, noise: Tensor | float = 0.0) -> Tensor:
        """A mask of the values of an output that are as near to the exact ones as rounding is."""
        finite = torch.where(value.isfinite(), value.abs(), 0.0)
        bound = 2 * noise + ROUNDINGS * _EPS * finite.max() + _TINY
        close = value.isfinite() & ((value - exact).abs() <= bound)
        if name in self.whole:
            close |= value.trunc() == exact.trunc()
        return close | (value == exact) | (value.isnan() & exact.isnan())

    def _plainest(self, wrong: Tensor) -> int:
        """The point whose coordinates have the fewest digits."""
        places = [int(i) for i in wrong.nonzero()]
        return min(places, key=lambda i: sum(len(_shown(value)) for value in self.table[i]))

    def _place(self, at: int, arguments: Mapping[str, Any]) -> str:
        names = [node.name for node in self.columns]
        values = {**dict(zip(names, self.table[at], strict=True)), **arguments}
        return ", ".join(f"{name} = {_shown(value)}" for name, value in values.items())


def _leaf(value: Fraction | float) -> Any:
    """The value of an input, a param or a constant, all of them in float64."""
    return mpmath.mpf(float(value))


def _noise(value: Tensor, moved: Tensor) -> Tensor:
    """The largest change of each value; infinite where it may change to no number."""
    change = (moved - value).abs().nan_to_num(nan=math.inf).amax(0)
    return torch.where(value.isfinite(), change, 0.0)


def _apart(value: float, exact: float) -> str:
    """Both values, to the first digit that differs."""
    shown = [[f"{number:.{n}g}" for number in (value, exact)] for n in range(6, 18)]
    a, b = next((pair for pair in shown if pair[0] != pair[1]), shown[-1])
    return f"the reference gives {a}, the formula {b}"


def _shown(value: float) -> str:
    return str(value).removesuffix(".0").lower()


def _hint(code: Code) -> str:
    called = re.findall(r"\.(\w+)\(", code.text)
    notes = [FUNCTIONS[name].unlike_torch for name in called if name in FUNCTIONS]
    otherwise = "correct one of them, or leave such points out with 'domain' or 'exclude'"
    return next(filter(None, notes), otherwise)
