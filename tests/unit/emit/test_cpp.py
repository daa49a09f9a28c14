"""Printed C++ means what the DAG means: read back, it is the same expression."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
from fusewise import testing
from fusewise.derive.autodiff import differentiate
from fusewise.derive.simplify import simplify
from fusewise.emit.cpp import decomposition_lines, kernel_functions
from fusewise.emit.printing import WIDTH, DecompositionPrinter, KernelPrinter, wrapped
from fusewise.emit.python import doc_lines
from fusewise.graph.dag import Dag, Node
from fusewise.graph.passes import build_graph
from fusewise.language.errors import SpecError
from fusewise.language.formula import parse_formula
from fusewise.language.spec import Spec, parse_spec
from fusewise.pipeline import Compiled, compile_spec
from fusewise.plan.kernels import KernelPlan, plan_kernels, prepared_values
from fusewise.plan.memory import plan_memory
from fusewise.plan.specialize import specialize
from repository import PLAIN, SPECS, compiled

NAMES = ("a", "b", "c")


def built(text: str) -> tuple[Dag, Node]:
    dag = Dag()
    return dag, dag.build(parse_formula(text), {name: dag.input(name) for name in NAMES})


def printed(text: str, printer: KernelPrinter) -> str:
    """The formula in C++."""
    dag, root = built(text)
    for name in NAMES:
        printer.name(dag.input(name), name)
    return printer.show(root)


def as_formula(text: str) -> str:
    """C++ as a printer makes it, in the formula language."""
    text = re.sub(r"\btypes\[(\d+)\]", r"type_\1", text)
    text = re.sub(r"\bprepared\[(\d+)\]( != T\(0\))?", r"prepared_\1", text)
    text = re.sub(r"\bT\(([^()]*)\)", r"(\1)", text)
    text = text.replace("rt::", "").replace("at::", "").replace("INFINITY", "inf")
    text = text.replace("NAN", "nan").replace(" & ", " and ").replace(" | ", " or ")
    text = re.sub(r"\bremainder\b", "mod", text)
    text = re.sub(r'\bdiv\((.*?), "floor"\)', r"floordiv(\1)", text)
    return re.sub(r"!(?!=)", "not ", text)


# Expressions

ASSOCIATION = [
    *("a - (b - c)", "a - b - c", "a - (b + c)", "a / (b / c)", "a / b / c", "a / (b * c)"),
    *("a * (b / c)", "a * b / c", "(a + b) * c", "a + b * c", "a * (b + c)", "a + (b + c)"),
    *("-(a + b)", "-a - b", "-(a / b)", "a - b * -c", "exp(-a)", "-exp(a)", "-(-a * b) + c"),
    *("(a - b) / (b - c)", "a / (b - 1)", "1 / a", "0.25 * a", "-2 * a", "a - 0.1"),
    *("where(a < b, a, b)", "where(a < b and b < c, a, b)", "where(a < b or not b < c, a, c)"),
    *("where(not (a < b or b < c), a, b)", "where((a < b or b < c) and c > a, a, b)"),
    *("where(a < b and (b < c and a < c), a, c)", "where(a + b <= c * 2, a, b)"),
    *("where((a if b > 0 else c) != 0, a, b) * 2", "(a if b > 0 else c) + 1", "a ** b ** c"),
    *("(a ** b) ** c", "a // b % c", "clamp(a, -inf, b)", "maximum(a, nan)"),
]


@pytest.mark.parametrize("text", ASSOCIATION)
@pytest.mark.parametrize("printer", [KernelPrinter, lambda: DecompositionPrinter(like="a")])
def test_cpp_reads_back_as_the_same_expression(text: str, printer: Any) -> None:
    dag, root = built(text)
    back = as_formula(printed(text, printer()))
    back = re.sub(r"constant\((.*?), a\)", r"\1", back)  # a number where ATen takes tensors only
    names = {name: dag.input(name) for name in NAMES}
    copy = dag.build(parse_formula(back), names)
    assert copy is root, back


@pytest.mark.parametrize(
    ("text", "cpp"),
    [
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("a * (b * c)", "a * (b * c)"),  # never reassociated
        ("-(a * b)", "-(a * b)"),
        ("1 / (1 + exp(-a))", "T(1) / (T(1) + rt::exp(-a))"),
        pytest.param(
            "where(a < b and not c > 0, a, 0)",
            "rt::where((a < b) & (!(c > T(0))), a, T(0))",
        ),
        ("a * 0.1 - 1 / 3", "a * T(0.1) - T(0.3333333333333333)"),
    ],
)
def test_kernel_text(text: str, cpp: str) -> None:
    assert printed(text, KernelPrinter()) == cpp


@pytest.mark.parametrize(
    ("text", "cpp"),
    [
        ("2 - a * -3", "2 - a * -3"),
        ("where(a > 0, a, 0)", "at::where(a > 0, a, 0)"),
        ("where(a > 0, 1, 0)", "at::where(a > 0, constant(1, a), constant(0, a))"),
        ("where(a > 0 and b > 0, a, b)", "at::where(at::logical_and(a > 0, b > 0), a, b)"),
        ("a ** 2.5", "at::pow(a, 2.5)"),
        ("2 ** a", "at::pow(constant(2, a), a)"),
        ("a // b", 'at::div(a, b, "floor")'),
        ("stop_grad(a) + 1", "at::detach(a) + 1"),
        ("maximum(a, 0)", "at::maximum(a, constant(0, a))"),
    ],
)
def test_decomposition_text(text: str, cpp: str) -> None:
    assert printed(text, DecompositionPrinter(like="a")) == cpp


# Constants

CONSTANTS = [
    *("0", "1", "-1", "0.1", "-0.1", "1e-5", "1e300", "5e-324", "2.2250738585072014e-308"),
    *("1.7976931348623157e308", "9007199254740991", "9007199254740992", "123456789012345678901"),
    *("0.30000000000000004", "1e22", "1e23", "3.141592653589793238462643383279502884197"),
]


@pytest.mark.parametrize("text", CONSTANTS)
def test_a_constant_is_the_same_double(text: str) -> None:
    value = Fraction(text)
    kernel = KernelPrinter().const(value).text
    assert float(kernel[2:-1]) == float(value)
    assert float(DecompositionPrinter(like="a").const(value).text) == float(value)
    with_point = re.sub(r"^-?\d+$", "", kernel[2:-1])
    assert with_point == "" or re.search(r"[.e]", with_point)  # an int or a double of C++


@pytest.mark.parametrize(("value", "text"), [(math.inf, "INFINITY"), (math.nan, "NAN")])
def test_constants_that_are_no_number(value: float, text: str) -> None:
    assert KernelPrinter().const(value).text == f"T({text})"


# Whole bodies


def plans(spec: Spec) -> Iterator[KernelPlan]:
    forward = simplify(build_graph(spec))
    backward = plan_memory(forward, simplify(differentiate(forward))).derivative
    double_backward = plan_memory(backward, simplify(differentiate(backward))).derivative
    for source in (forward, backward, double_backward):
        yield plan_kernels(source, specialize(spec, source))


def joined(lines: tuple[str, ...]) -> list[str]:
    """Statements, each on one line."""
    text = "\n".join(lines)
    return re.sub(r"\n +", " ", text).splitlines()


@pytest.mark.parametrize("op", PLAIN)
def test_a_kernel_body_computes_the_plan(op: str) -> None:
    for plan in plans(SPECS[op]):
        dag = Dag()
        prepared = prepared_values(plan)
        *prepare, apply = kernel_functions(plan, prepared)
        values = [value for view in prepare for value in read_back(dag, plan, view.lines, [])]
        assert values == [as_doubles(dag, as_number(dag, node)) for node in prepared]
        values = [as_doubles(dag, node) for node in prepared]
        written = read_back(dag, plan, apply.lines, values)
        assert written == [as_doubles(dag, as_number(dag, node)) for node in plan.kernel.writes]


def read_back(
    dag: Dag, plan: KernelPlan, lines: tuple[str, ...], prepared: list[Node]
) -> list[Node]:
    """What a body writes; a condition that is read stands for the number that it is read from."""
    leaves = {"reads": plan.reads, "params": plan.params}
    names: dict[str, Node] = {}
    unnamed = {f"type_{k}": dag.input(read.name) for k, read in enumerate(plan.reads)}
    unnamed |= {f"prepared_{k}": node for k, node in enumerate(prepared)}
    written = []
    for line in joined(lines):
        target, text = re.fullmatch(r"(?:const [\w:<>]+ )?(\S+) = (.*);", line).groups()  # type: ignore[union-attr]
        if leaf := re.fullmatch(r"(reads|params)\[(\d+)\].*", text):
            node = leaves[leaf[1]][int(leaf[2])]
            assert node.name == target
            names[target] = dag.input(target, node.type)
            continue
        if leaf := re.fullmatch(r"prepared\[(\d+)\].*", text):
            names[target] = prepared[int(leaf[1])]
            continue
        node = dag.build(parse_formula(as_formula(text)), names | unnamed)
        if re.match(r"(writes|prepared)\[", target):
            written.append(node)
        else:
            assert target not in names
            names[target] = node
    return written


def as_number(dag: Dag, node: Node) -> Node:
    """A condition is written as one or zero."""
    if node.type != "bool":
        return node
    return dag.call("where", node, dag.const(1), dag.const(0))


def as_doubles(dag: Dag, node: Node) -> Node:
    """The node in another DAG, its constants as a compiler reads them."""
    if node.kind == "const":
        assert node.value is not None
        fraction = isinstance(node.value, Fraction) and node.value.denominator != 1
        return dag.const(Fraction(repr(float(node.value))) if fraction else node.value)
    if node.kind != "call":
        return dag.input(node.name, node.type)
    return dag.call(node.name, *(as_doubles(dag, arg) for arg in node.args))


# What a user wrote inside comments, strings and docstrings

NASTY = [
    'a "quoted" word',
    '""" + __import__("os").system("x") + """',
    'ends with a quote "',
    'ends with quotes """',
    "ends with a backslash \\",
    r"\N{BULLET} \x41 \u0041 \1 \" ",
    "*/ int main() { return 1; } /*",
    "// #include <x> ??/ {{ op }} {% if x %} {# c #}",
    "percent %s {0} $name",
    "ünïcode, 漢字 and \u202eright to left\u2028and a line",
    "'single''quotes'''",
]


