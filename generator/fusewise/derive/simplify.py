"""Stage simplify: the same pass in stabler forms.

A rule replaces a form that cancels or overflows, itself or in its derivative, by one that does not.
Each is right for every value of its variables, or where its condition holds, outside which both
forms are NaN. Products are taken apart into their factors first, so that a rule finds `x` and
`sigmoid(x)` in `x * y * sigmoid(x)` too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fusewise.graph.dag import Dag, Node, rebuild, topological
from fusewise.graph.passes import Pass
from fusewise.language.formula import Expr, parse_formula
from fusewise.language.functions.operators import ADD, DIV, MUL, NEG, SUB
from fusewise.numeric.constants import folded

MAX_FACTORS = 16  # of a product that are looked at together
MAX_NESTED = 4  # sums within the terms of sums that a product is taken into
CLOSE = Fraction(
    1, 2**51
)  # constants as near as this are written as the same double, or next to it
LARGEST, SMALLEST = Fraction(2) ** 126, Fraction(2) ** -126  # of a constant that float32 can hold


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


def _rule(pattern: str, stable: str, holds: str | None = None) -> Rule:
    dag = Dag()
    names = {name: dag.input(name) for name in ("x", "y")}
    form = _folded_below(dag, dag.build(parse_formula(pattern), names))
    product = Product.of(form.args[0] if form.function is DIV else form)
    return Rule(
        pattern=parse_formula(pattern),
        stable=parse_formula(stable),
        holds=parse_formula(holds) if holds else None,
        text=f"{pattern}  ->  {stable}",
        form=form,
        product=product,
        heads=frozenset(_heads(form, product)),
    )


def _heads(node: Node, product: Product | None) -> Iterator[str]:
    """The functions that a pattern calls first, and those that a node offers to it."""
    parts = node.args
    if product is not None and node.function in (MUL, DIV):
        parts = product.factors if node.function is MUL else node.args[1:]
    return (part.name for part in parts if part.kind == "call" and not _is_product(part))


def simplify(original: Pass) -> Pass:
    """The pass after every rule that applies, innermost expressions first."""
    simplifier = _Simplifier(original.dag)
    roots = (*original.roots, *(node for _, node in original.lets))
    done = rebuild(original.dag, roots, simplifier.rewrite)
    return replace(
        original,
        writes=tuple(
            replace(tensor, parts=tuple(done[part] for part in tensor.parts))
            for tensor in original.writes
        ),
        lets=tuple((name, done[node]) for name, node in original.lets),
        rewrites=(*original.rewrites, *simplifier.applied),
    )


@dataclass(frozen=True, slots=True)
class Product:
    """A product as a number times factors, none of which is a product itself."""

    scale: Fraction
    factors: tuple[Node, ...]
    constants: int  # that the scale is made of

    @classmethod
    def of(cls, node: Node) -> Product:
        scale, constants = Fraction(1), 0
        factors: list[Node] = []
        pending = [node]
        while pending:
            part = pending.pop()
            if part.kind == "const" and isinstance(part.value, Fraction):
                scale, constants = scale * part.value, constants + 1
            elif part.type != "float" or len(factors) + len(pending) >= MAX_FACTORS:
                factors.append(part)
            elif part.function is MUL:
                pending += reversed(part.args)
            elif part.function is NEG:
                scale = -scale
                pending.append(part.args[0])
            elif (divisor := _divisor(part)) is not None:
                scale, constants = scale / divisor, constants + 1
                pending.append(part.args[0])
            else:
                factors.append(part)
        return cls(scale, tuple(factors), constants)

    @property
    def is_cut(self) -> bool:
        """Whether a factor is a product after all, since there are too many."""
        return any(part.type == "float" and _is_product(part) for part in self.factors)

    def build(self, dag: Dag) -> Node:
        parts = [dag.const(self.scale)] if self.scale != 1 or not self.factors else []
        return _multiplied(dag, [*parts, *self.factors])


@dataclass(slots=True)
class _Simplifier:
    dag: Dag
    applied: dict[str, None] = field(default_factory=dict)
    reach: dict[Node, int] = field(default_factory=dict)
    growth: dict[Node, int] = field(default_factory=dict)

    def rewrite(self, node: Node) -> Node:
        """A call whose arguments are simplified already, simplified itself."""
        if node.kind != "call":
            return node
        node = folded(self.dag, node)
        product = None
        if node.type == "float" and node.function in (MUL, DIV):
            product = Product.of(node if _is_product(node) else node.args[0])
        heads = set(_heads(node, product))
        for rule in _RULES_OF.get(node.name, ()):
            found = _find(rule, node, product) if rule.heads <= heads else None
            if found is not None:
                self.applied[rule.text] = None
                return self._replaced(node, rule, found)
        if node.function is NEG:  # of a product whose sign came out of a factor just now
            return self.dag.call(NEG, self.rewrite(node.args[0]))
        return self._ordered(node, product) if product and _is_product(node) else node

    def _replaced(self, node: Node, rule: Rule, found: Match) -> Node:
        new = self.dag.build(rule.stable, found.bound)
        if found.others or found.scale != 1:
            parts = [*found.others[: found.place], new, *found.others[found.place :]]
            new = Product(found.scale, tuple(parts), 1).build(self.dag)
        known = {part: part for part in (*node.args, *found.bound.values(), *found.others)}
        return rebuild(self.dag, [new], self.rewrite, known)[new]

    def _ordered(self, node: Node, product: Product) -> Node:
        """A product with one constant, and what vanishes multiplied first by what it outweighs.

        x * x * exp(x) would be inf * 0 far below 0, exp(x) * x * x is 0 there. A long product, as
        the gradient of a chain of functions is, shares its beginning with others, and stays.
        """
        if product.is_cut:
            return node
        if product.constants > 1 and SMALLEST < abs(product.scale) < LARGEST:
            node = product.build(self.dag)
        vanishing = [part for part in product.factors if _vanishes(part)]
        if not vanishing or len(product.factors) + product.constants < 3:
            return node
        self._survey(node)
        reach = 0
        for part in vanishing:
            reach |= self.reach[part]
        outweighed = [
            part for part in product.factors if part not in vanishing and self.growth[part] & reach
        ]
        if not outweighed:
            return node
        sums = [part for part in outweighed if self._overtakes(part, reach)]
        if len(sums) == 1 and self._is_shallow(sums[0], reach):  # of several, the terms multiply
            return self._distributed(product, sums[0])
        first = _multiplied(self.dag, [*vanishing, *outweighed])
        rest = [part for part in product.factors if part not in vanishing + outweighed]
        if product.scale != 1:
            rest.insert(0, self.dag.const(product.scale))
        return self.dag.call(MUL, first, _multiplied(self.dag, rest)) if rest else first

    def _overtakes(self, total: Node, reach: int) -> bool:
        """Whether this is a sum of which a term may overflow where the inputs do not yet."""
        if total.function not in (ADD, SUB):
            return False
        for term in map(Product.of, total.args):
            growing = sum(
                part.function.degree if part.function else 1
                for part in term.factors
                if self.growth[part] & reach
            )
            if growing > 1 or (growing and abs(term.scale) > 1):
                return True
        return False

    def _is_shallow(self, total: Node, reach: int, levels: int = MAX_NESTED) -> bool:
        """Whether few sums within the sum would have to be taken apart with it."""
        return levels > 0 and all(
            self._is_shallow(part, reach, levels - 1)
            for term in map(Product.of, total.args)
            for part in term.factors
            if self._overtakes(part, reach)
        )

    def _distributed(self, product: Product, total: Node) -> Node:
        """The product taken into the sum that is one of its factors, so that each term is 0.

        exp(x) * (1 + x * x) would be 0 * inf far below 0, exp(x) + exp(x) * x * x is 0 there.
        """
        others = list(product.factors)
        others.remove(total)
        rest = replace(product, factors=tuple(others)).build(self.dag)
        terms = [self.dag.call(MUL, rest, term) for term in total.args]
        known = {part: part for part in (*others, *total.args)}
        new = self.dag.call(total.name, *terms)
        return rebuild(self.dag, [new], self.rewrite, known)[new]

    def _survey(self, root: Node) -> None:
        """Notes as bits which inputs each value depends on, and which can make it large."""
        for node in topological([root], stop=self.reach):
            if node in self.reach:
                continue
            reach = growth = 1 << node.index if node.kind == "input" else 0
            for arg in node.args:
                reach |= self.reach[arg]
                growth |= self.growth[arg]
            self.reach[node] = reach
            self.growth[node] = 0 if node.function and node.function.bounded else growth


def take_apart(dag: Dag, node: Node) -> Node | None:
    """`a * one_minus_square(x)` by the two factors where `a` vanishes, so that none is 0 * inf.

    It is for passes that nothing is derived from any more. None: the node is no such product.
    """
    if node.function is not MUL:
        return None
    first, second = node.args
    power = second.function
    if power is None or power.degree == 1 or not any(map(_vanishes, Product.of(first).factors)):
        return None
    assert power.body is not None
    body = dag.build(power.body, dict(zip(power.params, second.args, strict=True)))
    return _multiplied(dag, [first, *Product.of(body).factors])


def _vanishes(node: Node) -> bool:
    return node.function is not None and node.function.vanishes


@dataclass(frozen=True, slots=True)
class Match:
    """What a pattern's names stand for, and what is left of the product that it was found in."""

    bound: Mapping[str, Node]
    scale: Fraction = Fraction(1)
    others: tuple[Node, ...] = ()
    place: int = 0  # where the first of the matched factors stood among the others


