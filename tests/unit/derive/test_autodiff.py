"""Derivatives: against differences in many digits, at kinks, and across branches not taken."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import mpmath
import pytest
import torch
from fusewise.derive.autodiff import carry_surrogate, differentiate, mark_detached
from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Pass, build_graph
from fusewise.language.errors import SpecError
from fusewise.language.functions import ROWS, Function
from fusewise.language.spec import parse_spec
from fusewise.numeric.points import evaluate
from fusewise.pipeline import compile_spec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DIFFERENTIABLE = [row for row in ROWS.values() if any(row.derivatives)]
DIGITS, STEP = 60, mpmath.mpf(10) ** -20


def forward_of(outputs: str, inputs: str = "x", let: str = "", params: str = "") -> Pass:
    """The forward pass of `out: formula; ...`; an input is a tensor unless it says `name: what`."""
    sections = {
        "inputs": [name if ":" in name else f"{name}: tensor" for name in inputs.split("; ")],
        "params": params.split("; ") if params else [],
        "let": let.split("; ") if let else [],
        "outputs": outputs.split("; "),
    }
    text = "op: f\ndoc: A test.\n" + "".join(
        f"{name}:\n" + "".join(f"  {line}\n" for line in lines)
        for name, lines in sections.items()
        if lines
    )
    return build_graph(parse_spec(text, "f.yaml"))


def with_backward(backward: str, outputs: str, inputs: str = "x") -> tuple[Pass, Pass]:
    text = "op: f\ndoc: A test.\ninputs:\n"
    text += "".join(f"  {name}: tensor\n" for name in inputs.split("; "))
    text += f"outputs:\n  {outputs}\nbackward:\n  is: surrogate\n  {backward}\n"
    spec = parse_spec(text, "f.yaml")
    assert spec.backward
    forward = build_graph(spec)
    return forward, differentiate(forward, spec.backward.gradients)


def read_names(source: Pass) -> list[str]:
    return [name for tensor in source.reads for name in tensor.part_names]


def formulas(source: Pass) -> dict[str, Node]:
    return {
        name: part
        for tensor in source.writes
        for name, part in zip(tensor.part_names, tensor.parts, strict=True)
    }


def values(source: Pass, env: Mapping[str, Any]) -> dict[str, Any]:
    """What a pass writes, in mpmath; every branch is evaluated, as in a kernel."""
    nodes = topological(source.roots)
    point = {node: env[node.name] for node in nodes if node.kind in ("input", "param")}
    found = evaluate(list(source.roots), point)
    return {name: found[node] for name, node in formulas(source).items()}


def torch_values(source: Pass, env: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """What a pass writes, in PyTorch's own functions."""
    found: dict[Node, Any] = {}
    for node in topological(source.roots):
        args = [found[arg] for arg in node.args]
        if node.kind == "const":
            assert node.value is not None
            found[node] = torch.tensor(float(node.value), dtype=torch.float64)
        elif node.kind != "call":
            dtype = torch.bool if node.type == "bool" else torch.float64
            found[node] = torch.as_tensor(env[node.name], dtype=dtype)
        elif node.name == "where":
            found[node] = torch.where(*args)
        elif node.name == "stop_grad":
            found[node] = args[0].detach()
        elif node.name == "straight_through":
            found[node] = args[0].detach() + (args[1] - args[1].detach())
        else:
            found[node] = reference(ROWS[node.name], args)
    return {name: found[node] for name, node in formulas(source).items()}


def reference(row: Function, args: list[Any]) -> torch.Tensor:
    return eval(row.ref, {"torch": torch, **dict(zip(row.params, args, strict=True))})


def numbers(source: random.Random, names: list[str]) -> dict[str, Any]:
    return {name: mpmath.mpf(source.uniform(-2, 2)) for name in names}


