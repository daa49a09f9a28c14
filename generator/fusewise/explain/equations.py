"""An op as equations: its formulas, its gradients, and the places where they have kinks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce

from sympy import Symbol

from fusewise.explain.algebra import INFINITY, Term, apply, term
from fusewise.graph.dag import Node, expand, topological
from fusewise.graph.passes import Pass
from fusewise.graph.steps import step_expr
from fusewise.language.formula import Call, Expr, Number, substitute, walk
from fusewise.language.functions import INTRINSICS, ROWS
from fusewise.language.spec import Spec


@dataclass(frozen=True, slots=True)
class Equation:
    """`left = ... = right`."""

    left: tuple[Term, ...]
    right: Term


@dataclass(frozen=True, slots=True)
class Kink:
    """Where a function of a formula is not smooth or has an edge, and what holds there."""

    function: str
    call: Term
    place: Term
    values: tuple[Term, ...]  # that the place has there; none: it is as the convention says
    convention: str


# Functions that say less by their name than by their formula.
_WRITTEN_OUT = [name for name, row in INTRINSICS.items() if row.notation.meaning is None]
_LETTERS = "uvwpqrst"
# The size, in leaves and functions, from which a value that is used twice gets a name: a sum, a
# function or its argument, and any other product, which otherwise merges with its neighbours.
_LEAST_SUM, _LEAST_CALL, _LEAST_PRODUCT = 2, 4, 12


def forward_equations(spec: Spec) -> list[Equation]:
    """The formulas as the user wrote them."""
    if spec.compose:
        return [
            Equation((_commas([Symbol(name) for name in step.targets]),), _composed(step.call))
            for step in spec.compose.steps
        ]
    equations = [Equation((Symbol(s.name),), term(s.formula)) for s in spec.let]
    for output in spec.outputs:
        for name, part in zip(output.names, output.parts, strict=True):
            equations.append(Equation((Symbol(name),), term(part)))
    return equations


def pass_equations(source: Pass) -> tuple[list[Equation], list[Equation]]:
    """The steps that are worth a name, and what the pass writes: of a derivative, gradients.

    Steps that the user named stand with the forward.
    """
    source = _written_out(source)
    left: dict[Node, list[str]] = {}
    for tensor in source.writes:
        for name, part in zip(tensor.part_names, tensor.parts, strict=True):
            left.setdefault(part, []).append(name)
    names = {node: written[0] for node, written in left.items() if node.kind == "call"}
    lets = {node: name for name, node in source.lets if node not in names}
    names |= lets
    names |= _step_names(source, names)

    def equation(node: Node, symbols: Sequence[str]) -> Equation:
        return Equation(tuple(map(Symbol, symbols)), term(step_expr(node, names), tidy=True))

    shown_before = left.keys() if source.name == "forward" else left.keys() | lets.keys()
    order = [node for node in topological(source.roots) if node in names]
    steps = [equation(node, [names[node]]) for node in order if node not in shown_before]
    return steps, [equation(node, symbols) for node, symbols in left.items()]


def _written_out(source: Pass) -> Pass:
    """The pass with the formulas of the functions that equations write out in their place."""
    dag = source.dag.copy()
    roots = (*source.roots, *(node for _, node in source.lets))
    done = expand(dag, roots, lambda row: row.body if row.name in _WRITTEN_OUT else None)
    writes = (replace(t, parts=tuple(done[part] for part in t.parts)) for t in source.writes)
    lets = tuple((name, done[node]) for name, node in source.lets)
    return replace(source, dag=dag, writes=tuple(writes), lets=lets)


def kinks(source: Pass) -> list[Kink]:
    """The kinks of a pass's formulas, in order."""
    names = {node: name for name, node in source.lets}
    found = []
    for node in topological(source.roots):
        function = ROWS.get(node.name) if node.kind == "call" else None
        if function is None or not (function.kinks or function.convention):
            continue
        call = step_expr(node, names)
        assert isinstance(call, Call)
        args = dict(zip(function.params, call.args, strict=True))
        places: dict[Term, list[Term]] = {}
        for kink in function.kinks:
            if any(isinstance(part, Call) and part.function == "where" for part in walk(kink)):
                continue
            left, right = kink, Number(Fraction(0))
            if isinstance(kink, Call) and kink.function in ("add", "sub"):
                left, right = kink.args
                right = right if kink.function == "sub" else Call("neg", (right,))
            value = term(substitute(right, args))
            if value not in (INFINITY, -INFINITY):
                places.setdefault(term(substitute(left, args)), []).append(value)
        for place, values in places.items() or ((term(call), ()),):
            kink = Kink(node.name, term(call), place, tuple(values), function.convention)
            found.append(kink)
    return list(dict.fromkeys(found))


def _step_names(source: Pass, names: Mapping[Node, str]) -> dict[Node, str]:
    """Names for what is worth one: `u`, `v` ... and, where gradients stand in it, `delta__1`."""
    order = topological(source.roots)
    uses = Counter(arg for node in order for arg in node.args)
    calls = Counter(arg for node in order if not _is_arithmetic(node) for arg in node.args)
    weights: dict[Node, int] = {}
    arrives: dict[Node, bool] = {}
    steps = []
    for node in order:
        arrives[node] = node.name.startswith("grad_") or any(arrives[arg] for arg in node.args)
        weights[node] = sum(weights[arg] for arg in node.args) + (not _is_arithmetic(node))
        if node in names:
            weights[node] = 1
        elif node.kind == "call" and node.type != "bool" and uses[node] > 1:
            is_merged = _is_arithmetic(node) and calls[node] < 2
            least = _LEAST_PRODUCT if is_merged else _LEAST_CALL
            if node.name in ("add", "sub"):
                least = _LEAST_SUM
            if weights[node] >= least:
                weights[node] = 1
                steps.append(node)
    taken = {part.name for tensor in source.reads for part in tensor.parts} | {*names.values()}
    taken |= {param.name for param in source.params}
    plain = [node for node in steps if not arrives[node]]
    letters = [letter for letter in _LETTERS if letter not in taken]
    letters += [f"u_{k}" for k in range(len(plain) + len(taken)) if f"u_{k}" not in taken]
    given = dict(zip(plain, letters, strict=False))
    gradients = [node for node in steps if arrives[node]]
    letter = "eta" if "delta" in taken else "delta"
    for k, node in enumerate(gradients, 1):
        given[node] = f"{letter}__{k if len(gradients) > 1 else ''}"
    return given


def _is_arithmetic(node: Node) -> bool:
    return node.name in ("add", "sub", "mul", "div", "neg")


def _composed(expr: Expr) -> Term:
    """A call of tensors; products are of matrices, and nothing commutes."""
    if not isinstance(expr, Call):
        return term(expr)
    args = tuple(map(_composed, expr.args))
    match expr.function, args:
        case "linear", (x, weight, *bias):
            product = apply("matmul", x, apply("transpose", weight))
            return apply("add", product, *bias) if bias else product
        case "addmm", (c, a, b):
            return apply("add", c, apply("matmul", a, b))
        case "list", _:
            return apply("list", _commas(args))
        case "cat", (parts, *_):
            return parts
    return apply(expr.function, *args)


def _commas(terms: Sequence[Term]) -> Term:
    return reduce(partial(apply, "comma"), terms)
