"""A backward that claims to be the derivative is proved, or refused with a counterexample."""

from __future__ import annotations

import pytest
from fusewise.errors import SpecError
from fusewise.pipeline import compile_spec
from fusewise.spec import parse_spec


def compile_backward(op: str, out: str, gradient: str, inputs: str = "x") -> None:
    names = "\n".join(f"  {name}: tensor" for name in inputs.split())
    text = f"""op: {op}
doc: An op with a backward of its own.
inputs:
{names}
outputs:
  out: {out}
backward:
  is: derivative
  {gradient}
"""
    compile_spec(parse_spec(text, f"{op}.yaml"))


@pytest.mark.parametrize(
    ("out", "gradient"),
    [
        ("x * sigmoid(x)", "grad_x: grad_out * sigmoid(x) * (1 + x * (1 - sigmoid(x)))"),
        ("tanh(x)", "grad_x: grad_out * (1 - out * out)"),
        ("relu(x)", "grad_x: grad_out if x > 0 else 0"),
        ("exp(x) / (1 + exp(x))", "grad_x: grad_out * out * (1 - out)"),
        ("where(x > 1, x, x * x * x)", "grad_x: grad_out * where(x > 1, 1, 3 * x ** 2)"),
        (
            "gelu(x)",
            "grad_x: grad_out * (0.5 * erfc(-x / sqrt(2)) + x * exp(-x * x / 2) / sqrt(2 * pi))",
        ),
    ],
)
def test_a_true_derivative_is_accepted(out: str, gradient: str) -> None:
    compile_backward("proved", out, gradient)


@pytest.mark.parametrize(
    ("out", "gradient", "inputs", "told"),
    [
        ("relu(x)", "grad_x: where(x >= 0, grad_out, 0)", "x", "x = 0"),
        ("abs(p - q)", "grad_p: grad_out * where(p > q, 1, -1)", "p q", "derivative is 0"),
        (
            "gelu_tanh(x)",
            "grad_x: grad_out * (sigmoid(1.702 * x) + 1.702 * x * dsigmoid(1.702 * x))",
            "x",
            "x = ",
        ),
        (
            "softplus(x)",
            "grad_x: grad_out * where(x > 20, 1, exp(x) / (1 + exp(x)))",
            "x",
            "x = 21",
        ),
        ("x * y", "grad_x: grad_out * x", "x y", "x = "),
    ],
)
def test_a_wrong_one_is_refused(out: str, gradient: str, inputs: str, told: str) -> None:
    with pytest.raises(SpecError) as error:
        compile_backward("refused", out, gradient, inputs)
    assert "this is not the derivative: at " in str(error.value)
    assert told in str(error.value)
    assert "derived: " in str(error.value)


@pytest.mark.parametrize("kind", ["derivative", "surrogate"])
def test_a_backward_without_a_gradient_to_start_from_is_refused(kind: str) -> None:
    text = f"""op: refused
inputs:
  x: tensor
outputs:
  out: x > 1
backward:
  is: {kind}
  grad_x: x
"""
    with pytest.raises(SpecError, match="no gradient arrives at this op"):
        compile_spec(parse_spec(text, "refused.yaml"))


def test_whole_numbers_stay_whole_within_their_domain() -> None:
    """A clamped x is no number of steps between whole ones where the bound is an int param."""
    text = """op: quantised
inputs:
  x: tensor
params:
  high: int
let:
  v: clamp(x, -high, high)
outputs:
  out: x * straight_through(round(v), v)
backward:
  is: derivative
  grad_x: grad_out * (round(v) + x if abs(x) <= high else v)
test:
  domain: {high: [4, 16]}
"""
    compile_spec(parse_spec(text, "quantised.yaml"))


def test_points_lie_in_the_domain_of_a_packed_input() -> None:
    """Below zero, where this is not the derivative, is outside the domain."""
    text = """op: product
inputs:
  x: {split: [a, b]}
outputs:
  out: abs(a) * b
backward:
  is: derivative
  grad_a: grad_out * b
test:
  domain: {x: [1, 2]}
"""
    compile_spec(parse_spec(text, "product.yaml"))
