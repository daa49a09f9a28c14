"""The gradients that a spec gives are compared with the derived ones.

A gradient is proved if its expression equals the derived one. Otherwise it is checked: both are
computed in many digits at points that include kinks, ties, thresholds and tails, where derivatives
by hand go wrong. Such a gradient is also computed in float32, as a kernel does; it must not
overflow on the way to a moderate value.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath

from fusewise.derive.autodiff import differentiate
from fusewise.derive.simplify import simplify
from fusewise.graph.dag import Node, expand, long_steps, lower, topological
from fusewise.graph.passes import Pass, parts_by_name
from fusewise.graph.steps import name_steps, show_step
from fusewise.language.errors import Problem, SpecError
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.row import Function
from fusewise.language.model import Spec, Step
from fusewise.language.names import gradient_name
from fusewise.numeric.evaluate import evaluate_in_order
from fusewise.numeric.float32 import LARGEST, rounded, run
from fusewise.numeric.points import (
    Point,
    draw_points,
    evaluate,
    place_points,
)

DIGITS = (50, 400, 10_000)  # of formulas with slow functions only the first two
# The relative difference that float64 constants may cause, and a difference that is none.
TOLERANCE, NOTHING = mpmath.mpf(10) ** -12, mpmath.mpf(10) ** -250
RANDOM_POINTS = 60
SECOND_POINTS = 12  # pairs of them, for the second derivative
HEAD_ROOM = 2.0**10  # a value that near the largest float32 may overflow on the way
MAX_STEPS = 12  # that a message shows

Value = Any  # an mpf, or a bool for a condition: mpmath has no types


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the comparison of one gradient with the derived one."""

    part: str  # of an input, whose gradient it is
    points: int | None  # at which the values are equal; None if the expressions are

    def __str__(self) -> str:
        return "proved" if self.points is None else f"checked at {self.points} points"


