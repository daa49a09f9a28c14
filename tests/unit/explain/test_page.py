"""The page of an op. `pytest tests/unit/explain --update` writes golden/ anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fusewise.explain.page import WIDTH, explain, explain_latex
from fusewise.language.functions.operators import DIV, EQ, MUL
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.cost import H200, Machine, estimate
from repository import SPECS, compiled

GOLDEN = Path(__file__).parent / "golden"
OPS = (
    "bias_gelu",
    "cross_entropy",
    "fused_bias_leakyrelu",
    "lltm",
    "lstm_cell",
    "round_ste",
    "swiglu",
)


@pytest.mark.parametrize("op", OPS)
def test_golden(op: str, request: pytest.FixtureRequest) -> None:
    plan = compiled(op)
    for suffix, text in (("txt", explain(plan)), ("tex", explain_latex(plan))):
        path = GOLDEN / f"explain_{op}.{suffix}"
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")


def test_every_golden_file_has_its_op() -> None:
    names = {f"explain_{op}.{suffix}" for op in OPS for suffix in ("txt", "tex")}
    assert {path.name for path in GOLDEN.iterdir()} == names


@pytest.mark.parametrize("op", SPECS)
def test_every_page_fits_the_width(op: str) -> None:
    plan = compiled(op)
    lines = explain(plan).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in "\n".join(lines)
    latex = explain_latex(plan)
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\begin{align*}") == latex.count(r"\end{align*}") >= 1


CHOICES = """\
op: f
inputs: {x: tensor, y: tensor}
params:
  kind: {type: int, default: 2, choices: [1, 2]}
  limit: float = inf
outputs:
  out: maximum(x, y) * limit if kind == 1 else 1 - sigmoid(x) + y * limit
"""


def test_an_op_with_choices_has_a_section_for_each() -> None:
    page = explain(compile_spec(parse_spec(CHOICES)))
    titles = [line for line in page.splitlines() if line.startswith("With ")]
    assert titles == ["With kind = 2", "With kind = 1"]
    assert "By default kind = 2, limit = ∞." in page
    assert "1 - sigmoid(x)  ->  sigmoid(-x)  everywhere" in page
    assert "x = y  maximum: half to each at a tie; NaN propagates" in page
    latex = explain_latex(compile_spec(parse_spec(CHOICES)))
    assert "% f, backward, kind = 1\n" in latex


def test_an_op_without_gradient_says_so() -> None:
    page = explain(
        compile_spec(parse_spec("op: f\ninputs: {i: int tensor}\noutputs: {out: i * i}"))
    )
    assert "None: no gradient arrives at this op." in page
    assert "\nMemory\n" not in page


def test_what_is_detached_is_said() -> None:
    text = "op: f\ninputs: {x: tensor, y: tensor}\noutputs: {out: %s, gate: stop_grad(y)}"
    page = explain(compile_spec(parse_spec(text % "x * stop_grad(y)")))
    assert "None, since the inputs are detached: ∂L/∂y." in page
    assert "No gradient arrives at the detached outputs: gate." in page
    page = explain(compile_spec(parse_spec(text % "stop_grad(x)")))
    assert "None: the inputs are detached." in page


def test_the_verdict_on_gradients_that_the_spec_gives_is_said() -> None:
    page = explain(compiled("quick_geglu"))
    assert re.search(
        r"  The spec gives gradients, compared with the derived ones: ∂L/∂gate is checked at \d{3}"
        r" points,\n      ∂L/∂up is proved, ∂L/∂weight is proved\.\n",
        page,
    )
    assert "compared" not in explain(compiled("round_ste"))


@pytest.mark.parametrize(
    ("op", "values"),
    [
        ("rms_norm", None),
        ("layer_norm", None),
        ("add_rms_norm", "mean(s * s)"),
        ("cross_entropy", None),
        ("scaled_softmax", None),
        ("swiglu", None),
    ],
)
def test_values_of_rows_that_the_backward_computes_anew_are_said(
    op: str, values: str | None
) -> None:
    page = explain(compiled(op))
    assert f"  The backward computes anew: {values}.\n" in page or values is None
    assert ("computes anew" in page) == (values is not None)


def test_signs_that_need_a_word_are_explained() -> None:
    text = "op: f\ninputs: {x: tensor}\noutputs:\n  out: round_to(stop_grad(x) * normal_cdf(x), x)"
    page = explain(compile_spec(parse_spec(text)))
    assert page.count("sg(e) is e with the derivative zero") == 1
    assert "fl_x(e) is e rounded to the type of x" in page
    assert "Φ is the distribution of the standard normal law" in page


def test_a_term_that_is_no_number_has_a_gradient() -> None:
    text = "op: f\ninputs: {x: tensor}\noutputs: {a: x * x, b: 0 / 0 * x}"
    page = explain(compile_spec(parse_spec(text)))
    assert "  b = 0 · x / 0\n" in page
    assert "∂L/∂x = 2 · ∂L/∂a · x + 0 · ∂L/∂b / 0\n" in page


def test_names_that_differ_are_set_differently_on_the_whole_page() -> None:
    inputs = "op: f\ninputs: {x: tensor, x1: tensor, x_1: tensor = 1}\n"
    text = f"{inputs}outputs: {{out: relu(x1) * x + stop_grad(x_1)}}"
    page = explain(compile_spec(parse_spec(text)))
    assert "out = ReLU(x1) · x + sg(x_1)" in page
    assert "∂L/∂x1 = " in page
    assert "None, since the inputs are detached: ∂L/∂x_1." in page
    assert "x1 = 0  relu" in page
    assert "By default x_1 = 1." in page
    assert "₁" not in page


# Costs

PACKED = """\
op: f
inputs:
  g: {split: [a, b], layout: chunked}
  c: tensor
  m: bool tensor
