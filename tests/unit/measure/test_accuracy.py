"""Every spec states a bound, and errors are measured as docs/numerics.md says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from fusewise.language.spec import parse_spec
from fusewise.measure.accuracy.report import Page, Results
from fusewise.measure.accuracy.run import run
from repository import PLAIN, SPECS

ROOT = Path(__file__).resolve().parents[3]
MEASURED = [SPECS[op] for op in PLAIN]


def measured(spec: str, op: Any, count: int = 600) -> Results:
    """The errors of a PyTorch function in place of the built op of a spec."""
    parsed = parse_spec(f"op: f\ninputs: {{x: tensor}}\n{spec}", "f.yaml")
    decomposition = SimpleNamespace(f=SimpleNamespace(decomposition=torch.exp))
    module: Any = SimpleNamespace(f=op, _ops=decomposition)
    return run([parsed], module, "cpu", lambda *_: None, {"float32": count})


def results(spec: str, op: Any) -> dict[str, Any]:
    return {row.result: row.fused for row in measured(spec, op).rows}


REFERENCE = "test: {reference: torch.exp(x), ulp: 4}"


def test_an_accurate_op_is_within_its_bound() -> None:
    found = measured(f"outputs: {{out: exp(x)}}\n{REFERENCE}", torch.exp)
    assert [row.result for row in found.rows] == ["out", "grad_x"]
    assert all(0 < row.fused.ulp < 3 for row in found.rows)
    assert found.failures == []


def test_a_variant_is_compared_with_its_own_decomposition() -> None:
    spec = parse_spec(
        "op: f\ninputs: {x: tensor}\n"
        "params: {rate: {type: float, default: 0.1, choices: [0.1, 2]}}\noutputs: {out: x * rate}\n"
    )

    def op(x: torch.Tensor, rate: float) -> torch.Tensor:
        return x * rate

    variants = {
        "f__rate_0_1": SimpleNamespace(decomposition=lambda x: x * 0.1),
        "f__rate_2": SimpleNamespace(decomposition=lambda x: x * 2),
    }
    module: Any = SimpleNamespace(f=op, _ops=SimpleNamespace(**variants))
    found = run([spec], module, "cpu", lambda *_: None, {"float32": 100})
    assert [row.op for row in found.rows] == 2 * ["f(rate = 0.1)"] + 2 * ["f(rate = 2)"]
    assert all(row.eager is not None and row.eager.ulp < 2 for row in found.rows)
    assert Page.parse(str(found)) == found.page
    assert [row[:2] for row in found.page.of("f").rows] == [
        ("rate = 0.1", "out"),
        ("rate = 0.1", "grad_x"),
        ("rate = 2", "out"),
        ("rate = 2", "grad_x"),
    ]
    assert found.page.of("g").rows == ()


@pytest.mark.parametrize("text", ["", "# Accuracy\n", "| op | result |"])
def test_other_pages_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="fusewise accuracy --output"):
        Page.parse(text)


def test_a_wrong_constant_exceeds_the_bound() -> None:
    found = measured(
        f"outputs: {{out: exp(x)}}\n{REFERENCE}", lambda x: torch.exp(x) * (1 + 2**-20)
    )
    assert [row.fused.ulp for row in found.rows] == pytest.approx([16, 16], abs=3)
    assert found.failures[0].startswith("f: out in float32: ")
    assert found.failures[0].endswith(" ulp, stated are 4")


def test_a_tail_that_cancels_is_an_error() -> None:
    """The limit 0 of a tail is not a zero crossing: 1 - sigmoid(x) is an error there."""
    found = results("outputs: {out: sigmoid(-x)}", lambda x: 1 - torch.sigmoid(x))
    assert found["out"].ulp > 1e6
    found = results("outputs: {out: sigmoid(-x)}", lambda x: torch.sigmoid(-x.double()).to(x))
    assert found["out"].ulp < 1


def test_a_sum_that_cancels_in_another_form_only_is_an_error() -> None:
    """Near 0, the product rule for (1 - x) * (1 + x) gives 0; the derivative is -2 x."""
    found = results("outputs: {out: 0.75 * (1 - x * x)}", lambda x: 0.75 * (1 - x) * (1 + x))
    assert found["out"].ulp < 4
    assert found["grad_x"].ulp > 1e6


def test_a_zero_crossing_is_measured_beside_it() -> None:
    """Near the zero of x * 3 - 1, errors are measured in ulp of the values beside it."""
    found = results("outputs: {out: x * 3 - 1}", lambda x: x.mul(3) - 1)
    assert found["out"].ulp < 8
    found = results("outputs: {out: x * 3 - 1}", lambda x: x.mul(3) - (1 + 1e-5))
    assert found["out"].ulp > 80


def test_a_nan_of_a_finite_value_is_counted() -> None:
    found = results("outputs: {out: sigmoid(x)}", lambda x: x.exp() / (1 + x.exp()))
    assert found["out"].not_finite > 5
    assert "nan" in str(found["out"])
    assert measured("outputs: {out: sigmoid(x)}", torch.sigmoid).failures == []


def test_an_infinity_of_a_function_out_of_range_is_excused() -> None:
    found = results("outputs: {out: 1 / exp(x * x + 2)}", lambda x: 1 / torch.exp(x * x + 2))
    assert found["out"].not_finite == 0


def test_steps_are_not_measured_beside_them() -> None:
    found = results("outputs: {out: floor(x * 3)}", lambda x: torch.floor(x * 3))
    assert found["out"].ulp < 1


def test_the_page() -> None:
    found = measured(f"outputs: {{out: exp(x)}}\n{REFERENCE}", torch.exp)
    page = str(found)
    assert page.startswith("# Accuracy\n")
    assert f"| f  | out    | 4      | {found.rows[0].fused} " in page


@pytest.mark.parametrize("spec", MEASURED, ids=lambda spec: spec.name)
def test_a_spec_states_its_bound(spec: Any) -> None:
    measured = any(output.is_differentiable(spec.inputs) for output in spec.outputs)
    assert (spec.test.ulp is not None) == measured
