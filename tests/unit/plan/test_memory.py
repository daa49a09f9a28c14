"""A pass saves no intermediate value, and its derivatives are right for every choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
import pytest
from fusewise.derive.autodiff import differentiate
from fusewise.derive.simplify import simplify
from fusewise.graph.dag import topological
from fusewise.graph.passes import Pass, build_graph
from fusewise.language.errors import NOWHERE, SpecError
from fusewise.language.formula import INDEX, Name
from fusewise.language.model import Save
from fusewise.language.spec import parse_spec
from fusewise.numeric.points import evaluate
from fusewise.plan.memory import ELEMENT_COST, MemoryPlan, check_save, plan_memory
from fusewise.plan.statements import used_by
from repository import PLAIN, SPECS, compiled


def forward_of(outputs: str, inputs: str = "x") -> Pass:
    lines = [name if ":" in name else f"{name}: tensor" for name in inputs.split("; ")]
    text = "op: f\ndoc: A test.\ninputs:\n" + "".join(f"  {line}\n" for line in lines)
    text += "outputs:\n" + "".join(f"  {line}\n" for line in outputs.split("; "))
    return simplify(build_graph(parse_spec(text, "f.yaml")))


def plan(forward: Pass) -> MemoryPlan:
    return plan_memory(forward, simplify(differentiate(forward)))


def spec_plan(name: str) -> MemoryPlan:
    return plan(simplify(build_graph(SPECS[name])))


def kept(chosen: MemoryPlan) -> set[str]:
    return {*chosen.chosen.inputs, *chosen.chosen.outputs}


def pin(*names: str) -> Save:
    return Save(tuple(Name(name) for name in names), NOWHERE)


def values(source: Pass, env: Mapping[str, Any]) -> dict[str, Any]:
    nodes = topological(source.roots)
    found = evaluate(list(source.roots), {n: env[n.name] for n in nodes if n.kind == "input"})
    names = [name for tensor in source.writes for name in tensor.part_names]
    return dict(zip(names, map(found.__getitem__, source.roots), strict=True))


# Saved tensors


@pytest.mark.parametrize(
    ("outputs", "inputs", "names"),
    [
        ("out: exp(x)", "x", {"out"}),
        ("out: sqrt(x)", "x", {"out"}),
        ("out: sin(x)", "x", {"x"}),
        ("out: relu(x)", "x", {"out"}),
        ("out: x * y", "x; y", {"x", "y"}),
        ("out: exp(x) * y", "x; y", {"x", "y"}),
        ("out: exp(x + y)", "x; y", {"out"}),
        ("out: x + y", "x; y", set()),
        ("out: round(x) - 3 * y", "x; y", set()),
        ("out: where(m, x, y)", "x; y; m: bool tensor", {"m"}),
        ("e: exp(x); s: sqrt(y)", "x; y", {"e", "s"}),
        ("e: exp(x); twin: exp(x)", "x", {"e"}),
    ],
)
def test_what_is_kept(outputs: str, inputs: str, names: set[str]) -> None:
    assert kept(plan(forward_of(outputs, inputs))) == names


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("swiglu", {"x", "y"}),
        ("elementwise_mult", {"a", "b"}),
        ("lltm_cell", {"gates", "new_cell"}),
        ("bias_gelu", {"x", "bias"}),
        ("addone", set()),
        ("round_ste", set()),
    ],
)
def test_what_the_specs_keep(spec: str, names: set[str]) -> None:
    assert kept(spec_plan(spec)) == names


@pytest.mark.parametrize(
    ("outputs", "inputs"),
    [
        ("out: x > 0; value: x * x", "x"),
        ("out: {formula: x > 0, dtype: bool}; value: exp(x) * where(x > 0, x, 1)", "x"),
    ],
)
def test_an_output_of_another_type_is_never_kept(outputs: str, inputs: str) -> None:
    assert "out" not in kept(plan(forward_of(outputs, inputs)))


def test_a_gradient_which_may_have_been_summed_is_never_kept() -> None:
    """The derivative of the backward of exp(x) does not read grad_x = grad_out * out again."""
    backward = plan(forward_of("out: exp(x) * exp(y)", "x; y")).derivative
    double = plan(backward)
    assert double.chosen.outputs == ()
    assert double.rejected == ()


def test_each_gradient_keeps_what_its_formula_reads() -> None:
    for outputs, inputs, kept_for in (
        ("out: x * y", "x; y", {"grad_x": ("y",), "grad_y": ("x",)}),
        ("out: x + y * z", "x; y; z", {"grad_x": (), "grad_y": ("z",), "grad_z": ("y",)}),
        ("out: exp(x) * y", "x; y", {"grad_x": ("x", "y"), "grad_y": ("x",)}),
        ("out: y * exp(x); e: exp(x)", "x; y", {"grad_x": ("y", "e"), "grad_y": ("e",)}),
        ("out: where(m, x, y)", "x; y; m: bool tensor", {"grad_x": ("m",), "grad_y": ("m",)}),
    ):
        assert plan(forward_of(outputs, inputs)).kept_for == kept_for
    backward = plan(forward_of("out: x * y", "x; y")).derivative
    assert plan(backward).kept_for == {
        "grad_grad_out": ("x", "y"),
        "grad_x": ("grad_out",),
        "grad_y": ("grad_out",),
    }
    assert "  for grad_x alone: nothing" in str(plan(forward_of("out: x + y * z", "x; y; z")))


@pytest.mark.parametrize("op", PLAIN)
def test_statements_read_what_their_gradient_keeps_and_no_more(op: str) -> None:
    """Forms for kernels and for ATen may differ from the formula, but they read the same."""
    for variant in compiled(op).variants:
        for source, kernels in zip(variant.passes[1:], variant.kernels[1:], strict=True):
            parts = [write for write in source.writes for _ in write.parts]
            for statements in (kernels.kernel, kernels.decomposition):
                for write, node in zip(parts, statements.writes, strict=True):
                    known = {part for read in source.reads_of(write) for part in read.parts}
                    used = used_by([node]).intersection(kernels.reads)
                    assert {read for read in used if read.name not in kernels.kept.names} <= known


def test_a_packed_output_is_kept_with_all_its_parts() -> None:
    forward = forward_of("out: {pack: [exp(x + y), sqrt(x * y)], layout: interleaved}", "x; y")
    chosen = plan(forward)
    with_output = next(a for a in (chosen.chosen, *chosen.rejected) if a.outputs)
    assert with_output.outputs == ("out",)
    assert with_output.elements == 2 + len(with_output.inputs)


def test_alternatives_are_listed_with_bytes_and_cost() -> None:
    chosen = plan(forward_of("out: tanh(exp(x)); e: exp(x)"))
    assert (
        str(chosen)
        == """\
