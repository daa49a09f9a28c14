"""The cotangents of the values of a pass, of which reverse mode makes sums.

A cotangent that holds under a condition only stays `where(c, g, 0)` with the `where` outermost.
That of a value of a row is the sum over its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from fusewise.derive.products import Product, is_product, multiplied
from fusewise.graph.dag import Dag, Node, reduction_depths, topological
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import ADD, AND, DIV, MUL, NEG, NOT, OR, SUB, SUM


@dataclass(frozen=True, slots=True)
class Cotangents:
    """The cotangents found so far; each holds zeros where the branch that it is of is not taken.

    A gradient that may be missing is zeros then, so the param that tells it is its mask. One of
    these params, `arrivals`, is always true.
    """

    dag: Dag
    arrivals: frozenset[Node] = frozenset()
    of: dict[Node, Node] = field(default_factory=dict)
    spread: dict[Node, Node] = field(default_factory=dict)  # of rows, a part for each element
    masks: dict[Node, Node | None] = field(default_factory=dict)
    row_parts: dict[Node, Node | None] = field(default_factory=dict)
    depths: dict[Node, int] = field(default_factory=dict)  # by reductions

    def add(self, node: Node, cotangent: Node, user: Node) -> None:
        """Adds what comes from a user: for each element, if the user has a value for each."""
        if cotangent.is_zero or node.kind in ("const", "param"):
            return
        found = self.spread if user.is_element and not node.is_element else self.of
        before = found.get(node)
        found[node] = cotangent if before is None else _sum(self.dag, before, cotangent)

    def whole(self, node: Node) -> Node | None:
        """The cotangent of a node whose users have all been visited.

        A value of a row that each element uses has the sum of what comes from the elements.
        """
        parts = self.spread.pop(node, None)
        if parts is not None:
            total = self._summed(parts)
            self.add(node, self._masked(self.row_mask(parts), total), node)
        return self.of.get(node)

    def scaled(self, cotangent: Node, partial: Node) -> Node:
        """`cotangent * partial`, with every `where` that has a zero or a one in it kept outermost.

        A sum of such ones is masked anew: it is zero where none of its branches is taken.
        """
        dag = self.dag
        if cotangent.is_zero or partial.is_zero:
            return dag.const(0)
        if _is_one(partial):
            return cotangent
        if branches := _plain_branches(partial):
            pair = (self.scaled(cotangent, branch) for branch in branches)
            return dag.call(WHERE, partial.args[0], *pair)
        done: dict[Node, Node] = {}
        for node in topological([cotangent], parts=_plain_branches):
            if node.is_zero:
                done[node] = node
            elif branches := _plain_branches(node):
                done[node] = dag.call(WHERE, node.args[0], *(done[branch] for branch in branches))
            else:
                product = _product(dag, node, partial)
                is_number = partial.kind == "const"  # a finite one keeps the zeros
                done[node] = product if is_number else self._masked(self.mask(node), product)
        return done[cotangent]

    def of_rows(self, cotangent: Node, through: Callable[[Node], Node]) -> Node:
        """`through(cotangent)`, with every `where` that chooses whole rows kept outermost."""
        dag = self.dag
        if cotangent.is_zero:
            return cotangent
        if cotangent.row is WHERE and not cotangent.args[0].is_element:
            condition, *branches = cotangent.args
            if any(branch.is_zero for branch in branches):
                pair = (self.of_rows(branch, through) for branch in branches)
                return dag.call(WHERE, condition, *pair)
        return self._masked(self.row_mask(cotangent), through(cotangent))

    def _masked(self, mask: Node | None, value: Node) -> Node:
        """A value that is zero where a condition, if there is one, does not hold."""
        if mask is None or (self.arrivals and self.arrivals.issubset(_alternatives(mask))):
            return value
        return self.dag.call(WHERE, mask, value, self.dag.const(0))

    def mask(self, cotangent: Node) -> Node | None:
        """The condition outside which a cotangent is zero; None where it may always be another."""
        for node in topological([cotangent], stop=self.masks, parts=_masked_parts):
            if node not in self.masks:
                self.masks[node] = self._mask(node)
        return self.masks[cotangent]

    def row_mask(self, cotangent: Node) -> Node | None:
        """The condition on rows outside which a cotangent is zero; None where none is known."""
        mask = self.mask(cotangent)
        return None if mask is None else self._row_part(mask)

    def _row_part(self, condition: Node) -> Node | None:
        """A condition on rows that holds wherever this one does."""
        for node in topological([condition], stop=self.row_parts, parts=_joined_conditions):
            if node not in self.row_parts:
                self.row_parts[node] = self._new_row_part(node)
        return self.row_parts[condition]

    def _new_row_part(self, condition: Node) -> Node | None:
        if not condition.is_element:
            return condition
        if condition.row not in (AND, OR):
            return None
        one, other = map(self.row_parts.__getitem__, condition.args)
        if one is not None and other is not None:
            return one if one is other else self.dag.call(condition.row, one, other)
        return None if condition.row is OR else one or other

    def _mask(self, cotangent: Node) -> Node | None:
        dag = self.dag
        if cotangent.row in (ADD, SUB):
            a, b = map(self.masks.__getitem__, cotangent.args)
            return dag.call(OR, a, b) if a and b else None
        if cotangent.row is not WHERE:
            parts = _masked_parts(cotangent)
            return self.masks[parts[0]] if parts else None
        condition, *branches = cotangent.args
        sides = (condition, dag.call(NOT, condition))
        masks = [
            dag.call(AND, side, mask) if (mask := self.masks[branch]) else side
            for side, branch in zip(sides, branches, strict=True)
            if not branch.is_zero
        ]
        if masks == list(sides):
            return None
        return masks[0] if len(masks) == 1 else dag.call(OR, *masks)

    def _summed(self, terms: Node) -> Node:
        """The sum over a row, of a sum or a choice that of each part."""
        done: dict[Node, Node] = {}
        for node in topological([terms], parts=_summed_apart):
            done[node] = self._sum_of_terms(node, [done[part] for part in _summed_apart(node)])
        return done[terms]

    def _sum_of_terms(self, terms: Node, sums: Sequence[Node]) -> Node:
        """The sum over a row; `sums` are those of the parts that may be summed apart."""
        dag = self.dag
        if terms.is_zero:
            return terms
        if not sums:
            return _sum_of_product(dag, terms)
        if terms.row is WHERE:
            return dag.call(WHERE, terms.args[0], *sums)
        if terms.row is DIV:
            return dag.call(DIV, *sums, terms.args[1])
        if terms.function in (ADD, SUB):
            # Factors before the sums may be sums themselves, which then need not be first.
            self.depths.update(reduction_depths([terms, *sums], self.depths))
            is_shallower = max(map(self.depths.__getitem__, sums)) < 1 + self.depths[terms]
            return dag.call(terms.function, *sums) if is_shallower else _sum_of_product(dag, terms)
        return dag.call(NEG, *sums)


def _masked_parts(cotangent: Node) -> Sequence[Node]:
    """The values from whose masks that of a cotangent follows."""
    if cotangent.row is WHERE:
        return [branch for branch in cotangent.args[1:] if not branch.is_zero]
    if cotangent.row in (MUL, DIV) and any(part.kind == "const" for part in cotangent.args):
        scaled = cotangent.args if cotangent.row is MUL else cotangent.args[:1]
        return [part for part in scaled if part.kind != "const"]
    return cotangent.args if cotangent.row in (NEG, ADD, SUB) else ()


def _alternatives(condition: Node) -> set[Node]:
    """The conditions of which each alone makes this one true."""
    parts = topological([condition], parts=lambda node: node.args if node.row is OR else ())
    return {part for part in parts if part.row is not OR}


def _joined_conditions(condition: Node) -> Sequence[Node]:
    return condition.args if condition.is_element and condition.row in (AND, OR) else ()


def _summed_apart(terms: Node) -> tuple[Node, ...]:
    """The terms whose sums over a row give that of `terms`; none if it is a sum of its own."""
    if not terms.is_element:
        return ()
    if terms.row is WHERE and not terms.args[0].is_element:
        return terms.args[1:]
    if terms.row is DIV and not terms.args[1].is_element:
        return terms.args[:1]
    return terms.args if terms.row in (NEG, ADD, SUB) else ()


def _sum_of_product(dag: Dag, terms: Node) -> Node:
    """The sum over a row; factors that are the same in the whole row stand before it."""
    product = Product.of(terms) if terms.is_element and is_product(terms) else None
    outside = [part for part in product.factors if not part.is_element] if product else []
    if product is None or not (outside or product.constants):
        return dag.call(SUM, terms)
    inside = [part for part in product.factors if part.is_element]
    total = dag.call(SUM, multiplied(dag, inside))
    factors = [dag.const(product.scale)] if product.scale != 1 else []
    return multiplied(dag, [*factors, *outside, total])


def _sum(dag: Dag, a: Node, b: Node) -> Node:
    """`a + b`, where choices by one condition become one choice, as the halves of a `where` do."""
    terms = _terms(a) if b.row is WHERE else []
    for place, term in enumerate(terms):
        if _can_join(term, b):
            terms[place] = _joined(dag, term, b)
            return reduce(lambda total, term: dag.call(ADD, total, term), terms)
    return dag.call(ADD, a, b)


def _terms(total: Node) -> list[Node]:
    """The terms of a sum, in their order."""
    found = []
    while total.row is ADD:
        total, last = total.args
        found.append(last)
    return [total, *reversed(found)]


def _can_join(a: Node, b: Node) -> bool:
    """Whether two choices by one condition have a zero, so that one sum fewer is needed."""
    is_same = a.row is b.row is WHERE and a.args[0] is b.args[0]
    return is_same and any(
        one.is_zero or other.is_zero for one, other in zip(a.args[1:], b.args[1:], strict=True)
    )


def _joined(dag: Dag, a: Node, b: Node) -> Node:
    """The sum of two choices by one condition, and that of choices within these."""
    around: list[tuple[Node, Node, bool]] = []  # condition, other branch, whether it is the first
    while _can_join(a, b):
        condition = a.args[0]
        one, other = zip(a.args[1:], b.args[1:], strict=True)
        is_first = any(node.is_zero for node in one)
        apart, (a, b) = (one, other) if is_first else (other, one)
        around.append((condition, dag.call(ADD, *apart), is_first))
    total = dag.call(ADD, a, b)
    for condition, branch, is_first in reversed(around):
        total = dag.call(WHERE, condition, *((branch, total) if is_first else (total, branch)))
    return total


def _product(dag: Dag, cotangent: Node, partial: Node) -> Node:
    if partial.row is DIV and _is_one(partial.args[0]):
        return dag.call(DIV, cotangent, partial.args[1])
    return dag.call(MUL, cotangent, partial)


def _plain_branches(node: Node) -> tuple[Node, ...]:
    """The branches of a choice that has a zero or a one in it; none of another value."""
    branches = node.args[1:] if node.row is WHERE else ()
    is_plain = any(
        branch.kind == "const" and abs(branch.value or 0) in (0, 1) for branch in branches
    )
    return branches if is_plain else ()


def _is_one(node: Node) -> bool:
    return node.kind == "const" and node.value == 1
