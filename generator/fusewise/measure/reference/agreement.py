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
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import torch
from torch import Tensor

from fusewise.emit.tests import domain_of_samples
from fusewise.graph.passes import build_graph, parts_by_name
from fusewise.language.choices import Choice, take_choices
from fusewise.language.errors import Problem, SpecError
from fusewise.language.functions import FUNCTIONS
from fusewise.language.model import INT_DTYPES, Code, Reference, Spec
from fusewise.measure.columns import MODERATE
from fusewise.measure.reference.points import Points, number_text, points_of
from fusewise.measure.reference.runner import Runner
from fusewise.numeric.points import Domain

DIGITS = (50, 400)  # the second where values differ: a formula that cancels needs more
ROUNDINGS = 16
_EPS, _TINY = torch.finfo(torch.float64).eps, torch.finfo(torch.float64).tiny


def compare_reference(spec: Spec) -> int:
    """The number of points at which the reference of a spec equals its formula.

    A point is an element, or a whole row if the op has rows. The number is 0 for a spec that has no
    reference, and for a composed op.

    Raises:
        SpecError: the reference fails, an output differs, or no point is left to compare.
    """
    reference = spec.test.reference
    if reference is None or spec.compose:
        return 0
    count = sum(_Variant(spec, choice).agreeing() for choice in take_choices(spec))
    if not count:
        excluded = "" if spec.test.exclude is None else "'exclude' is true or "
        message = f"the reference cannot be compared: {excluded}the formula is NaN at every point"
        hint = "choose points with 'domain'"
        raise SpecError(Problem(message, reference.outputs[0].location, hint))
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
            names = parts_by_name(self.forward.reads)
            names |= {node.name: node for node in self.forward.params} | dict(self.forward.lets)
            names |= {name: self.forward.dag.const(value) for name, value in choice.values}
            self.exclude = [self.forward.dag.build(spec.test.exclude, names)]
        self.whole = {  # outputs that are stored as whole numbers
            name for t in self.forward.writes if t.dtype in INT_DTYPES for name in t.part_names
        }
        self.points = points_of(spec, self.forward, self._domain())

    def _domain(self) -> Domain:
        domain = {
            name: domain_of_samples(self.spec, entry, name) or MODERATE
            for entry in self.spec.inputs
            for name in entry.names
        }
        domain |= self.spec.domain
        usual = next(self._params())
        return domain | {n: (Fraction(v), Fraction(v)) for n, v in usual.items() if abs(v) < 1e38}

    def _params(self) -> Iterator[Mapping[str, Any]]:
        """The usual values of the params, then each other value of one of them."""
        params = self.choice.spec.params
        usual = {param.name: param.cast(self.spec.usual(param)) for param in params}
        yield usual
        domain = self.spec.domain
        for param in params:
            if param.type == "bool":
                yield {**usual, param.name: not usual[param.name]}
            elif param.name in domain:
                low, high = domain[param.name]
                ends = (math.ceil(low), math.floor(high)) if param.type == "int" else (low, high)
                for value in ends:
                    yield {**usual, param.name: param.cast(value)}

    def agreeing(self) -> int:
        cases = product(self.points, self._params())
        return sum(_Comparison(self, *case).agreeing() for case in cases)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison of one variant at some points, with one value of each param."""

    variant: _Variant
    points: Points
    params: Mapping[str, Any]

    def agreeing(self) -> int:
        """The number of points at which all outputs agree, and are not all NaN."""
        forward, reference = self.variant.forward, self.variant.reference
        shapes = [*map(self.points.shape, forward.writes)]
        runner = Runner(reference, forward, shapes, self._arguments)
        reads = [self.points.tensor(tensor) for tensor in forward.reads]
        found = self._by_name(runner.outputs(reads))
        exact, counted = self._exact(DIGITS[0])
        known = torch.stack([~table.isnan().all(1) for table in exact.values()]).any(0)
        count = int((counted & known).sum())
        same = (self._same(name, found[name], exact[name]) for name in found)
        if all(bool((mask | ~counted[:, None]).all()) for mask in same):
            return count
        exact, _ = self._exact(DIGITS[1])
        noisy = list(map(self._by_name, runner.noisy_outputs(reads)))
        problems = []
        for tensor, code in zip(forward.writes, reference.outputs, strict=True):
            for name in tensor.part_names:
                noise = _noise(found[name], torch.stack([run[name] for run in noisy]))
                same = self._same(name, found[name], exact[name], noise)
                wrong = ~same & counted[:, None]
                if wrong.any():
                    message = (
                        f"the reference of '{name}' differs from the formula at "
                        f"{int(wrong.any(1).sum())} of {count} points: where "
                        f"{self._difference(wrong, found[name], exact[name])}"
                    )
                    problems.append(Problem(message, code.location, _hint(code)))
        if problems:
            raise SpecError(*problems)
        return count

    @property
    def _arguments(self) -> dict[str, Any]:
        variant = self.variant
        return {**self.params, **variant.choice.arguments, **variant.spec.rows.arguments}

    def _by_name(self, outputs: Sequence[Tensor]) -> dict[str, Tensor]:
        """The tables of the parts of all outputs."""
        values = {}
        for tensor, output in zip(self.variant.forward.writes, outputs, strict=True):
            values |= self.points.parts_of(tensor, output)
        return values

    def _exact(self, digits: int) -> tuple[dict[str, Tensor], Tensor]:
        """The values of the formulas, and a mask of the points that are not excluded."""
        forward, exclude = self.variant.forward, self.variant.exclude
        numbers = {node: self.params[node.name] for node in forward.params}
        with mpmath.workdps(digits):
            tables = self.points.values([*forward.roots, *exclude], numbers)
        counted = self.points.distinct
        if exclude:
            counted = counted & (tables.pop() == 0).all(1)
        exact = {}
        for tensor in forward.writes:
            for name in tensor.part_names:
                table = tables[len(exact)]
                exact[name] = table[:, :1] if tensor.extent == "row" else table
        return exact, counted

    def _same(self, name: str, value: Tensor, exact: Tensor, noise: Tensor | float = 0.0) -> Tensor:
        """A mask of the values of an output that are as near to the exact ones as rounding is."""
        finite = torch.where(value.isfinite(), value.abs(), 0.0)
        bound = 2 * noise + ROUNDINGS * _EPS * finite.max() + _TINY
        close = value.isfinite() & ((value - exact).abs() <= bound)
        if name in self.variant.whole:
            close |= value.trunc() == exact.trunc()
        return close | (value == exact) | (value.isnan() & exact.isnan())

    def _difference(self, wrong: Tensor, found: Tensor, exact: Tensor) -> str:
        """The point whose numbers have the fewest digits, and both values there."""
        places = [int(i) for i in wrong.any(1).nonzero()]
        at = min(places, key=lambda i: sum(len(number_text(n)) for n in self.points.numbers(i)))
        index = int(wrong[at].nonzero()[0])
        names = self.points.place(at)
        if wrong.shape[1] > 1:
            names["index"] = str(index)
        names |= {name: number_text(value) for name, value in self._arguments.items()}
        place = ", ".join(f"{name} = {value}" for name, value in names.items())
        return f"{place}, {_apart(found[at, index].item(), exact[at, index].item())}"


def _noise(value: Tensor, moved: Tensor) -> Tensor:
    """The largest change of each value; infinite where it may change to no number."""
    change = (moved - value).abs().nan_to_num(nan=math.inf).amax(0)
    return torch.where(value.isfinite(), change, 0.0)


def _apart(value: float, exact: float) -> str:
    """Both values, to the first digit that differs."""
    shown = [[f"{number:.{n}g}" for number in (value, exact)] for n in range(6, 18)]
    a, b = next((pair for pair in shown if pair[0] != pair[1]), shown[-1])
    return f"the reference gives {a}, the formula {b}"


def _hint(code: Code) -> str:
    called = re.findall(r"\.(\w+)\(", code.text)
    notes = [FUNCTIONS[name].unlike_torch for name in called if name in FUNCTIONS]
    otherwise = "correct one of them, or leave such points out with 'domain' or 'exclude'"
    return next(filter(None, notes), otherwise)
