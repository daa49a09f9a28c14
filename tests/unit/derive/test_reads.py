"""What a derivative reads and writes, and of which shape."""

from __future__ import annotations

import random

import mpmath
import pytest
from derivatives import (
    DIGITS,
    check_both,
    check_derivative,
    formulas,
    forward_of,
    numbers,
    values,
)
from fusewise.derive.autodiff import differentiate
from fusewise.graph.dag import topological
from fusewise.graph.passes import Operand


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
    assert [tensor.default for tensor in backward.incoming] == [0, 0]
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
        if tensor.role != "incoming gradient"
    )


def test_a_double_backward_reads_every_gradient_for_its_shape() -> None:
    double = differentiate(differentiate(forward_of("out: x * exp(y)", "x; y")))
    names = [tensor.name for tensor in double.reads]
    assert names == ["grad_grad_x", "grad_grad_y", "grad_out", "x", "y"]
    linear = differentiate(differentiate(forward_of("out: x + y", "x; y")))
    assert [t.name for t in linear.reads] == ["grad_grad_x", "grad_grad_y", "grad_out"]


def test_a_pass_has_an_order_and_an_operand_a_role() -> None:
    forward = forward_of("out: x * exp(y)", "x; y")
    double = differentiate(differentiate(forward))
    assert [(p.order, p.name) for p in (forward, double)] == [
        (0, "forward"),
        (2, "double_backward"),
    ]
    facts = [(t.name, t.role, t.order, t.origin) for t in (*double.reads, *double.writes)]
    assert facts == [
        ("grad_grad_x", "incoming gradient", 2, "x"),
        ("grad_grad_y", "incoming gradient", 2, "y"),
        ("grad_out", "incoming gradient", 1, "out"),
        ("x", "input", 0, "x"),
        ("y", "input", 0, "y"),
        ("grad_grad_out", "gradient", 2, "out"),
        ("grad_x", "gradient", 1, "x"),
        ("grad_y", "gradient", 1, "y"),
    ]
    assert [t.name for t in double.incoming] == ["grad_grad_x", "grad_grad_y"]
    assert [t.parts[0].order for t in double.reads] == [2, 2, 1, 0, 0]


def source_of(write: Operand) -> str | None:
    return write.gradient_of and write.gradient_of.name


def test_of_an_input_that_is_not_read_a_backward_takes_the_shape() -> None:
    backward = differentiate(forward_of("out: x + (exp(y) if m else 0)", "x; y; m: bool tensor"))
    assert [tensor.name for tensor in backward.reads] == ["grad_out", "y", "m"]
    assert [tensor.name for tensor in backward.shapes] == ["x"]
    likes = {tensor.name: (source_of(tensor), tensor.like) for tensor in backward.writes}
    assert likes == {"grad_x": ("x", "x"), "grad_y": ("y", "y")}
    double = differentiate(backward)
    assert not double.shapes
    likes = {tensor.name: (source_of(tensor), tensor.like) for tensor in double.writes}
    assert likes == {"grad_grad_out": ("grad_out", "grad_out"), "grad_y": ("y", "y")}


def test_what_is_no_float_or_stands_alone_has_no_shape_to_take() -> None:
    backward = differentiate(forward_of("out: y * y if m else 0", "y; m: bool tensor"))
    assert not backward.shapes
    (write,) = differentiate(forward_of("out: 3 * x", "x")).writes
    assert (source_of(write), write.like) == ("x", None)


def test_the_gradient_of_a_row_does_not_tell_its_length() -> None:
    for formulas_of_rows in ("out: sum(x)", "out: sum(x); twice: 2 * x"):
        backward = differentiate(forward_of(formulas_of_rows, "x"))
        assert [tensor.name for tensor in backward.shapes] == ["x"]
        assert [write.like for write in backward.writes] == ["x"]
    assert not differentiate(forward_of("out: x - mean(x)", "x")).shapes


def test_what_is_always_zero_is_written_once_and_left_out_after() -> None:
    backward = differentiate(forward_of("out: x + round(y)", "x; y"))
    assert formulas(backward)["grad_y"].is_zero
    assert set(formulas(differentiate(backward))) == {"grad_grad_out"}


def test_integers_and_bools_have_no_gradient() -> None:
    inputs = "x; i: int tensor; m: bool tensor; n: number tensor"
    backward = differentiate(forward_of("out: where(m, x * i, n)", inputs))
    assert list(formulas(backward)) == ["grad_x", "grad_n"]