backward:
   float32  bfloat16  held  instructions  total  keeps
*      4 B       2 B   0 B            28     55  e
       4 B       2 B   4 B            38     65  x
  x would read as much and take 10 more instructions; 4 B weigh 27"""
    )
    totals = [alternative.total for alternative in chosen.rejected]
    assert totals == sorted(totals)
    assert chosen.chosen.total <= totals[0]
    for alternative in (chosen.chosen, *chosen.rejected):
        assert alternative.total == ELEMENT_COST * alternative.elements + alternative.cost


@pytest.mark.parametrize(
    ("outputs", "save", "names"),
    [
        ("out: exp(x + y)", ["x", "y"], {"x", "y"}),
        ("out: exp(x + y)", ["out"], {"out"}),
        ("out: exp(x * y)", ["y", "x"], {"x", "y"}),
        ("out: exp(x * y)", ["x", "y", "out"], {"x", "y", "out"}),
        ("out: x + y", [], set()),
        ("out: exp(x + y); twin: exp(x + y)", ["twin"], {"twin"}),
        ("out: exp(x + y); twin: exp(x + y)", ["out"], {"out"}),
    ],
)
def test_a_pin_is_what_is_kept(outputs: str, save: list[str], names: set[str]) -> None:
    forward = forward_of(outputs, "x; y")
    derivative = simplify(differentiate(forward))
    chosen = plan_memory(forward, derivative, pin(*save))
    assert chosen.pinned
    assert kept(chosen) == names
    own = plan_memory(forward, derivative)
    assert own.chosen == chosen.chosen or own.chosen in chosen.rejected
    with mpmath.workdps(50):
        env = point_of(forward)
        assert_same(values(derivative, env), values(chosen.derivative, env))


def test_a_tensor_pinned_in_vain_is_told_unless_a_variant_uses_it() -> None:
    save = pin("x", "y")
    plans = [
        plan_memory(forward, simplify(differentiate(forward)), save)
        for forward in (forward_of("out: sin(x) + y", "x; y"), forward_of("out: x * y", "x; y"))
    ]
    check_save(save, plans)
    with pytest.raises(SpecError, match="the backward has no use for 'y'"):
        check_save(save, plans[:1])


@pytest.mark.parametrize("op", PLAIN)
def test_the_derivative_reads_what_is_kept_and_no_more(op: str) -> None:
    forward = simplify(build_graph(SPECS[op]))
    chosen = plan(forward)
    known = {*(t.name for t in forward.reads), *(t.name for t in forward.writes)}
    read = {t.name for t in chosen.derivative.reads if not t.name.startswith("grad_")}
    assert read == kept(chosen) <= known
    reachable = set(topological(chosen.derivative.roots))
    parts = {part for tensor in chosen.derivative.reads for part in tensor.parts}
    assert {n for n in reachable if n.kind == "input" and n.name != INDEX} <= parts


# Derivatives through saved tensors

CASES = [
    ("out: exp(x)", "x"),
    ("out: sqrt(x)", "x"),
    ("out: exp(x * y)", "x; y"),
    ("out: rsqrt(x * x + y * y)", "x; y"),
    ("e: exp(x + y); s: sqrt(x * y)", "x; y"),
    ("cell: y + sigmoid(x) * z; h: tanh(y + sigmoid(x) * z) * sigmoid(z)", "x; y; z"),
    ("e: exp(x); t: tanh(exp(x)) * y", "x; y"),
    ("out: {pack: [exp(x + y), rsqrt(x * y)], layout: chunked}; plain: cbrt(x)", "x; y"),
]
POINT = {"x": 0.7, "y": 1.3, "z": 0.4}


def point_of(forward: Pass) -> dict[str, Any]:
    point = {name: mpmath.mpf(POINT[name]) for t in forward.reads for name in t.part_names}
    arriving = {}
    for index, name in enumerate(n for tensor in forward.writes for n in tensor.part_names):
        arriving[f"grad_{name}"] = mpmath.mpf(index + 2) / 3
    for index, name in enumerate(point):
        arriving[f"grad_grad_{name}"] = mpmath.mpf(index + 5) / 7
    return {**point, **arriving, **values(forward, point)}


@pytest.mark.parametrize(("outputs", "inputs"), CASES)
def test_the_derivative_is_the_same_when_outputs_are_fed(outputs: str, inputs: str) -> None:
    forward = forward_of(outputs, inputs)
    derivative = differentiate(forward)
    with mpmath.workdps(50):
        env = point_of(forward)
        direct, through = (values(source, env) for source in (derivative, plan(forward).derivative))
        assert_same(direct, through)


@pytest.mark.parametrize(("outputs", "inputs"), CASES)
def test_the_double_backward_through_a_kept_output(outputs: str, inputs: str) -> None:
    """The total derivative is the direct one plus the one through each saved output."""
    forward = forward_of(outputs, inputs)
    plain = differentiate(forward)
    chosen = plan(forward)
    assert any(plan_.outputs for plan_ in (chosen.chosen, *chosen.rejected))
    with mpmath.workdps(50):
        env = point_of(forward)
        direct = values(differentiate(plain), env)
        double = plan(chosen.derivative).derivative
        total = values(double, env)
        names = [name for tensor in forward.writes for name in tensor.part_names]
        arriving = {f"grad_{name}": total.pop(f"grad_{name}", mpmath.mpf(0)) for name in names}
        for name, further in values(plain, {**env, **arriving}).items():
            total[name] = total.get(name, mpmath.mpf(0)) + further
        assert_same(direct, total)


def assert_same(left: Mapping[str, Any], right: Mapping[str, Any]) -> None:
    for name in left.keys() | right.keys():
        a, b = left.get(name, mpmath.mpf(0)), right.get(name, mpmath.mpf(0))
        assert abs(a - b) < mpmath.mpf(10) ** -25, (name, a, b)


def test_what_is_kept_is_differentiated_as_a_value_of_its_own() -> None:
    chosen = plan(forward_of("out: exp(x)"))
    assert [tensor.name for tensor in chosen.derivative.reads] == ["grad_out", "out"]
    double = differentiate(chosen.derivative)
    of = {write.name: repr(write.parts[0]) for write in double.writes}
    assert of == {"grad_grad_out": "grad_grad_x * out", "grad_out": "grad_grad_x * grad_out"}
