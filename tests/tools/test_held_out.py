"""The formulas that benchmarks/held_out.py draws, and its summary. It compiles nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import formulas
import held_out
import pytest
import torch
from fusewise.language.spec import parse_spec
from fusewise.measure.bench.cases import Case, Setting, reduced
from fusewise.measure.bench.report import DIRECTIONS, Results, Row
from fusewise.measure.contenders import eager_function

DRAWN = formulas.draw_formulas(60, 0)


def test_formulas_depend_on_the_seed_alone() -> None:
    assert formulas.draw_formulas(5, 0) == DRAWN[:5]
    assert len({str(formula) for formula in DRAWN}) > 50
    assert str(formulas.draw_formulas(1, 1)[0]) != str(DRAWN[0])


@pytest.mark.parametrize("formula", [*formulas.FIXED, *DRAWN], ids=lambda formula: formula.name)
def test_a_formula_and_its_gradients_are_finite(formula: formulas.Formula) -> None:
    spec = parse_spec(formula.text)
    assert spec.shapes == ()
    case = Case(spec, reduced(spec, tuple(formula.shapes.items()), 4096))
    for dtype in held_out.TOLERANCES:
        inputs = case.inputs(Setting("cpu", dtype, 1, 1))
        found = eager_function(spec, SimpleNamespace(), {})(**inputs)  # type: ignore[arg-type]
        outputs = found if isinstance(found, tuple) else (found,)
        total = torch.stack([output.sum() for output in outputs]).sum()
        gradients = torch.autograd.grad(total, list(inputs.values()))
        assert all(tensor.isfinite().all() for tensor in (*outputs, *gradients))


def gate() -> Case:
    text = "op: gate\ninputs: {x: tensor}\noutputs: {out: silu(x)}\n"
    text += "test: {reference: torch.nn.functional.silu(x)}\n"
    return Case(parse_spec(text), (("x", (64, 32)),))


def test_an_op_is_compared_with_eager_in_float64() -> None:
    right: Any = SimpleNamespace(gate=lambda x: torch.nn.functional.silu(x))
    wrong: Any = SimpleNamespace(gate=lambda x: x * torch.sigmoid(1.01 * x))
    setting = Setting("cpu", "float32", 1, 1)
    held_out.check(gate(), right, setting)
    with pytest.raises(ValueError, match="gate, float32: out has an error of"):
        held_out.check(gate(), wrong, setting)


def test_a_process_on_a_cpu_times_one_dtype(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The first one ends with freed memory kept, so the second one would have no plain process.
    monkeypatch.setattr("sys.argv", ["held_out.py", "--device", "cpu", "--count", "0"])
    with pytest.raises(SystemExit):
        held_out.main()
    assert "name one --dtype on a CPU" in capsys.readouterr().err


def test_the_summary_has_means_and_the_rows_that_are_slow() -> None:
    times = {"fusewise": 10.0, "eager": 40.0, "compile": 8.0}
    shapes = {"x": (64, 32)}
    rows = [Row("gate", shapes, direction, 1, 9, times, {}) for direction in DIRECTIONS]
    results = Results({}, "float32", 1, tuple(rows), ())
    assert held_out.summary(results, ("eager", "compile")).splitlines()[2:] == [
        "gate                                10.0 / 10.0 / 10.0  0.90 / 0.90 / 0.90  "
        "4.00 / 4.00 / 4.00  0.80 / 0.80 / 0.80",
        "float32, geometric mean over eager: 4.00 / 4.00 / 4.00",
        "float32, geometric mean over compile: 0.80 / 0.80 / 0.80",
        "under 0.9: float32 forward 0.80 gate 64x32",
        "under 0.9: float32 backward 0.80 gate 64x32",
        "under 0.9: float32 step 0.80 gate 64x32",
    ]
