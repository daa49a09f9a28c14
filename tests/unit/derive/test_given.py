"""Gradients that the user gives, and functions without a derivative."""

from __future__ import annotations

import pytest
import torch
from derivatives import formulas, torch_values
from fusewise.derive.autodiff import carry_surrogate, differentiate
from fusewise.graph.passes import Pass, build_graph
from fusewise.language.errors import SpecError
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec


def with_backward(backward: str, outputs: str, inputs: str = "x") -> tuple[Pass, Pass]:
    text = "op: f\ndoc: A test.\ninputs:\n"
    text += "".join(f"  {name}: tensor\n" for name in inputs.split("; "))
    text += f"outputs:\n  {outputs}\nbackward:\n  is: surrogate\n  {backward}\n"
    spec = parse_spec(text, "f.yaml")
    assert spec.backward
    forward = build_graph(spec)
    return forward, differentiate(forward, spec.backward.gradients)


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
    carrier = carry_surrogate(forward, backward, differentiate(backward))
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


def test_a_carrier_reads_the_type_of_an_input_itself() -> None:
    forward, backward = with_backward("grad_x: grad_out * round_to(x * y, x)", "out: x", "x; y")
    carrier = carry_surrogate(forward, backward, differentiate(backward))
    assert carrier is not None
    slope = "round_to(stop_grad(x) * stop_grad(y), x)"
    assert repr(formulas(carrier)["out"]) == f"straight_through(x, x * {slope})"


@pytest.mark.parametrize(
    "gradient",
    [
        "tanh(grad_out)",
        "sign(grad_out)",
        "round(grad_out * x)",
        "grad_out + 0.1 * x",
        "x",
        "grad_out if grad_out < x else 0",
        "1 if grad_out > 0 else -1",
        "x if x > 0 else grad_out",
        "x / grad_out",
        "stop_grad(grad_out)",
        "round_to(grad_out, x)",
    ],
)
def test_a_surrogate_that_is_not_linear_has_no_carrier(gradient: str) -> None:
    forward, backward = with_backward(f"grad_x: {gradient}", "out: round(x)")
    assert carry_surrogate(forward, backward, differentiate(backward)) is None


@pytest.mark.parametrize(
    ("gradient", "decomposes"),
    [
        ("sign(grad_out)", False),
        ("x", False),
        ("1 if grad_out > 0 else -1", False),
        ("0 * grad_out", True),
    ],
)
def test_a_surrogate_whose_derivative_is_zero(gradient: str, decomposes: bool) -> None:
    text = (
        "op: f\ninputs: {x: tensor}\noutputs: {out: x * x}\n"
        f"backward: {{is: surrogate, grad_x: '{gradient}'}}\n"
    )
    (variant,) = compile_spec(parse_spec(text)).variants
    assert variant.kernels[0].decomposes == decomposes


def test_a_surrogate_without_gradient_stops_it() -> None:
    forward, backward = with_backward("grad_x: 0", "out: x * x")
    carrier = carry_surrogate(forward, backward, differentiate(backward))
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


def test_a_hint_writes_out_no_long_formula() -> None:
    """The derivative by x, which is derived, is long."""
    steps = "".join(f"  a{k}: a{k - 1} * a{k - 1} + a{k - 1}\n" for k in range(1, 30))
    text = (
        f"op: f\ninputs: {{s: tensor, x: tensor}}\nlet:\n  a0: s * s\n{steps}"
        "outputs: {out: 'zeta(a29, x)'}\n"
        "backward: {is: surrogate, grad_s: grad_out}\n"
    )
    assert "hint: stop_grad(...) keeps the gradient from it" in refusal(text)
