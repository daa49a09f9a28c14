"""Cheaper forms of the parts of a softmax: its exponentials, and sums of its logarithm.

log_softmax(x) is (x - amax(x)) - log(sum(exp(x - amax(x)))). The logarithm is the same in a whole
row and need not wait in a sum. Neither term is positive, so sums of each do not cancel, and the
first sum has its place beside that of the exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence

from fusewise.graph.dag import Dag, Node, topological
from fusewise.language.formula import LENGTH, parse_formula
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import (
    AMAX,
    DIV,
    EQ,
    EXP,
    EXP_NEGATIVE,
    LOG_SOFTMAX,
    MEAN,
    MUL,
    NEG,
    SUB,
    SUM,
)
from fusewise.plan.totals.closed_sums import closed_sum

_DIFFERENCE = parse_formula("x - amax(x)")
_LOGARITHM = parse_formula("log(sum(exp(x - amax(x))))")


def exp_below_maximum(dag: Dag, node: Node) -> Node | None:
    """`exp(x - amax(x))` in the form for arguments up to 0. None: the node is no such."""
    if node.row is not EXP or node.args[0].row is not SUB:
        return None
    value, largest = node.args[0].args
    if largest.row is not AMAX or largest.args[0] is not value:
        return None
    return dag.call(EXP_NEGATIVE, node.args[0])


def sum_of_logarithms(dag: Dag, node: Node) -> Node | None:
    """A sum or mean of multiples of one `log_softmax(x)` as two sums.

    None: the node is no such, or the multiples wait for a reduction themselves.
    """
    if node.row not in (SUM, MEAN):
        return None
    path = _path_to_log_softmax(node.args[0])
    if not path:
        return None
    factors = _with(dag, path, dag.const(1))
    if any(part.reduction for part in topological([factors])):
        return None
    names = {"x": path[-1].args[0]}
    differences = dag.call(SUM, _with(dag, path, dag.build(_DIFFERENCE, names)))
    logarithm = dag.build(_LOGARITHM, names)
    factor = dag.call(SUM, factors)
    factor = closed_sum(dag, factor) or factor
    logarithms = dag.call(MUL, factor, logarithm)
    if factors.is_element:
        is_none = dag.call(EQ, factor, dag.const(0))  # whatever the logarithm, be it NaN
        logarithms = dag.call(WHERE, is_none, dag.const(0), logarithms)
    total = dag.call(SUB, differences, logarithms)
    return dag.call(DIV, total, dag.param(LENGTH, "int")) if node.row is MEAN else total


def _path_to_log_softmax(term: Node) -> list[Node]:
    """A multiple of one `log_softmax`, its factor that is one too, and so on down to that itself.

    A choice between 0 and a multiple is one. Empty: the term is no such.
    """
    multiples: dict[Node, Node] = {}  # each with the factor that is one too
    for node in topological([term], parts=_factors):
        found = [part for part in _factors(node) if part in multiples or part.row is LOG_SOFTMAX]
        if len(found) == 1:
            multiples[node] = found[0]
    path = [term]
    while path[-1] in multiples:
        path.append(multiples[path[-1]])
    return path if path[-1].row is LOG_SOFTMAX else []


def _factors(term: Node) -> list[Node]:
    return [term.args[place] for place in _places(term)]


def _places(term: Node) -> Sequence[int]:
    """The positions of the arguments of which the term may be a multiple."""
    if term.row is NEG or term.row is DIV:
        return (0,)
    if term.row is MUL:
        return (0, 1)
    chosen = [k for k in (1, 2) if not term.args[k].is_zero] if term.row is WHERE else []
    return chosen if len(chosen) == 1 else ()


def _with(dag: Dag, path: Sequence[Node], value: Node) -> Node:
    """The multiple of another value in place of the `log_softmax` at the end of the path."""
    for node, part in zip(path[-2::-1], path[:0:-1], strict=True):
        assert node.row is not None
        place = next(k for k in _places(node) if node.args[k] is part)
        value = dag.call(node.row, *node.args[:place], value, *node.args[place + 1 :])
    return value