outputs:
  out: a * b if m else c
shapes:
  - {g: [64, 32], c: [16], m: [64, 1]}
"""


def test_the_roofline_counts_what_each_tensor_holds() -> None:
    spec = parse_spec(PACKED)
    shapes = spec.first_shapes
    assert spec.loop_shape(shapes) == (64, 16)
    (variant,) = compile_spec(spec).variants
    machine = Machine("slow", bytes_per_second=100, instructions_per_second=1000)
    forward = estimate(spec, variant.passes[0], variant.kernels[0], shapes, "float32", machine)
    assert forward.bytes == 4 * (64 * 32 + 16 + 64 * 16) + 64
    assert forward.memory == forward.seconds == forward.bytes / 100
    assert forward.arithmetic == 64 * 16 * 2 / 1000
    assert forward.bound == "memory"
    backward = estimate(spec, variant.passes[1], variant.kernels[1], shapes, "bfloat16", machine)
    assert backward.bytes == 2 * (64 * 16 + 2 * 64 * 32 + 16) + 64


ROWS = """\
op: f
inputs: {x: tensor, target: int row tensor}
outputs:
  out: sum(x * x if index == target else 0)
  mean: {formula: mean(x), keepdim: true}
shapes:
  - {x: [64, 16], target: [64]}
