"""Mathematics in Unicode, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

import sympy
from sympy import Mul, Rational, S, Symbol

from fusewise.explain.algebra import Term, case_rows, name_of
from fusewise.explain.equations import Equation
from fusewise.explain.notation import (
    ATOM,
    LETTERS,
    LOOSE,
    OR,
    POWER,
    PRODUCT,
    SUM,
    Form,
    digits,
    form_of,
    is_decimal,
    split_name,
)  # fmt: skip

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_BREAK = re.compile(" (?=[·+−∧∨] )|(?<=,) ")  # where a line may end
_BRACE = "⎨"  # the middle of one, at which a choice is level with its equation
_MARK = re.compile("(□|■)")  # of an argument in a template
Powers = Sequence[tuple[Term, Term]]  # bases and exponents


class Typesetter:
    """Sets terms in one line; a subclass has the signs of another language."""

    minus, dots, dot, half = "−", "…", "·", "½"
    least_choice = OR  # how tightly a choice binds that stands last, as it is set

    def text(self, term: Term, least: int = LOOSE) -> str:
        """A term, in parentheses if it binds less tightly than `least`."""
        bare = self._bare(term)
        return bare if self.tightness(term) >= least else self.fenced(bare)

    def tightness(self, term: Term) -> int:
        """How tightly the outermost operator of a term binds."""
        if name := name_of(term):
            form = form_of(name)
            return min(form.tightness, POWER) if "^" in self.template(form) else form.tightness
        if term.is_Rational:
            return SUM if term < 0 else ATOM if is_decimal(term) else PRODUCT
        if term.is_Mul:
            return SUM if term.args[0].is_Number and term.args[0] < 0 else PRODUCT
        if term.is_Pow:
            return POWER if term.exp > 0 else PRODUCT
        return SUM if term.is_Add else ATOM

    def _bare(self, term: Term) -> str:
        if name_of(term) == "cases":
            return self.cases(case_rows(term))
        if name_of(term):
            return self.apply(term)
        if term.is_Symbol or term is sympy.pi:
            return self.symbol(str(term))
        if not term.is_Add:
            return self.product(term)
        text = ""
        for k, part in enumerate(term.args):
            sign = self.minus if part.as_coeff_Mul()[0] < 0 else "+" if k else ""
            text += f" {sign} " if k else sign
            text += self.product(part, signed=False, last=k == len(term.args) - 1)
        return text

    def product(self, term: Term, *, signed: bool = True, last: bool = True) -> str:
        """The factors above a fraction bar, those below, and choices; `last` in a sum or alone."""
        coefficient, rest = term.as_coeff_Mul()
        size = abs(coefficient)
        top, bottom = (size, 1) if is_decimal(size) else (Rational(size.p), Rational(size.q))
        powers = [(top, 1), (bottom, -1), *(f.as_base_exp() for f in Mul.make_args(rest))]
        over = [(base, n) for base, n in powers if base != 1 and n > 0] or [(S.One, 1)]
        under = [(base, -n) for base, n in powers if base != 1 and n < 0]
        sign = self.minus if signed and coefficient < 0 else ""
        if under:
            return sign + self.quotient(over, under)
        factors = [self.power(base, n, POWER) for base, n in over]
        choice, exponent = over[-1]
        if last and name_of(choice) == "cases" and exponent == 1:
            factors[-1] = self.text(choice, self.least_choice)
        return sign + self.times(factors)

    def power(self, base: Term, exponent: Term, least: int) -> str:
        if exponent == 1:
            return self.number(base) if base.is_Rational else self.text(base, least)
        raised = self.raised(int(exponent))
        form = form_of(name_of(base))
        if form.unicode.isalpha() and not _MARK.search(self.template(form)):
            return self.apply(base, raised)  # as in tanh²(x)
        return self.text(base, ATOM) + raised

    def apply(self, term: Term, raised: str = "") -> str:
        """A function by its template; arguments that have no mark follow in parentheses."""
        form, args = form_of(name_of(term)), list(term.args)
        pieces = _MARK.split(self.template(form))
        for k in range(1, len(pieces), 2):
            pieces[k] = self.text(args.pop(0), form.tightness + 1 if pieces[k] == "■" else LOOSE)
        rest = self.fenced(", ".join(map(self.text, args))) if args else ""
        return "".join(pieces) + raised + rest

    def fenced(self, text: str) -> str:
        return f"({text})"

    def times(self, factors: Sequence[str]) -> str:
        return " · ".join(factors)

    def quotient(self, over: Powers, under: Powers) -> str:
        above = self.times([self.power(base, n, POWER) for base, n in over])
        below = [self.power(base, n, POWER) for base, n in under]
        return f"{above} / {self.fenced(self.times(below)) if len(below) > 1 else below[0]}"

    def cases(self, rows: Sequence[tuple[Term, Term]]) -> str:
        *chosen, (otherwise, _) = rows
        texts = [f"{self.text(value, OR)} if {self.text(c)}" for value, c in chosen]
        return " else ".join([*texts, self.text(otherwise, OR)])

    def template(self, form: Form) -> str:
        return form.unicode

    def raised(self, exponent: int) -> str:
        return str(exponent).translate(_SUPERSCRIPTS)

    def number(self, value: Term) -> str:
        mantissa, exponent, is_cut = digits(value)
        ten = f"10{self.raised(int(exponent))}" if exponent else ""
        mantissa = "" if ten and mantissa == "1" else mantissa + self.dots * is_cut
        return self.half if mantissa == "0.5" else self.dot.join(filter(None, (mantissa, ten)))

    def symbol(self, name: str) -> str:
        """A name as a symbol: `alpha_1` is α₁."""
        stem, rest, index = split_name(name)
        return LETTERS.get(stem, stem) + "_" * bool(rest) + rest + index.translate(_SUBSCRIPTS)


unicode_line = Typesetter().text


def unicode_maths(equations: Sequence[Equation], width: int) -> list[str]:
    """Equations one below the other with their `=` aligned, broken where they are too wide."""
    lefts = [" = ".join(map(unicode_line, equation.left)) for equation in equations]
    single = [len(text) for text, e in zip(lefts, equations, strict=True) if len(e.left) == 1]
    margin = max(single, default=0)  # a chain of several `=` may be longer
    lines: list[str] = []
    is_tall = False
    for left, equation in zip(lefts, equations, strict=True):
        start = f"{left:<{margin}} = "
        rows = _block(equation.right, width - len(start))
        if lines and (is_tall or len(rows) > 1):
            lines.append("")
        is_tall = len(rows) > 1
        level = next((k for k, row in enumerate(rows) if _BRACE in row), 0)
        lines += [(start if k == level else " " * len(start)) + row for k, row in enumerate(rows)]
    return [line.rstrip() for line in lines]


def _block(term: Term, width: int) -> list[str]:
    """A term in several lines, if it is too wide or ends in a choice."""
    marked, choice = _marked(term)
    head, mark, tail = unicode_line(marked).partition(_BRACE)
    if tail or not mark:
        return _wrapped(unicode_line(term), width)
    *above, head = _wrapped(head, width * 2 // 3)
    rows = case_rows(choice)
    conditions = [*(f"if {unicode_line(condition)}" for _, condition in rows[:-1]), "otherwise"]
    room = width - len(head) - max(map(len, conditions)) - 4
    values = [_wrapped(unicode_line(value), room) for value, _ in rows]
    widest = max(len(line) for value in values for line in value)
    lines = [
        f"{line:<{widest}}  {'' if k else condition}"
        for value, condition in zip(values, conditions, strict=True)
        for k, line in enumerate(value)
    ]
    middle = len(lines) // 2 if len(lines) > 2 else 0
    braces = ["⎧", *"⎪" * (len(lines) - 2), "⎩"]
    if middle:
        braces[middle] = _BRACE
    heads = [head if k == middle else " " * len(head) for k in range(len(lines))]
    return [
        *above,
        *(f"{h}{brace} {line}" for h, brace, line in zip(heads, braces, lines, strict=True)),
    ]


def _marked(term: Term) -> tuple[Term, Term]:
    """A term with a mark in place of the choice that it ends in, and the choice."""
    if name_of(term) == "cases":
        return Symbol(_BRACE), term
    if not (term.is_Add or term.is_Mul):
        return term, S.Zero
    *front, last = term.args
    marked, choice = _marked(last)
    return term.func(*front, marked, evaluate=False), choice


def _wrapped(text: str, width: int) -> list[str]:
    """Lines broken where the fewest parentheses are open, at sums rather than at products."""
    lines = []
    while len(text) > width:
        breaks = [match.start() for match in _BREAK.finditer(text, 0, width + 1)]
        if not breaks:
            break
        depths = {k: text.count("(", 0, k) - text.count(")", 0, k) for k in breaks}
        cut = min(breaks, key=lambda k: (depths[k], text[k + 1] == "·", -k))
        lines.append(text[:cut])
        text = text[cut + 1 :]
    return [*lines, text]
