from __future__ import annotations

import re
from fractions import Fraction

import pytest
from fusewise.language.errors import SpecError
from fusewise.language.formula import (
    MAX_DEPTH,
    MAX_LENGTH,
    Call,
    Expr,
    Name,
    Number,
    format_expr,
    parse_formula,
    walk,
)
from hypothesis import example, given
from hypothesis import strategies as st

x, y, z = Name("x"), Name("y"), Name("z")


def number(value: str | int) -> Number:
    return Number(Fraction(value))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + y * z", Call("add", (x, Call("mul", (y, z))))),
        ("x - y - z", Call("sub", (Call("sub", (x, y)), z))),
        ("x ** y ** z", Call("pow", (x, Call("pow", (y, z))))),
        ("-x ** y", Call("neg", (Call("pow", (x, y)),))),
        ("x ** -y", Call("pow", (x, Call("neg", (y,))))),
        ("-x * y", Call("mul", (Call("neg", (x,)), y))),
        ("+x", x),
        ("x // y % z", Call("mod", (Call("floordiv", (x, y)), z))),
        ("not x < y", Call("logical_not", (Call("lt", (x, y)),))),
        ("x and y or z", Call("logical_or", (Call("logical_and", (x, y)), z))),
        ("x if y else z", Call("where", (y, x, z))),
        ("where(y, x, z)", Call("where", (y, x, z))),
        ("x if y else y if z else z", Call("where", (y, x, Call("where", (z, y, z))))),
        ("f(x, y,)", Call("f", (x, y))),
        ("f()", Call("f", ())),
        ("x\n  * y", Call("mul", (x, y))),
    ],
)
def test_parse(text: str, expected: Expr) -> None:
    assert parse_formula(text) == expected


@pytest.mark.parametrize(
    ("text", "value", "printed"),
    [
        ("0", Fraction(0), "0"),
        ("1.50", Fraction(3, 2), "1.5"),
        (".5", Fraction(1, 2), "0.5"),
        ("1.", Fraction(1), "1"),
        ("1e-5", Fraction(1, 10**5), "1e-5"),
        ("1.25E+3", Fraction(1250), "1250"),
        ("0.001", Fraction(1, 1000), "0.001"),
        ("1.7976931348623157e308", Fraction(17976931348623157) * 10**292, None),
        ("5e-324", Fraction(5, 10**324), "5e-324"),
        ("0.1", Fraction(1, 10), "0.1"),
    ],
)
def test_number(text: str, value: Fraction, printed: str | None) -> None:
    assert parse_formula(text) == Number(value)
    assert format_expr(Number(value)) == (printed or text)


def test_numbers_that_no_formula_writes_print_as_operations() -> None:
    assert format_expr(Call("pow", (x, number("-1/3")))) == "x ** (-1 / 3)"
    assert format_expr(Call("pow", (number(-2), x))) == "(-2) ** x"


@pytest.mark.parametrize(
    "text",
    [
        "x + y * z",
        "(x + y) * z",
        "x - (y - z)",
        "(-x) ** y",
        "-x ** -y",
        "(x ** y) ** z",
        "(x if y else z) + x",
        "(x if y else z) if (x if z else y) else x",
        "f(x if y else z, not x)",
        "not (x and y) or not z",
        "(not x) == y",
        "(x < y) == z",
        "--x",
    ],
)
def test_prints_with_the_fewest_parentheses(text: str) -> None:
    printed = format_expr(parse_formula(text))
    assert parse_formula(printed) == parse_formula(text)
    assert len(printed) <= len(text)


def test_locations_span_what_is_meant() -> None:
    text = "x * (y + tanh(z)) if\n  x < y else -z"
    expr = parse_formula(text, "f")
    found = [
        (node.location.line, node.location.column, node.location.length) for node in walk(expr)
    ]
    assert found == [
        (1, 1, 20),  # the whole conditional expression, up to the end of its first line
        (2, 3, 5),  # x < y
        (2, 3, 1),
        (2, 7, 1),
        (1, 1, 17),  # x * (y + tanh(z))
        (1, 1, 1),
        (1, 6, 11),  # y + tanh(z)
        (1, 6, 1),
        (1, 10, 7),  # tanh(z)
        (1, 15, 1),
        (2, 14, 2),  # -z
        (2, 15, 1),
    ]


def test_location_is_not_part_of_equality() -> None:
    assert parse_formula("x+y") == parse_formula("  x  +  y")
    assert hash(parse_formula("x+y")) == hash(parse_formula("  x  +  y"))


