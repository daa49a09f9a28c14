"""Functions of numbers become numbers, within bounds of digits and of time.

A formula may ask for constants without end, as 9 ** 9 ** 9. What is printed is a float64, so a
constant beyond its range is an error at its place. Within a constant, values go further, as far as
`Dag.const` holds them: 10 ** 400 / 10 ** 399 is 10.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from fusewise.graph.dag import (
    LARGEST_FLOAT64,
    MAX_EXPONENT,
    MAX_INTEGER,
    Dag,
    Node,
    OutOfRangeError,
)
from fusewise.language.errors import Location, Problem, SpecError
from fusewise.language.formula import CONSTANTS, Expr, Name, Number
from fusewise.language.model import Spec
from fusewise.numeric.evaluate import apply, exact

DIGITS = 40  # of a folded constant: those of a double, and so many that it is rounded once
_MAX_ARGUMENT = 10**4  # of the gamma function's family; of others mpmath takes long


def folded(dag: Dag, node: Node) -> Node:
    """A function of constants as a constant: sqrt(2 / pi)."""
    if not node.args or any(arg.kind != "const" for arg in node.args):
        return node
    function = node.function
    if function is None or function.result == "bool":
        return node
    values = [arg.value for arg in node.args if arg.value is not None]
    numbers = [value for value in values if isinstance(value, Fraction)]
    if function.fraction and len(numbers) == len(values):
        value = function.fraction(*numbers)
        return node if value is None else dag.const(value)
    if function.large == "gamma" and any(abs(value) > _MAX_ARGUMENT for value in values):
        return node
    # an angle, or an exponent, has to be known to digits after the point
    before_point = max((len(str(abs(int(number)))) for number in numbers), default=0)
    with mpmath.workdps(DIGITS + 20 + before_point):
        value = apply(function, *map(exact, values))
        if not mpmath.isfinite(value):
            return node
        return dag.const(_fraction(value))


def _fraction(value: Any) -> Fraction:
    """The number to so many digits as are kept.

    Raises:
        OutOfRangeError: it has too many digits before or after the point.
    """
    if value and abs(mpmath.mag(value)) > MAX_EXPONENT:
        raise OutOfRangeError(int(mpmath.mag(value)))
    return Fraction(str(mpmath.nstr(value, DIGITS)))


def check_constants(spec: Spec) -> None:
    """Raises SpecError for each constant of the formulas that no float64 can hold, at its place."""
    checker = _Checker(spec)
    for step in spec.let:
        checker.names[step.name] = checker.check(step.formula)
    for output in spec.outputs:
        for part in output.parts:
            checker.check(part)
    for step in spec.backward.gradients if spec.backward else ():
        checker.check(step.formula)
    if spec.test.exclude is not None:
        checker.check(spec.test.exclude)
    if checker.problems:
        raise SpecError(*checker.problems.values())


class _Checker:
    """Folds what is constant in formulas, and remembers what is wrong with it."""

    def __init__(self, spec: Spec) -> None:
        self.dag = Dag()
        self.names: dict[str, Node | None] = {}  # of steps; None: not a constant
        self.largest = LARGEST_FLOAT64 if spec.computes_floats else Fraction(MAX_INTEGER)
        self.spec = spec
        self.problems: dict[Location, Problem] = {}

    def check(self, formula: Expr) -> Node | None:
        """The constant that a formula is; None if it is none, or wrong."""
        found = self.value(formula)
        return found if self.check_range(found, formula) else None

    def value(self, expr: Expr) -> Node | None:
        if isinstance(expr, Number):
            return self.dag.const(expr.value)
        if isinstance(expr, Name):
            if expr.id in CONSTANTS:
                return self.dag.const(CONSTANTS[expr.id])
            return self.names.get(expr.id)
        values = [self.value(arg) for arg in expr.args]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            try:
                node = folded(
                    self.dag, self.dag.call(expr.function, *known, *self.dag.defaults(expr))
                )
            except OutOfRangeError as error:
                self.report(expr, f"this constant is {error}")
                return None
            if node.kind == "const":
                return node
        for arg, value in zip(expr.args, values, strict=True):
            self.check_range(value, arg)
        return None

    def check_range(self, node: Node | None, expr: Expr) -> bool:
        """Reports a constant that is used as it is and is out of range."""
        if node is None or not isinstance(node.value, Fraction):
            return True
        if abs(node.value) > self.largest and not self.spec.computes_floats:
            self.report(expr, "this constant does not fit 64 bits", "")
        elif abs(node.value) > self.largest:
            self.report(expr, "this constant is beyond the largest float64, 1.8e308")
        elif node.value and float(node.value) == 0:
            self.report(expr, "this constant is nearer to 0 than any float64, 4.9e-324")
        else:
            return True
        return False

    def report(self, expr: Expr, message: str, hint: str = "scale the formula") -> None:
        self.problems.setdefault(expr.location, Problem(message, expr.location, hint))
