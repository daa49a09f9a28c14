"""Which inputs and outputs no gradient goes to or from."""

from __future__ import annotations

import pytest
import torch
from derivatives import (
    FORMULAS,
    LEAVES,
    formulas,
    forward_of,
    larger,
    read_names,
    torch_values,
)
from fusewise.derive.autodiff import mark_detached
from fusewise.graph.passes import Pass
from fusewise.language.errors import SpecError
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from hypothesis import given, settings
from hypothesis import strategies as st


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


@pytest.mark.parametrize(
    "outputs",
    ["floor(x + y)", "x // y", "sign(x) * round(y)", "round(x / amax(abs(x))) + floor(y)"],
)
def test_gradients_that_are_all_zero_have_no_second_derivative(outputs: str) -> None:
    """It would write nothing, which no kernel can."""
    passes = compiled(f"inputs: {{x: tensor, y: tensor}}\noutputs:\n  out: {outputs}\n")
    assert [source.name for source in passes] == ["forward", "backward"]
    assert all(part.is_zero for tensor in passes[1].writes for part in tensor.parts)