def spec_with(doc: str, path: str = "f.yaml") -> Spec:
    lines = "".join(f"  {line}\n" for line in doc.splitlines())
    return parse_spec(
        f"op: f\ndoc: |\n{lines}inputs:\n  x: tensor\noutputs:\n  out: tanh(x)\n", path
    )


@pytest.mark.parametrize("doc", [*NASTY, "\n".join(line for line in NASTY if "\u2028" not in line)])
def test_a_docstring_holds_the_text_and_nothing_escapes(doc: str) -> None:
    try:
        spec = spec_with(doc)
    except SpecError:  # what the loader refuses needs no escaping
        return
    source = "\n".join(["def f():", *doc_lines(spec)])
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 1
    found = ast.get_docstring(function)
    assert found is not None
    expected = [line.rstrip() for line in spec.doc.strip().splitlines()]
    assert found.splitlines()[: len(expected)] == [line.strip() for line in expected]
    assert "out = tanh(x)" in found


@pytest.mark.parametrize("doc", NASTY)
def test_the_text_never_reaches_cpp(doc: str) -> None:
    try:
        view = compile_spec(spec_with(doc)).view
    except SpecError:  # what the loader refuses needs no escaping
        return
    plain = compile_spec(spec_with("Plain.")).view
    assert (view.header, view.passes) == (plain.header, plain.passes)


