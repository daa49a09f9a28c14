"""Statements of a pass: they compute each value once, in short lines, as the formulas do."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import mpmath
import pytest
from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Pass, build_graph
from fusewise.graph.steps import MAX_OPERATORS
from fusewise.language.formula import parse_formula
from fusewise.language.functions import ROWS
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.numeric.points import evaluate
from fusewise.pipeline import compile_spec
from fusewise.plan.kernels import plan_kernels
from fusewise.plan.specialize import Specialization
from fusewise.plan.statements import KernelPlan, Statements
from repository import POINTWISE, SPECS, compiled

# Further formulas, each with one difficulty.
TEXTS = {
    "long sum": "a * b + c * d + a / b + c / d + (a - b) * (c - d) + a * d",
    "long choice": "where(a * b + c > d * d - a, a * b * c * d - 1, (a + b) * (c + d) * (a - d))",
    "deep call": "exp(a * b + c * d + a * c) / hypot(a * b - c * d, a + b + c + d)",
    "shared": "(a + b) * (a + b) * exp(a + b) + c * d - exp(a + b)",
    "composite": "gelu(a) + mish(b) + silu(c * d) + softplus(a) + gelu_tanh(a)",
    "twice the same": "maximum(a, b) + maximum(b, a) + c + d",
    "digits": "expm1(a) * exp2(b) + expm1(c) * exp2(d)",
}


def spec_of(out: str, inputs: str = "a b c d", let: Mapping[str, str] | None = None) -> Spec:
    text = "op: f\ndoc: A test.\ninputs:\n"
    text += "".join(f"  {name}: tensor\n" for name in inputs.split())
    if let:
        text += "let:\n" + "".join(f"  {name}: {formula}\n" for name, formula in let.items())
    return parse_spec(f"{text}outputs:\n  out: {out}\n", "f.yaml")


def forward_of(out: str, inputs: str = "a b c d", let: Mapping[str, str] | None = None) -> Pass:
    return build_graph(spec_of(out, inputs, let))


@functools.cache
def named_passes(name: str) -> tuple[Pass, ...]:
    """The passes of the default choice of an op, or of a formula above."""
    op = compile_spec(spec_of(TEXTS[name])) if name in TEXTS else compiled(name)
    return op.variants[0].passes


@pytest.fixture
def source(request: pytest.FixtureRequest) -> Pass:
    """A pass by the name of its formula or op, and its order."""
    name, order = request.param
    return named_passes(name)[order]


def has_gradient(name: str) -> bool:
    spec = SPECS.get(name)
    return spec is None or any(output.is_differentiable(spec.inputs) for output in spec.outputs)


each_pass = pytest.mark.parametrize(
    "source",
    [
        pytest.param((name, order), id=f"{name}, {shown}")
        for name in (*TEXTS, *POINTWISE)
        for order, shown in enumerate(("forward", "backward", "double_backward"))
        if order == 0 or has_gradient(name)
    ],
    indirect=True,
)


def statements(plan: KernelPlan) -> tuple[Statements, Statements]:
    return plan.kernel, plan.decomposition


def line(node: Node, names: Mapping[Node, str]) -> Iterator[Node]:
    """The calls of one line; reads, params, constants and named steps end it."""
    yield node
    for arg in node.args:
        if arg not in names and arg.kind == "call":
            yield from line(arg, names)


def lines(stated: Statements) -> list[list[Node]]:
    names = {node: name for name, node in stated.steps}
    unnamed = [node for node in stated.writes if node not in names and node.kind == "call"]
    return [list(line(node, names)) for node in [*names, *unnamed]]


@each_pass
def test_each_value_is_computed_once(source: Pass) -> None:
    for stated in statements(plan_kernels([source])[0]):
        computed = Counter(node for calls in lines(stated) for node in calls)
        constants = {
            node for node in computed if node.args[0].kind == "const" and node.name == "neg"
        }
        assert all(computed[node] == 1 for node in computed if node not in constants)
        assert set(computed) == {node for node in stated.used if node.kind == "call"}


@each_pass
def test_a_step_uses_those_before_it_and_is_used(source: Pass) -> None:
    for stated in statements(plan_kernels([source])[0]):
        names = {node: name for name, node in stated.steps}
        done: set[Node] = set()
        used = set(stated.writes)
        for _, node in stated.steps:
            for call in line(node, names):
                assert all(arg in done for arg in call.args if arg in names)
                used.update(call.args)
            done.add(node)
        used.update(arg for calls in lines(stated) for call in calls for arg in call.args)
        assert done <= used


@each_pass
def test_names_are_unique_and_free(source: Pass) -> None:
    plan = plan_kernels([source])[0]
    taken = [node.name for node in (*plan.reads, *plan.params)]
    for stated in statements(plan):
        names = [name for name, _ in stated.steps] + taken
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


@each_pass
def test_lines_are_short(source: Pass) -> None:
    for stated in statements(plan_kernels([source])[0]):
        assert max(map(len, lines(stated)), default=0) <= MAX_OPERATORS


@each_pass
def test_a_kernel_calls_what_the_target_has(source: Pass) -> None:
    plan = plan_kernels([source])[0]
    for node in plan.kernel.used:
        if node.kind == "call" and node.name in ROWS:
            assert ROWS[node.name].body is None, node.name
    for node in plan.decomposition.used:
        if node.kind == "call" and node.name in ROWS:
            assert isinstance(ROWS[node.name].aten, str), node.name


@each_pass
def test_statements_have_the_values_of_the_formulas(source: Pass) -> None:
    plan = plan_kernels([source])[0]
    leaves = [n for n in topological(source.roots) if n.kind in ("input", "param")]
    with mpmath.workdps(40):
        point = {n: mpmath.mpf(3 + 5 * i % 7) / 4 for i, n in enumerate(leaves)}
        names = {node.name: value for node, value in point.items()}
        for stated in statements(plan):
            found = evaluate(
                list(stated.writes),
                {n: names[n.name] for n in stated.used if n.kind in ("input", "param")},
            )
            right = evaluate(list(source.roots), point)
            for root, write in zip(source.roots, stated.writes, strict=True):
                assert abs(found[write] - right[root]) <= 1e-25 * (1 + abs(right[root])), root


@each_pass
def test_people_read_the_same_formulas(source: Pass) -> None:
    """Each printed line is a formula of the reads and earlier lines, with the same value."""
    leaves = [n for n in topological(source.roots) if n.kind in ("input", "param")]
    names = {node.name: node for node in leaves}
    written: list[Node] = []
    for text in source.lines():
        name, _, formula = text.partition(" = ")
        node = source.dag.build(parse_formula(formula), names)
        written.append(node)
        names[name] = node
    # compared as text, which shows long numbers with the digits of a double
    assert list(map(repr, written[-len(source.roots) :])) == list(map(repr, source.roots))


# Names


def test_lets_keep_their_names() -> None:
    forward = forward_of("gate * tanh(cell)", "a b", {"cell": "a * 2", "gate": "sigmoid(b)"})
    plan = plan_kernels([forward])[0]
    names = [name for name, _ in plan.kernel.steps]
    assert names[0] == "cell"
    assert "gate" in names


def test_a_let_that_is_an_input_or_a_number_needs_no_step() -> None:
    plan = plan_kernels([forward_of("same * two", "a", {"same": "a", "two": "1 + 1"})])[0]
    assert plan.kernel.steps == ()
    assert repr(plan.kernel.writes[0]) == "a * 2"


def test_a_user_s_name_is_never_taken() -> None:
    forward = forward_of("exp(a) * exp0 + exp1 + exp(exp(a))", "a exp0", {"exp1": "tanh(a)"})
    names = [name for name, _ in plan_kernels([forward])[0].kernel.steps]
    assert "exp0" not in names
    assert names.count("exp1") == 1
    assert {"exp2", "exp3"} <= set(names)


def test_people_read_no_name_twice() -> None:
    text = """op: f
