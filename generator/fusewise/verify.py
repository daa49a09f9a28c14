"""Stage verify: a backward that the user wrote is the derivative, or here is where it is not.

Equal expressions need no further proof. Others are compared in many digits at points that hold the
places where hand-written derivatives go wrong: zeros, ties, thresholds, tails.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import mpmath

from fusewise.dag import Node, topological
from fusewise.errors import Problem, SpecError
from fusewise.evaluate import apply
from fusewise.graph import Pass
from fusewise.model import Spec
from fusewise.primitives import PRIMITIVES
from fusewise.steps import name_steps, show_step

DIGITS = (50, 400, 10_000)
TOLERANCE = mpmath.mpf(10) ** -13  # relative: what the constants of a formula in double may cost
RANDOM_POINTS = 200
MAX_STEPS = 12  # that a message shows
SPECIAL_VALUES = ("0", "1", "0.5", "1e-30", "3", "20", "90", "1e4")

Value = Any  # an mpf, or a bool for a condition: mpmath has no types
Point = Mapping[Node, Value]


def verify_backward(spec: Spec, forward: Pass, derived: Pass, given: Pass) -> None:
    """Raises SpecError with a counterexample for each gradient that is not the derivative."""
    assert spec.backward is not None
    problems = []
    for step in spec.backward.gradients:
        pair = [_write(source, step.name) for source in (derived, given)]
        found = None if pair[0] is pair[1] else _counterexample(spec, forward, pair[0], pair[1])
        if found:
            problems.append(Problem(found[0], step.location, found[1]))
    if problems:
        raise SpecError(*problems)


def evaluate(roots: list[Node], point: Point) -> dict[Node, Value]:
    """The value of every node that the roots need; NaN where there is none."""
    values: dict[Node, Value] = {}
    for node in topological(roots):
        if node in point:
            values[node] = point[node]
        elif node.kind == "const":
            values[node] = _number(node.value)
        else:
            values[node] = _apply(node, [values[arg] for arg in node.args])
    return values


def _counterexample(
    spec: Spec, forward: Pass, derived: Node, given: Node
) -> tuple[str, str] | None:
    for point in _points(spec, forward, derived, given):
        for digits in DIGITS:  # a form that cancels needs more of them to show its value
            with mpmath.workdps(digits):
                values = evaluate([*forward.roots, derived, given], point)
                right, wrong = values[derived], values[given]
                if abs(right - wrong) <= TOLERANCE * max(abs(right), abs(wrong)):
                    break
        else:
            if not all(mpmath.isfinite(values[root]) for root in (*forward.roots, derived)):
                continue  # outside the domain, or a singularity
            used = set(topological([derived, given]))
            at = ", ".join(f"{n.name} = {_shown(v)}" for n, v in point.items() if n in used)
            branches = [
                f"{show_step(node.args[0], {})} is {bool(values[node.args[0]])}".lower()
                for node in topological([derived])
                if node.name == "where" and len(topological(node.args[:1])) < MAX_STEPS
            ]
            taken = f" (where {', '.join(dict.fromkeys(branches))})" if branches else ""
            digits = next(n for n in (6, 17, 50) if _shown(wrong, n) != _shown(right, n) or n == 50)
            message = (
                f"this is not the derivative: at {at} it is {_shown(wrong, digits)}, "
                f"the derivative is {_shown(right, digits)}{taken}"
            )
            shown = "; ".join(_steps(derived))
            hint = f"derived: {shown}; a gradient that is meant to differ is 'is: surrogate'"
            return message, hint
    return None


def _steps(derived: Node) -> list[str]:
    """The derived formula, shared expressions once; of a long one the last steps."""
    steps = name_steps([derived], {}, set())
    names = {node: name for name, node in steps}
    lines = [f"{name} = {show_step(node, names)}" for name, node in steps if node is not derived]
    lines.append(show_step(derived, names))
    return lines if len(lines) <= MAX_STEPS else ["...", *lines[-MAX_STEPS:]]


def _points(spec: Spec, forward: Pass, derived: Node, given: Node) -> Iterator[Point]:
    nodes = topological([*forward.roots, derived, given])
    gradients = [n for n in nodes if n.kind == "input" and n.name.startswith("grad_")]
    variables = [n for n in nodes if n.kind in ("input", "param") and n not in gradients]
    domain = _domain(spec)
    special = {mpmath.mpf(text) for text in SPECIAL_VALUES}
    special |= {abs(_number(n.value)) for n in nodes if n.kind == "const" and n.value is not None}
    special = {sign * value for value in special if mpmath.isfinite(value) for sign in (1, -1)}
    source = random.Random(0)

    def drawn(node: Node) -> Value:
        if node in gradients:
            return mpmath.mpf(source.uniform(0.5, 2))
        low, high = domain.get(node.name, (None, None))
        if node.type == "bool":
            return mpmath.mpf(source.randrange(2))
        if low is not None and node.type == "int":
            return mpmath.mpf(source.randint(int(mpmath.ceil(low)), int(mpmath.floor(high))))
        if low is not None:
            return mpmath.mpf(source.uniform(float(low), float(high)))
        value = mpmath.mpf(source.uniform(-1, 1)) * source.choice((1, 10, 100))
        return mpmath.floor(value) if node.type == "int" else value

    def inside(node: Node, value: Value) -> bool:
        low, high = domain.get(node.name, (-mpmath.inf, mpmath.inf))
        return low <= value <= high and (node.type == "float" or value == int(value))

    def point(**fixed: Value) -> Point:
        return {n: fixed.get(n.name, drawn(n)) for n in (*variables, *gradients)}

    for variable in variables:
        if variable.type != "bool":
            for value in sorted(special):
                if inside(variable, value):
                    yield point(**{variable.name: value})
    for first, second in permutations(variables, 2):
        value = drawn(first)
        for tie in (value, -value):
            if inside(first, value) and inside(second, tie):
                yield point(**{first.name: value, second.name: tie})
    for _ in range(RANDOM_POINTS):
        yield point()


def _domain(spec: Spec) -> dict[str, tuple[Value, Value]]:
    """The domain of each input, part and param that has one; parts inherit that of the whole."""
    given = {name: (_number(low), _number(high)) for name, low, high in spec.test.domain}
    whole = {part: given[x.name] for x in spec.inputs for part in x.parts if x.name in given}
    return whole | given


def _apply(node: Node, args: list[Value]) -> Value:
    if node.name == "where":
        return args[1] if args[0] else args[2]
    if node.name not in PRIMITIVES:
        return args[0]
    return apply(node.name, *args)


def _write(source: Pass, name: str) -> Node:
    return next(
        part
        for tensor in source.writes
        for part_name, part in zip(tensor.part_names, tensor.parts, strict=True)
        if part_name == name
    )


def _number(value: Fraction | float | None) -> Value:
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(value)


def _shown(value: Value, digits: int = 6) -> str:
    with mpmath.workdps(60):
        return str(mpmath.nstr(+value, digits)).removesuffix(".0")
