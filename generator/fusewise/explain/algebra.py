"""Formulas read as SymPy expressions, which have the value of the formula over the real numbers.

Sums, products and whole powers are unevaluated, which keeps their terms in order; all functions,
relations and choices are undefined functions to SymPy. `Pass` and `KernelPlan` show how a value is
computed: the order of operations and the stable forms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from sympy import Add, Function, Mul, Pow, Rational, S, Symbol, pi, preorder_traversal
from sympy.core.function import AppliedUndef

from fusewise.language.formula import Call, Expr, Name, Number, substitute
from fusewise.language.functions import CALLABLE, REDUCTIONS, ROWS

Term: TypeAlias = Any  # a SymPy expression; type checkers know too little of their arguments

INFINITY, NAN = Symbol("inf"), Symbol("nan")
_WITHOUT_GRADIENT = [
    (name, row.body) for name, row in REDUCTIONS.items() if row.gradient is None and row.body
]
_MAX_EXPONENT = 99  # of a power that is written with a raised number
# Of NaN too each is true where the other one is false; of `<` and `>=` neither is true.
_OPPOSITES = {"eq": "ne", "ne": "eq"}


def term(expr: Expr, symbols: Mapping[str, Term] | None = None, *, tidy: bool = False) -> Term:
    """A formula as mathematics, in the order of the formula; if `tidy`, sorted and factored.

    `symbols` are the terms of names that are not set as they are, such as gradients.
    """
    return _Reader(symbols or {}, tidy).read(expr)


def apply(function: str, *args: Term) -> Term:
    """A function of its arguments, of which SymPy knows nothing else."""
    return Function(function)(*args)


def name_of(value: Term) -> str:
    """The name of the function that a term applies; empty for other terms."""
    return type(value).__name__ if isinstance(value, AppliedUndef) else ""


def gradient(name: str) -> Term:
    return apply("gradient", Symbol(name))


def case_rows(value: Term) -> list[tuple[Term, Term]]:
    """Values and conditions of a choice, the last of which is 1; other terms are choices of one."""
    if name_of(value) != "cases":
        return [(value, S.One)]
    return list(zip(value.args[::2], [*value.args[1::2], S.One], strict=True))


class _Reader:
    """Reads formulas. Summands and factors stay in order, as dictionaries do."""

    def __init__(self, symbols: Mapping[str, Term], tidy: bool) -> None:
        self._symbols = {"pi": pi} | dict(symbols)
        self._tidy = tidy

    def read(self, expr: Expr) -> Term:
        expr = _named(expr)
        if isinstance(expr, Number):
            return Rational(expr.value)
        if isinstance(expr, Name):
            return self._symbols.get(expr.id, Symbol(expr.id))
        row = ROWS.get(expr.function)
        if row and row.notation.meaning:
            names = dict(zip(row.params, expr.args, strict=True))
            return self.read(substitute(row.notation.meaning, names))
        args = self._arguments(expr)
        match expr.function, args:
            case "add", (a, b):
                return self.sum([a, b])
            case "sub", (a, b):
                return self.sum([a, self.product(S.NegativeOne, b)])
            case "neg", (a,):
                return self.product(S.NegativeOne, a)
            case "mul", (a, b):
                return self.product(a, b)
            case "div", (a, b):
                return self.product(a, self.power(b, S.NegativeOne))
            case "pow", (a, n) if n.is_Integer and abs(n) <= _MAX_EXPONENT:
                return self.power(a, n)
            case "where", (condition, chosen, other):
                first = [(value, _both(condition, c)) for value, c in case_rows(chosen)]
                return _cases([*first, *case_rows(other)])
            case "clamp", (a, low, high) if low == -INFINITY:
                return apply("minimum", a, high)
            case "clamp", (a, low, high) if high == INFINITY:
                return apply("maximum", a, low)
            case "logical_not", (a,) if name_of(a) in _OPPOSITES:
                return apply(_OPPOSITES[name_of(a)], *a.args)
            case "logical_and", (a, b) if _are_bounds(a, b):
                return apply("between", a.args[1], *b.args)
            case "round_to", (value, like):
                return apply("round_to", like, value)
        return apply(expr.function, *args)

    def _arguments(self, call: Call) -> tuple[Term, ...]:
        """The arguments, without last ones that equal their defaults."""
        args, callee = tuple(map(self.read, call.args)), CALLABLE.get(call.function)
        defaults = list(callee.defaults) if callee and len(args) == len(callee.params) else []
        while defaults and args[-1] == self.read(defaults.pop()):
            args = args[:-1]
        return args

    def power(self, base: Term, exponent: Term) -> Term:
        size, rest = base.as_coeff_Mul()
        powers = (factor.as_base_exp() for factor in Mul.make_args(rest))
        parts = (Pow(b, n * exponent, evaluate=False) for b, n in powers)
        return self.product(Pow(size, exponent, evaluate=size != 0), *parts)

    def product(self, *factors: Term) -> Term:
        """A product with its number in front; if tidy, in the values of a choice.

        A quotient of equal factors stays unless tidy. `0 / 0` and `0 * inf` stay, since they are
        not 0.
        """
        for k, factor in enumerate(factors):
            if self._tidy and name_of(factor) == "cases":
                before, after = factors[:k], factors[k + 1 :]
                rows = case_rows(factor)
                return _cases([(self.product(*before, v, *after), c) for v, c in rows])
        size = S.One
        powers: dict[tuple[Term, bool], Term] = {}
        for factor in factors:
            coefficient, rest = factor.as_coeff_Mul()
            size *= coefficient
            for part in Mul.make_args(rest):
                base, exponent = part.as_base_exp()
                key = base, (self._tidy and _cancels(base)) or bool(exponent > 0)
                powers[key] = powers.get(key, 0) + exponent
        raised = [(base, n) for (base, _), n in powers.items() if n != 0 and base != 1]
        if self._tidy:
            raised.sort(key=lambda power: _place(power[0]))
        parts = [base if n == 1 else Pow(base, n, evaluate=False) for base, n in raised]
        if size == 0 and all(map(_is_number, parts)):
            return size
        return Mul(*[size] * (size != 1), *parts, evaluate=False)

    def sum(self, terms: Iterable[Term]) -> Term:
        """A sum; if tidy, of different terms, common factors in front and negative terms last.

        Unless tidy, `x - x` stays: the kernel computes it, and may lose digits there. `inf - inf`
        always stays, since it is not 0.
        """
        parts = [part for term in terms for part in Add.make_args(term)]
        if not self._tidy:
            return Add(*parts, evaluate=False)
        sizes: dict[Term, Term] = {}
        others = [part for part in parts if not _is_number(part)]
        for part in filter(_is_number, parts):
            size, rest = part.as_coeff_Mul()
            sizes[rest] = sizes.get(rest, 0) + size
        parts = [self.product(size, rest) for rest, size in sizes.items() if size != 0] + others
        parts.sort(key=lambda part: bool(part.as_coeff_Mul()[0] < 0))
        shared = _shared(parts)
        if shared != 1:
            inverse = self.power(shared, S.NegativeOne)
            return self.product(shared, self.sum(self.product(part, inverse) for part in parts))
        return Add(*parts, evaluate=False)


def _is_number(value: Term) -> bool:
    """Whether a value is a real number where the functions in it are.

    A pass has functions of constants only where they are no numbers, as log(0).
    """
    if value.is_Add or value.is_Mul:
        return all(map(_is_number, value.args))
    if value.is_Pow:
        base, exponent = value.args
        is_quotient_by_constant = exponent < 0 and not base.is_nonzero and not _varies(base)
        return not is_quotient_by_constant and _is_number(base)
    if name_of(value) == "cases":
        return all(_is_number(row) for row, _ in case_rows(value))
    return value.is_Rational or value is pi or _varies(value)


def _cancels(base: Term) -> bool:
    """Whether a quotient of this value by itself is 1."""
    return base != 0 and _is_number(base)


def _varies(value: Term) -> bool:
    """Whether a value has a variable."""
    symbols = (part for part in preorder_traversal(value) if part.is_Symbol)
    return any(symbol not in (INFINITY, NAN) for symbol in symbols)


def _shared(parts: Sequence[Term]) -> Term:
    """The powers that all of several products have."""
    powers = [dict(f.as_base_exp() for f in Mul.make_args(p.as_coeff_Mul()[1])) for p in parts]
    shared = []
    for base in filter(_cancels, powers[0]) if len(powers) > 1 else ():
        common = min((others.get(base, S.Zero) for others in powers), key=abs)
        if base != 1 and all(others.get(base, S.Zero) * common > 0 for others in powers):
            shared.append(base**common)
    return Mul(*shared, evaluate=False)


def _place(base: Term) -> tuple[bool, ...]:
    """The place of a factor: constants, gradients, other symbols, functions, sums."""
    is_gradient = name_of(base).startswith("gradient")
    return bool(base.free_symbols), not is_gradient, not base.is_Symbol, base.is_Add


def _cases(rows: Sequence[tuple[Term, Term]]) -> Term:
    """A choice, without last conditions under which the value is the one otherwise too."""
    *chosen, (otherwise, _) = rows
    while chosen and chosen[-1][0] == otherwise:
        chosen.pop()
    parts = [part for row in chosen for part in row]
    return apply("cases", *parts, otherwise) if chosen else otherwise


def _are_bounds(a: Term, b: Term) -> bool:
    """Whether conditions are `x >= low` and `x <= high`."""
    return (name_of(a), name_of(b)) == ("ge", "le") and a.args[0] == b.args[0]


def _both(a: Term, b: Term) -> Term:
    return a if b == 1 else apply("logical_and", a, b)


def _named(expr: Expr) -> Expr:
    """The call of `any`, `all` or `count` in place of its body, which a pass has instead."""
    for name, body in _WITHOUT_GRADIENT:
        bound: dict[str, Expr] = {}
        if _is_like(body, expr, bound):
            return Call(name, tuple(bound.values()))
    return expr


def _is_like(pattern: Expr, expr: Expr, bound: dict[str, Expr]) -> bool:
    """Whether an expression is the pattern, and what the names of the pattern stand for."""
    if isinstance(pattern, Name):
        return bound.setdefault(pattern.id, expr) == expr
    if isinstance(pattern, Number) or isinstance(expr, Number | Name):
        return pattern == expr
    pairs = zip(pattern.args, expr.args, strict=True)
    return pattern.function == expr.function and all(_is_like(a, b, bound) for a, b in pairs)
