"""Stage graph: a `Spec` becomes the forward `Pass`, formulas over one hash-consed expression DAG."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from fusewise.formula import Call, Expr, Name, Number, format_expr
from fusewise.primitives import PRIMITIVES, Primitive
from fusewise.spec import Spec

CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
COMMUTATIVE = frozenset({"add", "mul", "eq", "ne", "minimum", "maximum", "hypot", "logaddexp"})


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One value. Nodes of a `Dag` are equal exactly when they are the same object."""

    kind: str  # input, param, const or call
    name: str  # of the input, param or primitive; empty for a constant
    args: tuple[Node, ...] = ()
    value: Fraction | float | None = None  # of a constant; float for inf, nan and pi only
    type: str = "float"  # float, int, bool or number
    index: int = 0  # in order of creation: arguments come before what uses them

    @property
    def is_zero(self) -> bool:
        return self.kind == "const" and self.value == 0

    def __repr__(self) -> str:
        return format_expr(to_expr(self))


@dataclass(eq=False, slots=True)
class Dag:
    """Makes nodes, each distinct expression once, with identities that keep every value, a zero's sign aside."""

    _nodes: dict[tuple, Node] = field(default_factory=dict)

    def input(self, name: str, type: str = "float") -> Node:
        return self._make("input", name, type=type)

    def param(self, name: str, type: str) -> Node:
        return self._make("param", name, type=type)

    def const(self, value: Fraction | float | int) -> Node:
        if isinstance(value, int):
            value = Fraction(value)
        return self._make("const", "", value=value)

    def call(self, name: str, *args: Node) -> Node:
        """The primitive `name` of `args`, folded where the result is the same for every value."""
        fold = _IDENTITIES.get(name)
        if fold is not None:
            folded = fold(self, *args)
            if folded is not None:
                return folded
        if name in COMMUTATIVE and ("call", name, _ids(args[::-1])) in self._nodes:
            args = args[::-1]
        return self._make("call", name, args, type=_result_type(name, args))

    def build(self, expr: Expr, names: Mapping[str, Node]) -> Node:
        """The node of a parsed formula whose names stand for the given nodes."""
        if isinstance(expr, Number):
            return self.const(expr.value)
        if isinstance(expr, Name):
            return names[expr.id] if expr.id in names else self.const(CONSTANTS[expr.id])
        args = [self.build(arg, names) for arg in expr.args]
        if expr.function in PRIMITIVES:
            primitive = PRIMITIVES[expr.function]
            missing = len(primitive.params) - len(args)
            if missing:
                args += [self.build(default, {}) for default in primitive.defaults[-missing:]]
        return self.call(expr.function, *args)

    def _make(
        self,
        kind: str,
        name: str,
        args: tuple[Node, ...] = (),
        value: Fraction | float | None = None,
        type: str = "float",
    ) -> Node:
        key = (kind, name, _ids(args)) if kind != "const" else (kind, repr(value))
        if key not in self._nodes:
            self._nodes[key] = Node(kind, name, args, value, type, len(self._nodes))
        return self._nodes[key]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor that a pass reads or writes: one part, or several packed along its last dimension.

    `parts` of a read are input nodes, of a write the formulas. `like` names the read whose shape,
    strides and dtype a write takes (a gradient); `of` the tensor of the pass before that it is the
    gradient of.
    """

    name: str
    parts: tuple[Node, ...]
    part_names: tuple[str, ...]
    layout: str | None = None  # chunked or interleaved when packed
    dtype: str = "float"  # float, int, bool or number; a write may carry a fixed dtype
    default: Fraction | float | None = None  # what an absent tensor reads as
    like: str | None = None
    of: str | None = None

    @property
    def differentiable(self) -> bool:
        return self.dtype in ("float", "number")


@dataclass(frozen=True, slots=True)
class Pass:
    """Forward, backward or double backward: writes as formulas of reads and params."""

    name: str
    dag: Dag
    reads: tuple[Tensor, ...]
    params: tuple[Node, ...]
    writes: tuple[Tensor, ...]
    lets: tuple[tuple[str, Node], ...] = ()
    rewrites: tuple[str, ...] = ()  # the rules that simplify applied, for people

    @property
    def roots(self) -> tuple[Node, ...]:
        return tuple(part for tensor in self.writes for part in tensor.parts)

    def __str__(self) -> str:
        lines = [f"  {name} = {node!r}" for name, node in self.lets]
        for tensor in self.writes:
            pairs = zip(tensor.part_names, tensor.parts, strict=True)
            lines += [f"  {name} = {node!r}" for name, node in pairs]
        return "\n".join([f"{self.name}:", *lines])


def build_graph(spec: Spec) -> Pass:
    """The forward pass of a checked spec; raises nothing that `load_spec` lets through."""
    dag = Dag()
    reads = []
    for entry in spec.inputs:
        names = entry.parts or (entry.name,)
        nodes = tuple(dag.input(name, entry.dtype) for name in names)
        default = entry.default.value if entry.default is not None else None
        reads.append(Tensor(entry.name, nodes, names, entry.layout, entry.dtype, default))
    params = tuple(dag.param(param.name, param.type) for param in spec.params)
    names = {node.name: node for node in (*params, *(p for t in reads for p in t.parts))}
    lets = []
    for step in spec.let:
        names[step.name] = dag.build(step.formula, names)
        lets.append((step.name, names[step.name]))
    integer = all(tensor.dtype in ("int", "bool") for tensor in reads)
    plain = "number" if any(t.dtype == "number" for t in reads) else "int" if integer else "float"
    writes = []
    for output in spec.outputs:
        nodes = tuple(dag.build(part, names) for part in output.parts)
        dtype = output.dtype or ("bool" if nodes[0].type == "bool" else plain)
        writes.append(
            Tensor(output.name, nodes, part_names(output.name, len(nodes)), output.layout, dtype)
        )
    return Pass("forward", dag, tuple(reads), params, tuple(writes), tuple(lets))


def part_names(name: str, count: int) -> tuple[str, ...]:
    """How the parts of a packed output are called: `out_0`, `out_1`; a plain one keeps its name."""
    return (name,) if count == 1 else tuple(f"{name}_{i}" for i in range(count))


def topological(roots: Iterable[Node], stop: Container[Node] = ()) -> list[Node]:
    """Every node that the roots need, arguments first; what lies below `stop` is left out."""
    seen: dict[Node, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            if node not in stop:
                stack += node.args
    return sorted(seen, key=lambda node: node.index)


def rebuild(
    dag: Dag,
    roots: Iterable[Node],
    rewrite: Callable[[Node], Node | None] = lambda node: None,
    known: Mapping[Node, Node] | None = None,
) -> dict[Node, Node]:
    """Every needed node mapped to its copy: `known` ones as given, others as `rewrite` leaves them.

    `rewrite` sees a call whose arguments are copies already; None keeps it.
    """
    done = dict(known or {})
    for node in topological(roots, stop=known or {}):
        if node in done:
            continue
        copy = dag.call(node.name, *(done[arg] for arg in node.args)) if node.args else node
        done[node] = rewrite(copy) or copy
    return done


def expand(
    dag: Dag, roots: Iterable[Node], form: Callable[[Primitive], Expr | None]
) -> dict[Node, Node]:
    """Every needed node in functions without a `form`, those with one replaced by it."""

    def lower(node: Node) -> Node:
        if node.kind != "call" or node.name not in PRIMITIVES:
            return node
        primitive = PRIMITIVES[node.name]
        body = form(primitive)
        if body is None:
            return node
        root = dag.build(body, dict(zip(primitive.params, node.args, strict=True)))
        return rebuild(dag, [root], lower, {arg: arg for arg in node.args})[root]

    return rebuild(dag, roots, lower)


def to_expr(node: Node) -> Expr:
    """The formula of a node, for people."""
    if node.kind == "const":
        if isinstance(node.value, Fraction):
            if node.value.denominator != 1 and not _is_decimal(node.value):
                args = (
                    Number(Fraction(node.value.numerator)),
                    Number(Fraction(node.value.denominator)),
                )
                return Call("div", args)
            return Number(node.value)
        return Name(next(k for k, v in CONSTANTS.items() if repr(v) == repr(node.value)))
    if node.kind != "call":
        return Name(node.name)
    return Call(node.name, tuple(to_expr(arg) for arg in node.args))


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    return rest == 1


def _ids(args: tuple[Node, ...]) -> tuple[int, ...]:
    return tuple(arg.index for arg in args)


def _result_type(name: str, args: tuple[Node, ...]) -> str:
    if name in PRIMITIVES and PRIMITIVES[name].result == "bool":
        return "bool"
    if name == "where":
        args = args[1:]
    types = {arg.type for arg in args if arg.kind != "const"}
    if types == {"bool"}:
        return "bool" if name == "where" else "float"
    return "float" if "float" in types or not types else next(iter(types - {"bool"}))


def _numbers(*args: Node) -> Iterator[Fraction]:
    for arg in args:
        if arg.kind == "const" and isinstance(arg.value, Fraction):
            yield arg.value


def _add(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y):
            return dag.const(x + y)
    if a.is_zero:
        return b
    if b.is_zero:
        return a
    if b.kind == "call" and b.name == "neg":
        return dag.call("sub", a, b.args[0])
    if a.kind == "call" and a.name == "neg":
        return dag.call("sub", b, a.args[0])
    return None


def _sub(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y):
            return dag.const(x - y)
    if b.is_zero:
        return a
    if a.is_zero:
        return dag.call("neg", b)
    if b.kind == "call" and b.name == "neg":
        return dag.call("add", a, b.args[0])
    return None


def _mul(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y):
            return dag.const(x * y)
    for factor, other in ((a, b), (b, a)):
        if factor.kind == "const" and factor.value == 1:
            return other
        if factor.kind == "const" and factor.value == -1:
            return dag.call("neg", other)
        if factor.kind == "call" and factor.name == "neg":
            return dag.call("neg", dag.call("mul", factor.args[0], other))
    return None


def _div(dag: Dag, a: Node, b: Node) -> Node | None:
    match tuple(_numbers(a, b)):
        case (x, y) if y != 0:
            return dag.const(x / y)
    if b.kind == "const" and b.value == 1:
        return a
    if a.kind == "call" and a.name == "neg":
        return dag.call("neg", dag.call("div", a.args[0], b))
    return None


def _neg(dag: Dag, a: Node) -> Node | None:
    for x in _numbers(a):
        return dag.const(-x)
    if a.kind == "const" and a.value == math.inf:
        return None
    return a.args[0] if a.kind == "call" and a.name == "neg" else None


def _pow(dag: Dag, a: Node, b: Node) -> Node | None:
    if b.kind != "const":
        return None
    if b.value == 0:
        return dag.const(1)
    if b.value == 1:
        return a
    if b.value == 2:
        return dag.call("mul", a, a)
    if b.value == 3:
        return dag.call("mul", dag.call("mul", a, a), a)
    if b.value == Fraction(1, 2):
        return dag.call("sqrt", a)
    if b.value == -1:
        return dag.call("div", dag.const(1), a)
    return None


def _where(dag: Dag, c: Node, a: Node, b: Node) -> Node | None:
    return a if a is b else None


def _not(dag: Dag, a: Node) -> Node | None:
    return a.args[0] if a.kind == "call" and a.name == "logical_not" else None


_IDENTITIES: dict[str, Callable[..., Node | None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "pow": _pow,
    "where": _where,
    "logical_not": _not,
}
