"""Formulas read as terms, and put in order: like terms merged, common factors in front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fusewise.explain.terms import (
    CONSTANTS,
    INFINITY,
    MINUS_INFINITY,
    ONE,
    Apply,
    Cases,
    Infix,
    Product,
    Sum,
    Symbol,
    Term,
    as_product,
    divided,
    inverse,
    is_gradient,
    negative,
    number,
    plain,
    shared_powers,
    summands,
    values_of,
)
from fusewise.language.formula import Call, Expr, Name, Number, substitute
from fusewise.language.functions import ROWS

# Functions that mathematics writes by means of others.
_UNFOLDED: Mapping[str, Expr] = {
    name: row.notation.meaning for name, row in ROWS.items() if row.notation.meaning
}
_RELATIONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_TURNED = {">": "<", ">=": "<="}
_MOST = 99  # an exponent that is multiplied out


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads formulas into terms; if `tidy`, it sorts and factors them."""

    tidy: bool

    def term(self, expr: Expr) -> Term:
        if isinstance(expr, Number):
            return number(expr.value)
        if isinstance(expr, Name):
            return Symbol(expr.id)
        function = expr.function
        if function in _UNFOLDED:
            names = dict(zip(ROWS[function].params, expr.args, strict=True))
            return self.term(substitute(_UNFOLDED[function], names))
        if function == "where":
            return self.cases(expr)
        if function in ("add", "sub"):
            return self.sum(*self.summands(expr))
        args = tuple(map(self.term, _without_defaults(expr)))
        match function, args:
            case "neg", (a,):
                return negative(a)
            case "mul", (a, b):
                return self.product(a, b)
            case "div", (a, b):
                return self.product(a, inverse(b))
            case "pow", (a, Product(exponent, ())) if exponent in range(-_MOST, _MOST + 1):
                factor = a if exponent > 0 else inverse(a)
                return self.product(*[factor] * abs(int(exponent)))
            case "clamp", (a, low, high) if low == MINUS_INFINITY:
                return Apply("minimum", (a, high))
            case "clamp", (a, low, high) if high == INFINITY:
                return Apply("maximum", (a, low))
            case "logical_and", (a, b):
                return _conjunction(a, b)
            case "logical_or", _:
                return Infix("or", args)
            case _ if function in _RELATIONS:
                return Infix(_RELATIONS[function], args)
        return Apply(function, args)

    def summands(self, expr: Expr) -> list[Term]:
        """The terms of a sum of sums."""
        match expr:
            case Call("add", (a, b)):
                return [*self.summands(a), *self.summands(b)]
            case Call("sub", (a, b)):
                return [*self.summands(a), *map(negative, self.summands(b))]
            case Call("neg", (a,)):
                return [*map(negative, self.summands(a))]
        return [self.term(expr)]

    def sum(self, *terms: Term) -> Term:
        parts = [part for term in terms for part in summands(term)]
        if self.tidy:
            parts = self.merged_cases(parts)
        found: dict[tuple[frozenset[tuple[Term, int]], bool], Product] = {}
        for part in parts:
            # x + x is 2 x; x - x stays, since a kernel computes it, and may lose digits there
            key = frozenset(part.powers), part.coefficient < 0
            like = found.get(key, replace(part, coefficient=Fraction(0)))
            found[key] = replace(like, coefficient=like.coefficient + part.coefficient)
        parts = [part for part in found.values() if part.coefficient]
        if self.tidy:
            parts.sort(key=_order)
        if len(parts) < 2:
            return plain(parts[0]) if parts else Product(Fraction(0))
        return self.factored(parts) if self.tidy else Sum(tuple(parts))

    def merged_cases(self, parts: Sequence[Product]) -> list[Product]:
        """Choices under the same conditions as one choice of sums."""
        groups: dict[tuple[Term, ...], list[tuple[Fraction, Cases]]] = {}
        others = []
        for part in parts:
            match part.powers:
                case ((Cases(branches) as cases, 1),):
                    conditions = tuple(condition for _, condition in branches)
                    groups.setdefault(conditions, []).append((part.coefficient, cases))
                case _:
                    others.append(part)
        for conditions, group in groups.items():
            columns = [
                [self.product(Product(factor), value) for value in values_of(cases)]
                for factor, cases in group
            ]
            *values, otherwise = (self.sum(*row) for row in zip(*columns, strict=True))
            merged = self.choice(list(zip(values, conditions, strict=True)), otherwise)
            others.append(as_product(merged))
        return others

    def factored(self, parts: Sequence[Product]) -> Term:
        """A sum with what all its terms share in front, then with what some of them share."""
        shared = shared_powers(parts)
        if shared and any(len(part.powers) > len(shared) for part in parts):
            rest = self.sum(*(divided(part, shared) for part in parts))
            return self.product(Product(Fraction(1), shared), rest)
        counts = Counter(
            base
            for part in parts
            for base, _ in part.powers
            if is_gradient(base) or not isinstance(base, Symbol)
        )
        base, count = max(counts.items(), key=lambda item: item[1], default=(None, 0))
        if base is None or not 2 <= count < len(parts):
            return Sum(tuple(parts))
        grouped = [part for part in parts if base in dict(part.powers)]
        if not shared_powers(grouped):
            return Sum(tuple(parts))
        others = [part for part in parts if base not in dict(part.powers)]
        return Sum(tuple(sorted([*others, as_product(self.factored(grouped))], key=_order)))

    def product(self, *terms: Term) -> Term:
        coefficient, powers = Fraction(1), {}
        for factor in map(as_product, terms):
            coefficient *= factor.coefficient
            for base, exponent in factor.powers:
                powers[base] = powers.get(base, 0) + exponent
        if not coefficient:
            return Product(coefficient)
        order = sorted(powers, key=_rank) if self.tidy else powers
        return plain(Product(coefficient, tuple((b, powers[b]) for b in order if powers[b])))

    def cases(self, call: Call) -> Term:
        condition, chosen, other = map(self.term, call.args)
        first = self.branches(chosen)
        branches = [(value, _conjunction(condition, inner)) for value, inner in first]
        *further, (otherwise, _) = self.branches(other)
        return self.choice([*branches, *further], otherwise)

    def branches(self, term: Term) -> list[tuple[Term, Term]]:
        """Values and conditions of a choice in order; the last condition always holds."""
        match term:
            case Cases(branches, otherwise):
                return [*branches, (otherwise, ONE)]
            case Product(coefficient, (*_, (Cases() as cases, 1))) if self.tidy:
                front = Product(coefficient, term.powers[:-1])
                return [(self.product(front, value), c) for value, c in self.branches(cases)]
        return [(term, ONE)]

    def choice(self, branches: Sequence[tuple[Term, Term]], otherwise: Term) -> Term:
        """A choice with what all its values share in front; zeros share everything."""
        if not self.tidy:
            return Cases(tuple(branches), otherwise)
        values = [as_product(value) for value in (*(value for value, _ in branches), otherwise)]
        live = [value for value in values if value.coefficient]
        shared = [power for power in shared_powers(live) if len(live) > 1 or is_gradient(power[0])]
        *rest, last = (divided(value, shared) if value.coefficient else value for value in values)
        conditions = (condition for _, condition in branches)
        chosen = tuple(zip(map(plain, rest), conditions, strict=True))
        front = Product(Fraction(1), tuple(shared))
        return self.product(front, Cases(chosen, plain(last)))