def test_header_lines_are_comments_which_end_with_their_line(
    compiled: Sequence[Compiled],
) -> None:
    for op in compiled:
        for line in op.view.header.splitlines():
            assert line.startswith("//")
            assert not line.endswith("\\")
            assert "\n" not in line
            assert not line.endswith("??/")


# Width

WIDE = """op: f
doc: A test of long names.
inputs:
{inputs}
outputs:
  out: {out}
"""


def wide_spec() -> Spec:
    names = [f"a_rather_long_name_of_some_input_{i}" for i in range(6)]
    products = " + ".join(f"tanh({a} * {b})" for a in names for b in names[:2] if a != b)
    inputs = "\n".join(f"  {name}: tensor" for name in names)
    return parse_spec(WIDE.format(inputs=inputs, out=products), "f.yaml")


def test_bodies_keep_to_the_width() -> None:
    wide = wide_spec()
    for plan in plans(wide):
        assert max(map(len, kernel_functions(plan, ())[0].lines)) <= WIDTH - 4
        assert (
            max(map(len, decomposition_lines(plan, in_floats=wide.computes_floats)[0])) <= WIDTH - 2
        )


def test_wrapping_keeps_every_word() -> None:
    line = "const T x = " + " + ".join(f"name{i}" for i in range(60)) + ";"
    pieces = wrapped(line, 4)
    assert " ".join(piece.strip() for piece in pieces) == line
    assert all(len(piece) <= WIDTH - 4 for piece in pieces)
    assert all(piece.startswith("    ") for piece in pieces[1:])


# The header, and twice the same


def test_the_header_tells_formulas_and_what_is_kept() -> None:
    op = compiled("swiglu")
    text = op.view.header
    assert "by `fusewise generate`. Do not edit." in text
    assert "out = x * sigmoid(x) * y" in text
    assert "grad_y = grad_out * " in text
    assert "backward keeps x, y: 8 B" in text
    assert "forward: 2 read and 1 written for each element" in text


