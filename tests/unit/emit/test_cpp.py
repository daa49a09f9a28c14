"""What the C++ of a pass says beside its bodies."""

from __future__ import annotations

from pathlib import Path

import pytest
from fusewise.generate import spec_files
from fusewise.language.spec import load_spec, parse_spec
from fusewise.pipeline import compile_spec

SPECS = spec_files(Path(__file__).parents[3] / "specs")


@pytest.mark.parametrize(
    ("inputs", "runners", "header"),
    [
        (
            "x: tensor",
            ["run_cuda_pointwise", "run_cuda_same_shape", "run_cuda_same_shape_strided"],
            "cuda/same_shape.cuh",
        ),
        (
            "x: tensor\n  mask: bool tensor",  # x may be smaller than the mask
            ["run_cuda_pointwise", "run_cuda_reduction", "run_cuda_reduction_strided"],
            "cuda/reduction.cuh",
        ),
    ],
)
def test_gradients_of_one_tensor_are_compiled_without_sums(
    inputs: str, runners: list[str], header: str
) -> None:
    out = "sin(x) if mask else x" if "mask" in inputs else "sin(x)"
    view = compile_spec(parse_spec(f"op: gate\ninputs:\n  {inputs}\noutputs:\n  out: {out}\n")).view
    assert [runner.cuda_function for source in view.passes for runner in source.runners] == runners
    assert view.cuda_includes == f"#include <fusewise/{header}>"


def test_row_invariant_values_are_hoisted_where_that_pays() -> None:
    """Of reads that are timed as numbers of a row; not in the double backward. Divisors count."""
    views = {
        path.stem: [
            tuple(
                dict(view.structs[0].constants).get(k, 0)
                for k in ("kHoisted", "kHoistedFrom", "kRowScalars")
            )
            for view in compile_spec(load_spec(path)).view.passes
        ]
        for path in SPECS
        if path.stem in ("xielu", "snake_beta", "swiglu")
    }
    assert views == {
        "xielu": [(2, 0b110, 0b110), (4, 0b1100, 0b1100), (0, 0, 0)],
        "snake_beta": [(0, 0b100, 0b110), (0, 0b1000, 0b1100), (0, 0, 0)],
        "swiglu": [(0, 0, 0), (0, 0, 0), (0, 0, 0)],
    }


@pytest.mark.parametrize(
    ("out", "hoisted", "hoisted_from"),
    [
        ("x * exp(s) + log(b)", 2, 0b110),
        ("x * silu(s) + b", 1, 0b10),
        ("b * x / (1 + exp(s))", 1, 0b10),  # the divisor is no row scalar for certain
        ("exp(x) * s + b / 2", 0, 0),  # nothing that would cost much
        ("x * exp(s) + log(b) * exp(p)", 1, 0),  # a value of params is certain
        ("x * exp(s * exp(p)) + b", 1, 0),
    ],
)
def test_without_typical_shapes_values_of_possible_row_scalars_are_hoisted(
    out: str, hoisted: int, hoisted_from: int
) -> None:
    text = "op: f\ninputs: {x: tensor, s: tensor, b: tensor}\nparams: {p: float}\n"
    text += f"outputs: {{out: {out} - p}}\n"
    passes = compile_spec(parse_spec(text)).view.passes
    forward, backward, double_backward = (view.structs[0] for view in passes)
    constants = dict(forward.constants)
    assert constants.get("kHoisted", 0) == hoisted
    assert constants.get("kHoistedFrom", 0) == hoisted_from
    for view in (forward, backward, double_backward):
        assert "kRowScalars" not in dict(view.constants)
        assert not any("div_shared" in line for each in view.functions for line in each.lines)
    assert "kHoistedFrom" not in dict(double_backward.constants)


def test_values_that_may_be_hoisted_count_as_instructions_of_an_element() -> None:
    text = "op: f\ninputs: {x: tensor, s: tensor}\noutputs: {out: x * exp(s)}\n"
    typical = "shapes: [{x: [8, 8], s: [8, 1]}]\n"
    counts = [
        compile_spec(parse_spec(each)).view.passes[0].instructions
        for each in (text, text + typical)
    ]
    assert counts == [11, 1]


def test_operands_of_one_byte_and_pairs_are_told_to_the_kernels() -> None:
    """By their places, where each part is an operand; wider fixed types are not told."""
    text = (
        "op: f\ninputs: {x: {split: [a, b], layout: interleaved}, keep: bool tensor, y: tensor}\n"
    )
    text += "outputs:\n  q: {formula: a * y, dtype: int8}\n  w: {formula: b, dtype: float32}\n"
    text += "  high: a > b\n  r: {pack: [a if keep else y, b], layout: interleaved}\n"
    op = compile_spec(parse_spec(text)).view
    forward, backward, _ = (view.structs[0] for view in op.passes)
    expected = (
        "operand == 2 ? Dtype::kBool : operand == 4 ? Dtype::kInt8 : operand == 6 ? Dtype::kBool"
    )
    assert " ".join(forward.stored_dtype.split()) == f"return {expected} : others;"
    assert dict(forward.constants)["kInterleaved"] == 1 | 1 << 7
    assert backward.stored_dtype.count("? Dtype::kBool") == 1
    assert op.math_includes == "#include <fusewise/math/dtype.h>"
    assert (
        compile_spec(
            parse_spec("op: g\ninputs: {x: tensor}\noutputs: {out: 2 * x}")
        ).view.math_includes
        == "#include <fusewise/math/math.h>"
    )
