"""The formula language: Python's expression syntax, read into a small tree and printed back.

Names are not looked up here. The function table writes its derivatives in the same language, so
this module knows the operators and nothing else.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fusewise.language.characters import described, what_to_type
from fusewise.language.errors import NOWHERE, Location, Problem, Source, SpecError, shown

CONSTANTS = ("inf", "nan", "pi")

MAX_LENGTH = 10_000
MAX_DEPTH = 100
_MAX_NUMBER_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Number:
    """A number, exact until it is printed in the compute type."""

    value: Fraction
    location: Location = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """An input, param, let, output or constant."""

    id: str
    location: Location = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of its arguments; an operator is a call of its function (`a + b` is `add`)."""

    function: str
    args: tuple[Expr, ...]
    location: Location = field(default=NOWHERE, compare=False, repr=False)


Expr = Number | Name | Call

# How tightly an operator binds, loosest first. `if else` and `**` are right associative.
_IF, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)

_BINARY = {
    "or": (_OR, "logical_or"),
    "and": (_AND, "logical_and"),
    "<": (_COMPARE, "lt"),
    "<=": (_COMPARE, "le"),
    ">": (_COMPARE, "gt"),
    ">=": (_COMPARE, "ge"),
    "==": (_COMPARE, "eq"),
    "!=": (_COMPARE, "ne"),
    "+": (_SUM, "add"),
    "-": (_SUM, "sub"),
    "*": (_PRODUCT, "mul"),
    "/": (_PRODUCT, "div"),
    "//": (_PRODUCT, "floordiv"),
    "%": (_PRODUCT, "mod"),
    "**": (_POWER, "pow"),
}
_PRINTED = {function: (level, symbol) for symbol, (level, function) in _BINARY.items()}

# What users of other languages write, and what it is called here.
_FOREIGN = {
    "^": "a power is written '**'",
    "&&": "write 'and'",
    "||": "write 'or'",
    "!": "write 'not'",
    "&": "conditions are joined with 'and'",
    "|": "conditions are joined with 'or'",
    "~": "a condition is negated with 'not'",
    "=": "equality is written '=='; a step with a name belongs under 'let'",
    ":=": "a step with a name belongs under 'let'",
    "?": "a choice is written 'a if condition else b'",
    "@": "matrix products belong in an op with 'compose'",
    "'": "a formula holds numbers and names, no text",
    '"': "a formula holds numbers and names, no text",
    "[": "lists are only allowed in calls under 'compose'",
    "#": "a comment belongs outside the formula",
    "<>": "write '!='",
    "===": "write '=='",
    "!==": "write '!='",
    "->": "",
    "<<": "multiply by a power of two instead",
    ">>": "divide by a power of two instead",
}

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<operator>\*\*|//|===|!==|[<>=!]=|<>|<<|>>|&&|\|\||:=|->|.)
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)


def parse_formula(text: str, source: Source | str = "<formula>", *, lists: bool = False) -> Expr:
    """Read a formula. `source` tells where it stands; a plain path means the text is the file.

    With `lists`, an argument may be a list, which reads as a call of `list`; only `compose` has
    them.
    """
    if isinstance(source, str):
        source = Source.of(text, source)
    return _Parser(text, source, lists).formula()


def format_expr(expr: Expr) -> str:
    """Print an expression with the fewest parentheses; reading it again gives the same one."""
    return _format(expr)[0]


def plain_number(expr: Expr) -> Fraction | float | None:
    """The number, `inf` or `nan` that a formula is, with its sign; None if it is another one."""
    match expr:
        case Number(value):
            return value
        case Name("inf" | "nan" as name):
            return float(name)
        case Call("neg", (Number() | Name("inf") as size,)):
            value = plain_number(size)
            return None if value is None else -value
    return None


