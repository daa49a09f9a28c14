"""The values of formulas that reduce a row, in mpmath."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fusewise.graph.dag import Dag, Node, expand, topological
from fusewise.language.formula import INDEX, LENGTH, Expr
from fusewise.language.functions import Function, Reduction
from fusewise.numeric.evaluate import apply, evaluate_node, exact

Row = Mapping[Node, Any]  # of an element node a list of values, of another node one value


def sums_and_maxima(dag: Dag, roots: Iterable[Node]) -> dict[Node, Node]:
    """Every needed node with each reduction expanded to sums and maxima. `dag` holds the nodes."""
    return expand(dag, roots, _body)


def _body(row: Function | Reduction) -> Expr | None:
    return row.body if isinstance(row, Reduction) else None


def evaluate_row(
    roots: Iterable[Node],
    row: Row,
    length: int,
    number: Callable[[Any], Any] = exact,
) -> dict[Node, Any]:
    """The value of every node that the roots need; their reductions are sums and maxima.

    `row` gives inputs and params. number: gives the value of a leaf, as for `evaluate_in_order`.
    """
    known: dict[Node, Any] = {}
    leaves = {INDEX: [number(place) for place in range(length)], LENGTH: number(length)}

    def evaluated(node: Node, place: int) -> Any:
        args = [known[arg][place] if arg.is_element else known[arg] for arg in node.args]
        return evaluate_node(node, args, number, apply)

    for node in topological(roots):
        if node in row:
            value = row[node]
            known[node] = [*map(number, value)] if node.is_element else number(value)
        elif node.kind in ("input", "param"):
            known[node] = leaves[node.name]
        elif node.reduction:
            assert node.reduction.mp is not None
            known[node] = node.reduction.mp(known[node.args[0]])
        elif node.is_element:
            known[node] = [evaluated(node, place) for place in range(length)]
        else:
            known[node] = evaluated(node, 0)
    return known
