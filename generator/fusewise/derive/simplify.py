"""The same pass in stabler forms.

A rule replaces a form that cancels or overflows, itself or in its derivative, by one that does not.
Each is right for every value of its variables, or where its condition holds, outside which both
forms are NaN. Products are taken apart into their factors first, so that a rule finds `x` and
`sigmoid(x)` in `x * y * sigmoid(x)` too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from fusewise.derive.matching import Match, Rule, find, heads
from fusewise.derive.products import Product, is_product, multiplied
from fusewise.derive.rules import RULES_OF
from fusewise.graph.dag import Dag, Node, rebuild, topological
from fusewise.graph.passes import Pass
from fusewise.language.functions.operators import ADD, DIV, MUL, NEG, SUB
from fusewise.numeric.constants import folded

MAX_NESTED = 4  # sums within the terms of sums that a product is taken into
# Of a constant that float32 can hold.
MIN_CONSTANT, MAX_CONSTANT = Fraction(2) ** -126, Fraction(2) ** 126


def simplify(original: Pass, dag: Dag | None = None) -> Pass:
    """The pass after every rule that applies, innermost expressions first.

    dag: builds in this DAG, which holds the pass; by default in a copy of the DAG of the pass.
    """
    simplifier = _Simplifier(dag or original.dag.copy())
    done = rebuild(simplifier.dag, original.formulas, simplifier.rewrite)
    rewrites = (*original.rewrites, *simplifier.applied)
    return replace(original.mapped(simplifier.dag, done), rewrites=rewrites)


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
        if node.type == "float" and node.row in (MUL, DIV):
            product = Product.of(node if is_product(node) else node.args[0])
        called = set(heads(node, product))
        for rule in RULES_OF.get(node.name, ()):
            found = find(rule, node, product) if rule.heads <= called else None
            if found is not None:
                self.applied[rule.text] = None
                return self._replaced(node, rule, found)
        if node.row is NEG:  # of a product whose sign came out of a factor just now
            return self.dag.call(NEG, self.rewrite(node.args[0]))
        return self._ordered(node, product) if product and is_product(node) else node

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
        if product.constants > 1 and MIN_CONSTANT < abs(product.scale) < MAX_CONSTANT:
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
        first = multiplied(self.dag, [*vanishing, *outweighed])
        rest = [part for part in product.factors if part not in vanishing + outweighed]
        if product.scale != 1:
            rest.insert(0, self.dag.const(product.scale))
        return self.dag.call(MUL, first, multiplied(self.dag, rest)) if rest else first

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
    if node.row is not MUL:
        return None
    first, second = node.args
    power = second.function
    if power is None or power.degree == 1 or not any(map(_vanishes, Product.of(first).factors)):
        return None
    assert power.body is not None
    body = dag.build(power.body, dict(zip(power.params, second.args, strict=True)))
    return multiplied(dag, [first, *Product.of(body).factors])


def _vanishes(node: Node) -> bool:
    return node.function is not None and node.function.vanishes