def check_derivative(source: Pass, derivative: Pass, env: Mapping[str, Any]) -> None:
    """Each gradient is the sum of differences weighted by what arrives; an absent one is zero."""
    arriving = numbers(random.Random(1), [f"grad_{name}" for name in formulas(source)])
    found = values(derivative, {**env, **arriving})

    def total(env: Mapping[str, Any]) -> Any:
        written = values(source, env)
        return sum(arriving[f"grad_{name}"] * value for name, value in written.items())

    for tensor in source.reads:
        for name in tensor.part_names if tensor.differentiable else ():
            shifted = [total({**env, name: env[name] + step}) for step in (STEP, -STEP)]
            expected = (shifted[0] - shifted[1]) / (2 * STEP)
            gradient = found.get(f"grad_{name}", mpmath.mpf(0))
            bound = mpmath.mpf(10) ** -16 * (1 + abs(expected))
            assert abs(gradient - expected) < bound, (name, env, gradient, expected)


def check_both(forward: Pass, env: Mapping[str, Any]) -> None:
    backward = differentiate(forward)
    arriving = numbers(random.Random(2), [f"grad_{name}" for name in formulas(forward)])
    with mpmath.workdps(DIGITS):
        check_derivative(forward, backward, env)
        check_derivative(backward, differentiate(backward), {**env, **arriving})


# Any formula

UNARY = (
    *(
        "tanh({a})",
        "sigmoid({a})",
        "sin({a})",
        "softplus({a})",
        "exp(sin({a}))",
        "-{a}",
        "{a} ** 3",
    ),
    *("log(2 + cos({a}))", "sqrt(1 + square({a}))", "silu({a})", "gelu(sin({a}))", "erf({a})"),
    *("atan({a})", "abs({a})", "relu({a})", "elu(sin({a}), 1.5)", "asinh({a})", "mish(sin({a}))"),
    *("logsigmoid({a})", "rsqrt(2 + sin({a}))", "clamp({a}, -0.7, 0.6)", "hardswish({a})"),
    *("1 - tanh({a}) ** 2", "softsign({a})", "cbrt(2 + sin({a}))", "round({a}) + {a} ** 3"),
)
BINARY = (
    *("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / (1 + square({b}))", "maximum({a}, {b})"),
    *("minimum({a}, {b})", "logaddexp({a}, {b})", "atan2({a}, 2 + cos({b}))", "hypot({a}, 1)"),
    *("(1 + sigmoid({a})) ** sin({b})", "xlogy({a}, 2 + cos({b}))", "{a} * {b} - {b} * {b}"),
)
CHOICES = (
    "where({a} > {b}, {c}, {d})",
    "({c} if {a} < 0.5 and not {b} > 1 else {d})",
    "where({a} > 0, where({b} > 0, {c}, {d}), {c})",
)
LEAVES = st.sampled_from(["x", "y", "z", "0.5", "2"])


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def filled(templates: tuple[str, ...], holes: str) -> st.SearchStrategy[str]:
        parts = st.fixed_dictionaries({hole: inner.map("({})".format) for hole in holes})
        return st.builds(lambda t, p: t.format(**p), st.sampled_from(templates), parts)

    return filled(UNARY, "a") | filled(BINARY, "ab") | filled(CHOICES, "abcd")


FORMULAS = st.recursive(LEAVES, larger, max_leaves=6)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(first=FORMULAS, second=FORMULAS, third=FORMULAS, seed=st.integers(0, 1000))
def test_any_formula(first: str, second: str, third: str, seed: int) -> None:
    forward = forward_of(
        f"out: {second} * step + x * z; other: tanh(step) + {third}",
        "x; y; z",
        let=f"step: {first} + sin(y)",
    )
    check_both(forward, numbers(random.Random(seed), ["x", "y", "z"]))


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_every_primitive_alone(row: Function) -> None:
    differentiable = [name for name, d in zip(row.params, row.derivatives, strict=True) if d]
    others = [name for name in row.params if name not in differentiable]
    params = "; ".join(f"{name}: float" for name in others)
    plain = forward_of(f"out: {' + '.join(row.params)}", "; ".join(differentiable), params=params)
    nodes = {node.name: node for node in topological(plain.roots)}
    call = plain.dag.call(row.name, *(nodes[name] for name in row.params))
    forward = replace(plain, writes=(replace(plain.writes[0], parts=(call,)),))
    for shares in ((0.23, 0.61, 0.47), (0.81, 0.19, 0.83)):
        env = {
            name: mpmath.mpf(float(low) + share * float(high - low))
            for name, share, (low, high) in zip(row.params, shares, row.domain, strict=False)
        }
        env |= {name: mpmath.mpf(3) for name in others}
        check_both(forward, env)


