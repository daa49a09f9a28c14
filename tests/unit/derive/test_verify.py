"""A backward declared as the derivative is proved, checked at points, or refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
import torch
from fusewise.derive import verify
from fusewise.derive.verify import Verdict, weakest
from fusewise.graph.dag import Dag
from fusewise.language.errors import SpecError
from fusewise.language.spec import parse_spec
from fusewise.numeric.evaluate import evaluate_in_order
from fusewise.numeric.points import Point
from fusewise.pipeline import Compiled, compile_spec
from repository import SPECS, compiled

# The verdicts on the gradients that specs give as derivatives.
VERDICTS = {
    "dyt": {"x": "proved", "alpha": "proved", "gamma": "proved", "beta": "proved"},
    "hard_mish": {"x": "checked"},
    "lsq_quantise": {"x": "checked", "step": "checked"},
    "quick_geglu": {"gate": "checked", "up": "proved", "weight": "proved"},
    "sapo_loss": {"logp": "checked"},
    "situ_glu": {"gate": "checked", "up": "checked"},
    "softcap": {"x": "checked"},
    "squared_relu": {"x": "checked"},
}


def compile_backward(op: str, out: str, gradient: str, inputs: str = "x") -> Compiled:
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
    return compile_spec(parse_spec(text, f"{op}.yaml"))


def verdicts(compiled: Compiled) -> dict[str, str]:
    (variant,) = compiled.variants
    return {verdict.part: str(verdict) for verdict in variant.verdicts}


def test_the_verdicts_on_all_ops() -> None:
    kinds = {op: spec.backward.kind for op, spec in SPECS.items() if spec.backward}
    found = {op: verdicts(compiled(op)) for op, kind in kinds.items() if kind == "derivative"}
    words = {op: {part: text.split()[0] for part, text in v.items()} for op, v in found.items()}
    assert words == VERDICTS


@pytest.mark.parametrize("op", VERDICTS)
def test_a_doc_says_proved_only_where_it_is(op: str) -> None:
    spec = SPECS[op]
    assert ("proved" in spec.doc) <= (set(VERDICTS[op].values()) == {"proved"})


@pytest.mark.parametrize(
    ("out", "gradient"),
    [
        ("tanh(x)", "grad_x: grad_out * (1 - out * out)"),
        ("sigmoid(x)", "grad_x: sigmoid(x) * grad_out * (1 - sigmoid(x))"),
    ],
)
def test_equal_expressions_are_proved_without_a_point(
    out: str, gradient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "place_points", None)
    assert verdicts(compile_backward("f", out, gradient)) == {"x": "proved"}


def test_other_expressions_are_checked_at_as_many_points_as_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four of five: 1 / x has no value at 0."""

    def points(dag: Dag, *_: object) -> list[Point]:
        x, grad = dag.input("x"), dag.input("grad_out")
        return [{x: Fraction(k), grad: Fraction(1)} for k in range(5)]

    monkeypatch.setattr(verify, "place_points", points)
    compiled = compile_backward("f", "1 / x", "grad_x: -grad_out * square(1 / x)")
    assert verdicts(compiled) == {"x": "checked at 4 points"}
    assert compiled.verdict == Verdict("x", 4)


def test_the_verdict_on_a_backward_is_the_weakest() -> None:
    proved, many, few = Verdict("x", None), Verdict("y", 9), Verdict("z", 2)
    assert weakest([proved, many, few]) == few
    assert weakest([proved]) == proved
    assert weakest([]) is None


def test_a_derived_backward_and_a_surrogate_have_no_verdict() -> None:
    for section in ("", "backward: {is: surrogate, grad_x: grad_out}\n"):
        text = f"op: f\ninputs: {{x: tensor}}\noutputs: {{out: round(x)}}\n{section}"
        assert compile_spec(parse_spec(text)).verdict is None


@pytest.mark.parametrize(
    ("out", "gradient"),
    [
        ("x * sigmoid(x)", "grad_x: grad_out * sigmoid(x) * (1 + x * (1 - sigmoid(x)))"),
        ("tanh(x)", "grad_x: grad_out * (1 - out * out)"),
        ("relu(x)", "grad_x: grad_out if x > 0 else 0"),
        ("exp(x) / (1 + exp(x))", "grad_x: grad_out * out * (1 - out)"),
        ("softplus(x)", "grad_x: grad_out * exp(x) / (1 + exp(x))"),
        ("softplus(x)", "grad_x: grad_out * exp(x) / (exp(x) + 1)"),
        ("tanh(x) * 3", "grad_x: grad_out * 3 * (1 - tanh(x) ** 2)"),
        ("clamp(x, -1, 1)", "grad_x: grad_out if x >= -1 and x <= 1 else 0"),
        ("abs(x)", "grad_x: grad_out * sign(x)"),
        ("abs(x)", "grad_x: grad_out if x > 0 else -grad_out if x < 0 else 0"),
        ("x * x", "grad_x: 2 * x * (maximum(grad_out, 0) + minimum(grad_out, 0))"),
        ("x ** 3", "grad_x: 3 * grad_out * x * x"),
        ("where(x > 1, x, x * x * x)", "grad_x: grad_out * where(x > 1, 1, 3 * x ** 2)"),
        (
            "gelu(x)",
            "grad_x: grad_out * (0.5 * erfc(-x / sqrt(2)) + x * exp(-x * x / 2) / sqrt(2 * pi))",
        ),
    ],
)
def test_a_true_derivative_is_accepted(out: str, gradient: str) -> None:
    compile_backward("accepted", out, gradient)


