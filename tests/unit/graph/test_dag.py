"""The DAG: one node for each expression, identities that keep every value, no limit of depth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import mpmath
import pytest
import torch
from fusewise.graph.dag import Dag, Node, expand, instructions, lower, rebuild, to_expr, topological
from fusewise.language.formula import format_expr, parse_formula
from fusewise.language.functions import ROWS, Function
from fusewise.numeric.evaluate import apply
from fusewise.numeric.evaluate import evaluate as evaluate_formula
from fusewise.numeric.points import evaluate

INF, NAN = math.inf, math.nan
# Ordinary, special and extreme values. Identities hold at all of them, but for the sign of zeros.
VALUES = (0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 7.0, 1e300, -1e-300, INF, -INF, NAN)

LOGIC = ("and", "or")
# The formula in a spec, and its form in the DAG.
IDENTITIES = [
    ("x + 0", "x"),
    ("0 + x", "x"),
    ("x + -y", "x - y"),
    ("-x + y", "y - x"),
    ("x + -2", "x - 2"),
    ("-2 + x", "x - 2"),
    ("x - -2", "x + 2"),
    ("x - 0", "x"),
    ("0 - x", "-x"),
    ("x - -y", "x + y"),
    ("x * 1", "x"),
    ("1 * x", "x"),
    ("x * -1", "-x"),
    ("-x * y", "-(x * y)"),
    ("x * -y", "-(x * y)"),
    ("-x * -y", "x * y"),
    ("2 * (0.5 * x)", "x"),
    ("x * 0.5 * 8", "4 * x"),
    ("x / 1", "x"),
    ("-x / y", "-(x / y)"),
    ("--x", "x"),
    ("where(x > y, x, x)", "x"),
    ("not not x > y", "x > y"),
    ("abs(-x)", "abs(x)"),
    ("cos(-x)", "cos(x)"),
    ("cosh(-x)", "cosh(x)"),
    ("dsigmoid(-x)", "dsigmoid(x)"),
    ("gaussian(-x)", "gaussian(x)"),
    ("normal_pdf(-x)", "normal_pdf(x)"),
    ("sech2(-x)", "sech2(x)"),
    ("sin_squared(-x)", "sin_squared(x)"),
    *((text, "x") for text in ("maximum(x, -inf)", "minimum(inf, x)")),
    ("1 if x >= -inf and x <= y else 0", "1 if x <= y else 0"),
    ("1 if y < x and x <= inf else 0", "1 if y < x else 0"),
    *((f"1 if x > 0 {o} x > 0 else 0", "1 if x > 0 else 0") for o in LOGIC),
    ("1 if x > 0 or (y > 0 and x > 0) else 0", "1 if x > 0 else 0"),
    ("1 if x > 0 and (y > 0 or x > 0) else 0", "1 if x > 0 else 0"),
    *((f"1 if y > 0 {o} (x > 0 {o} y > 0) else 0", f"1 if x > 0 {o} y > 0 else 0") for o in LOGIC),
    ("1 if (x > 0 and y > 0) or (y > 0 and not x > 0) else 0", "1 if y > 0 else 0"),
    ("(x if x > 0 else y) if x > 0 else 2", "x if x > 0 else 2"),
    ("2 if x > 0 else (x if x > 0 else y)", "2 if x > 0 else y"),
    ("(x if not x > 0 else y) if x > 0 else 2", "y if x > 0 else 2"),
    ("2 if not x > 0 else (y if x > 0 else 3)", "2 if not x > 0 else y"),
]
KEPT = [
    *("x * 0", "0 * x", "x - x", "x / x", "0 / x", "x / 0", "1 / 0", "-inf", "x / -y", "x == x"),
    *("3 * (0.5 * x)", "2 * (-4 * x)"),
    *("maximum(x, inf)", "minimum(x, -inf)"),
    *("1 if x >= -inf and y <= 1 else 0", "1 if x > -inf and x <= y else 0"),
    *("1 if x > 0 and y > 0 or y > 0 and x <= 0 else 0", "(x if x > 1 else y) if x > 0 else 2"),
]


def dag_of(*names: str) -> tuple[Dag, dict[str, Node]]:
    dag = Dag()
    return dag, {name: dag.input(name) for name in names}


def build(text: str) -> Node:
    dag, names = dag_of("x", "y", "z")
    return dag.build(parse_formula(text), names)


def plainly(name: str, args: tuple[float, ...]) -> float:
    """The result of one arithmetic operation on doubles."""
    with mpmath.workprec(53):
        return float(apply(ROWS[name], *map(mpmath.mpf, args)))


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


# One node for each expression


def test_the_same_expression_is_the_same_node() -> None:
    dag, names = dag_of("x", "y")
    one, two = (dag.build(parse_formula("exp(x) * y + 2 * exp(x)"), names) for _ in range(2))
    assert one is two
    assert [node.name for node in topological([one])].count("exp") == 1


SYMMETRIC = sorted(row.name for row in ROWS.values() if row.symmetric)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_commutative_twins_are_one_node(name: str) -> None:
    dag, names = dag_of("x", "y")
    assert dag.call(name, names["x"], names["y"]) is dag.call(name, names["y"], names["x"])


@pytest.mark.parametrize("name", SYMMETRIC)
def test_commutative_means_that_values_do_not_depend_on_the_order(name: str) -> None:
    for x, y in product(VALUES, VALUES):
        assert same(plainly(name, (x, y)), plainly(name, (y, x))), (x, y)


@pytest.mark.parametrize("name", ["sub", "div", "pow", "lt", "atan2", "mod", "floordiv", "xlogy"])
def test_others_are_two(name: str) -> None:
    dag, names = dag_of("x", "y")
    assert dag.call(name, names["x"], names["y"]) is not dag.call(name, names["y"], names["x"])


def test_an_input_and_a_param_of_one_name_are_two_nodes() -> None:
    dag = Dag()
    assert dag.input("x") is not dag.param("x", "float")
    assert dag.input("x") is dag.input("x")


def test_a_default_is_filled_in() -> None:
    assert build("elu(x)") is not build("elu(x, 2)")
    assert repr(build("leaky_relu(x)")) == "leaky_relu(x, 0.01)"


# Identities


@pytest.mark.parametrize(("written", "becomes"), IDENTITIES)
def test_identity(written: str, becomes: str) -> None:
    dag, names = dag_of("x", "y")
    assert dag.build(parse_formula(written), names) is dag.build(parse_formula(becomes), names)


@pytest.mark.parametrize(("written", "becomes"), IDENTITIES)
def test_an_identity_keeps_every_value(written: str, becomes: str) -> None:
    with mpmath.workprec(53):
        for x, y in product(VALUES, VALUES):
            env = {"x": mpmath.mpf(x), "y": mpmath.mpf(y)}
            before, after = (
                float(evaluate_formula(parse_formula(text), env)) for text in (written, becomes)
            )
            assert same(before, after), (x, y, before, after)


@pytest.mark.parametrize("written", KEPT)
def test_what_would_change_an_infinity_or_a_nan_is_kept(written: str) -> None:
    assert repr(build(written)) == written


@pytest.mark.parametrize(
    ("exponent", "becomes"),
    [
        ("0", "1"),
        ("1", "x"),
        ("2", "x * x"),
        ("3", "x * x * x"),
        ("-1", "1 / x"),
        ("0.5", "sqrt(x)"),
        ("-0.5", "rsqrt(x)"),
    ],
)
def test_a_power_is_what_pytorch_makes_of_it(exponent: str, becomes: str) -> None:
    x = torch.tensor(VALUES, dtype=torch.float64)
    assert repr(build(f"x ** {exponent}")) == becomes
    value = torch.zeros_like(x) + eval(becomes, {"x": x, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt})
    torch.testing.assert_close(value, x ** float(exponent), rtol=1e-15, atol=0, equal_nan=True)


# Constants


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1 / 3 * 3", Fraction(1)),
        ("2 ** 3 - 1", Fraction(7)),
        ("-(1 / 7)", Fraction(-1, 7)),
        ("1e300 * 1e-300", Fraction(1)),
    ],
)
def test_constants_are_folded_exactly(text: str, value: Fraction) -> None:
    node = build(text)
    assert node.kind == "const"
    assert node.value == value


def test_constants_that_are_no_fractions_are_not_folded() -> None:
    assert repr(build("inf - inf")) == "inf - inf"
    assert repr(build("2 * pi")) == "2 * pi"
    assert build("nan") is not build("inf")


def test_one_constant_is_one_node() -> None:
    dag, _ = dag_of()
    assert dag.const(2) is dag.const(Fraction(2))
    assert dag.const(NAN) is dag.const(NAN)


# Types


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x + 1", "float"),
        ("x > 1", "bool"),
        ("i + 1", "int"),
        ("i + x", "float"),
        ("where(b, i, 2)", "int"),
        ("where(b, b, x > 1)", "bool"),
        ("b + b", "float"),
        ("n + 1", "number"),
        ("1 + 1", "float"),
    ],
)
def test_type(text: str, kind: str) -> None:
    dag, names = dag_of("x")
    names |= {"i": dag.input("i", "int"), "b": dag.input("b", "bool")}
    names |= {"n": dag.input("n", "number")}
    assert dag.build(parse_formula(text), names).type == kind


# Printing


@pytest.mark.parametrize(
    "text",
    [
        "x - (y - z)",
        "(x - y) - z",
        "x / (y / z)",
        "x / y / z",
        "-(x ** 4)",
        "(-x) ** 4",
        "x ** -4",
        "(x if y > 0 else z) * y",
        "x if y > 0 else (y if z > 0 else z)",
        "not (x > 0 and (y > 0 or z > 0))",
        "x * (1 / 3) - 2 / 7 * y",
        "x % y // z * 0.125",
        "clamp(x, -inf, pi) + nan",
        "stop_grad(x) + straight_through(round(x), x)",
        "x * 1e-30 + 123456789012345678901234567890",
    ],
)
def test_printing_reads_back_as_the_same_node(text: str) -> None:
    dag, names = dag_of("x", "y", "z")
    node = dag.build(parse_formula(text), names)
    assert dag.build(parse_formula(repr(node)), names) is node
    assert format_expr(to_expr(node)) == repr(node)


# Depth and size


def chain(dag: Dag, length: int) -> Node:
    node = dag.input("x")
    for _ in range(length):
        node = dag.call("gelu", node)
    return node


def test_a_deep_chain_needs_no_deep_stack() -> None:
    dag = Dag()
    root = chain(dag, 20_000)
    assert len(topological([root])) == 20_001
    assert rebuild(dag, [root])[root] is root
    lowered = expand(dag, [root], lambda primitive: primitive.body)[root]
    kernel_functions = {node.name for node in topological([lowered]) if node.kind == "call"}
    assert kernel_functions == {"mul", "normal_cdf"}


def test_shared_expressions_are_visited_once() -> None:
    dag = Dag()
    node = dag.input("x")
    for _ in range(10_000):  # as a tree it would have 2 ** 10,000 leaves
        node = dag.call("add", dag.call("exp", node), dag.call("tanh", node))
    assert len(topological([node])) == 30_001
    assert rebuild(dag, [node])[node] is node


def test_a_formula_of_shared_values_prints_each_once() -> None:
    dag = Dag()
    x = node = dag.input("x")
    lengths = []
    for count in range(1, 2_001):
        node = dag.call("add", dag.call("exp", node), dag.call("tanh", node))
        if count in (3, 1_000, 2_000):
            lengths.append(len(repr(node)))
    assert lengths[2] < 2.2 * lengths[1]
    assert repr(dag.call("exp", x)) == "exp(x)"
    shown = repr(dag.call("exp", dag.call("add", dag.call("tanh", node), dag.call("exp", node))))
    assert shown.count("; ") > 500


def test_a_deep_formula_prints_in_pieces() -> None:
    assert len(repr(chain(Dag(), 20_000)).split("; ")) == 20_000 // 65 + 1


def test_a_wide_graph() -> None:
    dag = Dag()
    leaves = [dag.call("exp", dag.input(f"x{index}")) for index in range(20_000)]
    assert len(topological(leaves)) == 40_000


def test_topological_order_has_arguments_first_and_stops_where_it_is_told() -> None:
    root = build("exp(x + y) * tanh(x + y) + z")
    order = topological([root])
    position = {node: index for index, node in enumerate(order)}
    assert all(position[arg] < position[node] for node in order for arg in node.args)
    assert order[-1] is root
    inner = next(node for node in order if repr(node) == "x + y")
    assert {repr(n) for n in order} - {repr(n) for n in topological([root], {inner})} == {"x", "y"}


def test_rebuild_puts_known_nodes_in_place() -> None:
    dag, names = dag_of("x", "y")
    root = dag.build(parse_formula("exp(x) + 1 / x"), names)
    copy = rebuild(dag, [root], known={names["x"]: names["y"]})[root]
    assert repr(copy) == "exp(y) + 1 / y"


@pytest.mark.parametrize(
    "row", [row for row in ROWS.values() if row.body], ids=lambda row: row.name
)
def test_expanding_keeps_the_value(row: Function) -> None:
    dag, names = dag_of(*row.params)
    root = dag.call(row.name, *names.values())
    lowered = expand(dag, [root], lambda primitive: primitive.body)[root]
    assert all(not ROWS[n.name].body for n in topological([lowered]) if n.name in ROWS)
    for share in (Fraction(1, 7), Fraction(5, 9)):
        point = {
            node: mpmath.mpf(float(low + share * (high - low)))
            for node, (low, high) in zip(names.values(), row.domain, strict=True)
        }
        values = evaluate([root, lowered], point)
        assert mpmath.almosteq(values[root], values[lowered], 1e-13)


def kernel_text(formulas: Iterable[str]) -> list[str]:
    dag, names = dag_of("x", "y")
    roots = [dag.build(parse_formula(formula), names) for formula in formulas]
    lowered = lower(dag, roots)
    return [node.name for node in topological(lowered[root] for root in roots)]


@pytest.mark.parametrize(
    ("text", "cost"), [("x / 2", 1), ("x / 0.25", 1), ("x / 3", 8), ("x / y", 8), ("2 / x", 8)]
)
def test_a_division_by_a_power_of_two_costs_a_multiplication(text: str, cost: int) -> None:
    dag = Dag()
    names = {name: dag.input(name) for name in "xy"}
    assert instructions(dag.build(parse_formula(text), names)) == cost


def test_a_function_shares_what_others_have() -> None:
    for formulas in (
        ["tanh(x) * sech2(x)"],
        ["tanh(x)", "sech2(x)"],
        ["tanh(0.5 * x) + sigmoid(x)"],
        ["tanh(2 * tanh(x)) * sech2(2 * tanh(x)) * sech2(x)"],  # nested
    ):
        used = kernel_text(formulas)
        assert "tanh" not in used
        assert used.count("exp") == used.count("div_moderate") == used.count("tanh_near_zero")


def test_the_square_of_a_sine_that_is_there_is_a_product() -> None:
    assert "sin_squared" in kernel_text(["sin_squared(x) + cos(x)"])
    assert "sin_squared" not in kernel_text(["sin_squared(x) + sin(x)"])


def test_a_function_keeps_its_form_where_it_shares_little() -> None:
    for formula in (
        "tanh(x)",
        "tanh(x) * sigmoid(x)",
        "tanh(x) * sech2(y)",
        "tanh(x) * exp(-abs(2 * x))",
    ):
        used = kernel_text([formula])
        assert "tanh" in used
        assert "tanh_near_zero" not in used
