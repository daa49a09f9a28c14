"""The body of an op that calls other ops."""

from __future__ import annotations

from fusewise.emit.compose import ComposeView, compose_view
from fusewise.language.spec import parse_spec


def view_of(compose: str, *callees: str) -> ComposeView:
    spec = parse_spec(f"op: both\ninputs: {{x: tensor}}\n{compose}\n")
    assert spec.compose is not None
    ops = {op.name: op for op in map(parse_spec, callees)}
    return compose_view(spec.compose, [tensor.name for tensor in spec.inputs], ops)


def callee(op: str, outputs: str = "{out: x + 1}") -> str:
    return f"op: {op}\ninputs: {{x: tensor}}\noutputs: {outputs}\n"


def test_each_callee_has_a_constant_of_its_own() -> None:
    compose = "compose: {a: gate_1(x), b: gate1(a), c: gate_1(b)}\noutputs: [c]"
    view = view_of(compose, callee("gate_1"), callee("gate1"))
    assert view.callees == (("kGate1", "gate_1"), ("kGate1_", "gate1"))
    calls = [line.split("call_op(")[1].split(",")[0] for line in view.lines if "call_op" in line]
    assert calls == ["kGate1", "kGate1_", "kGate1"]


def test_the_results_of_a_step_have_no_name_of_the_spec() -> None:
    compose = 'compose: {step1: one(x), "p, q": two(step1)}\noutputs: [p, q]'
    view = view_of(compose, callee("one"), callee("two", "{a: x + 1, b: x + 2}"))
    assert "const std::vector<Tensor> step1_ = call_op(kTwo, decompose, {step1});" in view.lines
    assert "const Tensor& p = step1_[0];" in view.lines


def test_no_constant_has_the_name_of_the_registration() -> None:
    view = view_of("compose: {a: registration(x)}\noutputs: [a]", callee("registration"))
    assert view.callees == (("kRegistration_", "registration"),)


def test_a_dimension_may_count_from_the_end() -> None:
    view = view_of("compose: {a: 'cat([x, x], -1)'}\noutputs: [a]")
    assert "const Tensor a = at::cat({x, x}, -1);" in view.lines