# Kinks

# Points at the steps, edges and ties, where a choice was made.
KINKS = {
    "abs": [(0,)],
    "sign": [(0,), (2,)],
    "floor": [(1,), (0.5,)],
    "ceil": [(1,)],
    "trunc": [(-1,)],
    "round": [(0.5,), (1.5,)],
    "minimum": [(2, 2), (1, 2)],
    "maximum": [(2, 2), (1, 2)],
    "clamp": [(-1, -1, 1), (1, -1, 1), (2, -1, 1)],
    "relu": [(0,), (1,)],
    "relu6": [(0,), (6,)],
    "leaky_relu": [(0, 0.1)],
    "elu": [(0, 1)],
    "selu": [(0,)],
    "hardsigmoid": [(-3,), (3,)],
    "hardswish": [(-3,), (3,)],
    "hardtanh": [(-1, -1, 1), (1, -1, 1)],
    "softsign": [(0,)],
    "sqrt": [(0,)],
    "atan2": [(0, 1), (1, 0)],
    "pow": [(0, 0), (0, 2), (2, 0)],
    "xlogy": [(0, 2), (0, 0)],
    "logaddexp": [(1, 1)],
}


@pytest.mark.parametrize(
    ("name", "point"), [(name, point) for name, points in KINKS.items() for point in points]
)
def test_at_a_kink_as_pytorch(name: str, point: tuple[float, ...]) -> None:
    """The first argument's gradient, and the second's where there are two tensors."""
    row = ROWS[name]
    backward = differentiate(
        forward_of(f"out: {name}({', '.join(row.params)})", "; ".join(row.params))
    )
    leaves = [torch.tensor(float(v), dtype=torch.float64, requires_grad=True) for v in point]
    expected = torch.autograd.grad(reference(row, leaves), leaves, allow_unused=True)
    env = dict(zip(row.params, [leaf.detach() for leaf in leaves], strict=True))
    found = torch_values(backward, {**env, "grad_out": 1})
    for param, gradient in list(zip(row.params, expected, strict=True))[:2]:
        right = torch.zeros((), dtype=torch.float64) if gradient is None else gradient
        if not torch.isnan(right):  # PyTorch's NaN of xlogy at (0, 0): the table has a value
            torch.testing.assert_close(found[f"grad_{param}"], right)


# Branches not taken

# The formula, a point, and both derivatives in x there: those of the branch taken.
LEAKS = [
    ("where(x > 0, sqrt(x), x)", -1, 1, 0),
    ("where(x > 0, log(x), x * x)", -1, -2, 2),
    ("where(x > 0, log(x), x * x)", 0, 0, 2),
    ("where(x == 0, 1, 1 / x)", 0, 0, 0),
    ("where(x == 0, 1, sin(x) / x)", 0, 0, 0),
    ("x ** 1.5 if x > 0 else x ** 3", -2, 12, -12),
    ("where(x < 1, x * x, acosh(x))", 0.5, 1, 2),
    ("where(x < 700, x, exp(x * x))", 100, 1, 0),
    ("where(x > 0, where(x > 1, log(x - 1), sqrt(x)), 3 * x)", -1, 3, 0),
    ("where(x > 0, where(x > 1, log(x - 1), x * x), sqrt(-x))", 0.5, 1, 2),
    ("where(x > 0, sqrt(x) * log(x), 2)", -1, 0, 0),
    ("exp(where(x > 0, sqrt(x), x))", 0, 1, 1),
    ("sqrt(maximum(x, 0))", -1, 0, 0),
    ("log(minimum(x, -1) + 1)", 0, 0, 0),
    ("1 / clamp(x, 0, 1)", -1, 0, 0),
    ("tanh(where(x > 0, 1 / x, x)) * where(x > 0, 1 / x, 1)", 0, 1, 0),
    # One expression in several branches, of which none is taken.
    ("where(x > 0, sqrt(x), 0) + where(x > 1, sqrt(x), 0)", -1, 0, 0),
    ("where(x > 0, sqrt(x), 0) - where(x > 1, sqrt(x), x)", -1, -1, 0),
    ("where(x > 0, sqrt(x), 1) * where(x > 1, sqrt(x), x)", -1, 1, 0),
    ("where(x > 0, where(x > 5, 1, sqrt(x)), 0) + where(x > 5, sqrt(x), x)", -1, 1, 0),
    ("where(x > 0, log(x), x) + where(x < -5, log(x), x) + where(x > 9, log(x), x)", -1, 3, 0),
    ("relu(where(x > 0, sqrt(x), 0)) + abs(where(x > 1, sqrt(x), 0))", -1, 0, 0),
    # The halves of two choices meet in one: where(y > 0, where(x > 0, ...), ...).
    ("where(y > 0, where(x > 0, 0, sqrt(x)), 0) + where(x > 0, sqrt(x), x * x)", -1, -2, 2),
]