def _find(rule: Rule, node: Node, product: Product | None) -> Match | None:
    """The pattern as the whole node, or as some factors of the product that the node is.

    A quotient is a product too: a pattern's numerator may be some factors of the node's.
    """
    whole = _unify(rule.form, node, {})
    if whole is not None and not _loses_range(rule, whole):
        return Match(whole)
    if product is None:
        return None
    bound: Mapping[str, Node] | None = {}
    if node.function is DIV:
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
    factors = rule.product.factors if rule.form.function is MUL else ()
    names = [bound[factor.name] for factor in factors if factor.kind == "input"]
    return any(name.function in (MUL, DIV) for name in names)


def _unify(pattern: Node, node: Node, bound: Mapping[str, Node]) -> Mapping[str, Node] | None:
    """The names of the pattern bound so that it equals the node, or None."""
    if pattern.kind == "input":
        if pattern.name in bound:
            return bound if bound[pattern.name] is node else None
        return {**bound, pattern.name: node}
    if pattern.kind == "const":
        return bound if _same_constant(pattern, node) else None
    if node.function and node.function is pattern.function:
        orders = [node.args]
        if node.function.symmetric:
            orders.append(node.args[::-1])
        for args in orders:
            result: Mapping[str, Node] | None = bound
            for part, arg in zip(pattern.args, args, strict=True):
                result = None if result is None else _unify(part, arg, result)
            if result is not None:
                return result
    return _unify_products(pattern, node, bound)


