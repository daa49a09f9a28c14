"""References that equal their formula, and how exactly they must."""

from __future__ import annotations

import pytest
from fusewise.language.errors import SpecError
from fusewise.language.spec import parse_spec
from fusewise.measure.reference.agreement import compare_reference
from repository import SPECS


def agrees(inputs: str, formula: str, reference: str, more: str = "") -> bool:
    text = (
        f"op: f\ninputs: {{{inputs}}}\noutputs:\n  out: {formula}\n"
        f"test:\n  reference: {reference}\n{more}"
    )
    try:
        return compare_reference(parse_spec(text)) > 0
    except SpecError:
        return False


@pytest.mark.parametrize(
    "op",
    [
        *("fused_bias_leakyrelu", "lsq_quantise", "lstm_cell", "rope_interleaved", "round_ste"),
        *("sigmoid_focal_loss", "swiglu_oai", "transducer_joint"),
    ],
)
def test_a_spec_of_the_repository_agrees(op: str) -> None:
    assert compare_reference(SPECS[op]) > 100


def test_without_a_reference_nothing_is_compared() -> None:
    assert compare_reference(SPECS["geglu"]) == 0


def test_rounding_of_the_reference_is_no_difference() -> None:
    wide = "  domain: {x: [-50, 50]}"
    assert agrees("x: tensor", "expm1(x) - x", "torch.exp(x) - 1 - x", wide)
    assert agrees("x: tensor", "normal_cdf(x)", "(1 + torch.erf(x / 2 ** 0.5)) / 2", wide)
    assert agrees("x: tensor", "tanh(x)", "1 - 2 / (torch.exp(2 * x) + 1)", wide)
    assert agrees("x: tensor", "round(x / 0.3)", "torch.round(x / 0.3)")
    assert not agrees("x: tensor", "tanh(x)", "torch.tanh(x) + 1e-13", wide)


def test_constants_are_those_of_float64() -> None:
    assert agrees("x: tensor", "x > 0.1", "torch.gt(x, 0.1)")
    assert not agrees("x: tensor", "x >= 0.1", "torch.gt(x, 0.1)")


def test_points_lie_where_tests_draw_samples() -> None:
    beyond = "torch.where(x > 5, 0, x)"
    assert agrees("x: tensor", "x", beyond)
    assert agrees("x: tensor", "x", beyond, "  domain: {x: [-5, 5]}")
    assert not agrees("x: tensor", "x", beyond, "  domain: {x: [-6, 6]}")
    assert agrees("x: tensor", "log(x)", "torch.log(x)"), "the domain of log"
    parts = "x: {split: [a, b]}", "a + b", "a + torch.where(b < 2, b, 0)"
    assert agrees(*parts, "  domain: {a: [-3, -1], b: [1, 1.5]}")
    assert not agrees(*parts, "  domain: {a: [-3, -1], b: [1, 3]}")
    at_the_end = "torch.where(x == 5, 0, x)"
    assert not agrees("x: tensor", "x", at_the_end, "  domain: {x: [-5, 5]}")
    assert agrees("x: tensor", "x", at_the_end, "  domain: {x: [-5, 5]}\n  exclude: x == 5")


@pytest.mark.parametrize(
    ("param", "reference"),
    [
        ("flag: {type: bool, default: false}", "x * (1 + flag)"),
        ("flag: {type: bool, choices: [false, true], default: false}", "x * (1 + flag)"),
        ("flag: {type: bool, choices: [false, true]}", "torch.where(torch.tensor(flag), x + x, x)"),
    ],
)
def test_params(param: str, reference: str) -> None:
    params = f"  ulp: 4\nparams:\n  {param}"
    formula = "x + x if flag else x"
    assert agrees("x: tensor", formula, reference, params)
    assert not agrees("x: tensor", formula, "x + 0 * flag", params)


def test_kinds_of_inputs() -> None:
    inputs = "x: tensor, keep: bool tensor, k: int tensor, bias: tensor = 0"
    formula = "(x if keep else 0) + k // 2 + bias"
    assert agrees(
        inputs,
        formula,
        "torch.where(keep, x, 0) + torch.div(k, 2, rounding_mode='floor') + bias",
    )
    assert not agrees(inputs, formula, "torch.where(keep, x, 0) + k / 2 + bias")
    assert agrees("i: int tensor, j: int tensor", "i * j + 1", "i * j + 1")
    assert agrees("n: number tensor", "n * n", "torch.square(n)")
