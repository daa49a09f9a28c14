"""The totals that the forward pass keeps, and sums that need no reduction."""

from __future__ import annotations

import pytest
from fusewise.graph.dag import topological
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.statements import KernelPlan, RowPass


def plans(output: str, inputs: str = "x: tensor") -> tuple[KernelPlan, ...]:
    text = f"op: f\ninputs: {{{inputs}}}\noutputs: {{out: '{output}'}}\n"
    return compile_spec(parse_spec(text)).variants[0].kernels


@pytest.mark.parametrize(
    ("output", "kept", "reduced"),
    [
        ("x * rsqrt(mean(x * x) + 1)", 1, 1),
        ("(x - mean(x)) * rsqrt(var(x, 0) + 1)", 2, 2),
        ("logsumexp(x)", 2, 1),  # the backward is a softmax, whose sum is another
        ("sum(x * x)", 0, 0),
        ("exp(sum(x * x))", 1, 0),
        ("exp(x)", 0, 0),
    ],
)
def test_the_backward_reduces_no_total_of_the_forward_again(
    output: str, kept: int, reduced: int
) -> None:
    forward, backward, *_ = plans(output)
    assert len(forward.kept.names) == len(backward.kept.names) == kept
    totals = backward.row_pass.totals if backward.row_pass else ()
    assert sum(len(total.kernel.writes) for total in totals) == reduced


def test_forward_and_backward_mean_the_same_totals() -> None:
    forward, backward, double = plans("(x - mean(x)) * rsqrt(var(x, 0) + 1)")
    assert forward.write_names == ("out", "kept_total0", "kept_total1")
    assert [read.name for read in backward.reads] == ["grad_out", "x", "kept_total0", "kept_total1"]
    assert double.kept.names == ()
    assert forward.kernel.writes[1:] == tuple(backward.kept.inputs)
    assert all(node.reduction for node in backward.kept.inputs)
    assert not set(backward.kept.inputs) & set(topological(backward.kernel.writes))


def test_a_total_of_what_is_saved_in_place_of_inputs_is_computed_anew() -> None:
    """The runtime could not compute it from what a backward without totals has."""
    text = """
op: f
inputs: {x: tensor, y: tensor}
let: {h: x + y}
outputs: {out: "(h - mean(h)) * rsqrt(var(h, 0) + 1)", sum: h}
"""
    _, backward, _ = compile_spec(parse_spec(text)).variants[0].kernels
    assert "sum" in [read.name for read in backward.reads]
    assert backward.kept.names == ()


def test_the_page_says_what_is_kept() -> None:
    _, backward, _ = plans("(x - mean(x)) * rsqrt(var(x, 0) + 1)")
    assert str(backward.kept) == (
        "The forward pass keeps 2 totals of each row for the backward, 8 B."
    )


def row_pass(output: str) -> RowPass:
    names = [name for name in ("target", "y") if name in output]
    kinds = {"target": "int row tensor", "y": "row tensor"}
    forward, *_ = plans(output, ", ".join(["x: tensor", *(f"{n}: {kinds[n]}" for n in names)]))
    assert forward.row_pass is not None
    return forward.row_pass


def terms(output: str) -> list[str]:
    return [text for part in row_pass(output).totals for text in part.formulas.values()]


def row_formula(output: str) -> str:
    return str(row_pass(output).rows)


def test_a_sum_of_one_element_is_no_reduction() -> None:
    assert terms("sum(x) + sum(y if index == target else 0)") == ["x"]
    assert terms("sum(x) + sum(y if target == index else 0)") == ["x"]
    shown = row_formula("sum(x) + sum(y if index == target else 0)")
    assert "y if target >= 0 and target < length else 0" in shown


@pytest.mark.parametrize(
    "term",
    [
        "x if index == target else 0",  # the element is read
        "y if index < target else 0",
        "y if index == target else 1",
    ],
)
def test_other_sums_are_reductions(term: str) -> None:
    assert len(terms(f"sum(x) + sum({term})")) == 2


def test_a_term_made_of_totals_is_taken_out() -> None:
    assert "x" in terms("sum(x - logsumexp(x))")
    assert "length * " in row_formula("sum(x - logsumexp(x))")


def test_a_term_that_is_the_same_in_a_row_may_cancel_in_each_element() -> None:
    assert terms("sum(x + y)") == ["x + y"]
    assert terms("sum(y - x * x)") == ["y - x * x"]
    assert "length" not in row_formula("sum(x + y)")
    for output in ("sum(x - amax(x))", "sum(amax(x) - x)", "sum(x - amin(x))"):
        assert "length" not in row_formula(output)


def test_a_total_and_what_is_compared_with_it_are_computed_alike() -> None:
    """A softmax is 1 for the largest element, so its exponent must be exactly zero there."""
    loss = "sum(log_softmax(tanh(x)) if index == target else 0)"
    forward, backward, _ = plans(loss, "x: tensor, target: int row tensor")
    assert len(forward.kept.inputs) == 2
    assert forward.row_pass is not None
    assert backward.row_pass is not None
    assert backward.row_pass.totals == ()
    (term,) = forward.row_pass.totals[0].kernel.writes
    assert "tanh(" not in str(forward.row_pass.totals[0])
    assert backward.row_pass.elements is not None
    assert term in backward.row_pass.elements.kernel.used