@pytest.mark.parametrize(("formula", "x", "first", "second"), LEAKS)
def test_a_branch_not_taken_leaks_nothing(
    formula: str, x: float, first: float, second: float
) -> None:
    forward = forward_of(f"out: {formula}", "x; y" if "y" in formula else "x")
    backward = differentiate(forward)
    double = differentiate(backward)
    env = {"x": x, "y": -1, "grad_out": 1, "grad_grad_x": 1, "grad_grad_y": 1}
    assert torch_values(backward, env)["grad_x"].item() == first
    found = torch_values(double, env)
    assert found["grad_grad_out"].item() == first
    assert found.get("grad_x", torch.zeros(())).item() == second


def test_an_infinite_incoming_gradient_of_a_branch_not_taken_stays_out() -> None:
    backward = differentiate(forward_of("out: where(m, x * 2, 0)", "x; m: bool tensor"))
    assert torch_values(backward, {"m": False, "grad_out": torch.inf})["grad_x"].item() == 0


def test_a_long_chain_of_kinks_is_quick_and_small() -> None:
    lets = "; ".join(f"l{i}: relu({f'l{i - 1}' if i else 'x'}) + 1" for i in range(1500))
    backward = differentiate(forward_of("out: l1499", let=lets))
    assert len(topological(backward.roots)) < 12 * 1500


def test_masks_of_shared_branches_do_not_multiply() -> None:
    lets = [
        f"l{i}: where(x > {i}, l{i - 1}, 0) + where(y > {i}, l{i - 1}, 0)" for i in range(1, 60)
    ]
    backward = differentiate(forward_of("out: l59", "x; y", let="; ".join(["l0: sqrt(x)", *lets])))
    assert len(topological(backward.roots)) < 60 * 15


# stop_grad and straight_through


def gradient(formula: str, inputs: str = "x", **env: float) -> dict[str, Any]:
    names = [name.partition(":")[0] for name in inputs.split("; ")]
    backward = differentiate(forward_of(f"out: {formula}", inputs))
    return values(backward, {**dict.fromkeys(names, 0.0), **env, "grad_out": 1})


def test_stop_grad_has_a_value_and_no_derivative() -> None:
    assert gradient("stop_grad(x * x) * x", x=3)["grad_x"] == 9
    assert gradient("stop_grad(x)", x=3)["grad_x"] == 0


def test_straight_through_has_the_derivative_of_its_carrier() -> None:
    assert gradient("straight_through(round(x), x * x)", x=3)["grad_x"] == 6
    found = gradient("straight_through(y, x)", "x; y", x=3, y=4)
    assert (found["grad_x"], found["grad_y"]) == (1, 0)


def test_the_double_backward_of_a_stopped_gradient() -> None:
    backward = differentiate(forward_of("out: stop_grad(x) * x"))
    double = differentiate(backward)
    assert set(formulas(double)) == {"grad_grad_out"}  # the gradient is stop_grad(x): constant
    # PyTorch says so as well
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x.detach() * x, x, create_graph=True)
    assert not first.requires_grad


