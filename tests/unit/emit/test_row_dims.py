"""What is generated for an op whose rows are other dimensions than the last one."""

from __future__ import annotations

import pytest
from fusewise.emit.render import render
from fusewise.explain.page import explain
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec

FORWARD = ("csrc/sample/sample_torch.cpp", "my_ops/__init__.py", "tests/test_sample.py")


WITH_ROW_TENSOR = """\
inputs: {x: tensor, t: row tensor}
params: {scale: float = 1}
module: {}
outputs: {y: x * t - scale, m: sum(x)}
test: {reference: 'x * t - scale, x'}
"""
WITHOUT = """\
inputs: {x: tensor, w: tensor = 1}
outputs: {y: x - mean(x * w), m: sum(x), k: {formula: sum(x), keepdim: true}}
test: {reference: 'x - torch.mean(x * w), torch.sum(x), torch.sum(x)'}
shapes: [{x: [64, 32, 16], w: [16]}]
"""


def compiled(reduce: str, sections: str = WITH_ROW_TENSOR) -> Compiled:
    return compile_spec(parse_spec(f"op: sample\nreduce: {reduce}\n{sections}"))


def files(reduce: str, sections: str = WITH_ROW_TENSOR) -> dict[str, str]:
    return render([compiled(reduce, sections).view], "my_ops")


def test_the_last_dimension_is_the_default() -> None:
    assert files("-1") == files("[-1]")
    torch, package, tests = map(files("-1").__getitem__, FORWARD)
    assert "row_dims.h" not in torch
    assert "__rows" not in torch + package + tests


def test_the_kernels_are_those_of_the_last_dimension() -> None:
    last = files("-1")
    for reduce in ("-3", "[-2, -1]", "dim"):
        found = files(reduce)
        for name in ("sample.math.h", "sample_cpu.cpp", "sample_cuda.cu"):
            assert found[f"csrc/sample/{name}"] == last[f"csrc/sample/{name}"]


@pytest.mark.parametrize(
    ("reduce", "dims", "keyword"),
    [("-3", "-3", ""), ("[-2, -4]", "-4, -2", ""), ("dim", "", ", int dim=-1")],
)
def test_the_op_calls_that_of_the_last_dimension(reduce: str, dims: str, keyword: str) -> None:
    text = files(reduce)[FORWARD[0]]
    assert "#include <fusewise/torch/row_dims.h>" in text
    assert '.schema = "sample__rows(Tensor x, Tensor t, *, float scale=1) -> (Tensor, ' in text
    assert '.schema = "sample__rows_backward(' in text
    assert '.name = "sample",' in text
    start = text.index("const RowDimsRegistration kForwardRegistration(")
    pieces = [line.strip().strip('"') for line in text[start:].splitlines()[1:]]
    written = "".join(pieces).replace('",', ",")
    schema = f"sample(Tensor x, Tensor t, *, float scale=1{keyword}) -> (Tensor, Tensor)"
    assert f"{schema},kForward, {{{dims}}});" in written


def test_all_elements_are_one_row() -> None:
    whole = files("all", WITHOUT)
    torch, package, tests = map(whole.__getitem__, FORWARD)
    assert "kForward, {kAllDims});" in torch
    assert "x, w [...], which broadcast -> y [...], m [], k [1, ...]" in package
    assert 'op=testing.op_of_rows(my_ops.sample, "sample__rows"),' in tests
    assert "oracle=testing.for_each_row(oracle)," in tests
    assert "All elements are one row." in explain(compiled("all", WITHOUT))
    name = "csrc/sample/sample_cpu.cpp"
    assert whole[name] == files("-1", WITHOUT)[name]


def test_a_keyword_of_the_function_and_the_module() -> None:
    text = files("dim")[FORWARD[1]]
    assert "    scale: float = 1,\n    dim: int = -1,\n    out: tuple[" in text
    assert "t, scale=scale, dim=dim, out=out)" in text
    assert "return _C.sample(x, t, scale, dim, out)" in text
    assert "def __init__(self, *, scale: float = 1, dim: int = -1) -> None:" in text
    assert "return sample(x, t, scale=self.scale, dim=self.dim)" in text
    assert '"my_ops::sample__rows_backward"' in text


@pytest.mark.parametrize(
    ("reduce", "call"),
    [
        ("-3", "(-3,), row_inputs=(1,), row_outputs=(1,)"),
        ("[-2, -1]", "(-2, -1), row_inputs=(1,), row_outputs=(1,)"),
        ("dim", "(-2,), row_inputs=(1,), row_outputs=(1,), dim=-2"),
    ],
)
def test_tests_move_the_row(reduce: str, call: str) -> None:
    text = files(reduce)[FORWARD[2]]
    assert f"op=testing.rows_last(my_ops.sample, {call})," in text
    assert f"oracle=testing.rows_last(oracle, {call})," in text
    assert 'dispatcher="my_ops::sample__rows",' in text


@pytest.mark.parametrize(
    ("reduce", "line"),
    [
        ("-1", "Shapes: x [..., n], t [...], which broadcast -> y [..., n], m [...]"),
        ("-2", "Shapes: x [..., n, m], t [..., m], which broadcast -> y [..., n, m], m [..., m]"),
        ("[-2, -1]", "Shapes: x [..., n0, n1], t [...], which broadcast -> y [..., n0, n1], m"),
        ("dim", "Shapes: x [..., n, ...], t [..., ...], which broadcast -> y [..., n, ...], m"),
    ],
)
def test_the_docstring_shows_the_row(reduce: str, line: str) -> None:
    assert line in files(reduce)[FORWARD[1]]


@pytest.mark.parametrize(
    ("reduce", "note"),
    [
        ("-2", "A row is the dimension −2."),
        ("[-2, -1]", "A row is the elements of the dimensions −2, −1."),
        ("dim", "A row is the dimension dim."),
    ],
)
def test_explain_says_what_a_row_is(reduce: str, note: str) -> None:
    assert note in explain(compiled(reduce))
