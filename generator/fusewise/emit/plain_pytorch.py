"""Prints formulas as plain PyTorch, for the functions of test files."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count, islice

from fusewise.language.extents import extent_of
from fusewise.language.formula import (
    CONSTANTS,
    INDEX,
    LENGTH,
    Call,
    Expr,
    Name,
    Number,
    substitute,
    walk,
)
from fusewise.language.functions import CALLABLE, Extent, Function, Reduction, left_out
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import DIV
from fusewise.language.model import Spec
from fusewise.numeric.evaluate import evaluate

_MOST_NODES = 100  # of a step that is written again in each branch


class Printer:
    """Prints formulas as Python over tensors and numbers; `numbers` names what is no tensor, and of
    that `conditions` what is true or false.

    Integers that meet floats are printed as floats, which kernels read them as.
    """

    def __init__(self, spec: Spec) -> None:
        given = [entry for entry in spec.inputs if entry.default is None] or [spec.inputs[0]]
        first = min(given, key=lambda entry: entry.dtype != "float")
        self.numbers = {param.name for param in spec.params}
        self.conditions = {param.name for param in spec.params if param.type == "bool"}
        self.extents: dict[str, Extent | None] = dict.fromkeys(self.numbers)
        self.extents |= {name: entry.extent for entry in spec.inputs for name in entry.names}
        elements = (name for name, extent in self.extents.items() if extent == "element")
        self.element = next(elements, "")
        self.reduces = spec.reduces
        if spec.reduces:
            self.numbers.add(LENGTH)
        self.floats: dict[str, str] = {}  # integers, as floats
        self.dtype = ""  # of the floats
        if spec.computes_floats:
            self.dtype = f"{first.name}.dtype" if first.dtype == "float" else "torch.float64"
            names = [entry.name for entry in spec.inputs if entry.dtype == "int"]
            names += [INDEX] * spec.reduces
            self.floats = {name: f"{name}.to({self.dtype})" for name in names}
        self.like = self.floats.get(first.name, first.name)
        self.steps: dict[str, Expr] = {}  # short ones without reductions, by formulas without steps

    def step(self, name: str, formula: Expr) -> str:
        """The assignment of a step, which later formulas may name."""
        text = self.show(formula)
        if self.may_be_of_row(formula):
            text = f"torch.broadcast_tensors({text}, {self.element})[0]"
        line = f"{name} = {text}"
        self.extents[name] = extent_of(formula, self.extents)
        if self.is_number(formula):
            self.numbers.add(name)
            if self.is_condition(formula):
                self.conditions.add(name)
        elif not _reduces(formula) and _is_short(whole := substitute(formula, self.steps)):
            self.steps[name] = whole
        return line

    def show(self, expr: Expr) -> str:
        return ast.unparse(self.node(expr))

    def node(self, expr: Expr) -> ast.expr:
        if isinstance(expr, Number):
            return _constant(expr.value)
        if isinstance(expr, Name):
            if expr.id in CONSTANTS and expr.id not in self.numbers:
                return ast.Attribute(ast.Name("torch"), expr.id)
            return ast.Name(self.floats.get(expr.id, expr.id))
        if (constant := _large(expr)) is not None:
            return ast.Constant(constant)
        row = CALLABLE[expr.function]
        if row is WHERE and not self.is_number(expr.args[0]):
            branches = [substitute(branch, self.steps) for branch in expr.args[1:]]
            if any(map(self.is_risky, branches)):
                return self.guarded(expr.args[0], branches)
        compares = _is_comparison(expr)  # whatever the types
        args = [
            ast.Name(INDEX) if compares and arg == Name(INDEX) else self.node(arg)
            for arg in expr.args
        ]
        numbers = [self.is_number(arg) for arg in expr.args]
        if row is WHERE and numbers[0]:
            return self.choice(expr, args)
        if isinstance(row, Function) and row.operator and (all(numbers) or not row.of_conditions):
            return _parsed(row.operator, dict(zip(row.params, args, strict=True)))
        plain = row.ref_numbers and all(numbers[1:]) != (row is WHERE)  # which wants one tensor
        for index, number in enumerate(numbers):
            if number and not (plain and index > 0):
                args[index] = self.tensor(expr.args[index])
        args += map(self.node, left_out(row, len(args)))
        counts = isinstance(row, Reduction) and row.result == "int" and self.dtype
        ref = f"({row.ref}).to({self.dtype})" if counts else row.ref
        return _parsed(ref, dict(zip(row.params, args, strict=True)))

    def choice(self, expr: Call, args: list[ast.expr]) -> ast.expr:
        """Of two branches by a number: both numbers, or both tensors."""
        numbers = [self.is_number(branch) for branch in expr.args[1:]]
        if any(numbers) and not all(numbers):
            index = 1 + numbers.index(True)
            args[index] = self.tensor(expr.args[index])
        return ast.IfExp(*args)

    def guarded(self, condition: Expr, branches: Sequence[Expr]) -> ast.expr:
        """Of two branches as functions of their tensors.

        If the condition differs between the elements of a row, reductions of all of them are
        tensors too.
        """
        reduced: dict[Expr, Name] = {}
        if extent_of(condition, self.extents) == "element":
            branches = [self.without_reductions(branch, reduced) for branch in branches]
        named = (node.id for branch in branches for node in walk(branch) if isinstance(node, Name))
        tensors: dict[str, ast.expr] = {
            name: ast.Name(name)
            for name in dict.fromkeys(named)
            if not self.is_number(Name(name)) and Name(name) not in reduced.values()
        }
        tensors |= {name.id: self.node(reduction) for reduction, name in reduced.items()}
        arguments = [ast.arg(name) for name in tensors]
        functions = [
            ast.Lambda(ast.arguments([], arguments, None, [], [], None, []), self.node(branch))
            for branch in branches
        ]
        return _call("testing.where", self.node(condition), *functions, *tensors.values())

    def without_reductions(self, expr: Expr, reduced: dict[Expr, Name]) -> Expr:
        """The formula with names in place of reductions, which are added to `reduced`."""
        if not isinstance(expr, Call):
            return expr
        if not isinstance(CALLABLE[expr.function], Reduction):
            args = tuple(self.without_reductions(arg, reduced) for arg in expr.args)
            return replace(expr, args=args)
        if expr not in reduced:
            free = (f"{expr.function}{k}" for k in count())
            name = next(n for n in free if n not in self.extents)
            self.extents[name] = extent_of(expr, self.extents)
            reduced[expr] = Name(name)
        return reduced[expr]

    def may_be_of_row(self, expr: Expr) -> bool:
        """Whether params may choose a value of the row for a formula of elements."""

        def is_of_elements(part: Expr) -> bool:
            if not isinstance(part, Call) or isinstance(CALLABLE[part.function], Reduction):
                return extent_of(part, self.extents) == "element"
            if CALLABLE[part.function] is WHERE and self.is_number(part.args[0]):
                return all(map(is_of_elements, part.args[1:]))
            return any(map(is_of_elements, part.args))

        is_element = extent_of(expr, self.extents) == "element"
        return self.reduces and is_element and not is_of_elements(expr)

    def is_risky(self, expr: Expr) -> bool:
        """Whether a derivative may be infinite."""
        if _is_comparison(expr):
            return False
        return any(
            isinstance(node, Call)
            and isinstance(row := CALLABLE[node.function], Function | Reduction)
            and not (row.finite_slope or (row is DIV and self.is_number(node.args[1])))
            for node in walk(expr)
        )

    def is_number(self, expr: Expr) -> bool:
        """Whether this is printed as a plain number; functions give tensors."""
        return all(
            node.id in self.numbers or node.id in CONSTANTS
            if isinstance(node, Name)
            else isinstance(node, Number) or _is_operator(node)
            for node in walk(expr)
        )

    def is_condition(self, expr: Expr) -> bool:
        """Of what is printed as a plain number."""
        if isinstance(expr, Call):
            row = CALLABLE[expr.function]
            if row is WHERE:
                return self.is_condition(expr.args[1])
            return _is_comparison(expr)
        return isinstance(expr, Name) and expr.id in self.conditions

    def tensor(self, number: Expr) -> ast.expr:
        """A number, or a condition of numbers, where PyTorch takes tensors only."""
        value = self.node(number)
        if self.is_condition(number):
            return _parsed(f"torch.tensor(c, device={self.like}.device)", {"c": value})
        return _call(f"{self.like}.new_tensor", value)


def value_text(value: Fraction | float | bool) -> str:
    return ast.unparse(_constant(value))


def _constant(value: Fraction | float | bool) -> ast.expr:
    if isinstance(value, bool):
        return ast.Constant(value)
    if isinstance(value, Fraction):
        whole = value.denominator == 1 and abs(value) < 2**63  # PyTorch takes no larger integers
        return ast.Constant(value.numerator if whole else float(value))
    if math.isnan(value):
        return ast.Attribute(ast.Name("torch"), "nan")
    infinity = ast.Attribute(ast.Name("torch"), "inf")
    return infinity if value > 0 else ast.UnaryOp(ast.USub(), infinity)


def _large(expr: Call) -> float | None:
    """The value of a formula of numbers alone that Python would compute in integers of more bits
    than PyTorch takes."""
    if not all(isinstance(node, Number) or _is_operator(node) for node in walk(expr)):
        return None
    value = float(evaluate(expr, {}))
    return value if 2**63 <= abs(value) < math.inf else None


def _is_comparison(expr: Expr) -> bool:
    row = CALLABLE[expr.function] if isinstance(expr, Call) else None
    return isinstance(row, Function) and row.result == "bool"


def _is_short(expr: Expr) -> bool:
    return next(islice(walk(expr), _MOST_NODES, None), None) is None


def _reduces(expr: Expr) -> bool:
    return any(
        isinstance(node, Call) and isinstance(CALLABLE[node.function], Reduction)
        for node in walk(expr)
    )


def _is_operator(expr: Expr) -> bool:
    return isinstance(expr, Call) and CALLABLE[expr.function].operator is not None


def _call(function: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.parse(function, mode="eval").body, list(args), [])


def _parsed(text: str, names: Mapping[str, ast.expr]) -> ast.expr:
    """A Python expression with its names replaced."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return names.get(node.id, node)

    return Replace().visit(ast.parse(text, mode="eval").body)
