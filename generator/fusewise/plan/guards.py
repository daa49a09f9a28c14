"""Guards for branches of the ATen decomposition: a branch that is not taken gets no gradient.

A derived gradient selects after the product. Autograd of ATen's `where` instead sends a zero into
the branch not taken, where it is multiplied: where(x > 0, sqrt(x), 0) would have the gradient
0 * inf at 0. So every input x in such a branch becomes where(c, x, stop_grad(x)). It has the same
value, but no gradient where the branch is not taken. So does softmax(x).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from fusewise.graph.dag import Dag, Node, topological
from fusewise.language.functions.forms import STOP_GRAD, WHERE
from fusewise.language.functions.operators import LOG_SOFTMAX

# Beyond this number of copied nodes, the rest of a formula with nested branches is not guarded.
MAX_COPIES = 20_000

Conditions = tuple[tuple[Node, bool], ...]


def guard_branches(dag: Dag, roots: Sequence[Node]) -> dict[Node, Node]:
    """Each root -> the root with guarded inputs in its branches; the values stay the same."""
    risky = _risky(roots)
    copies: dict[Conditions, dict[Node, Node]] = defaultdict(dict)
    count = 0

    def copy(root: Node, conditions: Conditions) -> Node:
        nonlocal count
        done = copies[conditions]
        for node in topological([root], stop=done):
            if node not in done:
                done[node] = _copy(node, conditions)
                count += 1
        return done[root]

    def guarded(node: Node, conditions: Conditions) -> Node:
        if node.type == "bool":
            return node
        for condition, taken in conditions:
            pair = (node, dag.call(STOP_GRAD, node))
            node = dag.call(WHERE, condition, *(pair if taken else pair[::-1]))
        return node

    def _copy(node: Node, conditions: Conditions) -> Node:
        if count > MAX_COPIES:
            return node
        if node.kind == "input":
            return guarded(node, conditions)
        if not node.args:
            return node
        if node.reduction:  # its value depends on elements for which a condition does not hold
            value = dag.call(node.reduction, *(copy(arg, ()) for arg in node.args))
            return guarded(value, conditions) if node.is_element else value
        if node.row is WHERE and not risky.isdisjoint(node.args[1:]):
            condition = node.args[0]
            branches = [
                copy(branch, (*conditions, (condition, taken)))
                for branch, taken in zip(node.args[1:], (True, False), strict=True)
            ]
            return dag.call(WHERE, condition, *branches)
        return dag.call(node.name, *(copies[conditions][arg] for arg in node.args))

    return {root: copy(root, ()) for root in roots}


def _risky(roots: Sequence[Node]) -> set[Node]:
    """The nodes whose derivative, or that of a product with them, may be infinite."""
    risky: set[Node] = set()
    for node in topological(roots):
        harmless = node.function.finite_slope if node.function else node.form in (None, WHERE)
        harmless &= node.row is not LOG_SOFTMAX
        if not harmless or not risky.isdisjoint(node.args):
            risky.add(node)
    return risky
