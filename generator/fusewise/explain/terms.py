"""What mathematics is made of: sums of products, functions, relations and choices.

A term has the value of a formula over the real numbers. How that is computed, the order of the
operations and their stable forms, is what `Pass` and `KernelPlan` show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name of the spec, or a constant: `pi`, `inf`, `nan` and the keys of `CONSTANTS`."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of its arguments."""

    function: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Infix:
    """A relation, a conjunction, a matrix product: what stands between its arguments."""

    operator: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A coefficient and powers of other terms; a number is a product of none."""

    coefficient: Fraction
    powers: tuple[tuple[Term, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Sum:
    """Two terms or more."""

    terms: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """The value of the first condition that holds."""

    branches: tuple[tuple[Term, Term], ...]  # a value and its condition
    otherwise: Term


Term = Symbol | Apply | Infix | Product | Sum | Cases

ONE = Product(Fraction(1))
INFINITY = Symbol("inf")
MINUS_INFINITY = Product(Fraction(-1), ((INFINITY, 1),))
# What a number with many digits is a short multiple of.
CONSTANTS: Mapping[str, float] = {
    "sqrt(2/pi)": math.sqrt(2 / math.pi),
    "sqrt(2)": math.sqrt(2),
    "1/sqrt(2)": math.sqrt(0.5),
    "2/sqrt(pi)": 2 / math.sqrt(math.pi),
    "ln(2)": math.log(2),
}
_SHORT_DIGITS = 6
_CLOSE = 1e-13


def functions(terms: Iterable[Term]) -> set[str]:
    """The names of all functions that stand in terms."""
    found: set[str] = set()
    pending = list(terms)
    while pending:
        term = pending.pop()
        match term:
            case Apply(function, args):
                found.add(function)
                pending += args
            case Infix(_, args):
                pending += args
            case Product(_, powers):
                pending += [base for base, _ in powers]
            case Sum(parts):
                pending += parts
            case Cases(branches, otherwise):
                pending += [*(part for branch in branches for part in branch), otherwise]
    return found


def number(value: Fraction) -> Product:
    """A number; one of many digits as a short multiple of a well-known constant, if it is."""
    found = []
    if value.denominator > 10**9 and Fraction(1, 10**6) < abs(value) < 10**6:
        for name, constant in CONSTANTS.items():
            ratio = float(value) / constant
            short = Fraction(f"{ratio:.{_SHORT_DIGITS}g}")
            if abs(ratio / float(short) - 1) < _CLOSE:
                found.append((len(str(short)), Product(short, ((Symbol(name), 1),))))
    return min(found, key=lambda item: item[0], default=(0, Product(value)))[1]


def as_product(term: Term) -> Product:
    """A term as a product, if of itself alone."""
    return term if isinstance(term, Product) else Product(Fraction(1), ((term, 1),))


def plain(product: Product) -> Term:
    """A product of one thing is that thing."""
    match product:
        case Product(Fraction(numerator=1, denominator=1), ((base, 1),)):
            return base
    return product


def negative(term: Term) -> Term:
    product = as_product(term)
    return plain(Product(-product.coefficient, product.powers))


def inverse(term: Term) -> Term:
    product = as_product(term)
    if not product.coefficient:
        return Product(Fraction(1), ((product, -1),))
    powers = tuple((base, -exponent) for base, exponent in product.powers)
    return Product(1 / product.coefficient, powers)


def shared_powers(parts: Sequence[Product]) -> tuple[tuple[Term, int], ...]:
    """The powers that stand in all of the products."""
    shared = []
    for base, exponent in parts[0].powers if parts else ():
        exponents = [dict(part.powers).get(base, 0) for part in parts]
        if exponent > 0 and min(exponents) > 0:
            shared.append((base, min(exponents)))
        elif exponent < 0 and max(exponents) < 0:
            shared.append((base, max(exponents)))
    return tuple(shared)


def divided(part: Product, shared: Sequence[tuple[Term, int]]) -> Product:
    """A product without what it shares with others."""
    less = dict(shared)
    powers = ((base, exponent - less.get(base, 0)) for base, exponent in part.powers)
    return Product(part.coefficient, tuple((base, n) for base, n in powers if n))


def summands(term: Term) -> tuple[Product, ...]:
    """The terms of a sum, or the one term that it is."""
    bare = plain(term) if isinstance(term, Product) else term
    return bare.terms if isinstance(bare, Sum) else (as_product(bare),)


def values_of(cases: Cases) -> list[Term]:
    return [*(value for value, _ in cases.branches), cases.otherwise]


def is_gradient(term: Term) -> bool:
    """Whether this is a gradient, or a step made of one, whose name ends in `__` and a number."""
    return isinstance(term, Symbol) and (term.name.startswith("grad_") or "__" in term.name)
