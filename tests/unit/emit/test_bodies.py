"""The bodies of a pass in C++ compute its plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest
from cpp_formulas import as_formula
from fusewise.emit.cpp.bodies import decomposition_lines, kernel_functions
from fusewise.emit.printing import WIDTH
from fusewise.graph.dag import Dag, Node
from fusewise.language.formula import parse_formula
from fusewise.language.model import Spec
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec
from fusewise.plan.kernels import hoisted_values
from fusewise.plan.statements import KernelPlan
from repository import POINTWISE, compiled


def plans(op: Compiled) -> Iterator[KernelPlan]:
    for variant in op.variants:
        yield from variant.kernels


def joined(lines: tuple[str, ...]) -> list[str]:
    """Statements, each on one line."""
    text = "\n".join(lines)
    return re.sub(r"\n +", " ", text).splitlines()


@pytest.mark.parametrize("op", POINTWISE)
def test_a_kernel_body_computes_the_plan(op: str) -> None:
    for plan in plans(compiled(op)):
        dag = Dag()
        hoisted = hoisted_values(plan)
        *hoist, apply = kernel_functions(plan, hoisted)
        values = [value for view in hoist for value in read_back(dag, plan, view.lines, [])]
        assert values == [as_doubles(dag, as_number(dag, node)) for node in hoisted]
        values = [as_doubles(dag, node) for node in hoisted]
        written = read_back(dag, plan, apply.lines, values)
        assert written == [as_doubles(dag, as_number(dag, node)) for node in plan.kernel.writes]


def read_back(
    dag: Dag, plan: KernelPlan, lines: tuple[str, ...], hoisted: list[Node]
) -> list[Node]:
    """What a body writes; a condition that is read stands for the number that it is read from."""
    leaves = {"reads": plan.reads, "params": plan.params}
    names: dict[str, Node] = {}
    unnamed = {f"type_{k}": dag.input(read.name) for k, read in enumerate(plan.reads)}
    unnamed |= {f"hoisted_{k}": node for k, node in enumerate(hoisted)}
    written = []
    for line in joined(lines):
        target, text = re.fullmatch(r"(?:const [\w:<>]+ )?(\S+) = (.*);", line).groups()  # type: ignore[union-attr]
        if leaf := re.fullmatch(r"(reads|params)\[(\d+)\].*", text):
            node = leaves[leaf[1]][int(leaf[2])]
            assert node.name == target
            names[target] = dag.input(target, node.type)
            continue
        if leaf := re.fullmatch(r"hoisted\[(\d+)\].*", text):
            names[target] = hoisted[int(leaf[1])]
            continue
        node = dag.build(parse_formula(as_formula(text)), names | unnamed)
        if re.match(r"(writes|hoisted)\[", target):
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
    for plan in plans(compile_spec(wide)):
        assert max(map(len, kernel_functions(plan, ())[0].lines)) <= WIDTH - 4
        assert (
            max(map(len, decomposition_lines(plan, in_floats=wide.computes_floats)[0])) <= WIDTH - 2
        )


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


def test_hoisted_values_may_be_conditions_and_have_no_name() -> None:
    forward = compile_spec(parse_spec(PREPARED)).view.passes[0].structs[0]
    assert dict(forward.constants)["kHoistedFrom"] == 0b10
    hoist, apply = forward.functions
    assert hoist.arguments == "const T* reads, const T* params, T* hoisted"
    assert hoist.lines[-4:] == (
        "hoisted[0] = rate;",
        "hoisted[1] = rt::where(exp0 > T(2), T(1), T(0));",
        "hoisted[2] = rt::where((sqrt0 > T(3)) & q, T(1), T(0));",
        "hoisted[3] = (T(1) + rate) * (T(2) * where1);",
    )
    reads = "const T* reads, const T*, const T* hoisted, const Dtype* types"
    assert apply.arguments == f"{reads},\n      T* writes"  # at the width
    assert apply.lines == (
        "const T x = reads[0];",
        "const T rate = hoisted[0];",
        "const T where0 = rt::where((hoisted[1] != T(0)), x, rate);",
        "const T round_to0 = rt::round_to(where0 * x, types[0]);",
        "writes[0] = round_to0 + hoisted[3] * x;",
        "writes[1] = rt::where((hoisted[2] != T(0)), T(1), T(0));",
    )
