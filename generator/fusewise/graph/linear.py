"""Whether values are linear in the incoming gradients, by the form of their formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fusewise.graph.dag import Node, topological
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import ADD, DIV, MUL, NEG, SUB

OTHER = 2


def degrees(roots: Iterable[Node], order: int = 1) -> Mapping[Node, int]:
    """The degree of every value in the incoming gradients of an order.

    0: it has none of them; 1: it is linear, with the value 0 where they are 0; `OTHER`: its form
    does not show that, as that of `grad_out + x` or `abs(grad_out)`.
    """
    found: dict[Node, int] = {}
    for node in topological(roots):
        found[node] = 1 if node.order == order else _degree(node, found)
    return found


def _degree(node: Node, found: Mapping[Node, int]) -> int:
    below = [found[arg] for arg in node.args]
    if not any(below):
        return 0
    if node.row is WHERE:
        return OTHER if below[0] else _of_terms(node.args[1:], found)
    if node.row in (ADD, SUB, NEG):
        return _of_terms(node.args, found)
    if node.row is MUL or (node.row is DIV and not below[1]):
        return min(sum(below), OTHER)
    return OTHER


def _of_terms(terms: Iterable[Node], found: Mapping[Node, int]) -> int:
    return 1 if all(found[term] == 1 for term in terms if not term.is_zero) else OTHER