# What is detached


def detached(source: Pass) -> set[str]:
    return {tensor.name for tensor in (*source.reads, *source.writes) if tensor.detached}


def detached_in_pytorch(source: Pass) -> set[str]:
    """The floating inputs whose gradient autograd leaves None, and the outputs without a graph."""
    leaves = {
        name: torch.tensor(0.3, dtype=torch.float64, requires_grad=tensor.differentiable)
        for tensor in source.reads
        for name in tensor.part_names
    }
    env = {**leaves, **{param.name: 0.7 for param in source.params}}
    found = torch_values(source, env)
    roots: list[torch.Tensor] = []
    names: set[str] = set()
    for tensor in source.writes:
        parts = [found[name] for name in tensor.part_names if tensor.differentiable]
        recorded = [part for part in parts if part.requires_grad]
        roots += recorded
        names |= {tensor.name} if parts and not recorded else set()
    for tensor in source.reads:
        parts = [leaves[name] for name in tensor.part_names if tensor.differentiable]
        found_grads = (
            torch.autograd.grad(roots, parts, allow_unused=True, retain_graph=True)
            if roots and parts
            else [None] * len(parts)
        )
        if parts and all(gradient is None for gradient in found_grads):
            names.add(tensor.name)
    return names


@pytest.mark.parametrize(
    ("outputs", "inputs", "expected"),
    [
        ("out: x * stop_grad(y)", "x; y", {"y"}),
        ("out: x * stop_grad(y) + y", "x; y", set()),
        ("out: where(y > 0, x, -x)", "x; y", {"y"}),
        ("out: 1.5 if x > 0 and not y < 1 else 2", "x; y", {"x", "y", "out"}),
        ("out: where(x > 0, x, 0) + where(isnan(y), z, 0)", "x; y; z", {"y"}),
        # Functions that have a derivative, which is zero.
        ("out: floor(x) + ceil(y) * trunc(z)", "x; y; z", set()),
        ("out: round(x) + sign(y) + z // 2", "x; y; z", set()),
        ("out: straight_through(round(x), y)", "x; y", {"x"}),
        ("out: straight_through(round(x), stop_grad(y)) + z", "x; y; z", {"x", "y"}),
        # In one output only it stays an input like any other; the output is detached by itself.
        ("out: x * y; weight: exp(stop_grad(x))", "x; y", {"weight"}),
        ("out: x * stop_grad(y); other: y", "x; y", set()),
        ("out: stop_grad(x * y)", "x; y", {"x", "y", "out"}),
        ("out: x; whole: {formula: y * 2, dtype: int8}", "x; y", {"y"}),
        ("out: x; close: y < x", "x; y", {"y"}),
        # Of a packed input one part is enough.
        ("out: a * stop_grad(b) * y", "x: {split: [a, b], layout: chunked}; y", set()),
        ("out: stop_grad(a + b) * y", "x: {split: [a, b], layout: chunked}; y", {"x"}),
        ("out: {pack: [stop_grad(x), y], layout: chunked}", "x; y", {"x"}),
        ("out: {pack: [stop_grad(x), 2], layout: chunked}; other: x", "x", {"out"}),
        ("out: y * i if m else y", "y; i: int tensor; m: bool tensor", set()),
    ],
)
def test_what_is_detached(outputs: str, inputs: str, expected: set[str]) -> None:
    forward = forward_of(outputs, inputs)
    assert detached(mark_detached(forward, None)) == expected
    if "tensor" not in inputs:
        assert detached_in_pytorch(forward) == expected


CUTTING = ("stop_grad({a})", "straight_through({a}, {b})", "floor({a})", "sign({a}) * {b}")


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(
    first=st.recursive(
        LEAVES,
        lambda inner: (
            larger(inner)
            | st.builds(
                lambda form, a, b: form.format(a=f"({a})", b=f"({b})"),
                st.sampled_from(CUTTING),
                inner,
                inner,
            )
        ),
        max_leaves=5,
    ),
    second=FORMULAS,
)
def test_what_is_detached_in_any_formula(first: str, second: str) -> None:
    outputs = f"out: {first} + sign(v); other: stop_grad({second}) + u; last: stop_grad(x + y + z)"
    forward = forward_of(outputs, "x; y; z; u; v")
    assert detached(mark_detached(forward, None)) == detached_in_pytorch(forward)


