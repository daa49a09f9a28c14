"""The docstring of an op: formulas, gradients, shapes, dtypes and what the backward keeps."""

from __future__ import annotations

import ast
import textwrap

import pytest
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec


def docstring(sections: str) -> str:
    view = compile_spec(parse_spec(f"op: f\n{textwrap.dedent(sections)}")).view
    (function,) = ast.parse("\n".join(view.python.definition_lines)).body
    assert isinstance(function, ast.FunctionDef)
    return ast.get_docstring(function) or ""


def test_a_whole_docstring() -> None:
    found = docstring("""\
        doc: |
          Scale and shift.

          The second paragraph.
        inputs: {x: tensor, scale: tensor, bias: tensor = 0}
        params: {power: {type: int, default: 1, choices: [1, 2]}}
        let: {s: exp(scale)}
        outputs: {out: (x * s if power == 1 else x * x * s) + bias}
        shapes: [{x: [64, 32], scale: [64, 1], bias: [32]}]
    """)
    assert found == textwrap.dedent("""\
        Scale and shift.

        The second paragraph.

          s = exp(scale)
          out = (x * s if power == 1 else x * x * s) + bias
          bias is 0 if it is None
          power is one of 1, 2
          grad_x needs grad_out, scale, x
          grad_scale needs grad_out, x, scale
          grad_bias = grad_out

        Shapes: any that broadcast
        Dtypes: floating point
        Kept for the backward: at most x, scale; 4 bytes an element in float32, 2 in bfloat16""")


def test_a_long_paragraph_is_filled() -> None:
    line = " ".join(["word"] * 19) + " ab"  # as long as a spec allows
    found = docstring(f"""\
        doc: |
          {line}
          {line}

          short
          lines
        inputs: {{x: tensor}}
        outputs: {{out: x * x}}
    """)
    first, second, *_ = found.split("\n\n")
    assert first.split() == line.split() * 2
    assert all(len(row) <= 93 for row in first.splitlines())
    assert second == "short\nlines"


def test_a_list_stays_a_list() -> None:
    item = "- " + " ".join(["word"] * 20)
    found = docstring(f"""\
        doc: |
          Some:

          {item}
          {item}
        inputs: {{x: tensor}}
        outputs: {{out: x * x}}
    """)
    first, *rest = found.split("\n\n")[1].splitlines()
    assert first.startswith("- word")
    assert [row[:5] for row in rest] == ["    w", "- wor", "    w"]


GATES = "inputs: {g: {split: [a, b]}, c: tensor}\n"


@pytest.mark.parametrize(
    ("sections", "line"),
    [
        ("inputs: {x: tensor}\noutputs: {out: x + 1}", "Shapes: any"),
        ("inputs: {x: tensor}\noutputs: {out: x + 1}", "Kept for the backward: nothing"),
        (
            GATES + "outputs: {h: a * b + c}",
            "Shapes: g [..., 2 n], c [..., n], which broadcast -> h [..., n]",
        ),
        (GATES + "outputs: {h: {pack: [a * c, b, a]}}", "-> h [..., 3 n]"),
        (
            "inputs: {x: tensor, t: int row tensor}\noutputs: {l: sum(x if index == t else 0)}",
            "Shapes: x [..., n], t [...], which broadcast -> l [...]",
        ),
        (
            "inputs: {x: tensor}\noutputs: {m: {formula: mean(x), keepdim: true}, y: x * 2}",
            "Shapes: x [..., n] -> m [..., 1], y [..., n]",
        ),
        (
            "inputs: {x: tensor, y: tensor, m: bool tensor}\noutputs: {out: x * y if m else 0}",
            "Dtypes: x, y floating point, m bool",
        ),
        (
            "inputs: {x: tensor}\noutputs: {q: {formula: x, dtype: int8}, s: {formula: x, "
            "dtype: like x}}",
            "Dtypes: floating point -> q int8, s as x",
        ),
        ("inputs: {i: int tensor}\noutputs: {out: i * i}", "It has no gradient."),
        (
            "inputs: {x: tensor, m: bool tensor}\noutputs: {out: x if m else 0}",
            "Kept for the backward: m; 1 byte an element",
        ),
        (
            "inputs: {x: tensor, t: row tensor}\noutputs: {l: mean(x) * t}\n"
            "shapes: [{x: [4, 8], t: [4]}]",
            "Kept for the backward: x, t, one total of each row; "
            "4 bytes an element in float32, 2 in bfloat16",
        ),
        ("inputs: {x: tensor, y: tensor}\noutputs: {out: x * y}", "grad_x = grad_out * y"),
        (GATES + "outputs: {h: gelu_tanh(a * b) + c}", "grad_g needs grad_h, g"),
        ("inputs: {x: tensor, y: tensor}\noutputs: {out: tanh(x + y)}", "grad_y = grad_x"),
    ],
)
def test_a_line(sections: str, line: str) -> None:
    assert line in docstring(sections)


def test_a_gradient_that_the_spec_gives_stands_there_once() -> None:
    found = docstring("""\
        inputs: {x: tensor, y: tensor}
        outputs: {out: x * y}
        backward: {is: surrogate, grad_x: 2 * grad_out}
    """)
    assert found.count("grad_x") == 1
    assert "grad_y = grad_out * x" in found


def test_a_shared_expression_is_not_written_out_again_and_again() -> None:
    steps = "".join(f"  s{k}: s{k - 1} * sigmoid(s{k - 1})\n" for k in range(1, 30))
    found = docstring("inputs: {x: tensor}\nlet:\n  s0: x\n" + steps + "outputs: {out: s29}\n")
    assert "grad_x needs grad_out, x" in found


def test_an_output_with_the_dtype_of_an_input() -> None:
    found = docstring("""\
        inputs: {likelihood: tensor}
        outputs: {out: {formula: 2 * likelihood, dtype: like likelihood}}
    """)
    assert "Dtypes: floating point -> out as likelihood\n" in f"{found}\n"