def test_lists_only_where_allowed() -> None:
    expected = Call("cat", (Call("list", (x, y)), number(1)))
    assert parse_formula("cat([x, y], 1)", in_compose=True) == expected
    assert format_expr(expected) == "cat([x, y], 1)"
    with pytest.raises(SpecError, match=r"unexpected '\['"):
        parse_formula("cat([x, y], 1)")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the formula is empty"),
        ("x +", 4, "expected a value, but the formula ends"),
        ("f(x", 2, "'(' is never closed"),
        ("f(x]", 2, "'(' is never closed"),
        ("f(x y)", 5, "expected ',' or ')', but found 'y'"),
        ("f(, x)", 3, "expected a value, but found ','"),
        ("x)", 2, "')' was never opened"),
        ("()", 2, "expected a value, but found ')'"),
        ("x.", 2, "unexpected '.'"),
        (".", 1, "unexpected '.'"),
        ("x == y == z", 8, "comparisons cannot be chained"),
        ("x $ y", 3, "expected an operator, but found '$'"),
        ("x in y", 3, "expected an operator, but found Python's 'in'"),
        ("012", 1, "'012' is not a number"),
        ("1e", 1, "'1e' is not a number"),
        ("1..2", 1, "'1..2' is not a number"),
        ("1e-999999999999", 1, "1e-999999999999 is out of the range of float64"),
        ("1" * 101, 1, "a number of more than 100 characters"),
        ("x" * (MAX_LENGTH + 1), 1, f"the formula is longer than {MAX_LENGTH} characters"),
        ("(" * 5000, 101, f"the formula is nested more than {MAX_DEPTH} deep"),
        ("-" * 5000, 200, f"the formula is nested more than {MAX_DEPTH} deep"),
        ("x" + "**2" * 3000, 598, f"the formula is nested more than {MAX_DEPTH} deep"),
        ("+".join("x" * 200), 201, f"the formula is nested more than {MAX_DEPTH} deep"),
    ],
)
def test_mistakes(text: str, column: int, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        parse_formula(text, "f")
    (problem,) = raised.value.problems
    assert (problem.message, problem.location.column) == (message, column)


def _python() -> st.SearchStrategy[str]:
    """Random Python expressions of numbers and conditions, also valid as formulas."""
    numbers = st.sampled_from(["x", "y", "z", "1", "2", "0.5", "3e0", "7"])

    def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        binary = st.sampled_from(["+", "-", "*", "/", "//", "%", "**"])
        compare = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
        condition = st.builds("{} {} {}".format, st.builds("({})".format, inner), compare, numbers)
        logic = st.one_of(
            condition,
            st.builds("not {}".format, condition),
            st.builds("{} {} {}".format, condition, st.sampled_from(["and", "or"]), condition),
        )
        return st.one_of(
            st.builds("{} {} {}".format, inner, binary, numbers),
            st.builds("{} {} {}".format, numbers, binary, numbers),
            st.builds("-{}".format, inner),
            st.builds("({})".format, inner),
            st.builds("({} if {} else {})".format, inner, logic, inner),
        )

    return st.recursive(numbers, combined, max_leaves=12)


_VALUES = {"x": 2.0, "y": 3.0, "z": -1.5}
_FUNCTIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "neg": lambda a: -a,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "logical_not": lambda a: not a,
}


def _evaluate(expr: Expr):
    if isinstance(expr, Number):
        return float(expr.value)
    if isinstance(expr, Name):
        return _VALUES[expr.id]
    if expr.function == "where":
        condition, a, b = expr.args
        return _evaluate(a if _evaluate(condition) else b)
    if expr.function in ("logical_and", "logical_or"):  # they may not need their second argument
        first, second = expr.args
        needed = bool(_evaluate(first)) == (expr.function == "logical_and")
        return _evaluate(second if needed else first)
    return _FUNCTIONS[expr.function](*map(_evaluate, expr.args))


@given(_python())
@example("x if x < x and z**z > x else y")  # z**z is complex, and Python does not compare it
def test_means_what_python_means(text: str) -> None:
    floats = re.sub(r"(?<![\w.])(\d)(?![\w.])", r"\1.0", text)  # `_evaluate` computes in floats
    expr = parse_formula(text)
    try:
        expected = eval(floats, {}, _VALUES)
    except (ArithmeticError, TypeError):  # 1 / 0; a comparison of complex numbers
        return
    assert repr(_evaluate(expr)) == repr(expected)


_NAMES = st.sampled_from(["x", "y", "abc_1"]).map(Name)
_NUMBERS = st.fractions(min_value=0).filter(lambda f: f.denominator == 1).map(Number)
_DECIMALS = st.decimals("1e-30", "1e30", allow_nan=False, places=40).map(
    lambda d: Number(Fraction(d))
)
_TREES = st.recursive(
    st.one_of(_NAMES, _NUMBERS, _DECIMALS),
    lambda inner: st.one_of(
        st.builds(
            lambda f, a, b: Call(f, (a, b)),
            st.sampled_from(
                sorted({*_FUNCTIONS, "logical_and", "logical_or"} - {"neg", "logical_not"})
            ),
            inner,
            inner,
        ),
        st.builds(lambda f, a: Call(f, (a,)), st.sampled_from(["neg", "logical_not"]), inner),
        st.builds(lambda c, a, b: Call("where", (c, a, b)), inner, inner, inner),
        st.builds(lambda a: Call("f", tuple(a)), st.lists(inner, max_size=3)),
    ),
    max_leaves=20,
)


@given(_TREES)
def test_printing_is_the_inverse_of_parsing(expr: Expr) -> None:
    assert parse_formula(format_expr(expr)) == expr


@given(st.text(alphabet="xy0123.e+-*/%<>=!&|^()[],? \n'\"#and or not if else", max_size=40))
def test_nothing_but_a_spec_error(text: str) -> None:
    try:
        expr = parse_formula(text)
    except SpecError:
        return
    assert parse_formula(format_expr(expr)) == expr