@pytest.mark.parametrize(
    ("inputs", "runners", "header"),
    [
        ("x: tensor", ["run_cuda", "run_cuda_dense", "run_cuda_dense_small"], "dense.cuh"),
        (
            "x: tensor\n  mask: bool tensor",  # x may be smaller than the mask
            ["run_cuda", "run_cuda_reducing", "run_cuda_reducing_small"],
            "reduce.cuh",
        ),
    ],
)
def test_gradients_of_one_tensor_are_compiled_without_sums(
    inputs: str, runners: list[str], header: str
) -> None:
    out = "sin(x) if mask else x" if "mask" in inputs else "sin(x)"
    view = compile_spec(parse_spec(f"op: gate\ninputs:\n  {inputs}\noutputs:\n  out: {out}\n")).view
    assert [source.run_cuda for source in view.passes] == runners
    assert view.cuda_header == header


def test_what_a_row_has_in_common_is_prepared_where_that_pays() -> None:
    """Of row scalars; not in the double backward. Divisors count."""
    views = {
        op: [(view.prepared, view.prepared_from, view.numbers) for view in compiled(op).view.passes]
        for op in ("xielu", "snake_beta", "swiglu")
    }
    assert views == {
        "xielu": [(2, 0b110, 0b110), (4, 0b1100, 0b1100), (0, 0, 0)],
        "snake_beta": [(0, 0b100, 0b110), (0, 0b1000, 0b1100), (0, 0, 0)],
        "swiglu": [(0, 0, 0), (0, 0, 0), (0, 0, 0)],
    }


PREPARED = """
op: f
inputs: {x: tensor, a: tensor}
params: {p: "float", q: "bool"}
let: {rate: exp(p)}
outputs:
  out: round_to((x if exp(a) > 2 else rate) * x, x) + (1 + rate) * (tanh(p) + 1) * x
  flag: sqrt(p) > 3 and q
shapes: [{x: [8, 8], a: [8, 1]}]
"""


def test_prepared_values_may_be_conditions_and_have_no_name() -> None:
    forward = compile_spec(parse_spec(PREPARED)).view.passes[0]
    assert forward.prepared_from == 0b10
    prepare, apply = forward.functions
    assert prepare.arguments == "const T* reads, const T* params, T* prepared"
    assert prepare.lines[-4:] == (
        "prepared[0] = rate;",
        "prepared[1] = rt::where(exp0 > T(2), T(1), T(0));",
        "prepared[2] = rt::where((sqrt0 > T(3)) & q, T(1), T(0));",
        "prepared[3] = (T(1) + rate) * (T(2) * where1);",
    )
    types = "const Dtype* types, "
    assert apply.arguments == f"const T* reads, const T*, const T* prepared, {types}T* writes"
    assert apply.lines == (
        "const T x = reads[0];",
        "const T rate = prepared[0];",
        "const T where0 = rt::where((prepared[1] != T(0)), x, rate);",
        "const T round_to0 = rt::round_to(where0 * x, types[0]);",
        "writes[0] = round_to0 + prepared[3] * x;",
        "writes[1] = rt::where((prepared[2] != T(0)), T(1), T(0));",
    )


def test_operands_of_one_byte_and_pairs_are_told_to_the_kernels() -> None:
    """By their places, where each part is an operand; wider fixed types are not told."""
    text = (
        "op: f\ninputs: {x: {split: [a, b], layout: interleaved}, keep: bool tensor, y: tensor}\n"
    )
    text += "outputs:\n  q: {formula: a * y, dtype: int8}\n  w: {formula: b, dtype: float32}\n"
    text += "  high: a > b\n  r: {pack: [a if keep else y, b], layout: interleaved}\n"
    op = compile_spec(parse_spec(text)).view
    forward, backward, _ = op.passes
    expected = (
        "operand == 2 ? Dtype::kBool : operand == 4 ? Dtype::kInt8 : operand == 6 ? Dtype::kBool"
    )
    assert " ".join(forward.stored_dtype.split()) == f"return {expected} : others;"
    assert forward.pairs == 1 | 1 << 7
    assert backward.stored_dtype.count("? Dtype::kBool") == 1
    assert op.math_includes == "#include <fusewise/math/dtype.h>"
    assert (
        compile_spec(
            parse_spec("op: g\ninputs: {x: tensor}\noutputs: {out: 2 * x}")
        ).view.math_includes
        == "#include <fusewise/math/math.h>"
    )


