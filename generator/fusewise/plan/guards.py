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
from fusewise.language.functions import Function, Reduction
from fusewise.language.functions.forms import STOP_GRAD, WHERE

# Beyond this number of copied nodes, the rest of a formula with nested branches is not guarded.
MAX_COPIES = 20_000

Conditions = tuple[tuple[Node, bool], ...]


def guard_branches(
    dag: Dag, roots: Sequence[Node], *, guards_rows: bool = True
) -> dict[Node, Node]:
    """Each root -> the root with guarded inputs in its branches; the values stay the same.

    guards_rows: values of rows are guarded too.
    """
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

    def reaches_into(condition: Node, reduction: Node) -> bool:
        if not guards_rows or condition.is_element or reduction not in risky:
            return False
        depends_on_inputs = any(node.kind == "input" for node in topological([condition]))
        return depends_on_inputs or reduction.args[0] in risky

    def _copy(node: Node, conditions: Conditions) -> Node:
        if count > MAX_COPIES:
            return node
        if node.kind == "input":
            return guarded(node, conditions)
        if not node.args:
            return node
        if node.reduction:  # its value depends on elements for which a condition does not hold
            inside = tuple(pair for pair in conditions if reaches_into(pair[0], node))
            value = dag.call(node.reduction, *(copy(arg, inside) for arg in node.args))
            if not guards_rows and not node.is_element:
                return value
            return guarded(value, tuple(pair for pair in conditions if pair not in inside))
        if node.row is WHERE and not risky.isdisjoint(node.args[1:]):
            condition = node.args[0]
            branches = [
                copy(branch, (*conditions, (condition, taken)))
                for branch, taken in zip(node.args[1:], (True, False), strict=True)
            ]
            return dag.call(WHERE, condition, *branches)
        args = [copies[conditions][arg] for arg in node.args]
        if node.form and node.form.type_of is not None:
            args[node.form.type_of] = node.args[node.form.type_of]  # of which only the type is read
        return dag.call(node.name, *args)

    return {root: copy(root, ()) for root in roots}


def _risky(roots: Sequence[Node]) -> set[Node]:
    """The nodes whose derivative, or that of a product with them, may be infinite."""
    risky: set[Node] = set()
    for node in topological(roots):
        if isinstance(node.row, Function | Reduction):
            harmless = node.row.finite_slope
        else:
            harmless = node.form in (None, WHERE)
        if not harmless or not risky.isdisjoint(node.args):
            risky.add(node)
    return risky
