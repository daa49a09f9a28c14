"""Equations in MathML: well-formed for every op, and with the structure of the formula."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from fusewise.explain.equations import Equation, forward_equations, pass_equations
from fusewise.explain.mathml import CELL, mathml_maths
from fusewise.language.spec import parse_spec
from repository import SPECS, compiled

ELEMENTS = {
    *("math", "mtable", "mtr", "mtd", "mrow", "mi", "mn", "mo", "mtext"),
    *("mfrac", "msqrt", "mroot", "msub", "msup"),
}
CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2}


Y = "<msub><mi>y</mi><mrow><mi>low</mi></mrow></msub>"


def shown(formula: str) -> str:
    """The right-hand side of a formula in MathML, without the styles of cells."""
    spec = parse_spec(f"op: f\ninputs: {{x: tensor, y_low: tensor}}\noutputs: {{out: '{formula}'}}")
    text = mathml_maths(forward_equations(spec)).replace(f' style="{CELL}"', "")
    return text.split("<mo>=</mo></mtd><mtd>")[1].removesuffix("</mtd></mtr></mtable></math>")


@pytest.mark.parametrize("op", SPECS)
def test_every_op_has_well_formed_mathml(op: str) -> None:
    blocks: list[list[Equation]] = [forward_equations(SPECS[op])]
    for variant in compiled(op).variants:
        blocks += [steps + writes for steps, writes in map(pass_equations, variant.passes[:2])]
    for block in blocks:
        root = ET.fromstring(mathml_maths(block))
        for element in root.iter():
            assert element.tag in ELEMENTS
            assert len(element) == CHILDREN.get(element.tag, len(element))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("x - 2 * y_low", f"<mi>x</mi><mo>−</mo><mn>2</mn><mo>·</mo>{Y}"),
        ("exp(-x) + y_low", "<msup><mi>e</mi><mrow><mo>−</mo><mi>x</mi></mrow></msup>"
         f"<mo>+</mo>{Y}"),
        ("sqrt(x / y_low)", "<msqrt><mfrac><mrow><mi>x</mi></mrow>"
         f"<mrow>{Y}</mrow></mfrac></msqrt>"),
        ("abs(x) * cbrt(y_low)", "<mrow><mo>|</mo><mi>x</mi><mo>|</mo></mrow><mo>·</mo>"
         f"<mroot><mrow>{Y}</mrow><mn>3</mn></mroot>"),
        ("pow(x, y_low)", f"<msup><mrow><mi>x</mi></mrow><mrow>{Y}</mrow></msup>"),
        ("tanh(y_low) ** 2 * x", "<msup><mrow><mi>tanh</mi></mrow><mn>2</mn></msup>"
         f'<mrow><mo stretchy="false">(</mo>{Y}<mo stretchy="false">)</mo></mrow>'
         "<mo>·</mo><mi>x</mi>"),
        ("1e-7 ** y_low + x", '<msup><mrow><mrow><mo stretchy="false">(</mo>'
         '<msup><mrow><mn>10</mn></mrow><mn>−7</mn></msup>'
         '<mo stretchy="false">)</mo></mrow></mrow>'
         f"<mrow>{Y}</mrow></msup><mo>+</mo><mi>x</mi>"),
        ("x * 0.99999999999 + y_low", f"<mn>0.999999…</mn><mo>·</mo><mi>x</mi><mo>+</mo>{Y}"),
        ("x if x > y_low else 0.5", "<mrow><mo>{</mo><mtable displaystyle=\"true\">"
         f"<mtr><mtd><mi>x</mi></mtd><mtd><mtext>if\xa0</mtext><mrow><mi>x</mi><mo>&gt;</mo>{Y}"
         "</mrow></mtd></mtr><mtr><mtd><mfrac><mn>1</mn><mn>2</mn></mfrac></mtd>"
         "<mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>"),
    ],
)  # fmt: skip
def test_structure(formula: str, expected: str) -> None:
    assert shown(formula).replace("&#xa0;", "\xa0") == expected


def test_names_that_differ_are_set_differently() -> None:
    inputs = "op: f\ninputs: {x: tensor, x_: tensor, x1: tensor, x_1: tensor}\n"
    spec = parse_spec(f"{inputs}outputs: {{out: x * x_ * x1 * x_1}}")
    names = ("x", "x_", "x1", "x_1")
    product = "<mo>·</mo>".join(f"<mi>{name}</mi>" for name in names)
    assert product in mathml_maths(forward_equations(spec))


def test_a_choice_has_parentheses_as_a_base_and_as_a_condition() -> None:
    choice = shown("x if y_low > 0 else 1")
    fenced = f"<mrow><mo>(</mo>{choice}<mo>)</mo></mrow>"
    assert shown("(x if y_low > 0 else 1) ** 2") == f"<msup><mrow>{fenced}</mrow><mn>2</mn></msup>"
    condition = choice.replace("<mi>x</mi>", "<mrow><mi>x</mi><mo>&lt;</mo><mn>3</mn></mrow>", 1)
    condition = condition.replace("<mn>1</mn>", "<mrow><mi>x</mi><mo>&lt;</mo><mn>4</mn></mrow>")
    fenced = f"<mrow><mo>(</mo>{condition}<mo>)</mo></mrow>"
    assert fenced in shown("x if (x < 3 if y_low > 0 else x < 4) else 0")


def test_a_long_sum_takes_several_lines() -> None:
    terms = " + ".join(f"tanh({k} * x) * sigmoid(y_low)" for k in range(2, 9))
    lines = shown(terms).split("</mtr><mtr>")
    assert len(lines) > 2
    assert all("<mo>+</mo>" in line for line in lines[1:])
