"""The names that a formula may use, and its kind: bool, integer or float."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from fusewise.language.errors import Location, Problem, Problems, did_you_mean
from fusewise.language.extents import LEAVES, extent_of
from fusewise.language.formula import (
    CONSTANTS,
    Call,
    Expr,
    Name,
    Number,
    format_expr,
    parse_formula,
    plain_number,
    substitute,
)
from fusewise.language.functions import (
    CALLABLE,
    FORMS,
    FUNCTIONS,
    INTRINSICS,
    REDUCTIONS,
    Extent,
    Form,
    Function,
    Reduction,
)
from fusewise.language.functions.elsewhere import MISSING, OF_A_ROW, written
from fusewise.language.functions.forms import STOP_GRAD, WHERE
from fusewise.language.functions.operators import EQ, NE, SUM

# `number`: integer or float, by the dtype of the caller's tensor.
Kind = Literal["bool", "int", "number", "float"]
_ORDER: tuple[Kind, ...] = ("bool", "int", "number", "float")

_OFFERED = {**FUNCTIONS, **FORMS, **REDUCTIONS}
# The names of functions in other libraries -> the names in the language.
_OTHER_NAMES = {alias: name for name, row in _OFFERED.items() for alias in row.aliases}
# The values that other languages have a name for.
_OTHER_VALUES = {
    "e": "write exp(1)",
    "infinity": "write inf",
    "true": "a condition is a comparison, or a bool input or param",
    "false": "a condition is a comparison, or a bool input or param",
}


@dataclass(slots=True)
class Scope:
    """The names that a formula may use. It records the used names and the problems.

    The kind of a name is None if its own formula has an error. Formulas that use such a name give
    no further error.
    """

    kinds: dict[str, Kind | None] = field(default_factory=dict)
    extents: dict[str, Extent | None] = field(default_factory=dict)  # of the names in `kinds`
    hints: dict[str, str] = field(default_factory=dict)  # for known names that are invalid here
    tensors: set[str] = field(default_factory=set)  # inputs that round_to may round to
    # The default of each param, which may be None, and its choices.
    values: dict[str, tuple[Fraction | float | None, ...]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    problems: Problems = field(default_factory=Problems)

    def extended(self, kinds: Mapping[str, Kind]) -> Scope:
        """A scope with further elements that shares the record of used names and problems."""
        known = {**self.kinds, **kinds}
        extents = {**self.extents, **dict.fromkeys(kinds, "element")}
        return replace(self, kinds=known, extents=extents)

    def check(self, expr: Expr) -> Kind | None:
        """The kind of a formula; None if it has an error, which is reported."""
        if isinstance(expr, Number):
            return "int" if expr.value.denominator == 1 else "float"
        if isinstance(expr, Name):
            return self._name(expr)
        return self._call(expr)

    def check_number(self, expr: Expr) -> Kind | None:
        """As `check`, but a condition is an error."""
        kind = self.check(expr)
        if kind == "bool":
            number = substitute(parse_formula("1 if c else 0"), {"c": expr})
            message = "a condition stands where a number is expected"
            self._report(message, expr.location, f"write ({format_expr(number)})")
            return None
        return kind

    def check_condition(self, expr: Expr) -> Kind | None:
        """As `check`, but anything other than a condition is an error."""
        kind = self.check(expr)
        if kind not in ("bool", None):
            condition = substitute(parse_formula("x != 0"), {"x": expr})
            message = "a number stands where a condition is expected"
            self._report(message, expr.location, f"compare it: {format_expr(condition)}")
            return None
        return kind

    def _report(self, message: str, location: Location, hint: str = "") -> None:
        self.problems.append(Problem(message, location, hint))

    def _name(self, name: Name) -> Kind | None:
        if name.id in CONSTANTS:
            return "float"
        if name.id in self.kinds:
            self.used.add(name.id)
            return self.kinds[name.id]
        if name.id in self.hints:
            self.used.add(name.id)
            message = f"'{name.id}' cannot be used here"
            self._report(message, name.location, self.hints[name.id])
        elif name.id in LEAVES:
            return "int"
        elif name.id in _OFFERED:
            message = f"'{name.id}' is a function, not a value"
            self._report(message, name.location, f"call it: {signature(name.id)}")
        elif self.kinds:  # else the inputs have an error, which is reported
            guess = did_you_mean(name.id, [*self.kinds, *CONSTANTS, *LEAVES])
            hint = "" if guess else f"known here: {', '.join(self.kinds)}"
            hint = _OTHER_VALUES.get(name.id, hint)
            self._report(f"unknown name '{name.id}'{guess}", name.location, hint)
        return None

    def _call(self, call: Call) -> Kind | None:
        if not self._known(call):
            for arg in call.args:
                self.check(arg)
            return None
        row = _OFFERED[call.function]
        if row is WHERE:
            return self._where(*call.args)
        if row is STOP_GRAD:
            return self.check(call.args[0])
        if isinstance(row, Reduction):
            return self._reduction(call, row)
        if isinstance(row, Function) and row.of_conditions:
            for arg in call.args:
                self.check_condition(arg)
            return "bool"
        kinds: list[Kind | None] = [self.check_number(arg) for arg in call.args]
        if isinstance(row, Function):
            if row.result == "bool" and len(call.args) == 2:
                self._check_comparison(call, row, kinds)
            return self._result(call, row, kinds)
        if row.type_of is not None:
            self._check_rounding(call.args[row.type_of])
        return _promote(kinds)

    def _known(self, call: Call) -> bool:
        """True if the function exists and takes this number of arguments; else reports an error."""
        function, count = call.function, len(call.args)
        location = _start(call.location, len(function))
        row = _OFFERED.get(function)
        if row is not None:
            return self._takes(row, count, location)
        if function in INTRINSICS:
            self._refuse_intrinsic(INTRINSICS[function], call, location)
        elif function in self.kinds or function in self.hints:
            message = f"'{function}' is not a function"
            self._report(message, location, f"a product needs its '*': {function} * (...)")
        elif function in LEAVES or function in CONSTANTS:
            self._report(f"'{function}' is not a function", location, f"write {function}")
        elif function in MISSING:
            self._report(f"a formula cannot call '{function}'", location, MISSING[function])
        elif formula := written(function, call.args):
            self._report(f"unknown function '{function}'", location, f"write {formula}")
        else:
            guess = did_you_mean(function, _OFFERED)
            other = _OTHER_NAMES.get(function)
            is_of_row = count == 1 or (count == 2 and plain_number(call.args[1]) == -1)
            if is_of_row and other in OF_A_ROW:
                other = OF_A_ROW[other]
            if other:
                guess = f"; did you mean '{other}'?"
            self._report(f"unknown function '{function}'{guess}", location)
        return False

    def _takes(self, row: Function | Form | Reduction, count: int, location: Location) -> bool:
        """True if a function takes `count` arguments; else reports an error."""
        most = len(row.params)
        least = most - len(row.defaults)
        if least <= count <= most:
            return True
        takes = f"{least} to {most} arguments" if least < most else _plural(most, "argument")
        hint = signature(row.name)
        if isinstance(row, Reduction):
            hint += "; the section 'reduce' names the dimensions of a row"
        self._report(f"'{row.name}' takes {takes}, not {count}", location, hint)
        return False

    def _refuse_intrinsic(self, row: Function, call: Call, location: Location) -> None:
        meaning = row.notation.meaning
        message, hint = f"'{row.name}' is an internal form", "leave the gradient out: it is derived"
        if meaning is not None:
            message += f" of {format_expr(meaning)}"
            args = dict(zip(row.params, call.args, strict=False))
            hint = f"write {format_expr(substitute(meaning, args))}"
        self._report(message, location, hint)

    def _reduction(self, call: Call, row: Reduction) -> Kind | None:
        element, *numbers = call.args
        kind = self.check_condition(element) if row.of_conditions else self.check_number(element)
        for param, arg in zip(row.params[1:], numbers, strict=False):
            self._check_plain(param, arg)
        if kind is None:
            return None
        extent = extent_of(element, self.extents)
        if extent != "element":
            found = "one number a row already" if extent == "row" else "a plain number"
            message = f"'{row.name}' takes elements of a row, but this is {found}"
            hint = "use it as it is"
            if row is SUM:
                total = substitute(parse_formula("length * x"), {"x": element})
                hint += f", or write {format_expr(total)}"
            self._report(message, element.location, hint)
            return None
        return self._result(call, row, [kind])

    def _check_plain(self, param: str, arg: Expr) -> None:
        """Reports an argument of a reduction that is not a plain number, or is negative."""
        kind, value = self.check_number(arg), plain_number(arg)
        values = self.values.get(arg.id, ()) if isinstance(arg, Name) else ()
        negative = next((number for number in values if number is not None and number < 0), None)
        if kind is not None and extent_of(arg, self.extents) is not None:
            self._report(f"'{param}' is a plain number", arg.location, "a number or a param")
        elif value is not None and value < 0:
            hint = "the section 'reduce' names the dimensions of a row: leave them out"
            self._report(f"'{param}' is negative", arg.location, hint)
        elif negative is not None:
            message = f"'{param}' is negative where {format_expr(arg)} = {float(negative):g}"
            self._report(message, arg.location, "give the param no negative default or choice")

    def _where(self, condition: Expr, a: Expr, b: Expr) -> Kind | None:
        self.check_condition(condition)
        kinds: list[Kind | None] = [self.check(a), self.check(b)]
        if None not in kinds and kinds.count("bool") == 1:
            message = "one branch is a condition and the other a number"
            self._report(message, (b if kinds[0] == "bool" else a).location)
            return None
        return _promote(kinds)

    def _check_comparison(self, call: Call, row: Function, kinds: Sequence[Kind | None]) -> None:
        sides = list(zip(call.args, kinds, strict=True))
        for (arg, kind), (other, other_kind) in (sides, sides[::-1]):
            if isinstance(arg, Name) and arg.id == "nan":
                message = f"a comparison with nan is always {'true' if row is NE else 'false'}"
                test = f"isnan({format_expr(other)})"
                hint = f"write {f'not {test}' if row is NE else test}"
                self._report(message, call.location, hint)
                break
            if row in (EQ, NE) and kind == "float" and other_kind == "int":
                self._check_whole(arg, other)

    def _check_whole(self, arg: Expr, whole: Expr) -> None:
        """Reports a float for which equality with an integer is a mistake."""
        if isinstance(arg, Number):
            message = f"an integer never equals {format_expr(arg)}"
            self._report(message, arg.location, "compare with an integer, or with '<'")
        elif self._is_leaf(whole) and isinstance(arg, Name) and arg.id in self.kinds:
            message = f"'{format_expr(whole)}' is an integer, but '{arg.id}' is a float"
            hint = "declare it as 'int row tensor', 'int tensor' or 'int'"
            self._report(message, arg.location, hint)

    def _is_leaf(self, expr: Expr) -> bool:
        return isinstance(expr, Name) and expr.id in LEAVES and expr.id not in self.kinds

    def _check_rounding(self, like: Expr) -> None:
        if not isinstance(like, Name) or like.id not in self.tensors:
            message = "the second argument of 'round_to' is an input, for the type it is stored in"
            self._report(message, like.location, "a floating-point tensor that is always given")

    def _result(
        self, call: Call, function: Function | Reduction, kinds: list[Kind | None]
    ) -> Kind | None:
        if function.result == "bool" or function.result == "int":
            return function.result
        if function.integer:
            return "float" if function.result == "float" else _promote(kinds)
        for arg, kind in zip(call.args, kinds, strict=False):
            if kind == "number":
                message = f"'{call.function}' has no integer form, but this may be an integer"
                self._report(message, arg.location, "declare the input as 'tensor'")
                return None
        return "float"


def signature(name: str) -> str:
    """The signature of a function, such as `clamp(x, low, high)`, with its defaults."""
    function = CALLABLE[name]
    required = len(function.params) - len(function.defaults)
    defaults = (f" = {format_expr(default)}" for default in function.defaults)
    params = (
        *function.params[:required],
        *map(str.__add__, function.params[required:], defaults),
    )
    return f"{name}({', '.join(params)})"


def _promote(kinds: Sequence[Kind | None]) -> Kind | None:
    known: list[Kind] = [kind for kind in kinds if kind is not None]
    return max(known, key=_ORDER.index) if len(known) == len(kinds) else None


def _start(location: Location, length: int) -> Location:
    return Location(location.path, location.line, location.column, length, location.text)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
