"""An op has one variant for each combination of choices; a variant contains only its branches."""

from __future__ import annotations

import pytest
from fusewise.language.choices import MAX_VARIANTS, default_choice, take_choices
from fusewise.language.errors import SpecError
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec

SPEC = """\
op: f
inputs: {x: tensor, b: tensor}
params:
  kind: {type: int, default: 2, choices: [1, 2]}
  negate: {type: bool, default: false, choices: [false, true]}
  alpha: float = 0.2
let:
  y: tanh(x) if kind == 1 else alpha * x
  z: -y if negate and kind == 1 else y * b
outputs:
  out: z
"""


def spec_with(params: str, formula: str) -> Spec:
    return parse_spec(f"op: f\ninputs: {{x: tensor}}\nparams:\n  {params}\noutputs:\n  {formula}\n")


def compiled() -> Compiled:
    return compile_spec(parse_spec(SPEC))


def test_every_combination_is_a_variant_and_the_default_comes_first() -> None:
    names = [variant.choice.spec.name for variant in compiled().variants]
    assert names == [
        "f__kind_2_negate_false",
        "f__kind_1_negate_false",
        "f__kind_1_negate_true",
        "f__kind_2_negate_true",
    ]
    first = default_choice(parse_spec(SPEC))
    assert first is not None
    assert str(first) == "kind = 2, negate = false"


def test_a_variant_computes_what_was_chosen_and_no_more() -> None:
    shown = {str(v.choice): [str(root) for root in v.passes[0].roots] for v in compiled().variants}
    assert shown == {
        "kind = 2, negate = false": ["alpha * x * b"],
        "kind = 1, negate = false": ["tanh(x) * b"],
        "kind = 1, negate = true": ["-tanh(x)"],
        "kind = 2, negate = true": ["alpha * x * b"],
    }


def test_variants_save_what_each_needs() -> None:
    saved = {
        str(v.choice): [t.name for t in v.passes[1].reads if not t.name.startswith("grad_")]
        for v in compiled().variants
    }
    assert saved["kind = 1, negate = true"] == ["x"]
    assert saved["kind = 1, negate = false"] == ["x", "b"]


def test_the_backward_of_the_user_takes_the_choice() -> None:
    text = (
        SPEC + "backward:\n  is: derivative\n  grad_b: 0 if negate and kind == 1 else grad_out * y"
    )
    compile_spec(parse_spec(text))
    with pytest.raises(SpecError, match="this is not the derivative"):
        compile_spec(parse_spec(text.replace("0 if negate", "y if negate")))


@pytest.mark.parametrize(
    ("params", "formula", "roots"),
    [
        ("n: {type: int, choices: [2, -3]}", "out: x ** n", ["x * x", "x ** -3"]),
        (
            "limit: {type: float, default: inf, choices: [0.5, inf]}",
            "out: minimum(x, limit)",
            ["x", "minimum(x, 0.5)"],
        ),
        (
            "on: {type: bool, choices: [true, false]}",
            "out: x if not on or x > 1 else -x",
            ["x if x > 1 else -x", "x"],
        ),
        (
            "on: {type: bool, choices: [true, false]}",
            "out: {formula: on and x > 0, dtype: bool}",
            ["x > 0", "0"],
        ),
    ],
)
def test_values_of_every_type_fold(params: str, formula: str, roots: list[str]) -> None:
    variants = compile_spec(spec_with(params, formula)).variants
    assert [str(variant.passes[0].roots[0]) for variant in variants] == roots


def test_names_of_variants_are_names_in_cpp() -> None:
    choices = take_choices(spec_with("a: {type: float, choices: [-0.5, 1e-7, inf]}", "out: x * a"))
    assert [choice.spec.name for choice in choices] == [
        "f__a_minus_0_5",
        "f__a_1eminus_07",
        "f__a_inf",
    ]


def test_names_of_large_values_are_short() -> None:
    values = "9007199254740992, 1e16, 1e300, -1.7e308, 123456789012345678901"
    choices = take_choices(spec_with(f"a: {{type: float, choices: [{values}]}}", "out: x * a"))
    assert [choice.suffix for choice in choices] == [
        *("a_9007199254740992", "a_1e16", "a_1e300", "a_minus_1_7e308", "a_1_2345678901234568e20")
    ]
    assert str(choices[2]) == "a = 1e+300"


def test_too_many_variants_are_refused() -> None:
    values = ", ".join(map(str, range(MAX_VARIANTS + 1)))
    with pytest.raises(SpecError, match=f"these choices make {MAX_VARIANTS + 1} variants"):
        compile_spec(spec_with(f"n: {{type: int, choices: [{values}]}}", "out: x + n"))


def test_an_op_without_choices_is_one_variant() -> None:
    (choice,) = take_choices(spec_with("n: int", "out: x + n"))
    assert (choice.suffix, choice.spec.name) == ("", "f")


def test_the_python_function_picks_the_variant() -> None:
    view = compiled().view.python
    assert view.variant_lines[0] == "_F_VARIANTS = {"
    assert '    (2, False): "f__kind_2_negate_false",' in view.variant_lines
    assert "    variant = _F_VARIANTS.get((kind, negate))" in view.choice_lines
