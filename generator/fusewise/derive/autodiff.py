"""The derivative of a pass, itself a pass.

Reverse mode over the DAG. A cotangent that holds under a condition only stays `where(c, g, 0)` with
the `where` outermost: the product with a local derivative is taken inside the branch, so that a NaN
or an infinity of the branch not taken never reaches the sum.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from fusewise.derive.cotangents import Cotangents
from fusewise.graph.dag import Dag, Node, long_steps, rebuild, to_expr, topological
from fusewise.graph.linear import degrees
from fusewise.graph.passes import Operand, Pass, Role, parts_by_name
from fusewise.language.errors import Location, Problem, SpecError
from fusewise.language.formula import Call, Expr, Name, Number, format_expr, walk
from fusewise.language.functions import ROWS
from fusewise.language.functions.forms import STOP_GRAD, STRAIGHT_THROUGH, WHERE
from fusewise.language.model import Backward, Spec, Step
from fusewise.language.names import arrival_name, gradient_name


def mark_detached(forward: Pass, backward: Backward | None) -> Pass:
    """`forward` with those tensors marked that autograd of its formulas in PyTorch leaves out.

    A gradient goes back through every function, be its derivative zero, but not through
    `stop_grad`, nor into a condition or the value of `straight_through`. An input is detached if
    none gets to it, and an output if none goes on from it to an input. A gradient that `backward`
    gives is there by itself; a surrogate one that is 0 is none.
    """
    is_surrogate = backward is not None and backward.kind == "surrogate"
    aside = replace(forward, dag=forward.dag.copy())
    formulas = _given(aside, backward.gradients if backward else ())
    floats = {part for t in forward.reads if t.floating for part in t.parts}
    order = topological(forward.roots)
    reached = {part for t in forward.writes if t.floating for part in t.parts}
    for node in reversed(order):
        if node in reached:
            reached.update(node.args[k] for k in _ways(node))
    learn = floats & reached
    if is_surrogate:
        learn -= formulas.keys()
    reaching = set(learn)
    for node in order:
        if any(node.args[k] in reaching for k in _ways(node)):
            reaching.add(node)
    given = {part: formula for part, formula in formulas.items() if not formula.is_zero}
    learn |= given.keys()
    used = set(topological(given.values()))

    def is_detached(write: Operand) -> bool:
        if is_surrogate and given:
            return False
        return reaching.isdisjoint(write.parts) and used.isdisjoint(_arriving(aside, write).parts)

    return replace(
        forward,
        reads=tuple(
            replace(t, detached=t.floating and learn.isdisjoint(t.parts)) for t in forward.reads
        ),
        writes=tuple(replace(t, detached=t.floating and is_detached(t)) for t in forward.writes),
    )


def differentiate(
    forward: Pass,
    given: tuple[Step, ...] = (),
    dag: Dag | None = None,
    *,
    some_arrive: bool = False,
) -> Pass:
    """The pass from gradients of `forward`'s writes to gradients of its differentiable reads.

    It reads one gradient for each differentiable write, then those reads of `forward` that its
    formulas use, and every gradient among them, since gradients carry the full shape. Of the other
    reads of an op it takes the shapes, unless each gradient has that shape: of an op without row
    outputs whose one read broadcasts with none. `given` holds formulas that stand in place of
    derived ones, named `grad_<part>`. Of a read that is detached there is no gradient. Another that
    is zero whatever the values is written as zeros by a first derivative and left out by a second.

    dag: builds in this DAG, which holds `forward`; by default in a copy of the DAG of `forward`.
    some_arrive: of several incoming gradients, some may be missing. No product with one of these
        counts, be the other factor infinite or NaN. By default it is one with zeros.
    """
    dag = dag or forward.dag.copy()
    forward = replace(forward, dag=dag)
    gradients = tuple(_arriving(forward, t) for t in forward.writes if t.differentiable)
    if some_arrive and len(gradients) > 1:
        gradients = tuple(
            replace(t, arrives=dag.param(arrival_name(t.name), "bool")) for t in gradients
        )
    cotangents = _pull_back(forward, gradients) | _given(forward, given)
    writes = []
    for tensor in forward.reads:
        if not tensor.differentiable:
            continue
        parts = tuple(cotangents.get(part, dag.const(0)) for part in tensor.parts)
        if tensor.arrives:  # no gradient of a missing tensor is asked for
            done = rebuild(dag, parts, known={tensor.arrives: dag.const(1)})
            parts = tuple(done[part] for part in parts)
        if forward.order and all(part.is_zero for part in parts):
            continue
        writes.append(_gradient(tensor, "gradient", parts))
    return derivative_pass(forward, gradients, tuple(writes), ())


def _arriving(forward: Pass, write: Operand) -> Operand:
    """The gradient of a write, as the derivative reads it."""
    names = map(gradient_name, write.part_names)
    parts = tuple(
        forward.dag.input(name, order=forward.order + 1, is_element=write.extent == "element")
        for name in names
    )
    return replace(_gradient(write, "incoming gradient", parts), default=0)


def _gradient(tensor: Operand, role: Role, parts: tuple[Node, ...]) -> Operand:
    names = tuple(map(gradient_name, tensor.part_names))
    name = gradient_name(tensor.name)
    return Operand(
        name,
        role,
        parts,
        names,
        tensor.layout,
        gradient_of=tensor,
        extent=tensor.extent,
        keepdim=tensor.keepdim,
    )


def _given(forward: Pass, steps: tuple[Step, ...]) -> dict[Node, Node]:
    """The formulas of gradients that the user gives, by the part of an input that each is of."""
    arriving = [_arriving(forward, tensor) for tensor in forward.writes]
    names = _names(forward, (*forward.writes, *arriving))
    parts = {gradient_name(name): part for name, part in parts_by_name(forward.reads).items()}
    return {parts[step.name]: forward.dag.build(step.formula, names) for step in steps}


def derivative_pass(
    forward: Pass,
    gradients: tuple[Operand, ...],
    writes: tuple[Operand, ...],
    saved: tuple[Operand, ...],
) -> Pass:
    """The pass of the given gradient formulas; `saved` are writes of `forward` that they read."""
    used = set(topological(part for tensor in writes for part in tensor.parts))
    inputs = tuple(
        tensor
        for tensor in forward.reads
        if used.intersection(tensor.parts) or tensor.role == "incoming gradient"
    )
    unread = tuple(t for t in forward.reads if t.differentiable and t not in inputs)
    # The gradient of a value of rows does not tell their length.
    lacks_shape = len(forward.reads) > 1 or any(t.extent == "row" for t in gradients)
    shapes = unread if forward.order == 0 and lacks_shape else ()
    likes = {
        write: t.name for write in writes for t in inputs + saved + shapes if t == write.gradient_of
    }
    return Pass(
        order=forward.order + 1,
        dag=forward.dag,
        reads=gradients + inputs + saved,
        params=(*forward.params, *(t.arrives for t in gradients if t.arrives in used)),
        writes=tuple(replace(write, like=likes.get(write)) for write in writes),
        lets=tuple((name, node) for name, node in forward.lets if node in used),
        shapes=shapes,
    )


def carry_surrogate(
    forward: Pass, backward: Pass | None = None, second: Pass | None = None
) -> Pass | None:
    """`forward` written so that autograd itself finds the surrogate gradient in it.

    A surrogate `backward` that is linear in what arrives is J(x)^T g, and `second`, its derivative,
    holds J(x) t. So each output is straight_through(value, J(stop_grad(x)) x). An op whose
    gradients are all zero has no `second`, and one without gradients no `backward`. None where the
    backward is not linear: no formula has that gradient.
    """
    if backward and not _is_linear(backward):
        return None
    second = second and second.where_all_arrive()
    dag = (second or backward or forward).dag.copy()
    own = {tensor.name: tensor.parts for tensor in (*forward.reads, *forward.writes)}
    known: dict[Node, Node] = {}
    for tensor in second.reads if second else ():
        for part, value in zip(tensor.parts, own[tensor.origin], strict=True):
            if tensor.order != 1:
                known[part] = value if tensor.order else dag.call(STOP_GRAD, value)
    carriers: dict[str, list[Node]] = {}
    for tensor in second.writes if second else ():
        if tensor.order < 2:
            continue
        done = rebuild(dag, tensor.parts, known=known)
        carriers[tensor.origin] = [done[part] for part in tensor.parts]
    writes = []
    for tensor in forward.writes:
        if tensor.name in carriers:
            pairs = zip(tensor.parts, carriers[tensor.name], strict=True)
            parts = [dag.call(STRAIGHT_THROUGH, *pair) for pair in pairs]
        else:
            parts = [dag.call(STOP_GRAD, part) for part in tensor.parts]
        writes.append(replace(tensor, parts=tuple(parts)))
    return replace(forward, dag=dag, writes=tuple(writes))


def _is_linear(backward: Pass) -> bool:
    found = degrees(backward.roots)
    return all(found[part] == 1 or part.is_zero for part in backward.roots)


def check_differentiable(spec: Spec, source: Pass) -> None:
    """Raises SpecError for each function that would pass a gradient on and has no such derivative.

    `source` is the graph of the spec's formulas, or the backward that the spec gives.
    """
    given = {step.name for step in spec.backward.gradients} if spec.backward else set()
    if source.order == 0:
        formulas = spec.formulas
    else:
        assert spec.backward is not None
        formulas = tuple(step.formula for step in spec.backward.gradients)
        given = set()
    missing = _missing_derivatives(source, given)
    if not missing:
        return
    names = _names(source, source.writes)
    problems = []
    for call in (node for formula in formulas for node in walk(formula)):
        if isinstance(call, Call) and call.function in ROWS:
            for k in missing.pop(source.dag.build(call, names), ()):
                problems.append(_missing(call.function, k, call.location, call.args[k]))
    for node, positions in missing.items():  # in a gradient that was derived
        for k in positions:
            arg = node.args[k]
            shown = Name("...") if long_steps([arg]) else to_expr(arg)
            problems.append(_missing(node.name, k, spec.location, shown))
    raise SpecError(*problems)


def _missing(function: str, position: int, location: Location, arg: Expr) -> Problem:
    param = ROWS[function].params[position]
    hint = (
        f"stop_grad({format_expr(arg)}) keeps the gradient from it; or give the gradient yourself, "
        "in a 'backward' with 'is: surrogate'"
    )
    return Problem(f"'{function}' has no derivative in its argument '{param}'", location, hint)


def _missing_derivatives(source: Pass, given: set[str]) -> dict[Node, list[int]]:
    """The calls with the positions of the arguments that a gradient would have to go on to."""
    order = topological(source.roots)
    differentiable = parts_by_name(tensor for tensor in source.reads if tensor.differentiable)
    depends = {p for name, p in differentiable.items() if gradient_name(name) not in given}
    for node in order:
        if any(node.args[k] in depends for k in _steep_ways(node)):
            depends.add(node)
    reached = {part for t in source.writes if t.differentiable for part in t.parts}
    missing: dict[Node, list[int]] = {}
    for node in reversed(order):
        if node not in reached:
            continue
        for k in _steep_ways(node):
            reached.add(node.args[k])
            row = node.function
            if row and row.derivatives[k] is None and node.args[k] in depends:
                missing.setdefault(node, []).append(k)
    return missing


def _ways(node: Node) -> Iterable[int]:
    """The positions of the arguments that autograd goes on to."""
    if node.form:
        return node.form.gradient_to
    if node.reduction:
        return (0,) if node.reduction.gradient else ()
    return range(len(node.args)) if node.function and node.function.result != "bool" else ()


def _steep_ways(node: Node) -> Iterable[int]:
    """Those of them whose derivative is not 0 whatever the values."""
    row, zero = node.function, Number(Fraction(0))
    return (k for k in _ways(node) if row is None or row.derivatives[k] != zero)


def _names(source: Pass, more: Iterable[Operand]) -> dict[str, Node]:
    """What the names in formulas stand for: reads, params, steps, and parts of other tensors."""
    params = {param.name: param for param in source.params}
    return {**params, **parts_by_name(source.reads), **dict(source.lets), **parts_by_name(more)}


def _pull_back(forward: Pass, gradients: tuple[Operand, ...]) -> dict[Node, Node]:
    """The cotangent of every node that a gradient reaches."""
    dag = forward.dag
    masks = {part: t.arrives for t in gradients if t.arrives for part in t.parts}
    cotangents = Cotangents(dag, frozenset(masks.values()), masks=dict(masks))
    writes = [tensor for tensor in forward.writes if tensor.differentiable]
    for tensor, gradient in zip(writes, gradients, strict=True):
        for formula, part in zip(tensor.parts, gradient.parts, strict=True):
            cotangents.add(formula, part, part)
    for node in reversed(topological(part for tensor in writes for part in tensor.parts)):
        cotangent = cotangents.whole(node)
        if cotangent is None or node.kind != "call":
            continue
        if node.row is WHERE:
            condition, chosen, other = node.args
            zero = dag.const(0)
            cotangents.add(chosen, dag.call(WHERE, condition, cotangent, zero), node)
            cotangents.add(other, dag.call(WHERE, condition, zero, cotangent), node)
            continue
        if node.reduction:
            through = functools.partial(_through_reduction, dag, node)
            cotangents.add(node.args[0], cotangents.of_rows(cotangent, through), node)
            continue
        for arg, partial in _partials(dag, node):
            cotangents.add(arg, cotangents.scaled(cotangent, partial), node)
    return cotangents.of


def _through_reduction(dag: Dag, node: Node, cotangent: Node) -> Node:
    """The cotangent of the elements that are reduced."""
    row = node.reduction
    assert row is not None
    assert row.gradient is not None
    names = dict(zip(row.params, node.args, strict=True), out=node, g=cotangent)
    return dag.build(row.gradient, names)


def _partials(dag: Dag, node: Node) -> Iterable[tuple[Node, Node]]:
    """The arguments of a call that a gradient passes to, each with the local derivative."""
    if node.function is None:
        yield from ((node.args[k], dag.const(1)) for k in _ways(node))
        return
    names = dict(zip(node.function.params, node.args, strict=True), out=node)
    for arg, derivative in zip(node.args, node.function.derivatives, strict=True):
        if derivative is not None and arg.kind != "const":
            yield arg, dag.build(derivative, names)