def _unify_products(
    pattern: Node, node: Node, bound: Mapping[str, Node]
) -> Mapping[str, Node] | None:
    """As `_unify`, for products whose factors stand in another order or at another place."""
    if not (_is_product(pattern) and _is_product(node)) or node.type != "float":
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
        if negative is not None and negative.function is NEG and negative.args[0] is factor:
            for names, left, sign in _assign(others, rest, bound):
                yield names, left, -sign


def _hardest_first(patterns: Iterable[Node]) -> list[Node]:
    """Calls before names: they say what the names stand for."""
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


def _multiplied(dag: Dag, factors: Iterable[Node]) -> Node:
    first, *others = factors
    for factor in others:
        first = dag.call(MUL, first, factor)
    return first


def _is_product(node: Node) -> bool:
    """Whether the node is taken apart as a product."""
    return node.function in (MUL, NEG) or _divisor(node) is not None


def _divisor(node: Node) -> Fraction | None:
    if node.function is not DIV:
        return None
    value = node.args[1].value
    return value if isinstance(value, Fraction) and value != 0 else None


def _folded_below(dag: Dag, root: Node) -> Node:
    return rebuild(dag, [root], lambda node: folded(dag, node))[root]


# The order matters where two patterns meet: the more particular one stands first.
RULES: tuple[Rule, ...] = (
    # Cancellation of a function against its limit.
    _rule("1 - sigmoid(x)", "sigmoid(-x)"),
    _rule("sigmoid(x) - sigmoid(x) * sigmoid(x)", "dsigmoid(x)"),
    _rule("2 * sigmoid(x) - 1", "tanh(0.5 * x)"),
    _rule("1 - tanh(x) * tanh(x)", "sech2(x)"),
    _rule("1 - square(tanh(x))", "sech2(x)"),
    _rule("1 + tanh(x)", "2 * sigmoid(2 * x)"),
    _rule("1 - tanh(x)", "2 * sigmoid(-(2 * x))"),
    _rule("0.5 * tanh(x) + 0.5", "sigmoid(2 * x)"),
    _rule("1 + erf(x)", "erfc(-x)"),
    _rule("1 - erf(x)", "erfc(x)"),
    _rule("1 - erfc(x)", "erf(x)"),
    _rule("0.5 * erf(x / sqrt(2)) + 0.5", "normal_cdf(x)"),
    _rule("exp(x) - 1", "expm1(x)"),
    _rule("y * exp(x) - y", "y * expm1(x)"),
    _rule("1 - exp(x)", "-expm1(x)"),
    _rule("1 + expm1(x)", "exp(x)"),
    _rule("expm1(x) - x", "exp_remainder(x)"),
    _rule("exp(x) - x - 1", "exp_remainder(x)"),
    _rule("exp(x) - exp(-x)", "2 * sinh(x)"),
    _rule("log(1 + x)", "log1p(x)", "x > -1"),
    _rule("log(1 - x)", "log1p(-x)", "x < 1"),
    _rule("log((1 + x) / (1 - x))", "2 * atanh(x)", "abs(x) < 1"),
    _rule("log(x + hypot(x, 1))", "asinh(x)"),
    _rule("1 - cos(x)", "2 * sin_squared(0.5 * x)"),
    _rule("1 - x * x", "one_minus_square(x)"),
    _rule("x * x - 1", "-one_minus_square(x)"),
    _rule("1 - square(x)", "one_minus_square(x)"),
    _rule("square(x) - 1", "-one_minus_square(x)"),
    # Overflow of an intermediate result.
    _rule("exp(x) / (1 + exp(x))", "sigmoid(x)"),
    _rule("exp(x) / (exp(x) + exp(y))", "sigmoid(x - y)"),
    _rule("exp(x) / square(1 + exp(x))", "dsigmoid(x)"),
    _rule("exp(x) / ((1 + exp(x)) * (1 + exp(x)))", "dsigmoid(x)"),
    _rule("expm1(x) / (1 + exp(x))", "tanh(0.5 * x)"),
    _rule("2 * sinh(x) / (exp(x) + exp(-x))", "tanh(x)"),
    _rule("sinh(x) / cosh(x)", "tanh(x)"),
    _rule("1 / (cosh(x) * cosh(x))", "sech2(x)"),
    _rule("1 / square(cosh(x))", "sech2(x)"),
    _rule("exp(x) * sigmoid(-x)", "sigmoid(x)"),
    _rule("x / (1 + exp(-x))", "silu(x)"),
    _rule("x / (1 + exp(y))", "x * sigmoid(-y)"),
    _rule("log1p(exp(x))", "softplus(x)"),
    _rule("log(exp(x) + exp(y))", "logaddexp(x, y)"),
    _rule("log(sigmoid(x))", "logsigmoid(x)"),
    _rule("sqrt(x * x)", "abs(x)"),
    _rule("sqrt(x * x + y * y)", "hypot(x, y)"),
    _rule("sqrt(1 + x * x)", "hypot(x, 1)"),
    # A power that magnifies the rounding error of its exponent.
    _rule("exp(-(x * x))", "gaussian(x)"),
    _rule("exp(-(x * x) / 2)", "sqrt(2 * pi) * normal_pdf(x)"),
    _rule("erfc(-x / sqrt(2))", "2 * normal_cdf(x)"),
    _rule("erfc(x / sqrt(2))", "2 * normal_cdf(-x)"),
    # The whole has a derivative that its parts cannot give: one that neither cancels nor overflows.
    _rule("sigmoid(x) * sigmoid(-x)", "dsigmoid(x)"),
    _rule("maximum(x, 0) + softplus(-abs(x))", "softplus(x)"),
    _rule("relu(x) + softplus(-abs(x))", "softplus(x)"),
    _rule("minimum(x, 0) - softplus(-abs(x))", "logsigmoid(x)"),
    _rule("-softplus(-x)", "logsigmoid(x)"),
    _rule("(1 - x) * (1 + x)", "one_minus_square(x)"),
    _rule("(x - 1) * (x + 1)", "-one_minus_square(x)"),
    _rule("x / hypot(x, y)", "hypot_slope(x, y)", "x != 0 or y != 0"),
    _rule("tanh(softplus(x))", "tanh_softplus(x)"),
    _rule("sin(x) * sin(x)", "sin_squared(x)"),
    _rule("square(sin(x))", "sin_squared(x)"),
    _rule("x * sigmoid(x)", "silu(x)"),
    _rule("x * tanh_softplus(x)", "mish(x)"),
    _rule("x * normal_cdf(x)", "gelu(x)"),
    _rule("x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x * x * x))", "gelu_tanh(x)"),
    _rule("x * sigmoid(sqrt(8 / pi) * x * (1 + 0.044715 * x * x))", "gelu_tanh(x)"),
)


def _rules_by_function() -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for rule in RULES:
        rules.setdefault(rule.form.name, []).append(rule)
    return rules


_RULES_OF = _rules_by_function()