def compiled(text: str) -> tuple[Pass, ...]:
    (variant,) = compile_spec(parse_spec(f"op: f\n{text}", "f.yaml")).variants
    return variant.passes


def test_a_detached_input_has_no_gradient_to_write_nor_a_shape_to_keep() -> None:
    passes = compiled("inputs: {x: tensor, y: tensor}\noutputs: {out: x + tanh(stop_grad(y))}")
    _, backward, double = passes
    assert list(formulas(backward)) == ["grad_x"]
    assert [tensor.name for tensor in backward.shapes] == ["x"]
    assert read_names(double) == ["grad_grad_x", "grad_out"]


def test_an_op_of_detached_inputs_has_no_backward() -> None:
    assert len(compiled("inputs: {x: tensor}\noutputs: {out: stop_grad(x * x)}")) == 1
    text = "inputs: {x: tensor}\noutputs: {out: x * x}\nbackward: {is: surrogate, grad_x: 0}"
    (forward,) = compiled(text)
    assert detached(forward) == {"x", "out"}


def test_no_gradient_of_a_detached_output_is_read() -> None:
    _, backward, _ = compiled("inputs: {x: tensor}\noutputs: {out: x * x, w: stop_grad(x)}")
    assert read_names(backward) == ["grad_out", "x"]


@pytest.mark.parametrize(
    ("backward", "expected"),
    [
        ("is: surrogate, grad_x: grad_out * y", set()),
        ("is: surrogate, grad_x: 0", {"x"}),
        ("is: surrogate, grad_x: 0, grad_y: 0", {"x", "y", "out"}),
        ("is: surrogate, grad_x: 1, grad_y: 0", {"y"}),
        ("is: derivative, grad_y: 0", set()),  # zeros, as those of floor(y) are
    ],
)
def test_a_given_gradient_of_0_is_none_where_it_is_a_surrogate(
    backward: str, expected: set[str]
) -> None:
    text = "inputs: {x: tensor, y: tensor}\noutputs: {out: x + floor(y)}\nbackward: {%s}"
    forward, *derivatives = compiled(text % backward)
    assert detached(forward) == expected
    assert bool(derivatives) == ("out" not in expected)


def test_a_given_gradient_of_a_detached_input_is_compared() -> None:
    text = "inputs: {x: tensor, y: tensor}\noutputs: {out: x * stop_grad(y)}\nbackward: {%s}"
    forward, *_ = compiled(text % "is: derivative, grad_y: 0")
    assert detached(forward) == {"y"}
    with pytest.raises(SpecError, match="this is not the derivative"):
        compiled(text % "is: derivative, grad_y: grad_out * x")
    forward, backward, _ = compiled(text % "is: surrogate, grad_y: grad_out * x")
    assert not detached(forward)
    assert list(formulas(backward)) == ["grad_x", "grad_y"]


# Reads and writes of a pass


def test_packed_inputs_and_outputs() -> None:
    forward = forward_of(
        "out: {pack: [a * b, tanh(a) + c], layout: interleaved}; plain: a - c",
        "gates: {split: [a, b], layout: chunked}; c: tensor",
    )
    backward = differentiate(forward)
    assert [tensor.name for tensor in backward.reads] == ["grad_out", "grad_plain", "gates"]
    packed = backward.reads[0]
    assert packed.part_names == ("grad_out_0", "grad_out_1")
    assert packed.layout == "interleaved"
    assert backward.writes[0].part_names == ("grad_a", "grad_b")
    assert backward.writes[0].layout == "chunked"
    check_both(forward, numbers(random.Random(3), ["a", "b", "c"]))


def test_gradients_that_never_arrive_read_as_zero() -> None:
    backward = differentiate(forward_of("first: x * x; second: exp(x)"))
    arriving = [tensor for tensor in backward.reads if tensor.name.startswith("grad_")]
    assert [tensor.default for tensor in arriving] == [0, 0]
    env = {"x": mpmath.mpf(3), "grad_first": 1, "grad_second": 0}
    assert values(backward, env)["grad_x"] == 6


