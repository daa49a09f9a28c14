"""Elements that a GPU computes from a term which it holds, instead of computing the term again."""

from __future__ import annotations

import pytest
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.statements import RowPass


def row_pass(text: str, place: int = 0, inputs: str = "x: tensor") -> RowPass:
    spec = parse_spec(f"op: sample\ninputs: {{{inputs}}}\noutputs:\n  out: {text}\n")
    found = compile_spec(spec).variants[0].kernels[place].row_pass
    assert found is not None
    return found


def test_a_softmax_holds_its_exponentials() -> None:
    found = row_pass("softmax(2 * x)")
    assert found.elements
    assert found.held_elements
    assert found.elements.formulas == {"out": "div_shared(exp_negative1, total1)"}
    assert found.held_elements.term == 0
    plan = found.held_elements.plan
    assert plan.name == "held_elements"
    assert [read.name for read in plan.reads] == ["x", "total0", "total1", "term1"]
    assert plan.formulas == {"out": "div_shared(term1, total1)"}
    assert plan.steps == []


def test_other_reads_stay() -> None:
    found = row_pass("softmax(x) * gate", inputs="x: tensor, gate: tensor")
    assert found.held_elements
    used = {n.name for n in found.held_elements.plan.kernel.used if n.kind == "input"}
    assert used == {"gate", "total1", "term1"}


def test_the_term_that_saves_most() -> None:
    found = row_pass("(sum(x * x) + sum(exp(x))) * exp(x) + x * x")
    assert found.held_elements
    assert found.held_elements.plan.write_names == ("out",)
    assert "exp0 = exp(x)" in found.totals[0].steps
    assert found.totals[0].formulas["term1"] == "exp0"
    assert found.held_elements.term == 1


@pytest.mark.parametrize(
    "text",
    [
        "x * rsqrt(mean(x * x) + 1)",  # a product is computed again in less
        "exp(x) * sum(x)",  # no term
        "exp(x) * sum(abs(x - sum(exp(x))))",  # a term of an earlier phase
        "sum(exp(x))",  # no elements
    ],
)
def test_what_does_not_pay(text: str) -> None:
    assert row_pass(text).held_elements is None


def test_passes_that_sum_over_rows_need_their_registers() -> None:
    spec = parse_spec(
        "op: sample\ninputs: {x: tensor, weight: tensor}\noutputs:\n  out: softmax(x) * weight\n"
        "shapes:\n  - {x: [64, 1024], weight: [1024]}\n"
    )
    forward, backward, _ = compile_spec(spec).variants[0].kernels
    assert forward.row_pass
    assert forward.row_pass.held_elements
    assert backward.row_pass
    assert backward.row_pass.summed
    assert backward.row_pass.held_elements is None
