"""The tokens of a formula, and the errors about them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fusewise.language.characters import described, what_to_type
from fusewise.language.errors import Location, Source, SpecError, shown

MAX_LENGTH = 10_000
_MAX_NUMBER_LENGTH = 100

# What users of other languages write, and what it is called here.
_FOREIGN = {
    "^": "a power is written '**'",
    "&&": "write 'and'",
    "||": "write 'or'",
    "!": "write 'not'",
    "&": "conditions are joined with 'and'",
    "|": "conditions are joined with 'or'",
    "~": "a condition is negated with 'not'",
    "=<": "write '<='",
    "=>": "write '>='",
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

_ELEMENT = (
    "element k of a row is sum(x if index == k else 0), and the parts of a packed input have names"
)
# Other hints for these, by what the parser expected.
_IN_PLACE_OF = {
    ("a value", "|"): "write abs(...)",
    ("an operator", "["): _ELEMENT,
    ("',' or ')'", "["): _ELEMENT,
}
_IN_COMPOSE = {"@": "a matrix product is a call: matmul(x, y)"}
# What Python has and a formula has not.
_PYTHON = {
    "True": "a condition is a comparison, or a bool input or param",
    "False": "a condition is a comparison, or a bool input or param",
    "None": "an input that may be absent has a default: bias: tensor = 0",
    "for": "a formula sees one element and reductions of its row, such as sum(x)",
    "if": "a choice is written 'a if condition else b'",
    "in": "compare with each value: x == 1 or x == 2",
    "is": "values are compared with '=='; a NaN is found by isnan(x)",
    "lambda": "write the expression alone",
    "return": "write the expression alone",
}
_DIMENSIONS = ("axis", "dim", "dims")
_KEEPDIM = "an output keeps the dimension: {formula: ..., keepdim: true}"
_LENGTH = "the number of elements of a row is 'length'"
_NORM = "norm(x) is the Euclidean norm; others are sum(abs(x)) and amax(abs(x))"
_RANDOM = "a formula draws no random numbers: give a mask as an input"
_TYPES = "an output has a type: {formula: ..., dtype: float32}"
# Keyword arguments of PyTorch that a position cannot stand for.
_KEYWORDS = {
    "approximate": "approximate='tanh' is gelu_tanh(x); gelu(x) is exact",
    "beta": "write softplus(beta * x) / beta",
    "correction": "give it by position: var(x, 0)",
    "dtype": _TYPES,
    "inplace": "leave it out: a formula changes no input",
    "keepdim": _KEEPDIM,
    "keepdims": _KEEPDIM,
    "ord": _NORM,
    "p": _RANDOM,
    "rounding_mode": "x // y rounds down, trunc(x / y) toward 0",
    "training": _RANDOM,
    "unbiased": "give the correction by position: var(x, 0), var(x, 1)",
}
_CASTS = ("bfloat16", "bool", "double", "float", "half", "int", "long", "to", "type")

_METHODS = {"max": "amax", "min": "amin"}  # of a tensor, whose functions have other names

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<operator>\*\*|//|===|!==|[<>=!]=|=[<>]|<>|<<|>>|&&|\|\||:=|->|.)
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # number, name, operator, end
    text: str
    start: int
    end: int


class Tokens:
    """A formula's tokens, read from left to right. Errors are returned for the caller to raise."""

    def __init__(self, text: str, source: Source, in_compose: bool) -> None:
        self.text = text
        self.source = source
        self.in_compose = in_compose
        self.tokens = list(self._scan())
        self.position = 0

    def _scan(self) -> Iterator[Token]:
        if len(self.text) > MAX_LENGTH:
            message = f"the formula is longer than {MAX_LENGTH} characters"
            hint = "give parts of it a name under 'let'"
            raise SpecError(self.source.problem(message, 0, 1, hint))
        for match in _TOKEN.finditer(self.text):
            if match.lastgroup != "space":
                yield Token(match.lastgroup or "", match.group(), match.start(), match.end())
        end = len(self.text.rstrip())
        yield Token("end", "", end, end)

    @property
    def current(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.current
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        found = self.current.text == text
        self.position += found
        return found

    def span(self, start: Token) -> Location:
        return self.source.location(start.start, self.tokens[self.position - 1].end)

    def number(self, token: Token) -> Fraction:
        match = _NUMBER.fullmatch(token.text)
        if len(token.text) > _MAX_NUMBER_LENGTH:
            message = f"a number of more than {_MAX_NUMBER_LENGTH} characters"
            raise self.error(message, token)
        if match is None or re.match(r"0+[1-9]\d*$", token.text):
            message = f"'{token.text}' is not a number"
            raise self.error(message, token, hint=_number_hint(token.text))
        exponent = int(match.group(2) or 0)
        if abs(exponent) < 1000:  # beyond, the fraction itself would be too large to hold
            value = Fraction(match.group(1)) * Fraction(10) ** exponent
            if _fits_float64(value):
                return value
        hint = "infinity is written 'inf'" if exponent > 0 else "write 0, or scale the formula"
        raise self.error(f"{token.text} is out of the range of float64", token, hint=hint)

    def unclosed(self, opening: Token) -> SpecError:
        if self.current.kind == "end" or self.current.text in ("]", ")"):
            return self.error(f"'{opening.text}' is never closed", opening)
        return self.unexpected(f"',' or '{')' if opening.text == '(' else ']'}'")

    def unexpected(self, expected: str, hint: str = "") -> SpecError:
        """The current token does not fit."""
        token = self.current
        if token.text == ".":
            return self._attribute()
        if token.text in _FOREIGN:
            hint = _IN_PLACE_OF.get((expected, token.text), _FOREIGN[token.text])
            if self.in_compose:
                hint = _IN_COMPOSE.get(token.text, hint)
            return self.error(f"unexpected '{token.text}'", token, hint=hint)
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
            hint = hint or _PYTHON.get(token.text, "")
        elif token.kind == "operator" and not token.text.isascii():
            message = f"unexpected character '{shown(token.text)}', {described(token.text)}"
            fallback = hint or "names are a-z, 0-9 and _, and operators are ASCII"
            hint = what_to_type(token.text) or fallback
        else:
            message = f"expected {expected}, but found '{token.text}'"
            if expected == "an operator" and token.text not in "{}:;":
                hint = hint or "a product needs its '*', a call its parentheses"
        return self.error(message, token, hint=hint)

    def keyword_argument(self, function: Token, name: Token) -> SpecError:
        message = f"'{function.text}' takes its arguments by position"
        hint = _KEYWORDS.get(name.text, f"drop '{name.text}='")
        if self.in_compose:
            hint = f"drop '{name.text}='; the params of an op have their defaults"
        elif name.text in _DIMENSIONS:
            hint = f"{function.text}(x); the section 'reduce' names the dimensions of a row"
        elif (function.text, name.text) == ("norm", "p"):
            hint = _NORM
        return self.error(message, name, self.current, hint=hint)

    def _attribute(self) -> SpecError:
        """`torch.nn.functional.silu(x)` and `x.exp()`."""
        first, last = self.position - 1, self.position - 1
        while self.tokens[last + 1].text == "." and self.tokens[last + 2].kind == "name":
            last += 2
        before, after = self.tokens[max(first, 0)], self.tokens[last]
        own_name = f"functions are called by their own name: {_METHODS.get(after.text, after.text)}"
        if before.kind != "name" or last == first:
            is_call = self.tokens[last + 1].text == "("
            hint = f"{own_name}(...)" if before.text == ")" and is_call else ""
            return self.error("unexpected '.'", self.current, hint=hint)
        shown_name = ".".join(token.text for token in self.tokens[first : last + 1 : 2])
        hint = "names are those of inputs, parts, params and steps"
        if after.text in _CASTS:
            hint = _TYPES
        elif after.text in ("numel", "shape", "size"):
            hint = _LENGTH
        elif self.tokens[last + 1].text == "(":
            is_method = last == first + 2 and self.tokens[last + 2].text == ")"
            args = before.text if is_method else "..."
            hint = f"{own_name}({args})"
        return self.error(f"'{shown_name}': names have no attributes", before, after, hint=hint)

    def error(
        self, message: str, token: Token, last: Token | None = None, hint: str = ""
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
    if product:
        return "digits of the exponent follow the e, as in 1e-5"
    if text.isdigit():
        return f"write it without the leading zero: {text.lstrip('0')}"
    return ""
