"""Formulas read as SymPy expressions, which have the value of the formula over the real numbers.

SymPy adds, multiplies and raises to whole powers; all functions, relations and choices are
undefined functions to it. How a value is computed, the order of operations and the stable forms,
is shown by `Pass` and `KernelPlan`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import sympy
from sympy import Add, Mul, Rational, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.parameters import distribute

from fusewise.language.formula import Call, Expr, Name, Number, parse_formula, substitute
from fusewise.language.functions import ROWS
from fusewise.numeric.evaluate import evaluate

Term: TypeAlias = Any  # a SymPy expression; type checkers know too little of their arguments

INFINITY = Symbol("inf")
_MAX_EXPONENT = 99  # of a power that is written with a raised number
# A number of many digits is written as a short multiple of one of these, if it is one.
_CONSTANTS = ("sqrt(2 / pi)", "sqrt(2)", "1 / sqrt(2)", "2 / sqrt(pi)", "log(2)")


def term(expr: Expr, symbols: Mapping[str, Term] | None = None, *, tidy: bool = False) -> Term:
    """A formula as mathematics; if `tidy`, sorted and with common factors in front.

    `symbols` are the terms of names that are not set as they are, such as gradients.
    """
    reader = _Reader(symbols or {})
    with distribute(False):
        value = reader.read(expr)
        return reader.arranged(reader.tidied(value) if tidy else value, tidy=tidy)


def apply(function: str, *args: Term) -> Term:
    """A function of its arguments, of which SymPy knows nothing else."""
    return sympy.Function(function)(*args)


def name_of(value: Term) -> str:
    """The name of the function that a term applies; empty for other terms."""
    return type(value).__name__ if isinstance(value, AppliedUndef) else ""


def gradient(name: str) -> Term:
    """The gradient of the tensor or part of this name."""
    return apply("gradient", Symbol(name))


def gradient_step(name: str) -> Term:
    """The name of a step that contains gradients."""
    return apply("gradient_step", Symbol(name))


def is_gradient(value: Term) -> bool:
    return name_of(value) in ("gradient", "gradient_step")


def case_rows(value: Term) -> list[tuple[Term, Term]]:
    """Values and conditions of a choice, the last of which is 1; other terms are choices of one."""
    if name_of(value) != "cases":
        return [(value, S.One)]
    return list(zip(value.args[::2], [*value.args[1::2], S.One], strict=True))


def number(value: Fraction) -> Term:
    """A number, in terms of a well-known constant where that is shorter."""
    found = [Rational(value)]
    if value.denominator > 10**9 and Fraction(1, 10**6) < abs(value) < 10**6:
        for constant, size in _constants().items():
            ratio = float(value) / size
            short = Fraction(f"{ratio:.6g}")
            if abs(ratio / float(short) - 1) < 1e-13:
                found.append(Rational(short) * constant)
    return min(found[1:] or found, key=lambda product: len(str(product.as_coeff_Mul()[0])))


@cache
def _constants() -> dict[Term, float]:
    formulas = map(parse_formula, _CONSTANTS)
    return {_Reader({}).read(formula): float(evaluate(formula, {})) for formula in formulas}


class _Reader:
    """Reads formulas, and keeps the order in which they name summands and factors."""

    def __init__(self, symbols: Mapping[str, Term]) -> None:
        self._symbols = symbols
        self._written: dict[Term, list[Term]] = {}  # the order, by the term without its coefficient

    def read(self, expr: Expr) -> Term:
        if isinstance(expr, Number):
            return number(expr.value)
        if isinstance(expr, Name):
            plain = sympy.pi if expr.id == "pi" else Symbol(expr.id)
            return self._symbols.get(expr.id, plain)
        row = ROWS.get(expr.function)
        if row and row.notation.meaning:
            names = dict(zip(row.params, expr.args, strict=True))
            return self.read(substitute(row.notation.meaning, names))
        args = tuple(map(self.read, _without_defaults(expr)))
        match expr.function, args:
            case "add", _:
                return self.sum(args)
            case "sub", (a, b):
                return self.sum([a, -b])
            case "neg", (a,):
                return -a
            case "mul", (a, b):
                return self.product(a * b, args)
            case "div", (a, b) if b != 0:
                return self.product(a / b, args)
            case "pow", (a, n) if n.is_Integer and abs(n) <= _MAX_EXPONENT:
                return self.product(a**n, [a])
            case "where", (condition, chosen, other):
                return _cases(_flat([(chosen, condition), (other, S.One)]))
            case "clamp", (a, low, high) if low == -INFINITY:
                return apply("minimum", a, high)
            case "clamp", (a, low, high) if high == INFINITY:
                return apply("maximum", a, low)
            case "logical_and", (a, b):
                return _both(a, b)
            case "round_to", (value, like):
                return apply("round_to", like, value)
        return apply(expr.function, *args)

    def sum(self, terms: Iterable[Term]) -> Term:
        parts = [part for value in terms for part in self.parts(value, Add)]
        added = {_unsigned(part) for part in parts if part.as_coeff_Mul()[0] > 0} - {S.One}
        for k, part in enumerate(parts):
            # x - x stays, since the kernel computes it and may lose digits there
            if part.as_coeff_Mul()[0] < 0 and _unsigned(part) in added:
                parts[k] = -apply("same", -part)
        return self.ordered(Add(*parts), map(_unsigned, parts))

    def product(self, value: Term, factors: Iterable[Term]) -> Term:
        parts = [part for factor in factors for part in self.parts(factor, Mul)]
        return self.ordered(value, map(_base, parts))

    def ordered(self, value: Term, parts: Iterable[Term]) -> Term:
        self._written.setdefault(_unsigned(value), list(dict.fromkeys(parts)))
        return value

    def parts(self, value: Term, kind: type[Add | Mul]) -> list[Term]:
        """The summands or factors of a term as they were written; of another term, itself."""
        if kind is Add and value.is_Mul and (-value).is_Add:
            return [-part for part in self.parts(-value, Add)]
        if not isinstance(value, kind):
            return [value]
        key = _base if value.is_Mul else _unsigned
        places = {part: k for k, part in enumerate(self._written.get(_unsigned(value), []))}
        return sorted(value.args, key=lambda part: places.get(key(part), len(places)))

    def tidied(self, value: Term) -> Term:
        """A term with common factors in front of sums and choices."""
        if value.is_Add:
            return self.total(map(self.tidied, self.parts(value, Add)))
        args = list(map(self.tidied, value.args))
        tidied = value.func(*args) if args else value
        return _choice(_flat(case_rows(tidied))) if name_of(value) == "cases" else tidied

    def total(self, terms: Iterable[Term]) -> Term:
        """A sum with the factors of all its terms in front, or else those of some of them."""
        value = self.sum(self.in_choices(terms))
        parts = grouped = self.parts(value, Add)
        if _shared(parts) == 1:
            counts = Counter(base for part in parts for base in _powers(part))
            base = max(counts, key=counts.__getitem__, default=None)
            grouped = [part for part in parts if base in _powers(part)]
        shared = _shared(grouped)
        rest = [self.product(part / shared, [part]) for part in grouped]
        if len(grouped) < 2 or shared == 1 or all(part.is_number for part in rest):
            return value
        inner = self.total(rest)
        factored = self.product(shared * inner, [grouped[0], inner])
        return self.sum([*(part for part in parts if part not in grouped), factored])

    def in_choices(self, terms: Iterable[Term]) -> list[Term]:
        """The summands, with choices under the same conditions as one choice of sums.

        A single choice takes in the other summands.
        """
        choices: dict[tuple[Term, ...], list[list[Term]]] = {}
        others = []
        for part in terms:
            factor, rows = _split(part)
            if len(rows) > 1 and factor.is_number:
                values = [factor * value for value, _ in rows]
                choices.setdefault(tuple(condition for _, condition in rows), []).append(values)
            else:
                others.append(part)
        if len(choices) == 1:
            (columns,) = choices.values()
            columns += [[part] * len(columns[0]) for part in others]
            others = []
        for conditions, columns in choices.items():
            values = [self.total(row) for row in zip(*columns, strict=True)]
            others.append(_choice(list(zip(values, conditions, strict=True))))
        return others

    def arranged(self, value: Term, *, tidy: bool) -> Term:
        """A term with summands and factors in the order in which they are set."""
        if not value.args:
            return value
        args = self.parts(value, type(value)) if value.is_Add or value.is_Mul else value.args
        if value.is_Mul:
            args = sorted(args, key=_rank if tidy else _outer_rank)
        if value.is_Add and tidy:
            args = sorted(args, key=_group)
        args = [self.arranged(arg, tidy=tidy) for arg in args]
        return value.func(*args, **({} if name_of(value) else {"evaluate": False}))


def _without_defaults(call: Call) -> tuple[Expr, ...]:
    """The arguments, without last ones that equal their defaults."""
    args = call.args
    function = ROWS.get(call.function)
    if function and len(args) == len(function.params):
        for default in reversed(function.defaults):
            if args[-1] != default:
                break
            args = args[:-1]
    return args


def _unsigned(value: Term) -> Term:
    """A term without its coefficient; of a number, 1."""
    return value.as_coeff_Mul()[1]


def _base(factor: Term) -> Term:
    return factor.as_base_exp()[0]


def _powers(part: Term) -> Mapping[Term, Term]:
    return _unsigned(part).as_powers_dict()


def _shared(parts: Sequence[Term]) -> Term:
    """The powers that all of the products have."""
    powers = list(map(_powers, parts))
    shared = S.One
    for base, exponent in powers[0].items() if powers else ():
        exponents = [others.get(base, 0) for others in powers]
        common = min(exponents) if exponent > 0 else max(exponents)
        shared *= base**common if common * exponent > 0 else 1
    return shared


def _outer_rank(factor: Term) -> int:
    """The place of numbers and choices, which stand first and last in any product."""
    return -1 if factor.is_Number else int(name_of(factor) == "cases")


def _rank(factor: Term) -> tuple[int, bool, bool, bool, bool]:
    """The place of a factor: constants, gradients, other symbols, functions, sums."""
    base = _base(factor)
    kinds = bool(base.free_symbols), not is_gradient(base), not base.is_Symbol, base.is_Add
    return _outer_rank(factor), *kinds


def _group(part: Term) -> tuple[bool, bool, list[str]]:
    """The place of a product in a sum: by gradients; negative ones and choices stand late."""
    factors = Mul.make_args(part)
    gradients = [str(factor) for factor in factors if is_gradient(factor)]
    return any(name_of(f) == "cases" for f in factors), bool(part.as_coeff_Mul()[0] < 0), gradients


# Choices


def _cases(rows: Sequence[tuple[Term, Term]]) -> Term:
    return apply("cases", *[part for row in rows for part in row][:-1])


def _flat(rows: Iterable[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
    """The rows with those of the choices in them."""
    return [
        (factor * inner, _both(condition, c))
        for value, condition in rows
        for factor, inner_rows in [_split(value)]
        for inner, c in inner_rows
    ]


def _split(value: Term) -> tuple[Term, list[tuple[Term, Term]]]:
    """A factor and the choice that it multiplies."""
    choices = [factor for factor in Mul.make_args(value) if name_of(factor) == "cases"]
    choice = choices[0] if choices else value
    return value / choice if choices else S.One, case_rows(choice)


def _choice(rows: Sequence[tuple[Term, Term]]) -> Term:
    """A choice with the factors that all values have in front; a zero has any factor."""
    live = [value for value, _ in rows if value != 0]
    shared = _shared(live)
    if len(live) == 1:
        shared = Mul(*filter(is_gradient, Mul.make_args(shared)))
    return shared * _cases([(value / shared, condition) for value, condition in rows])


def _both(a: Term, b: Term) -> Term:
    """Both conditions, as `low <= x < high` where they bound one term on both sides."""
    if S.One in (a, b):
        return a * b
    (first, low, x), (second, y, high) = map(_ascending, (a, b))
    if first and second and x == y:
        return apply(f"{first}_{second}", low, x, high)
    if first and second and low == high:
        return apply(f"{second}_{first}", y, low, x)
    return apply("logical_and", a, b)


def _ascending(condition: Term) -> tuple[str, Term, Term]:
    """The name and sides of `<` or `<=`, into which `>` and `>=` are turned; else no name."""
    match name_of(condition), condition.args:
        case "lt" | "le" as name, (a, b):
            return name, a, b
        case "gt" | "ge" as name, (a, b):
            return {"gt": "lt", "ge": "le"}[name], b, a
    return "", S.Zero, S.Zero