def substitute(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    """The formula with others in place of its names."""
    if isinstance(expr, Name):
        return names.get(expr.id, expr)
    if isinstance(expr, Number):
        return expr
    return replace(expr, args=tuple(substitute(arg, names) for arg in expr.args))


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything in it, outermost first."""
    pending = [expr]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Call):
            pending.extend(reversed(node.args))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, name, operator, end
    text: str
    start: int
    end: int


class _Parser:
    """Precedence climbing over the tokens, stopping at the first mistake."""

    def __init__(self, text: str, source: Source, lists: bool) -> None:
        self.text = text
        self.source = source
        self.lists = lists
        self.tokens = list(self._scan())
        self.position = 0
        self.nesting = 0

    def formula(self) -> Expr:
        if len(self.tokens) == 1:
            raise self._error("the formula is empty", self._token)
        expr = self._expression()
        if self._token.kind != "end":
            raise self._unexpected("an operator")
        self._check_depth(expr)
        return expr

    # Tokens

    def _scan(self) -> Iterator[_Token]:
        if len(self.text) > MAX_LENGTH:
            message = f"the formula is longer than {MAX_LENGTH} characters"
            hint = "give parts of it a name under 'let'"
            raise SpecError(self.source.problem(message, 0, 1, hint))
        for match in _TOKEN.finditer(self.text):
            if match.lastgroup != "space":
                yield _Token(match.lastgroup or "", match.group(), match.start(), match.end())
        end = len(self.text.rstrip())
        yield _Token("end", "", end, end)

    @property
    def _token(self) -> _Token:
        return self.tokens[self.position]

    def _take(self) -> _Token:
        token = self._token
        self.position += 1
        return token

    def _accept(self, text: str) -> bool:
        found = self._token.text == text
        self.position += found
        return found

    def _span(self, start: _Token) -> Location:
        return self.source.location(start.start, self.tokens[self.position - 1].end)

    # Grammar

    def _expression(self) -> Expr:
        start = self._enter()
        value = self._binary(_OR)
        if self._accept("if"):
            condition = self._binary(_OR)
            if not self._accept("else"):
                raise self._unexpected("'else'", hint="a choice is written 'a if condition else b'")
            value = Call("where", (condition, value, self._expression()), self._span(start))
        self.nesting -= 1
        return value

    def _binary(self, loosest: int) -> Expr:
        start = self._token
        left = self._prefix(loosest)
        while self._token.text in _BINARY:
            level, function = _BINARY[self._token.text]
            if level < loosest:
                break
            self._take()
            # The right side of a power may carry a sign: 2 ** -1.
            right = self._binary(_SIGN if level == _POWER else level + 1)
            left = Call(function, (left, right), self._span(start))
            if level == _COMPARE:
                self._check_chain()
        return left

    def _prefix(self, loosest: int) -> Expr:
        start = self._enter()
        expr: Expr
        if self._token.text == "not":
            if loosest > _NOT:
                raise self._error("'not' needs parentheses here", self._token)
            self._take()
            expr = Call("logical_not", (self._binary(_NOT),), self._span(start))
        elif self._accept("-"):
            expr = Call("neg", (self._binary(_SIGN),), self._span(start))
        elif self._accept("+"):
            expr = self._binary(_SIGN)
        else:
            expr = self._atom()
        self.nesting -= 1
        return expr

    def _atom(self) -> Expr:
        token = self._token
        if token.kind == "number":
            return Number(self._number(self._take()), self.source.location(token.start, token.end))
        if token.kind == "name" and not keyword.iskeyword(token.text):
            self._take()
            if self._token.text == "(":
                self._take()
                args = self._items(token, ")")
                return Call(token.text, args, self._span(token))
            return Name(token.text, self.source.location(token.start, token.end))
        if self._accept("("):
            expr = self._expression()
            if not self._accept(")"):
                raise self._unclosed(token)
            return expr
        if token.text == "[" and self.lists:
            self._take()
            return Call("list", self._items(token, "]"), self._span(token))
        raise self._unexpected("a value")

    def _items(self, opening: _Token, closing: str) -> tuple[Expr, ...]:
        """The arguments after an opening bracket, and the closing one."""
        bracket = self.tokens[self.position - 1]
        items: list[Expr] = []
        while not self._accept(closing):
            if items and not self._accept(","):
                raise self._unclosed(bracket)
            if items and self._accept(closing):
                break
            first = self._token
            items.append(self._expression())
            if self._token.text == "=":
                message = f"'{opening.text}' takes its arguments by position"
                raise self._error(message, first, self._token, hint=f"drop '{first.text}='")
        return tuple(items)

    def _number(self, token: _Token) -> Fraction:
        match = _NUMBER.fullmatch(token.text)
        if len(token.text) > _MAX_NUMBER_LENGTH:
            message = f"a number of more than {_MAX_NUMBER_LENGTH} characters"
            raise self._error(message, token)
        if match is None or re.match(r"0+[1-9]\d*$", token.text):
            message = f"'{token.text}' is not a number"
            raise self._error(message, token, hint=_number_hint(token.text))
        exponent = int(match.group(2) or 0)
        if abs(exponent) < 1000:  # beyond, the fraction itself would be too large to hold
            value = Fraction(match.group(1)) * Fraction(10) ** exponent
            if _fits_float64(value):
                return value
        hint = "infinity is written 'inf'" if exponent > 0 else ""
        raise self._error(f"{token.text} is out of the range of float64", token, hint=hint)

    # Mistakes

    def _enter(self) -> _Token:
        self.nesting += 1
        if self.nesting > 2 * MAX_DEPTH:  # each parenthesis passes here twice
            raise self._too_deep(self.source.location(self._token.start, self._token.end))
        return self._token

    def _check_depth(self, expr: Expr) -> None:
        pending = [(expr, 1)]
        while pending:
            node, depth = pending.pop()
            if depth > MAX_DEPTH:
                raise self._too_deep(node.location)
            if isinstance(node, Call):
                pending.extend((arg, depth + 1) for arg in node.args)

    def _too_deep(self, location: Location) -> SpecError:
        message = f"the formula is nested more than {MAX_DEPTH} deep"
        return SpecError(Problem(message, location, "give parts of it a name under 'let'"))

    def _check_chain(self) -> None:
        if _BINARY.get(self._token.text, (_IF,))[0] == _COMPARE:
            hint = "join two comparisons with 'and': a < b and b < c"
            raise self._error("comparisons cannot be chained", self._token, hint=hint)

    def _unclosed(self, opening: _Token) -> SpecError:
        if self._token.kind == "end" or self._token.text in ("]", ")"):
            return self._error(f"'{opening.text}' is never closed", opening)
        return self._unexpected(f"',' or '{')' if opening.text == '(' else ']'}'")

    def _unexpected(self, expected: str, hint: str = "") -> SpecError:
        token = self._token
        if token.text == ".":
            return self._attribute()
        if token.text in _FOREIGN:
            return self._error(f"unexpected '{token.text}'", token, hint=_FOREIGN[token.text])
        if token.kind == "end":
            message = f"expected {expected}, but the formula ends"
        elif token.text in (")", "]"):
            message = f"expected {expected}, but found '{token.text}'"
            if expected == "an operator":
                message = f"'{token.text}' was never opened"
        elif token.text == "," and expected == "an operator":
            message = "unexpected ','"
            hint = hint or "a formula gives one value; several outputs have a line each"
        elif keyword.iskeyword(token.text):
            message = f"expected {expected}, but found Python's '{token.text}'"
        elif token.kind == "operator" and not token.text.isascii():
            message = f"unexpected character '{shown(token.text)}', {described(token.text)}"
            fallback = hint or "names are a-z, 0-9 and _, and operators are ASCII"
            hint = what_to_type(token.text) or fallback
        else:
            message = f"expected {expected}, but found '{token.text}'"
        return self._error(message, token, hint=hint)

    def _attribute(self) -> SpecError:
        """`torch.exp(x)` and `x.exp()`."""
        before, dot = self.tokens[max(self.position - 1, 0)], self._token
        after = self.tokens[self.position + 1]
        if before.kind != "name" or after.kind != "name":
            return self._error("unexpected '.'", dot)
        message = f"'{before.text}.{after.text}': names have no attributes"
        hint = f"functions are called by their own name: {after.text}(...)"
        return self._error(message, before, after, hint=hint)

    def _error(
        self, message: str, token: _Token, last: _Token | None = None, hint: str = ""
    ) -> SpecError:
        end = (last or token).end
        return SpecError(self.source.problem(message, token.start, end, hint))


def _fits_float64(value: Fraction) -> bool:
    try:
        return value == 0 or float(value) != 0
    except OverflowError:
        return False


def _number_hint(text: str) -> str:
    plain = text.replace("_", "")
    if re.match(r"0[xXoObB]", text):
        return "numbers are decimal"
    if plain != text and _NUMBER.fullmatch(plain):
        return f"write it without underscores: {plain}"
    if text[-1] in "jJ" and _NUMBER.fullmatch(text[:-1]):
        return "formulas are real; there are no complex numbers"
    if text[-1] in "fFlL" and _NUMBER.fullmatch(text[:-1]):
        return f"numbers carry no suffix; write {text[:-1]}"
    product = re.match(r"([\d.]+)([A-Za-z]\w*)$", text)
    if product and not re.match(r"[eE]\d*$", product.group(2)):
        return f"a product needs its '*': {product.group(1)} * {product.group(2)}"
    if text.isdigit():
        return f"write it without the leading zero: {text.lstrip('0')}"
    return ""


def _format(expr: Expr) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    if isinstance(expr, Number):
        return _format_number(expr.value)
    if isinstance(expr, Name):
        return expr.id, _ATOM
    match expr.function, expr.args:
        case "where", (condition, a, b):
            a, condition, b = _operand(a, _OR), _operand(condition, _OR), _operand(b, _IF)
            return f"{a} if {condition} else {b}", _IF
        case "logical_not", (a,):
            return f"not {_operand(a, _NOT)}", _NOT
        case "neg", (a,):
            return f"-{_operand(a, _SIGN)}", _SIGN
        case "pow", (a, b):
            return f"{_operand(a, _ATOM)} ** {_operand(b, _SIGN)}", _POWER
        case function, (a, b) if function in _PRINTED:
            level, symbol = _PRINTED[function]
            left = level + 1 if level == _COMPARE else level
            return f"{_operand(a, left)} {symbol} {_operand(b, level + 1)}", level
        case function, args:
            inside = ", ".join(map(format_expr, args))
            return (f"[{inside}]" if function == "list" else f"{function}({inside})"), _ATOM


def _operand(expr: Expr, loosest: int) -> str:
    text, level = _format(expr)
    return text if level >= loosest else f"({text})"


def _format_number(value: Fraction) -> tuple[str, int]:
    if value < 0:
        text, level = _format_number(-value)
        return f"-{text}", min(level, _SIGN)
    digits, exponent = value, 0
    while digits.denominator % 2 == 0 or digits.denominator % 5 == 0:
        digits, exponent = digits * 10, exponent - 1
    if digits.denominator != 1:  # no decimal fraction
        return f"{value.numerator} / {value.denominator}", _PRODUCT
    mantissa = str(digits.numerator)
    if exponent == 0 and len(mantissa) > 16:
        stripped = mantissa.rstrip("0")
        mantissa, exponent = stripped, len(mantissa) - len(stripped)
    if exponent > 0 or len(mantissa) + exponent < -3:
        shift = len(mantissa) - 1
        point = f".{mantissa[1:]}" if shift else ""
        return f"{mantissa[0]}{point}e{exponent + shift}", _ATOM
    if exponent == 0:
        return mantissa, _ATOM
    padded = mantissa.rjust(1 - exponent, "0")
    return f"{padded[:exponent]}.{padded[exponent:]}", _ATOM
