"""An op as equations: its formulas, its gradients, and the places where they have kinks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple

from sympy import Symbol

from fusewise.explain.algebra import INFINITY, Term, apply, gradient, term
from fusewise.graph.dag import Node, expand, to_expr, topological
from fusewise.graph.passes import Pass
from fusewise.language.formula import Call, Expr, Number, substitute, walk
from fusewise.language.functions import INTRINSICS, Function
from fusewise.language.functions.forms import WHERE
from fusewise.language.functions.operators import ADD, DIV, HYPOT, MUL, NEG, SUB
from fusewise.language.model import Spec


class Equation(NamedTuple):
    """`left = ... = right`."""

    left: tuple[Term, ...]
    right: Term


class Kink(NamedTuple):
    """Where a function of a formula is not smooth or has an edge."""

    function: Function
    call: Term
    places: tuple[tuple[Term, Term], ...]  # x = low, x = high; none: the convention says where
    args: tuple[tuple[str, Term], ...]  # by the params of the function


# Functions that say less by their name than by their formula.
_WRITTEN_OUT = [name for name, row in INTRINSICS.items() if row.notation.meaning is None]
_SUMS, _PRODUCTS = (ADD, SUB), (MUL, DIV, NEG)
_ARITHMETIC = (*_SUMS, *_PRODUCTS)
# The size, in leaves and functions, from which a sum, or another value, is worth a name.
_LEAST_SUM, _LEAST_STEP = 2, 4
_MAX_SIZE = 100  # of a value without a name


def forward_equations(spec: Spec) -> list[Equation]:
    """The formulas as the user wrote them."""
    if spec.compose:
        targets = [tuple(map(Symbol, step.targets)) for step in spec.compose.steps]
        lefts = [t[0] if len(t) == 1 else apply("tuple", *t) for t in targets]
        calls = (step.call for step in spec.compose.steps)
        return [Equation((left,), term(call)) for left, call in zip(lefts, calls, strict=True)]
    equations = [Equation((Symbol(s.name),), term(s.formula)) for s in spec.let]
    for output in spec.outputs:
        for name, part in zip(output.names, output.parts, strict=True):
            equations.append(Equation((Symbol(name),), term(part)))
    return equations


@lru_cache(maxsize=8)  # several sections of a page ask for those of the same passes
def pass_equations(source: Pass) -> tuple[list[Equation], list[Equation]]:
    """The steps that are worth a name, and what the pass writes: of a derivative, gradients.

    Steps that the user named stand with the forward.
    """
    source = _written_out(source.where_all_arrive())
    left: dict[Node, list[str]] = {}
    for tensor in source.writes:
        for name, part in zip(tensor.part_names, tensor.parts, strict=True):
            left.setdefault(part, []).append(name)
    names = {node: written[0] for node, written in left.items() if node.kind == "call"}
    lets = {node: name for name, node in source.lets if node not in names}
    names |= lets
    of_gradients = _of_gradients(source.roots)
    new = _step_names(source, _steps(source.roots, names), of_gradients, {*names.values()})
    names |= new
    with_gradient = [name for node, name in new.items() if node in of_gradients]
    symbols = {name: apply("gradient_step", Symbol(name)) for name in with_gradient}
    for tensor in (*source.reads, *source.writes):
        if tensor.gradient_of:
            terms = map(gradient, tensor.gradient_of.part_names)
            symbols |= zip(tensor.part_names, terms, strict=True)

    def equation(node: Node, left: Iterable[str]) -> Equation:
        terms = tuple(symbols.get(name, Symbol(name)) for name in left)
        return Equation(terms, term(to_expr(node, names), symbols, tidy=True))

    shown_before = left.keys() if source.order == 0 else left.keys() | lets.keys()
    order = [node for node in topological(source.roots) if node in names]
    steps = [equation(node, [names[node]]) for node in order if node not in shown_before]
    return steps, [equation(node, names) for node, names in left.items()]


def names_in(equations: Iterable[Equation]) -> set[str]:
    sides = chain.from_iterable((*equation.left, equation.right) for equation in equations)
    return {str(symbol) for side in sides for symbol in side.free_symbols}


def _steps(roots: Iterable[Node], names: Container[Node]) -> list[Node]:
    """The values that are worth a name: long ones that are used more than once, and very long ones.

    Of a product only uses by functions count, since elsewhere it merges with other factors.
    """
    order = topological(roots)
    uses = Counter(arg for node in order for arg in node.args)
    calls = Counter(arg for node in order if node.function not in _ARITHMETIC for arg in node.args)
    sizes: dict[Node, int] = {}  # in leaves and functions
    steps = []
    for node in order:
        sizes[node] = sum(sizes[arg] for arg in node.args) + (node.function not in _ARITHMETIC)
        is_shared = (calls if node.function in _PRODUCTS else uses)[node] > 1
        is_long = sizes[node] >= (_LEAST_SUM if node.function in _SUMS else _LEAST_STEP)
        is_step = is_shared and is_long and node.kind == "call" and node.type != "bool"
        is_step = is_step or sizes[node] > _MAX_SIZE
        if is_step and node not in names:
            steps.append(node)
        if is_step or node in names:
            sizes[node] = 1
    return steps


def _step_names(
    source: Pass, steps: Sequence[Node], of_gradients: Container[Node], taken: set[str]
) -> dict[Node, str]:
    """The names `u`, `v` ..., `u_1` ... and, of steps with gradients, `delta`, `delta_1` ..."""
    taken |= source.given_names
    letters = chain("uvwpqrst", map("u_{}".format, count(1)))
    deltas = chain(["delta"], map("delta_{}".format, count(1)))
    free = [(name for name in names if name not in taken) for names in (letters, deltas)]
    return {node: next(free[node in of_gradients]) for node in steps}


def _of_gradients(roots: Iterable[Node]) -> set[Node]:
    """The nodes that depend on an incoming gradient."""
    found: set[Node] = set()
    for node in topological(roots):
        if node.order or not found.isdisjoint(node.args):
            found.add(node)
    return found


def _written_out(source: Pass) -> Pass:
    """The pass with the formulas of the functions that equations write out in their place."""
    dag = source.dag.copy()
    done = expand(dag, source.formulas, lambda row: row.body if row.name in _WRITTEN_OUT else None)
    return source.mapped(dag, done)


def kinks(source: Pass) -> list[Kink]:
    """The kinks and edges of a pass, without those that constant arguments rule out."""
    names = {node: name for name, node in source.lets}
    dag = source.dag.copy()
    found = []
    for node in topological(source.roots):
        function = node.function
        if function is None or not (function.kinks or function.convention):
            continue
        call = to_expr(node, names)
        assert isinstance(call, Call)
        args = dict(zip(function.params, call.args, strict=True))
        nodes = dict(zip(function.params, node.args, strict=True))
        possible = [kink for kink in function.kinks if _may_vanish(dag.build(kink, nodes))]
        words = set(re.findall(r"\w+", function.convention))
        is_fixed = any(arg.kind == "const" for param, arg in nodes.items() if param in words)
        if not possible and (function.kinks or is_fixed):
            continue
        simple = [kink for kink in possible if not _has_choice(kink)]
        sides = ((substitute(side, args) for side in _sides(kink)) for kink in simple)
        places = [(term(left), term(right)) for left, right in sides]
        finite = (place for place in places if place[1] not in (INFINITY, -INFINITY))
        terms = tuple((param, term(arg)) for param, arg in args.items())
        found.append(Kink(function, term(call), tuple(finite), terms))
    return list(dict.fromkeys(found))


def _may_vanish(node: Node) -> bool:
    """Whether a value, with constants in it, may be zero."""
    if node.kind == "const":
        return node.is_zero
    if node.row is HYPOT:
        return all(map(_may_vanish, node.args))
    return node.row is not WHERE or any(map(_may_vanish, node.args[1:]))


def _has_choice(expr: Expr) -> bool:
    return any(isinstance(part, Call) and part.function == "where" for part in walk(expr))


def _sides(zero: Expr) -> tuple[Expr, Expr]:
    """The equation that says that an expression is zero."""
    match zero:
        case Call("sub", (left, right)):
            return left, right
        case Call("add", (left, right)):
            return left, Call("neg", (right,))
    return zero, Number(Fraction(0))
