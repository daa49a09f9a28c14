"""Stage simplify: the same pass in stabler forms.

A rule replaces a form that cancels or overflows, itself or in its derivative, by one that does not.
Each is right for every value of its variables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fusewise.dag import COMMUTATIVE, Node, rebuild
from fusewise.formula import Call, Expr, Name, Number, parse_formula
from fusewise.graph import Pass


@dataclass(frozen=True, slots=True)
class Rule:
    """Rewrites `pattern` to `stable`; a name in both stands for any one expression."""

    pattern: Expr
    stable: Expr
    text: str


def _rule(pattern: str, stable: str) -> Rule:
    return Rule(parse_formula(pattern), parse_formula(stable), f"{pattern}  ->  {stable}")


RULES: tuple[Rule, ...] = (
    # Cancellation of a function against its limit.
    _rule("1 - sigmoid(x)", "sigmoid(-x)"),
    _rule("sigmoid(x) * sigmoid(-x)", "dsigmoid(x)"),
    _rule("1 - tanh(x) * tanh(x)", "sech2(x)"),
    _rule("1 - square(tanh(x))", "sech2(x)"),
    _rule("1 - erf(x)", "erfc(x)"),
    _rule("1 + erf(x)", "erfc(-x)"),
    _rule("exp(x) - 1", "expm1(x)"),
    _rule("expm1(x) + 1", "exp(x)"),
    _rule("log(1 + x)", "log1p(x)"),
    # Overflow of an intermediate result.
    _rule("exp(x) / (1 + exp(x))", "sigmoid(x)"),
    _rule("x / (1 + exp(-x))", "silu(x)"),
    _rule("x / (1 + exp(y))", "x * sigmoid(-y)"),
    _rule("log1p(exp(x))", "softplus(x)"),
    _rule("tanh(softplus(x))", "tanh_softplus(x)"),
    _rule("log(sigmoid(x))", "logsigmoid(x)"),
    _rule("-softplus(-x)", "logsigmoid(x)"),
)


def simplify(original: Pass) -> Pass:
    """The pass after every rule that applies, innermost expressions first."""
    dag = original.dag
    applied: dict[str, None] = {}

    def rewrite(node: Node) -> Node:
        for rule in _RULES_OF.get(node.name, ()):
            bound = _unify(rule.pattern, node, {})
            if bound is not None:
                applied[rule.text] = None
                return rewrite(dag.build(rule.stable, bound))
        return node

    roots = (*original.roots, *(node for _, node in original.lets))
    done = rebuild(dag, roots, rewrite)
    return replace(
        original,
        writes=tuple(
            replace(tensor, parts=tuple(done[part] for part in tensor.parts))
            for tensor in original.writes
        ),
        lets=tuple((name, done[node]) for name, node in original.lets),
        rewrites=(*original.rewrites, *applied),
    )


def _rules_by_function() -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for rule in RULES:
        assert isinstance(rule.pattern, Call)
        rules.setdefault(rule.pattern.function, []).append(rule)
    return rules


_RULES_OF = _rules_by_function()


def _unify(pattern: Expr, node: Node, bound: dict[str, Node]) -> dict[str, Node] | None:
    """The names of the pattern bound so that it equals the node, or None."""
    if isinstance(pattern, Name):
        if pattern.id in bound:
            return bound if bound[pattern.id] is node else None
        return bound | {pattern.id: node}
    if isinstance(pattern, Number):
        return bound if node.kind == "const" and node.value == pattern.value else None
    if node.kind != "call" or node.name != pattern.function:
        return None
    orders = [node.args]
    if node.name in COMMUTATIVE:
        orders.append(node.args[::-1])
    for args in orders:
        result: dict[str, Node] | None = bound
        for part, arg in zip(pattern.args, args, strict=True):
            result = None if result is None else _unify(part, arg, result)
        if result is not None:
            return result
    return None