def test_the_reference_of_a_test_gives_what_the_op_gives() -> None:
    """Integers that meet floats are floats, and params choose no shape."""
    text = """\
op: f
inputs: {i: int tensor, x: tensor, y: tensor}
params: {p: float = 0.5, up: bool = true}
let: {s: 2 * p, t: exp(p), low: p < 1 and up}
outputs:
  a: minimum(x + i / 3 + 2 ** i, y + s + t)
  b: maximum(x, s) if up else y
  c: "2"
  d: {formula: p > 1, dtype: bool}
  e: x if p > 1 else 1
  f: x > 1 if p > 1 else low
"""
    lines = compile_spec(parse_spec(text)).view.test.definition_lines
    scope: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), scope)
    i, x, y = torch.tensor([-2, 3]), torch.zeros(3, 1).double(), torch.full((2,), 100.0).double()
    a, b, c, d, e, f = scope["reference"](i, x, y)
    torch.testing.assert_close(a, (torch.tensor([-2 / 3 + 1 / 4, 9.0]).double()).expand(3, 2))
    torch.testing.assert_close(b, torch.ones(3, 2).double())
    torch.testing.assert_close(c, torch.full((3, 2), 2.0).double())
    assert torch.equal(d, torch.zeros(3, 2, dtype=torch.bool))
    torch.testing.assert_close(e, torch.ones(3, 2).double())
    assert torch.equal(f, torch.ones(3, 2, dtype=torch.bool))


def test_the_reference_of_integers_beside_a_float_gives_integers() -> None:
    text = """\
op: f
inputs: {i: int tensor, j: int tensor}
outputs:
  a: i // 2 + j
  b: {formula: i / 4, dtype: float32}
"""
    lines = compile_spec(parse_spec(text)).view.test.definition_lines
    scope: dict[str, Any] = {"torch": torch, "testing": testing}
    exec("\n".join(lines), scope)
    i, j = torch.tensor([-3, 5], dtype=torch.int16), torch.tensor([1, 2])
    a, b = scope["reference"](i, j)
    torch.testing.assert_close(a, torch.tensor([-1, 4]))
    torch.testing.assert_close(b, torch.tensor([-0.75, 1.25]))


def test_designators_stand_in_the_order_of_the_fields() -> None:
    header = Path(__file__).parents[3] / "runtime/fusewise/torch/op.h"
    struct = header.read_text().split("struct Output {")[1].split("\n};")[0]
    order = re.findall(r"^  [^/]*?(\w+)(?: = .*)?;", struct, re.MULTILINE)
    text = """\
op: f
inputs: {x: tensor, y: tensor}
outputs:
  a: {pack: [x, 1], dtype: float16, layout: interleaved}
  b: {pack: [y, 2], dtype: like y}
  c: {formula: "2", dtype: like x}
"""
    for view, count in zip(compile_spec(parse_spec(text)).view.passes, (7, 4), strict=False):
        lines = "".join(view.descriptor_lines)
        outputs = lines.split(".outputs = ")[1].split(".kernels")[0].split("{.name")
        fields = [[order.index(name) for name in re.findall(r"\.(\w+) = ", o)] for o in outputs]
        assert sum(map(len, fields)) == count
        assert all(found == sorted(found) for found in fields)


def test_an_input_that_is_not_read_is_an_optional_shape() -> None:
    text = "op: f\ninputs: {x: {split: [a, b], layout: interleaved}, y: tensor, z: tensor = 1}\n"
    text += "outputs: {out: a + 2 * b + exp(y) + z}\n"
    _, backward, double = compile_spec(parse_spec(text)).view.passes
    lines = "\n".join(backward.descriptor_lines)
    for part in (
        "Tensor grad_out, Tensor? y, Tensor? x, Tensor? z, ",
        '{.name = "x", .parts = 2, .layout = Layout::kInterleaved, .shape_only = true}',
        '{.name = "z", .shape_only = true}',
        '{.name = "grad_x", .like = 2, .reads = {0}, .parts = 2, .layout = Layout::kInterleaved}',
        '{.name = "grad_y", .like = 1, .reads = {0, 1}}',
        '{.name = "grad_z", .like = 3, .reads = {0}, .equal_input = 0}',
    ):
        assert part in re.sub(r"\n +", " ", lines.replace('"\n           "', ""))
    assert (backward.num_reads, backward.num_writes, backward.likes) == (2, 4, "(2, 1, 3)")
    forward = "\n".join(compile_spec(parse_spec(text)).view.passes[0].descriptor_lines)
    assert ".saved_inputs = {1}," in forward
    assert ".saved_shapes = {0, 2}," in forward
    assert "shape_only" not in "\n".join(double.descriptor_lines)
