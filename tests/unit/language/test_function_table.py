"""Only the table of functions names functions, and its facts are true."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from fusewise.language.formula import Call, Expr, format_expr, walk
from fusewise.language.functions import (
    CALLABLE,
    FORMS,
    FUNCTIONS,
    INTRINSICS,
    REDUCTIONS,
    ROWS,
    Function,
)
from fusewise.language.spec import parse_spec
from fusewise.numeric.evaluate import apply, evaluate, exact
from fusewise.pipeline import compile_spec

PACKAGE = Path(__file__).parents[3] / "generator/fusewise"
TABLE = PACKAGE / "language/functions"
# Modules that name functions, and the reason.
EXCEPTED = {
    "language/formula": "the syntax of operators, which the table is written in",
    "language/sections/compose.py": "functions of ATen, which are called the same",
    "measure/resources.py": "a file called log",
    "explain": "how mathematics sets roots, powers and operators",
}
WORDS = {"all", "any", "mean"}  # names of functions that are also words of other matters
UNARY = [row for row in ROWS.values() if len(row.params) == 1 and row.result != "bool"]
# Functions that are defined for all numbers: their facts are tested on the whole line.
LINES = [row for row in UNARY if row.mp and mpmath.isfinite(apply(row, mpmath.mpf(-50.5)))]


def by_name(row: Function) -> str:
    return row.name


def named_functions(file: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each string in a module that consists of names of functions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            if words and " ".join(words) == node.value and set(words) <= CALLABLE.keys() - WORDS:
                yield node.lineno, node.value


def modules() -> Iterator[Path]:
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        in_table = file.is_relative_to(TABLE) or place.startswith("testing/")
        if not in_table and not place.startswith(tuple(EXCEPTED)):
            yield file


@pytest.mark.parametrize(
    "file", [*modules()], ids=lambda file: file.relative_to(PACKAGE).as_posix()
)
def test_no_other_module_names_a_function(file: Path) -> None:
    assert not list(named_functions(file))


@pytest.mark.parametrize("place", EXCEPTED)
def test_exceptions_are_needed(place: str) -> None:
    path = PACKAGE / place
    files = [path] if path.is_file() else path.glob("*.py")
    assert any(list(named_functions(file)) for file in files)


def test_the_tables_have_no_name_in_common() -> None:
    names = [*FUNCTIONS, *INTRINSICS, *FORMS, *REDUCTIONS]
    assert len(names) == len(set(names)) == len(CALLABLE)
    aliases = [alias for row in CALLABLE.values() for alias in row.aliases]
    assert len(aliases) == len({*aliases} - CALLABLE.keys())


@pytest.mark.parametrize("row", INTRINSICS.values(), ids=by_name)
def test_what_to_write_in_place_of_an_intrinsic(row: Function) -> None:
    """The hint of the error is a valid formula."""
    if row.notation.meaning is not None:
        inputs = ", ".join(f"{name}: tensor" for name in row.params)
        formula = format_expr(row.notation.meaning)
        compile_spec(parse_spec(f"op: f\ninputs: {{{inputs}}}\noutputs:\n  out: {formula}\n"))


def other_forms(row: Function) -> Iterator[tuple[Expr, dict[str, Fraction]]]:
    """The other forms of a row, each with arguments for which it is valid."""
    middle = {
        name: (low + high) / 2 + Fraction(1, 8)
        for name, (low, high) in zip(row.params, row.domain, strict=True)
    }
    for form in (row.notation.meaning, row.row_invariant):
        calls = {node.function for node in walk(form) if isinstance(node, Call)} if form else set()
        if form and calls <= CALLABLE.keys():  # notation also uses sech and gamma
            yield form, middle
    for value, form in row.powers.items():
        assert isinstance(value, Fraction)
        yield form, {**middle, row.params[-1]: value}


@pytest.mark.parametrize("row", ROWS.values(), ids=by_name)
def test_other_forms_have_the_value_of_the_function(row: Function) -> None:
    for form, args in other_forms(row):
        point = {name: exact(value) for name, value in args.items()}
        assert mpmath.almosteq(evaluate(form, point), apply(row, *point.values()), 1e-10)


@pytest.mark.parametrize("row", LINES, ids=by_name)
def test_parity(row: Function) -> None:
    points = [mpmath.mpf(size) / 8 for size in (1, 3, 13, 40)]
    is_even = all(apply(row, x) == apply(row, -x) for x in points)
    assert row.even == is_even


@pytest.mark.parametrize("row", LINES, ids=by_name)
def test_bounds(row: Function) -> None:
    sizes = [mpmath.mpf("1.5707963"), *(mpmath.mpf(10) ** k for k in (0, 2, 3, 100))]
    points = [sign * size for size in sizes for sign in (1, -1)]
    assert row.bounded == all(abs(apply(row, x)) < 10 for x in points)


@pytest.mark.parametrize("row", LINES, ids=by_name)
def test_what_vanishes(row: Function) -> None:
    """`vanishes` is true if the value decays faster than any power at plus or minus infinity."""
    ends = (abs(apply(row, mpmath.mpf(x))) for x in (2000, -2000))
    assert row.vanishes == any(end < mpmath.mpf(10) ** -300 for end in ends)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row.fraction], ids=by_name)
def test_values_of_fractions_are_exact(row: Function) -> None:
    assert row.fraction is not None
    numbers = [Fraction(k, 8) for k in (-21, -8, 3, 12, 20)]
    for point in itertools.product(numbers, repeat=len(row.params)):
        value = row.fraction(*point)
        assert value is not None
        assert mpmath.almosteq(apply(row, *map(exact, point)), exact(Fraction(value)))