@pytest.mark.parametrize(
    ("out", "gradient", "inputs", "told"),
    [
        ("exp(x)", "grad_x: abs(grad_out) * out", "x", "grad_out = -"),
        ("x * x", "grad_x: 2 * x * clamp(grad_out, -10, 10)", "x", "grad_out = -12.5 it is"),
        ("x * x", "grad_x: 2 * x * grad_out if grad_out != 0 else 1", "x", "grad_out = 0 it is"),
        ("exp(x)", "grad_x: grad_out * out + 1e-9 * sign(grad_out)", "x", "grad_out = "),
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
            "x = 25",
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


def refusal(out: str, gradient: str, inputs: str = "x") -> str:
    with pytest.raises(SpecError) as error:
        compile_backward("refused", out, gradient, inputs)
    return str(error.value)


# Mistakes of hand-written code, and their messages


def test_relu_by_the_wrong_comparison() -> None:
    assert refusal("relu(x)", "grad_x: where(x >= 0, grad_out, 0)") == (
        "refused.yaml:9:3: error: this is not the derivative: at x = 0, grad_out = 1.125 it is "
        "1.125, the derivative is 0 (where relu(x) <= 0 is true)\n"
        "    grad_x: where(x >= 0, grad_out, 0)\n"
        "    ^~~~~~\n"
        "  hint: derived: relu0 = relu(x); 0 if relu0 <= 0 else grad_out; "
        "a gradient that is meant to differ is 'is: surrogate'"
    )


def test_a_domain_beyond_float32() -> None:
    text = """op: wide
inputs: {x: tensor}
outputs:
  out: exp(x)
backward:
  is: derivative
  grad_x: grad_out * exp(x / 2) * exp(x / 2)
test:
  domain: {x: [-1.0e+308, 40]}
"""
    assert verdicts(compile_spec(parse_spec(text, "wide.yaml")))["x"].startswith("checked")


@pytest.fixture
def digits(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The numbers of digits in which values are computed. The most of them take seconds or more."""
    found = set()

    def evaluated(*given: Any) -> Any:
        found.add(mpmath.mp.dps)
        return evaluate_in_order(*given)

    monkeypatch.setattr(verify, "evaluate_in_order", evaluated)
    return found


@pytest.mark.parametrize("function", ["erfinv", "lgamma", "digamma", "trigamma"])
def test_a_wrong_gradient_of_a_slow_function(function: str, digits: set[int]) -> None:
    found = refusal(f"{function}(x)", f"grad_x: grad_out * {function}(x)")
    assert "this is not the derivative: at x = " in found
    assert max(digits) < verify.DIGITS[-1]


def test_where_an_output_is_no_number_few_digits_are_computed(digits: set[int]) -> None:
    slow = refusal("trigamma(x) + log(-exp(x))", "grad_x: x")
    assert digits == {verify.DIGITS[0]}
    found = refusal("x + sqrt(-1 - y * y)", "grad_x: grad_out * 2", "x y")
    assert all("finite at no sampled point" in text for text in (slow, found))
    assert max(digits) < verify.DIGITS[-1]


def test_where_the_derivative_is_no_number_few_digits_are_computed(digits: set[int]) -> None:
    gradients = "grad_x: grad_out * y * x ** (y - 1)\n  grad_y: grad_out * x ** y * log(x)"
    found = verdicts(compile_backward("power", "x ** y", gradients, "x y"))
    assert all(verdict.startswith("checked") for verdict in found.values())
    assert max(digits) < verify.DIGITS[-1]


def test_a_distance_that_pulls_at_a_tie() -> None:
    written = "grad_p: grad_out * (1 if p > q else -1 if p < q else -0.5)"
    assert refusal("abs(p - q)", written, "p q") == (
        "refused.yaml:10:3: error: this is not the derivative: at p = -1.9375, q = -1.9375, "
        "grad_out = 1.25 it is -0.625, the derivative is 0\n"
        f"    {written}\n"
        "    ^~~~~~\n"
        "  hint: derived: sign0 = sign(p - q); grad_out * sign0; "
        "a gradient that is meant to differ is 'is: surrogate'"
    )


def test_a_gelu_with_a_wrong_constant() -> None:
    u = "0.7978845608028654 * (x + 0.044715 * x ** 3)"
    slope = "0.7978845608028654 * (1 + {} * x ** 2)"
    gelu = f"0.5 * x * (1 + tanh({u}))"
    written = f"grad_x: grad_out * 0.5 * (1 + tanh({u}) + x * (1 - tanh({u}) ** 2) * {slope})"
    compile_backward("accepted", gelu, written.format("0.134145"))
    assert refusal(gelu, written.format("0.0134145")).startswith(
        "refused.yaml:9:3: error: this is not the derivative: at x = 1, grad_out = 1.125 it is "
        "1.18938, the derivative is 1.21833\n"
    )


def test_a_gradient_without_a_point_to_check_it_at() -> None:
    written = "grad_x: grad_out * 2"
    assert refusal("sqrt(-1 - x * x)", written) == (
        "refused.yaml:9:3: error: this cannot be checked: the outputs and the derivative are "
        "finite at no sampled point\n"
        f"    {written}\n"
        "    ^~~~~~\n"
        "  hint: state the op's domain under 'test', or leave 'grad_x' out"
    )


def test_a_softplus_without_its_threshold() -> None:
    """A rule makes the first form stable. No rule matches the second form, so it is an error."""
    compile_backward("accepted", "softplus(x)", "grad_x: grad_out * exp(x) / (1 + exp(x))")
    written = "grad_x: grad_out * exp(x / 2) ** 2 / (1 + exp(x / 2) ** 2)"
    assert refusal("softplus(x)", written) == (
        "refused.yaml:9:3: error: this overflows in float32: at x = 90, grad_out = 1.1875 it "
        "is nan, since exp(x / 2) * exp(x / 2) is inf; the derivative is 1.1875\n"
        f"    {written}\n"
        "    ^~~~~~\n"
        "  hint: derived: sigmoid0 = sigmoid(x); grad_out * sigmoid0; "
        "that does not overflow: leave 'grad_x' out, or state the op's domain"
    )


def test_a_tie_given_to_one_side() -> None:
    message = refusal("maximum(x, y)", "grad_x: grad_out if x >= y else 0", "x y")
    assert "the derivative is 0.625 (where x == y is true, x < y is false)" in message


def test_a_domain_that_leaves_the_mistake_out() -> None:
    text = """op: accepted
inputs: {x: tensor}
outputs:
  out: relu(x)
backward:
  is: derivative
  grad_x: grad_out
test:
  domain: {x: [1, 2]}
"""
    compile_spec(parse_spec(text, "accepted.yaml"))
    with pytest.raises(SpecError, match="at x = 0,"):
        compile_spec(parse_spec(text.replace("[1, 2]", "[0, 2]"), "accepted.yaml"))


def test_a_written_bias_gradient_is_summed_to_the_bias() -> None:
    """The formula gives the gradient of one element; the gradient has the shape of its input.

    The runtime computes the sum. `sum(grad_out)` is an error: see the case `reduction`.
    """
    text = """op: biased
inputs: {x: tensor, bias: tensor}
outputs:
  out: tanh(x + bias)
backward:
  is: derivative
  grad_x: grad_out * (1 - out * out)
  grad_bias: grad_out * (1 - out * out)
"""
    (variant,) = compile_spec(parse_spec(text, "biased.yaml")).variants
    writes = {write.name: write for write in variant.passes[1].writes}
    assert writes["grad_bias"].origin == "bias"
    assert writes["grad_bias"].parts == writes["grad_x"].parts


def test_a_written_gradient_has_the_shape_of_its_input() -> None:
    """quick_geglu, which has a written backward, with one weight for each row."""
    ops = pytest.importorskip(
        "fusewise_ops", reason="the package is not built", exc_type=ImportError
    )
    x = torch.randn(7, 66, dtype=torch.float64)
    weight = torch.randn(7, 1, dtype=torch.float64, requires_grad=True)
    grad = torch.randn(7, 33, dtype=torch.float64)
    gate, up = x.chunk(2, -1)
    (found,) = torch.autograd.grad(ops.quick_geglu(x, weight), weight, grad)
    expected = (grad * gate * torch.sigmoid(1.702 * gate) * up).sum(-1, keepdim=True)
    torch.testing.assert_close(found, expected)


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
    """An int param is sampled only at integers, so a clamped v equals round(v)."""
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
  grad_x: grad_out * (straight_through(round(v), v) + x if abs(x) <= high else v)
test:
  domain: {high: [4, 16]}
"""
    compile_spec(parse_spec(text, "quantised.yaml"))


def test_points_lie_in_the_domain_of_a_packed_input() -> None:
    """The written gradient is wrong only below zero, which is outside the domain."""
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


def test_a_backward_equal_in_value_but_with_another_derivative_is_refused() -> None:
    out = "straight_through(round(x / s), x / s) * s"
    hidden = "grad_s: grad_out * (round(x / s) - x / s)"
    shown = "grad_s: grad_out * (straight_through(round(x / s), x / s) - x / s)"
    compile_backward("hides", out, shown, "x s")
    with pytest.raises(SpecError, match="has another derivative than the derived backward") as told:
        compile_backward("hides", out, hidden, "x s")
    assert "its grad_" in str(told.value)
    assert str(told.value).startswith("hides.yaml:9:3: error: ")
