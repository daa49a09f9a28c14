"""References that equal their formula, and how exactly they must."""

from __future__ import annotations

import re

import pytest
import torch
from fusewise.language.errors import SpecError
from fusewise.language.functions import FUNCTIONS as LANGUAGE
from fusewise.language.functions import REDUCTIONS
from fusewise.language.sections.pytorch import FUNCTIONS
from fusewise.language.sections.reference import may_call
from fusewise.language.spec import parse_spec
from fusewise.measure.reference.agreement import compare_reference
from repository import SPECS
from torch.overrides import get_overridable_functions

CALLED = (*LANGUAGE.values(), *REDUCTIONS.values())
# The functions that a reference may call, but whose arguments are no tensors.
CREATING = """
    arange eye full linspace logspace normal ones rand rand_like randint randint_like randn
    randn_like randperm scalar_tensor tensor tril_indices triu_indices vander zeros
    """


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


def test_a_reference_calls_functions_that_compute_tensors() -> None:
    functions = get_overridable_functions()
    of_tensors = {*functions[torch], *functions[torch.functional]}
    others = {name for name in FUNCTIONS if getattr(torch, name) not in of_tensors}
    assert others == set(CREATING.split())
    of_files_and_code = ("from_file", "load", "save", "compile", "fork", "PyTorchFileWriter")
    assert not any(may_call("torch", name) for name in of_files_and_code)
    calls = re.findall(r"(torch(?:\.\w+)*)\.(\w+)\(", " ".join(row.ref for row in CALLED))
    assert len(calls) > 50
    assert [call for call in calls if not may_call(*call)] == []


def test_without_a_reference_nothing_is_compared() -> None:
    assert compare_reference(SPECS["geglu"]) == 0


@pytest.mark.parametrize("domain", ["[-1e308, 1e308]", "[0, 1.2e307]", "[1e308, 1.1e308]"])
def test_a_domain_up_to_the_largest_number(domain: str) -> None:
    assert agrees("x: tensor", "x / 2", "0.5 * x", f"  domain: {{x: {domain}}}")
    assert not agrees("x: tensor", "x / 2", "0.25 * x", f"  domain: {{x: {domain}}}")


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


# Ops that reduce rows


@pytest.mark.parametrize("op", [op for op, spec in SPECS.items() if spec.reduces])
def test_a_spec_with_rows_agrees(op: str) -> None:
    spec = SPECS[op]
    points = compare_reference(spec)
    rows = 8 * 4  # that an op of one input has at least: its forms in four lengths
    assert (points >= rows) == (spec.test.reference is not None)


@pytest.mark.parametrize(
    ("formula", "reference", "wrong"),
    [
        ("sum(x)", "torch.sum(x, -1)", "torch.sum(x)"),
        ("mean(x)", "torch.mean(x, -1)", "torch.sum(x, -1)"),
        ("amax(x)", "torch.amax(x, -1)", "torch.amax(torch.abs(x), -1)"),
        ("amin(x) + 1", "torch.amin(x, -1) + 1", "torch.amin(x, -1)"),
        ("logsumexp(x)", "torch.logsumexp(x, -1)", "torch.log(torch.sum(x, -1))"),
        ("softmax(x)", "torch.softmax(x, -1)", "torch.softmax(x, 0)"),
        ("log_softmax(x)", "torch.log_softmax(x, -1)", "torch.softmax(x, -1)"),
        ("var(x, 0)", "torch.var(x, -1, correction=0)", "torch.var(x, -1)"),
        ("std(x)", "torch.std(x, -1)", "torch.std(x, -1, correction=0)"),
        ("norm(x)", "torch.linalg.vector_norm(x, dim=-1)", "torch.sum(x * x, -1)"),
        ("any(x > 3)", "torch.any(x > 3, -1)", "torch.all(x > 3, -1)"),
        ("all(x > -3)", "torch.all(x > -3, -1)", "torch.any(x > -3, -1)"),
        ("count(x > 0) + 0 * mean(x)", "torch.sum(x > 0, -1)", "torch.sum(x >= 0, -1)"),
    ],
)
def test_reductions(formula: str, reference: str, wrong: str) -> None:
    assert agrees("x: tensor", f"'{formula}'", reference)
    assert not agrees("x: tensor", f"'{formula}'", wrong)


def test_index_and_length() -> None:
    positions = "torch.cumsum(torch.ones_like(x), -1)"
    assert agrees("x: tensor", "x * (index + 1)", f"x * {positions}")
    assert not agrees("x: tensor", "x * index", f"x * {positions}")
    assert agrees("x: tensor", "sum(x) + length", "torch.sum(x + 1, -1)")


def test_row_tensors_and_kinds_of_outputs() -> None:
    inputs = "x: tensor, s: row tensor, k: int row tensor, keep: bool tensor"
    formula = "sum(x if keep else 0) * s + k"
    reference = "torch.sum(torch.where(keep, x, 0), -1) * s + k"
    assert agrees(inputs, formula, reference)
    assert not agrees(inputs, formula, f"torch.unsqueeze({reference}, -1)")
    kept = f"{{formula: {formula}, keepdim: true}}"
    assert agrees(inputs, kept, f"torch.unsqueeze({reference}, -1)")
    assert agrees("x: {split: [a, b]}", "a - mean(b)", HALVES.format("torch.mean"))
    assert not agrees("x: {split: [a, b]}", "a - mean(b)", HALVES.format("torch.amax"))
    packed = "{pack: [x - mean(x), x], layout: chunked}"
    assert agrees("x: tensor", packed, "torch.cat([x - torch.mean(x, -1, True), x], -1)")
    whole = "{formula: round(x / amax(abs(x)) * 127), dtype: int8}"
    assert agrees("x: tensor", whole, "torch.round(x / torch.amax(torch.abs(x), -1, True) * 127)")


HALVES = "a - {}(b, -1, True)"


def test_params_and_points_to_leave_out() -> None:
    formula, reference = "x / maximum(norm(x), eps)", "x / torch.linalg.vector_norm(x, dim=-1, {})"
    kept = reference.format("keepdim=True")
    params = "params:\n  eps: float = 0.001"
    assert not agrees("x: tensor", f"'{formula}'", kept, params)
    assert agrees("x: tensor", f"'{formula}'", kept, f"  exclude: norm(x) < 0.001\n{params}")
    clamped = f"x / torch.clamp({kept.removeprefix('x / ')}, min=eps)"
    assert agrees("x: tensor", f"'{formula}'", clamped, params)


@pytest.mark.parametrize(
    ("reduce", "reference", "wrong"),
    [
        ("-2", "torch.softmax(x, -2) * torch.unsqueeze(t, -2)", "torch.softmax(x, -1)"),
        ("-3", "torch.softmax(x, -3) * torch.unsqueeze(t, -3)", "torch.softmax(x, -2)"),
        (
            "[-2, -1]",
            "torch.exp(x) / torch.sum(torch.exp(x), [-2, -1], True) * torch.reshape(t, [-1, 1, 1])",
            "torch.softmax(x, -1)",
        ),
        ("dim", "torch.softmax(x, dim) * torch.unsqueeze(t, dim)", "torch.softmax(x, -1)"),
    ],
)
def test_rows_in_other_dimensions(reduce: str, reference: str, wrong: str) -> None:
    inputs, formula = "x: tensor, t: row tensor", "softmax(x) * t"
    more = f"reduce: {reduce}\n"
    assert agrees(inputs, formula, reference, more)
    assert not agrees(inputs, formula, wrong, more)
