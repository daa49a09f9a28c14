"""Cheaper forms of the parts of a softmax: its exponentials, and sums of its logarithm.

log_softmax(x) is (x - amax(x)) - log(sum(exp(x - amax(x)))). The logarithm is the same in a whole
row and need not wait in a sum. Neither term is positive, so sums of each do not cancel, and the
first sum has its place beside that of the exponentials.
"""

from __future__ import annotations

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
    found = _multiple(node.args[0])
    if found is None:
        return None
    factors = _with(dag, node.args[0], found, dag.const(1))
    if any(part.reduction for part in topological([factors])):
        return None
    names = {"x": found.args[0]}
    differences = dag.call(SUM, _with(dag, node.args[0], found, dag.build(_DIFFERENCE, names)))
    logarithm = dag.build(_LOGARITHM, names)
    factor = dag.call(SUM, factors)
    factor = closed_sum(dag, factor) or factor
    logarithms = dag.call(MUL, factor, logarithm)
    if factors.is_element:
        is_none = dag.call(EQ, factor, dag.const(0))  # whatever the logarithm, be it NaN
        logarithms = dag.call(WHERE, is_none, dag.const(0), logarithms)
    total = dag.call(SUB, differences, logarithms)
    return dag.call(DIV, total, dag.param(LENGTH, "int")) if node.row is MEAN else total


def _multiple(term: Node) -> Node | None:
    """The `log_softmax` of which a term is a multiple, or none of it where not chosen."""
    if term.row is LOG_SOFTMAX:
        return term
    part = _linear_part(term)
    return None if part is None else _multiple(term.args[part])


def _linear_part(term: Node) -> int | None:
    """The position of the only argument that may be the multiple."""
    if term.row is NEG or term.row is DIV:
        return 0
    if term.row is MUL:
        parts = [k for k in (0, 1) if _multiple(term.args[k])]
        return parts[0] if len(parts) == 1 else None
    if term.row is WHERE:
        parts = [k for k in (1, 2) if not term.args[k].is_zero]
        return parts[0] if len(parts) == 1 else None
    return None


def _with(dag: Dag, term: Node, found: Node, value: Node) -> Node:
    """The multiple of another value in place of the `log_softmax` that was found in the term."""
    if term is found:
        return value
    assert term.row is not None
    place = _linear_part(term)
    args = (_with(dag, a, found, value) if k == place else a for k, a in enumerate(term.args))
    return dag.call(term.row, *args)
