"""Incoming gradients that may be missing: no product with one of these counts."""

from __future__ import annotations

import pytest
from derivatives import forward_of
from fusewise.derive.autodiff import differentiate

CASES = {
    # zeros stay zeros in sums and in products with numbers
    "a: x; b: 3 * x - y": "grad_x = grad_a + grad_b * 3; grad_y = -grad_b",
    "a: y - x / 4; b: x": "grad_x = grad_b - grad_a * 0.25; grad_y = grad_a",
    # other products are chosen, after a change of sign too
    "a: x * y; b: y": """
        where0 = grad_a * x if has_grad_a else 0; grad_x = grad_a * y if has_grad_a else 0;
        grad_y = grad_b + where0
        """,
    "a: 1 - x * y; b: y": """
        where0 = -(grad_a * x) if has_grad_a else 0; grad_x = -(grad_a * y) if has_grad_a else 0;
        grad_y = grad_b + where0
        """,
    # further factors stand in the same branch
    "a: exp(x * y); b: y": """
        exp0 = exp(x * y); mul0 = grad_a * exp0; where0 = mul0 * x if has_grad_a else 0;
        grad_x = mul0 * y if has_grad_a else 0; grad_y = grad_b + where0
        """,
    # one of the gradients arrives, so what all of them go through is there
    "a: x * y; b: x * y": """
        add0 = grad_a + grad_b; grad_x = add0 * y; grad_y = add0 * x
        """,
    "a: x * y; b: x * y; c: y": """
        add0 = grad_a + grad_b; logical_or0 = has_grad_a or has_grad_b;
        where0 = add0 * x if logical_or0 else 0; grad_x = add0 * y if logical_or0 else 0;
        grad_y = grad_c + where0
        """,
    "a: x - mean(x); b: y / norm(x)": """
        norm0 = norm(x); sum0 = sum(y / norm0 / norm0 * grad_b);
        where0 = 0 if norm0 == 0 else -(sum0 / norm0); where1 = x * where0 if has_grad_b else 0;
        sum1 = sum(grad_a); where2 = -(sum1 / length) if has_grad_a else 0;
        grad_x = where1 + grad_a + where2; grad_y = grad_b / norm0 if has_grad_b else 0
        """,
}


@pytest.mark.parametrize(("outputs", "gradients"), CASES.items())
def test_products(outputs: str, gradients: str) -> None:
    backward = differentiate(forward_of(outputs, "x; y"), some_arrive=True)
    assert "; ".join(backward.lines()) == " ".join(gradients.split())


def test_one_output_always_has_a_gradient() -> None:
    forward = forward_of("out: x * y", "x; y")
    assert differentiate(forward, some_arrive=True).params == ()


def test_the_second_derivative() -> None:
    backward = differentiate(forward_of("a: x * y; b: y", "x; y"), some_arrive=True)
    double = differentiate(backward)
    assert [param.name for param in double.params] == ["has_grad_a"]
    assert double.lines() == [
        # nobody asks for the gradient of a tensor that is missing
        "grad_grad_a = grad_grad_y * x + grad_grad_x * y",
        "grad_grad_b = grad_grad_y",
        "grad_x = grad_grad_y * grad_a if has_grad_a else 0",
        "grad_y = grad_grad_x * grad_a if has_grad_a else 0",
    ]
    assert [tensor.name for tensor in double.reads_of(double.writes[0])] == [
        "grad_grad_x",
        "grad_grad_y",
        "x",
        "y",
    ]
