"""Pattern matching: finds the pattern of a rule in an expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fusewise.derive.products import Product, is_product
from fusewise.graph.dag import Dag, Node, rebuild
from fusewise.language.formula import Expr, parse_formula
from fusewise.language.functions.operators import DIV, MUL, NEG
from fusewise.numeric.constants import folded

# Constants as near as this are written as the same double, or next to it.
CLOSE = Fraction(1, 2**51)


@dataclass(frozen=True, slots=True)
class Rule:
    """Rewrites `pattern` to `stable`; a name in both stands for any one expression."""

    pattern: Expr
    stable: Expr
    holds: Expr | None  # the condition under which both are defined; None: everywhere
    text: str
    form: Node  # of the pattern
    product: Product  # that the pattern is, or has as its numerator
    heads: frozenset[str]  # functions without which no node can match


def make_rule(pattern: str, stable: str, holds: str | None = None) -> Rule:
    dag = Dag()
    names = {name: dag.input(name) for name in ("x", "y")}
    form = _folded_below(dag, dag.build(parse_formula(pattern), names))
    product = Product.of(form.args[0] if form.row is DIV else form)
    return Rule(
        pattern=parse_formula(pattern),
        stable=parse_formula(stable),
        holds=parse_formula(holds) if holds else None,
        text=f"{pattern}  ->  {stable}",
        form=form,
        product=product,
        heads=frozenset(heads(form, product)),
    )


def heads(node: Node, product: Product | None) -> Iterator[str]:
    """The functions that a pattern calls first, and those that a node offers to it."""
    parts = node.args
    if product is not None and node.row in (MUL, DIV):
        parts = product.factors if node.row is MUL else node.args[1:]
    return (part.name for part in parts if part.kind == "call" and not is_product(part))


@dataclass(frozen=True, slots=True)
class Match:
    """What a pattern's names stand for, and what is left of the product that it was found in."""

    bound: Mapping[str, Node]
    scale: Fraction = Fraction(1)
    others: tuple[Node, ...] = ()
    place: int = 0  # where the first of the matched factors stood among the others


def find(rule: Rule, node: Node, product: Product | None) -> Match | None:
    """The pattern as the whole node, or as some factors of the product that the node is.

    A quotient is a product too: a pattern's numerator may be some factors of the node's.
    """
    whole = _unify(rule.form, node, {})
    if whole is not None and not _loses_range(rule, whole):
        return Match(whole)
    if product is None:
        return None
    bound: Mapping[str, Node] | None = {}
    if node.row is DIV:
        bound = _unify(rule.form.args[1], node.args[1], {})
    if bound is None:
        return None
    wanted = rule.product
    for found, rest, sign in _assign(_hardest_first(wanted.factors), product.factors, bound):
        kept = [k for k, part in enumerate(product.factors) if part in rest]
        place = next(k for k in range(len(kept) + 1) if k == len(kept) or kept[k] != k)
        return Match(found, sign * product.scale / wanted.scale, rest, place)
    return None


def _loses_range(rule: Rule, bound: Mapping[str, Node]) -> bool:
    """Whether a name that is a factor of the pattern stands for a product, which may overflow.

    2 * x * sigmoid(2 * x) is 0 far below 0, where silu(2 * x) would be that of -infinity.
    """
    factors = rule.product.factors if rule.form.row is MUL else ()
    names = [bound[factor.name] for factor in factors if factor.kind == "input"]
    return any(name.row in (MUL, DIV) for name in names)


def _unify(pattern: Node, node: Node, bound: Mapping[str, Node]) -> Mapping[str, Node] | None:
    """The names of the pattern bound so that it equals the node, or None."""
    if pattern.kind == "input":
        if pattern.name in bound:
            return bound if bound[pattern.name] is node else None
        return {**bound, pattern.name: node}
    if pattern.kind == "const":
        return bound if _same_constant(pattern, node) else None
    if node.row is pattern.row and node.function:
        orders = [node.args]
        if node.function.symmetric:
            orders.append(node.args[::-1])
        for args in orders:
            result: Mapping[str, Node] | None = bound
            for part, arg in zip(pattern.args, args, strict=True):
                result = None if result is None else _unify(part, arg, result)
            if result is not None:
                return result
    return _unify_products(pattern, node, bound) if is_product(pattern) else None


def _unify_products(
    pattern: Node, node: Node, bound: Mapping[str, Node]
) -> Mapping[str, Node] | None:
    """As `_unify`, for a product whose factors stand in another order or at another place."""
    if not is_product(node) or node.type != "float":
        return None
    wanted, product = Product.of(pattern), Product.of(node)
    if wanted.constants == 0 and len(wanted.factors) == 1:
        return None
    if len(wanted.factors) != len(product.factors):
        return None
    for found, _, sign in _assign(_hardest_first(wanted.factors), product.factors, bound):
        if _close(sign * product.scale, wanted.scale):
            return found
    return None


def _assign(
    patterns: list[Node], factors: tuple[Node, ...], bound: Mapping[str, Node]
) -> Iterator[tuple[Mapping[str, Node], tuple[Node, ...], int]]:
    """The ways to find each pattern among the factors: names, factors left over, and a sign.

    A name may stand for the negative of a factor: x * sigmoid(-x) is -(-x) * sigmoid(-x).
    """
    if not patterns:
        yield bound, factors, 1
        return
    first, *others = patterns
    for k, factor in enumerate(factors):
        rest = factors[:k] + factors[k + 1 :]
        found = _unify(first, factor, bound)
        if found is not None:
            yield from _assign(others, rest, found)
        negative = bound.get(first.name) if first.kind == "input" else None
        if negative is not None and negative.row is NEG and negative.args[0] is factor:
            for names, left, sign in _assign(others, rest, bound):
                yield names, left, -sign


def _hardest_first(patterns: Iterable[Node]) -> list[Node]:
    return sorted(patterns, key=lambda pattern: pattern.kind != "call")


def _same_constant(pattern: Node, node: Node) -> bool:
    pair = pattern.value, node.value
    if node.kind != "const" or not all(isinstance(value, Fraction) for value in pair):
        return False
    return _close(Fraction(node.value or 0), Fraction(pattern.value or 0))


def _close(found: Fraction, wanted: Fraction) -> bool:
    """Equal for whole numbers; others may be a literal that stands for an irrational number."""
    if wanted.denominator == 1:
        return found == wanted
    return abs(found - wanted) <= CLOSE * abs(wanted)


def _folded_below(dag: Dag, root: Node) -> Node:
    return rebuild(dag, [root], lambda node: folded(dag, node))[root]