def weakest(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The verdict on a pass as a whole: that of the gradient checked at the fewest points."""
    points = {v: math.inf if v.points is None else v.points for v in verdicts}
    return min(points, key=points.__getitem__, default=None)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A gradient as it is derived and as it is given, each also as the nodes of its kernel.

    Arguments come before their users, and the gradient comes last.
    """

    derived: Node
    given: Node
    derived_kernel: list[Node]
    given_kernel: list[Node]

    @property
    def nodes(self) -> list[Node]:
        return topological([self.derived, self.given])


def verify_backward(spec: Spec, forward: Pass, given: Pass) -> tuple[Verdict, ...]:
    """The verdict on each gradient that the spec gives.

    Builds in the DAG of `given`, where equal expressions are one node. Later stages copy this DAG,
    so the statements of the gradients have the order of the comparison.

    Raises:
        SpecError: with a counterexample for each gradient that is not the derivative.
    """
    assert spec.backward is not None
    dag = given.dag
    forward = replace(forward, dag=dag)
    derived = differentiate(forward, dag=dag)
    sources = [derived, given, simplify(derived, dag), simplify(given, dag)]
    writes = [parts_by_name(source.writes) for source in sources]
    zero = dag.const(0)  # of a detached input
    parts = {gradient_name(name): name for tensor in forward.reads for name in tensor.part_names}
    problems = []
    verdicts = []
    for step in spec.backward.gradients:
        plain, written, *stable = (found.get(step.name, zero) for found in writes)
        if stable[0] is stable[1]:
            verdicts.append(Verdict(parts[step.name], points=None))
            continue
        lowered = lower(dag, stable)
        kernels = (topological([lowered[node]]) for node in stable)
        pair = _Pair(plain, written, *kernels)
        found = _checked(spec, forward, pair, step)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            verdicts.append(Verdict(parts[step.name], found))
    if not problems:
        second = (differentiate(source, dag=dag) for source in (derived, given))
        problems = _second_order(spec, *second)
    if problems:
        raise SpecError(*problems)
    return tuple(verdicts)


def _second_order(spec: Spec, derived: Pass, given: Pass) -> list[Problem]:
    """Where the given backward has another derivative than the derived one, though it is equal.

    It can hide from the next derivative what the formula shows it, as round(x) does where
    straight_through(round(x), x) stood. Only points off the kinks are asked.
    """
    assert spec.backward is not None
    zero = derived.dag.const(0)
    writes = [parts_by_name(source.writes) for source in (derived, given)]
    for name in dict.fromkeys(name for found in writes for name in found):
        right, wrong = (found.get(name, zero) for found in writes)
        if right is wrong:
            continue
        order = topological([right, wrong])
        for point in draw_points(derived.dag, [right, wrong], spec.domain, SECOND_POINTS):
            values, same = _compared(order, right, wrong, point, [right])
            if not same and mpmath.isfinite(values[right]):
                message = (
                    "this has another derivative than the derived backward: at "
                    f"{_place(order, point)} its {name} is {_shown(values[wrong])}, "
                    f"that of the derived one {_shown(values[right])}"
                )
                hint = "keep straight_through where the formula has it; or leave the section out"
                return [Problem(message, spec.backward.location, hint)]
    return []


def _checked(spec: Spec, forward: Pass, pair: _Pair, step: Step) -> int | Problem:
    """The number of points at which the values are equal, or a point at which they are not.

    The values are compared wherever the outputs and the derivative are finite.
    """
    roots = [*forward.roots, pair.derived, pair.given]
    # composites are expanded, since they have many parts in common
    parts = expand(forward.dag, roots, lambda row: row.body if row.mp is None else None)
    order = topological(parts.values())
    needed = [parts[root] for root in roots[:-1]]
    shown = f"derived: {'; '.join(_steps(pair.derived))}"
    overflow = None
    equal = 0
    for point in place_points(forward.dag, roots, spec.domain, RANDOM_POINTS):
        values, same = _compared(order, parts[pair.derived], parts[pair.given], point, needed)
        defined = _are_finite(values, needed)
        if not same and defined:
            right, wrong = values[parts[pair.derived]], values[parts[pair.given]]
            digits = next(n for n in (6, 17, 50) if _shown(wrong, n) != _shown(right, n) or n == 50)
            message = (
                f"this is not the derivative: at {_place(pair.nodes, point)} it is "
                f"{_shown(wrong, digits)}, the derivative is {_shown(right, digits)}"
                f"{_branches(pair, point)}"
            )
            hint = f"{shown}; a gradient that is meant to differ is 'is: surrogate'"
            return Problem(message, step.location, hint)
        equal += same and defined
        if same and defined and overflow is None:
            overflow = _overflow(pair, point)
    if not equal:
        message = (
            "this cannot be checked: the outputs and the derivative are finite at no sampled point"
        )
        hint = f"state the op's domain under 'test', or leave '{step.name}' out"
        return Problem(message, step.location, hint)
    if overflow is None:
        return equal
    hint = f"{shown}; that does not overflow: leave '{step.name}' out, or state the op's domain"
    return Problem(overflow, step.location, hint)


def _compared(
    order: Sequence[Node], derived: Node, given: Node, point: Point, needed: Sequence[Node]
) -> tuple[Mapping[Node, Value], bool]:
    """The values at a point, and whether the two gradients are equal there.

    A difference counts only where the values of `needed` are finite.
    """
    values: Mapping[Node, Value] = {}
    is_slow = any(isinstance(node.row, Function) and node.row.slow for node in order)
    for digits in DIGITS[:2] if is_slow else DIGITS:  # a form that cancels needs many of them
        with mpmath.workdps(digits):
            values = evaluate_in_order(order, point)
            right, wrong = values[derived], values[given]
            if abs(right - wrong) <= max(TOLERANCE * max(abs(right), abs(wrong)), NOTHING):
                return values, True
            if (is_slow or digits > DIGITS[0]) and not _are_finite(values, needed):
                break  # more digits, which take seconds, hardly make them numbers
    return values, False


def _are_finite(values: Mapping[Node, Value], nodes: Iterable[Node]) -> bool:
    return all(mpmath.isfinite(values[node]) for node in nodes)


def _overflow(pair: _Pair, point: Point) -> str | None:
    """Where the given form is no number in float32 though the derivative is one, well in range."""
    stored = {node: rounded(value) for node, value in point.items()}
    if not all(map(_is_finite, stored.values())):
        return None
    exact = {node: Fraction(value) for node, value in stored.items()}
    values = run(pair.given_kernel, exact)
    wrong = values[pair.given_kernel[-1]]
    if _is_finite(wrong):
        return None
    if not _is_finite(run(pair.derived_kernel, exact)[pair.derived_kernel[-1]]):
        return None
    with mpmath.workdps(DIGITS[0]):
        right = evaluate([pair.derived], exact)[pair.derived]
    if not abs(right) < LARGEST / HEAD_ROOM:
        return None
    first = next(n for n in pair.given_kernel if n.type != "bool" and not _is_finite(values[n]))
    formula = "a value on the way" if long_steps([first]) else show_step(first, {})
    return (
        f"this overflows in float32: at {_place(pair.nodes, exact)} it is {wrong}, since "
        f"{formula} is {values[first]}; the derivative is {_shown(right)}"
    )


def _is_finite(value: float) -> bool:
    return abs(value) <= LARGEST


def _place(used: Container[Node], point: Point) -> str:
    with mpmath.workdps(30):
        shown = {
            node: _shown(mpmath.mpf(value.numerator) / value.denominator, 10)
            for node, value in point.items()
        }
    return ", ".join(f"{node.name} = {text}" for node, text in shown.items() if node in used)


def _branches(pair: _Pair, point: Point) -> str:
    with mpmath.workdps(DIGITS[0]):
        values = evaluate([pair.derived], point)
    conditions = [
        node.args[0]
        for node in topological([pair.derived])
        if node.row is WHERE and len(topological(node.args[:1])) < MAX_STEPS
    ]
    taken = [f"{show_step(node, {})} is {bool(values[node])}".lower() for node in conditions]
    return f" (where {', '.join(dict.fromkeys(taken))})" if taken else ""


def _steps(derived: Node) -> list[str]:
    """The derived formula, shared expressions once; of a long one the last steps."""
    steps = name_steps([derived], {}, set())
    names = {node: name for name, node in steps}
    lines = [f"{name} = {show_step(node, names)}" for name, node in steps if node is not derived]
    lines.append(show_step(derived, names))
    return lines if len(lines) <= MAX_STEPS else ["...", *lines[-MAX_STEPS:]]


def _shown(value: Value, digits: int = 6) -> str:
    with mpmath.workdps(60):
        return str(mpmath.nstr(+value, digits)).removesuffix(".0")