"""


def test_the_roofline_of_rows() -> None:
    """A tensor of rows has one number a row, and so has what is computed of totals."""
    spec = parse_spec(ROWS)
    shapes = spec.first_shapes
    (variant,) = compile_spec(spec).variants
    machine = Machine("slow", bytes_per_second=100, instructions_per_second=1000)
    forward, backward = (
        estimate(spec, source, plan, shapes, "float32", machine) for source, plan in variant.timed
    )
    assert forward.bytes == 4 * (64 * 16 + 2 * 64) + 8 * 64
    assert backward.bytes == 4 * (2 * 64 * 16 + 2 * 64) + 8 * 64
    of_elements = MUL.cost + EQ.cost + 1  # for the choice
    assert forward.arithmetic == 64 * (16 * of_elements + DIV.cost) / 1000
    traffic = [plan.traffic for plan in variant.kernels[:2]]
    assert traffic == [
        "1 read and 0 written for each element, 1 read and 2 written for each row",
        "1 read and 1 written for each element, 3 read and 0 written for each row",
    ]


def test_the_phases_of_rows() -> None:
    (variant,) = compile_spec(parse_spec(ROWS)).variants
    assert str(variant.kernels[0]).splitlines()[1:] == [
        "  phase 1, reads x, target:",
        "    where0 = x * x if index == target else 0",
        "    total0 = sum(where0)",
        "    total1 = sum(x)",
        "  for each row:",
        "    out = total0",
        "    mean = total1 / length",
    ]


def test_an_absent_input_costs_nothing() -> None:
    spec = parse_spec("op: f\ninputs: {x: tensor, b: tensor = 0}\noutputs: {out: x * tanh(x + b)}")
    (variant,) = compile_spec(spec).variants
    shapes = {"x": (8, 4)}
    found = estimate(spec, variant.passes[1], variant.kernels[1], shapes, "float32")
    assert found.bytes == 4 * 3 * 32
    assert found.seconds == found.bytes / H200.bytes_per_second


def test_a_gradient_that_is_forwarded_costs_nothing() -> None:
    text = "op: f\ninputs: {x: tensor, y: tensor, b: tensor = 0}\noutputs: {out: %s}"

    def moved(formula: str, **shapes: tuple[int, ...]) -> int:
        spec = parse_spec(text % formula)
        (variant,) = compile_spec(spec).variants
        return estimate(spec, variant.passes[1], variant.kernels[1], shapes, "float32").bytes

    assert moved("x + y + b", x=(8, 4), y=(8, 4)) == 0
    assert moved("x + y + b", x=(8, 4), y=(8, 4), b=(4,)) == 4 * (32 + 4)  # a sum of grad_out
    assert moved("x * x + y + b", x=(8, 4), y=(8, 4)) == 4 * 3 * 32  # grad_out, x, grad_x
    # Two inputs have equal gradients, which are reduced over different dimensions.
    both = "stop_grad(x) * (y + b)"
    assert moved(both, x=(8, 4), y=(8, 4), b=(8, 4)) == 4 * 3 * 32
    assert moved(both, x=(4, 4), y=(4, 1), b=(1, 4)) == 4 * (2 * 16 + 4 + 4)
    (variant,) = compile_spec(parse_spec(text % "x * x + y + b")).variants
    assert variant.kernels[1].traffic == (
        "2 read and 1 written for each element; grad_y equals grad_out, grad_b equals grad_out"
    )


def test_equal_gradients_whose_names_fill_a_line() -> None:
    names = [f"a_name_of_nearly_forty_characters_{k}" for k in range(4)]
    text = f"op: f\ninputs: {{{': tensor, '.join(names)}: tensor, y: tensor}}\n"
    page = explain(compile_spec(parse_spec(f"{text}outputs: {{out: ({' + '.join(names)}) * y}}")))
    assert " = ".join(f"∂L/∂{name[:-2]}{'₀₁₂₃'[k]}" for k, name in enumerate(names)) in page


@pytest.mark.parametrize(
    ("formula", "edge"),
    [
        ("p ** -2", None),  # the exponent is never 0
        ("p ** -2.5", None),
        ("2 ** p", None),
        (
            "p ** q",
            "the derivative by p is 0 where q is 0, by q where p is 0 and q is not negative",
        ),
        ("atan2(p, q)", "0 at (0, 0); jumps where p is 0 and q negative"),
        ("xlogy(p, q)", "0 where p is 0, and so are its derivatives where q is not positive"),
        ("sqrt(p)", "sqrt'(0) = inf"),
    ],
)
def test_an_edge_is_told_in_the_names_of_the_op(formula: str, edge: str | None) -> None:
    inputs = ", ".join(f"{name}: tensor" for name in "pq" if name in formula.replace("sqrt", ""))
    spec = parse_spec(f"op: f\ninputs: {{{inputs}}}\noutputs: {{out: '{formula}'}}\n")
    page = explain(compile_spec(spec))
    assert ("Kinks and edges" in page) == (edge is not None)
    assert edge is None or f": {edge} " in " ".join(page.split())
