"""How far the numbers that a formula reads move its value: a formula itself, to first order."""

from __future__ import annotations

from collections.abc import Iterable

from fusewise.graph.dag import Dag, Node, topological
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import ABS, ADD, AMAX, EQ, MUL, SUM


def noise_of(dag: Dag, roots: Iterable[Node]) -> dict[Node, Node]:
    """For each needed node, the largest change of its value, relative to that of what it reads.

    If every input and param changes by a share s of itself, the value changes by at most s times
    this number: the sum of |dv/dx| |x|, with a bound at each step in place of the derivative of the
    whole. The reductions of the nodes are sums and maxima.
    """
    noise: dict[Node, Node] = {}
    for node in topological(roots):
        noise[node] = _noise(dag, node, noise)
    return noise


def _noise(dag: Dag, node: Node, noise: dict[Node, Node]) -> Node:
    zero = dag.const(0)
    of_args = [noise[arg] for arg in node.args]
    if node.kind in ("input", "param"):
        return dag.call(ABS, node) if node.floating else zero
    if node.row is WHERE:
        return dag.call(WHERE, node.args[0], *of_args[1:])
    if node.form:
        return of_args[node.form.chosen(0)]
    if node.reduction:
        return _of_reduction(dag, node, of_args[0])
    return _of_function(dag, node, of_args)


def _of_reduction(dag: Dag, node: Node, terms: Node) -> Node:
    """Of a sum the sum, and of a maximum that of its largest elements."""
    if node.row is AMAX:
        is_largest = dag.call(EQ, node.args[0], node)
        return dag.call(AMAX, dag.call(WHERE, is_largest, terms, dag.const(0)))
    return dag.call(SUM, terms)


def _of_function(dag: Dag, node: Node, of_args: list[Node]) -> Node:
    function, total = node.function, dag.const(0)
    if function is None or function.result == "bool":
        return total
    names = dict(zip(function.params, node.args, strict=True), out=node)
    for formula, of_arg in zip(function.derivatives, of_args, strict=True):
        if formula is not None and not of_arg.is_zero:
            slope = dag.call(ABS, dag.build(formula, names))
            change = dag.call(MUL, slope, of_arg)
            is_none = dag.call(EQ, of_arg, dag.const(0))  # whatever the slope, be it infinite
            total = dag.call(ADD, total, dag.call(WHERE, is_none, dag.const(0), change))
    return total
