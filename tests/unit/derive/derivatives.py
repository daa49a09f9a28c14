"""Passes of formulas, their values, and the check of a derivative by differences."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import mpmath
import torch
from fusewise.derive.autodiff import differentiate
from fusewise.graph.dag import Dag, Node, topological
from fusewise.graph.passes import Operand, Pass, build_graph
from fusewise.language.formula import parse_formula
from fusewise.language.functions import ROWS, Function
from fusewise.language.spec import parse_spec
from fusewise.numeric.points import evaluate
from hypothesis import strategies as st

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


def pass_of(text: str) -> Pass:
    """The forward pass of a formula of `x` and `y`, built without a spec."""
    dag = Dag()
    names = {name: dag.input(name) for name in ("x", "y")}
    reads = tuple(Operand(name, "input", (node,), (name,)) for name, node in names.items())
    out = Operand("out", "output", (dag.build(parse_formula(text), names),), ("out",))
    return Pass(0, dag, reads, (), (out,))


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