def test_params_are_constants() -> None:
    forward = forward_of("out: x ** n * scale", params="n: float; scale: float = 2")
    backward = differentiate(forward)
    assert [node.name for node in backward.params] == ["n", "scale"]
    assert set(formulas(backward)) == {"grad_x"}
    with mpmath.workdps(DIGITS):
        env = {"x": mpmath.mpf("1.3"), "n": mpmath.mpf("2.5"), "scale": mpmath.mpf(3)}
        check_derivative(forward, backward, env)


@pytest.mark.parametrize(
    ("outputs", "inputs", "reads"),
    [
        ("out: x + y", "x; y", ["grad_out"]),
        ("out: x * y", "x; y", ["grad_out", "x", "y"]),
        ("out: 3 * x + exp(y)", "x; y", ["grad_out", "y"]),
        ("out: relu(x)", "x", ["grad_out", "x"]),
        ("out: round(x)", "x", ["grad_out"]),
        ("out: where(m, x, y)", "m: bool tensor; x; y", ["grad_out", "m"]),
        ("out: x * i", "x; i: int tensor", ["grad_out", "i"]),
        ("out: x > 0; twice: 2 * x", "x", ["grad_twice"]),
    ],
)
def test_a_backward_reads_gradients_and_what_it_uses(
    outputs: str, inputs: str, reads: list[str]
) -> None:
    backward = differentiate(forward_of(outputs, inputs))
    assert [tensor.name for tensor in backward.reads] == reads
    used = set(topological(backward.roots))
    assert all(
        used.intersection(tensor.parts)
        for tensor in backward.reads
        if not tensor.name.startswith("grad_")
    )


def test_a_double_backward_reads_every_gradient_for_its_shape() -> None:
    double = differentiate(differentiate(forward_of("out: x * exp(y)", "x; y")))
    names = [tensor.name for tensor in double.reads]
    assert names == ["grad_grad_x", "grad_grad_y", "grad_out", "x", "y"]
    linear = differentiate(differentiate(forward_of("out: x + y", "x; y")))
    assert [t.name for t in linear.reads] == ["grad_grad_x", "grad_grad_y", "grad_out"]


def test_of_an_input_that_is_not_read_a_backward_takes_the_shape() -> None:
    backward = differentiate(forward_of("out: x + (exp(y) if m else 0)", "x; y; m: bool tensor"))
    assert [tensor.name for tensor in backward.reads] == ["grad_out", "y", "m"]
    assert [tensor.name for tensor in backward.shapes] == ["x"]
    likes = {tensor.name: (tensor.of, tensor.like) for tensor in backward.writes}
    assert likes == {"grad_x": ("x", "x"), "grad_y": ("y", "y")}
    double = differentiate(backward)
    assert not double.shapes
    likes = {tensor.name: (tensor.of, tensor.like) for tensor in double.writes}
    assert likes == {"grad_grad_out": ("grad_out", "grad_out"), "grad_y": ("y", "y")}


def test_what_is_no_float_or_stands_alone_has_no_shape_to_take() -> None:
    backward = differentiate(forward_of("out: y * y if m else 0", "y; m: bool tensor"))
    assert not backward.shapes
    (write,) = differentiate(forward_of("out: 3 * x", "x")).writes
    assert (write.of, write.like) == ("x", None)


def test_what_is_always_zero_is_written_once_and_left_out_after() -> None:
    backward = differentiate(forward_of("out: x + round(y)", "x; y"))
    assert formulas(backward)["grad_y"].is_zero
    assert set(formulas(differentiate(backward))) == {"grad_grad_out"}


def test_integers_and_bools_have_no_gradient() -> None:
    inputs = "x; i: int tensor; m: bool tensor; n: number tensor"
    backward = differentiate(forward_of("out: where(m, x * i, n)", inputs))
    assert list(formulas(backward)) == ["grad_x", "grad_n"]


# Given formulas