def _without_defaults(call: Call) -> tuple[Expr, ...]:
    """The arguments, without last ones that say what is so anyway."""
    function = ROWS.get(call.function)
    args = call.args
    if function and len(args) == len(function.params):
        for default in reversed(function.defaults):
            if args[-1] != default:
                break
            args = args[:-1]
    return args


def _conjunction(a: Term, b: Term) -> Term:
    """`low <= x <= high` where two conditions say so; what always holds is left out."""
    for condition, other in ((a, b), (b, a)):
        if condition == ONE or {INFINITY, MINUS_INFINITY} & {*_args(condition)}:
            return other
    match _turned(a), _turned(b):
        case Infix("<" | "<=" as first, (low, x)), Infix("<" | "<=" as second, (y, high)):
            if x == y:
                return Infix("between", (low, Symbol(first), x, Symbol(second), high))
            if low == high:
                return Infix("between", (y, Symbol(second), low, Symbol(first), x))
    return Infix("and", (a, b))


def _args(condition: Term) -> tuple[Term, ...]:
    return condition.args if isinstance(condition, Infix) else ()


def _turned(relation: Term) -> Term:
    if isinstance(relation, Infix) and relation.operator in _TURNED:
        return Infix(_TURNED[relation.operator], relation.args[::-1])
    return relation


def _order(part: Product) -> tuple[bool, bool, list[str]]:
    """Where a product stands in a sum: choices and negative ones late, by gradients otherwise."""
    gradients = [
        base.name for base, _ in part.powers if isinstance(base, Symbol) and is_gradient(base)
    ]
    return any(isinstance(base, Cases) for base, _ in part.powers), part.coefficient < 0, gradients


def _rank(base: Term) -> int:
    """Where a factor stands in a product."""
    match base:
        case Symbol(name):
            return 0 if name in CONSTANTS else 1 if is_gradient(base) else 2
        case Cases():
            return 5
        case Sum():
            return 4
    return 3
