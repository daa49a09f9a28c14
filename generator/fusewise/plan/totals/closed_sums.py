"""Sums over a row that are known without a reduction, as those in the gradient of a loss."""

from __future__ import annotations

from collections.abc import Iterable

from fusewise.graph.dag import Dag, Node, topological
from fusewise.language.formula import INDEX, LENGTH
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import ADD, AMAX, AMIN, AND, EQ, GE, LT, SUB, SUM


def closed_sum(dag: Dag, node: Node) -> Node | None:
    """A sum without its terms that are the same in a row, or that one element of the row has.

    None: the node is no such sum. A term that is the same in a row is added to each element, where
    it may cancel, unless a reduction other than a maximum is in it: then a pass over the row is
    saved.
    """
    if node.row is not SUM:
        return None
    term = node.args[0]
    if term.row in (ADD, SUB) and not all(arg.is_element for arg in term.args):
        sums = [_sum(dag, arg) for arg in term.args]
        is_known = not any(part.reduction for part in sums)
        return dag.call(term.name, *sums) if is_known or _has_sums(term.args) else None
    return _of_one_element(dag, term)


def _has_sums(terms: Iterable[Node]) -> bool:
    """Whether a reduction other than a maximum is in a term that is the same in a row."""
    same = (term for term in terms if not term.is_element)
    return any(node.reduction not in (None, AMAX, AMIN) for node in topological(same))


def _sum(dag: Dag, term: Node) -> Node:
    return _of_one_element(dag, term) or dag.call(SUM, term)


def _of_one_element(dag: Dag, term: Node) -> Node | None:
    """The sum of `where(index == place, value, 0)`, where place and value belong to the row."""
    place = place_of_term(term)
    if place is None or place.type != "int" or term.args[1].is_element:
        return None
    _, value, zero = term.args
    after = dag.call(GE, place, zero)
    before = dag.call(LT, place, dag.param(LENGTH, "int"))
    return dag.call(WHERE, dag.call(AND, after, before), value, zero)


def place_of_term(term: Node) -> Node | None:
    """The place in `where(index == place, value, 0)`, if it belongs to the row."""
    if term.row is not WHERE or not term.args[2].is_zero or term.args[0].row is not EQ:
        return None
    for index, place in (term.args[0].args, term.args[0].args[::-1]):
        if index.name == INDEX and index.kind == "input" and not place.is_element:
            return place
    return None