def test_given_formulas_stand_in_place_of_derived_ones() -> None:
    _, backward = with_backward("grad_x: grad_out * y + out", "out: round(x) * y", "x; y")
    found = formulas(backward)
    assert repr(found["grad_x"]) == "grad_out * y + round(x) * y"
    assert repr(found["grad_y"]) == "grad_out * round(x)"
    assert {"grad_grad_out", "grad_y"} <= set(formulas(differentiate(backward)))


def test_a_linear_surrogate_is_carried_by_autograd() -> None:
    forward, backward = with_backward(
        "grad_x: grad_out * where(abs(x) < 1, 1, 0.1) * y", "out: round(x) * y", "x; y"
    )
    carrier = carry_surrogate(forward, differentiate(backward))
    assert carrier is not None
    env = {"x": torch.tensor([0.3, 1.7], dtype=torch.float64, requires_grad=True)}
    env["y"] = torch.tensor([2.0, 5.0], dtype=torch.float64, requires_grad=True)
    out = torch_values(carrier, env)["out"]
    plain = {name: value.detach() for name, value in env.items()}
    torch.testing.assert_close(out.detach(), torch_values(forward, plain)["out"])
    arriving = torch.tensor([3.0, 7.0], dtype=torch.float64)
    found = torch.autograd.grad(out, list(env.values()), arriving)
    expected = torch_values(backward, {**plain, "grad_out": arriving})
    torch.testing.assert_close(found, (expected["grad_x"], expected["grad_y"]))


def test_a_surrogate_that_is_not_linear_has_no_carrier() -> None:
    forward, backward = with_backward("grad_x: tanh(grad_out)", "out: round(x)")
    assert carry_surrogate(forward, differentiate(backward)) is None


def test_a_surrogate_without_gradient_stops_it() -> None:
    forward, backward = with_backward("grad_x: 0", "out: x * x")
    carrier = carry_surrogate(forward, differentiate(backward))
    assert carrier is not None
    assert repr(formulas(carrier)["out"]) == "stop_grad(x * x)"


# A derivative that does not exist


def refusal(text: str) -> str:
    with pytest.raises(SpecError) as error:
        compile_spec(parse_spec(text, "f.yaml"))
    return str(error.value)


ZETA = """op: f
inputs: {s: tensor, x: tensor}
let:
  tail: %s
outputs:
  out: x * tail
"""


def test_a_missing_derivative_is_an_error_with_its_place() -> None:
    assert refusal(ZETA % "zeta(s + 1, x)") == (
        "f.yaml:4:9: error: 'zeta' has no derivative in its argument 's'\n"
        "    tail: zeta(s + 1, x)\n"
        "          ^~~~~~~~~~~~~~\n"
        "  hint: stop_grad(s + 1) keeps the gradient from it; or give the gradient yourself, "
        "in a 'backward' with 'is: surrogate'"
    )


@pytest.mark.parametrize(
    "formula",
    [
        "zeta(stop_grad(s), x)",
        "stop_grad(zeta(s, x)) + s",
        "straight_through(zeta(s, x), s)",
        "floor(zeta(s, x)) + s",
        "1 if zeta(s, x) > 1 else s",
        "zeta(2, x) * s",
    ],
)
def test_where_no_gradient_goes_none_is_missing(formula: str) -> None:
    compile_spec(parse_spec(ZETA % formula, "f.yaml"))


def test_a_missing_derivative_of_a_surrogate() -> None:
    spec = """op: f
inputs: {s: tensor, x: tensor}
outputs:
  out: zeta(s, x)
backward:
  is: surrogate
  grad_s: %s
  grad_x: %s
"""
    compile_spec(parse_spec(spec % ("grad_out * s", "grad_out * x"), "f.yaml"))
    message = "error: 'zeta' has no derivative in its argument 's'\n"
    written = refusal(spec % ("grad_out * zeta(s, x)", "grad_out"))
    assert written.startswith(f"f.yaml:7:22: {message}")
    derived = refusal(spec.replace("  grad_x: %s\n", "") % "grad_out * s")
    assert derived.startswith(f"f.yaml:1:5: {message}")