doc: A test.
inputs: {a: tensor}
params: {exp0: float}
outputs: {out: exp(a) * exp0}
"""
    printed = build_graph(parse_spec(text, "f.yaml")).lines()
    assert printed == ["exp1 = exp(a)", "out = exp1 * exp0"]


def test_a_name_ending_in_a_digit_and_its_count_stay_apart() -> None:
    names = [name for name, _ in plan_kernels([forward_of(TEXTS["digits"])])[0].kernel.steps]
    assert {"expm1_0", "expm1_1", "exp2_0", "exp2_1"} <= set(names)


# Divisors


def test_a_divisor_that_is_the_same_in_a_row_is_shared() -> None:
    """A constant divisor is not shared, nor is the divisor of a row-invariant quotient."""
    out = "a / b / exp(b) + b / exp(b) + b / a + a / c + a / 3"
    forward = forward_of(out, "a b c")
    for row_scalars, expected in {
        (): set(),
        ("b",): {"div_shared(a, b)", "div_shared(div_shared(a, b), exp(b))"},
    }.items():
        specialization = Specialization(row_scalars=frozenset(row_scalars))
        used = plan_kernels([forward], [specialization])[0].kernel.used
        assert {repr(node) for node in used if node.name == "div_shared"} == expected


# Surrogates


def test_what_only_autograd_sees_is_no_work_of_a_kernel() -> None:
    forward = forward_of("straight_through(round(a), a * b) + stop_grad(a)", "a b")
    plan = plan_kernels([forward])[0]
    names = {node.name for node in plan.kernel.used if node.kind == "call"}
    assert names == {"round", "add"}
    decomposition = {node.name for node in plan.decomposition.used if node.kind == "call"}
    assert decomposition == {"straight_through", "round", "mul", "stop_grad", "add"}


def test_traffic_counts_what_is_read_and_written() -> None:
    plan = plan_kernels([forward_of("straight_through(round(a), b)", "a b")])[0]
    assert str(plan).startswith("forward: 1 read and 1 written for each element\n")
