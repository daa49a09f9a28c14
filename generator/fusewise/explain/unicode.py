"""Mathematics in Unicode, for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from sympy import Mul, Rational, S, pi

from fusewise.explain.algebra import Term, case_rows, name_of
from fusewise.explain.equations import Equation, names_in
from fusewise.explain.notation import LETTERS, Binding, Form, digits, form_of, split_name

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_MARK = re.compile("(□|■)")  # of an argument in a template
_GLUE = re.compile(" (?!([·+−∧∨]|if|else) )")  # where a line must not end
Powers = Sequence[tuple[Term, Term]]  # bases and exponents


class Typesetter:
    """Sets terms in one line; a subclass has the signs of another language."""

    language, half, dots, raising = "unicode", "½", "…", "^"
    plus, minus, difference, dot, comma = " + ", "−", " − ", " · ", ", "

    def __init__(self, names: Iterable[str] = ()) -> None:
        """`names` are those that a reader sees together, each to be told from the others."""
        shown = {name: Typesetter.shown(self, *split_name(name)) for name in names}
        uses = Counter(text for name, text in shown.items() for text in {name, text})
        self.alike = {name for name, text in shown.items() if uses[text] > 1 and text != name}

    def text(self, term: Term, least: Binding = Binding.LOOSE) -> str:
        """A term, in parentheses if it binds less tightly than `least`."""
        text, tightness = self._set(term)
        return text if tightness >= least else self.fenced(text)

    def _set(self, term: Term) -> tuple[str, Binding]:
        """A term, and how tightly its outermost operator binds."""
        if name_of(term) == "cases":
            return self.cases(case_rows(term)), Binding.LOOSE
        if name_of(term):
            return self.apply(form_of(name_of(term)), term.args)
        if term.is_Symbol or term is pi:
            return self.symbol(str(term)), Binding.ATOM
        if not term.is_Add:
            return self.product(term)
        text = self.plus.join(self.product(part)[0] for part in term.args)
        return text.replace(self.plus + self.minus, self.difference), Binding.SUM

    def product(self, term: Term) -> tuple[str, Binding]:
        """The sign, and the factors above and below a fraction bar."""
        coefficient, rest = term.as_coeff_Mul()
        size = abs(coefficient)
        is_fraction = size.q <= 1000 and digits(size)[2]  # others have a decimal point
        top, bottom = (Rational(size.p), Rational(size.q)) if is_fraction else (size, 1)
        powers = [(top, 1), (bottom, -1), *(f.as_base_exp() for f in Mul.make_args(rest))]
        over = [(base, n) for base, n in powers if base != 1 and n > 0] or [(S.One, 1)]
        under = [(base, -n) for base, n in powers if base != 1 and n < 0]
        factors = [self.power(base, n, Binding.POWER) for base, n in over]
        text = self.quotient(over, under) if under else self.dot.join(factors)
        if coefficient < 0:
            return self.minus + text, Binding.SUM
        if under or len(over) > 1:
            return text, Binding.PRODUCT
        return text, self.number(size)[1] if term.is_Rational else Binding.POWER

    def power(self, base: Term, exponent: Term, least: Binding) -> str:
        if exponent == 1:
            return self.number(base)[0] if base.is_Rational else self.text(base, least)
        form = form_of(name_of(base))
        if form.unicode.isalpha() and not _MARK.search(self.template(form)):
            return self.apply(form, base.args, int(exponent))[0]  # as in tanh²(x)
        return self.raised(self.text(base, Binding.ATOM), int(exponent))

    def template(self, form: Form) -> str:
        return getattr(form, self.language)

    def apply(self, form: Form, args: Sequence[Term], exponent: int = 1) -> tuple[str, Binding]:
        """A function by its template; arguments that have no mark follow in parentheses."""
        template, least = self.template(form), form.tightness
        pieces = _MARK.split(template)
        marks = range(1, len(pieces), 2)
        for k, arg in zip(marks, args, strict=False):
            pieces[k] = self.text(arg, Binding(least + 1) if pieces[k] == "■" else Binding.LOOSE)
        rest = self.comma.join(map(self.text, args[len(marks) :]))
        head = "".join(pieces) if exponent == 1 else self.raised("".join(pieces), exponent)
        text = head + (self.fenced(rest) if rest else "")
        return text, min(least, Binding.POWER if self.raising in template else least)

    def fenced(self, text: str) -> str:
        return f"({text})"

    def quotient(self, over: Powers, under: Powers) -> str:
        above = self.dot.join([self.power(base, n, Binding.POWER) for base, n in over])
        below = [self.power(base, n, Binding.POWER) for base, n in under]
        return f"{above} / {self.fenced(self.dot.join(below)) if len(below) > 1 else below[0]}"

    def factors(self, powers: Powers) -> str:
        """A product above or below a fraction bar, which stands for parentheses."""
        least = Binding.POWER if len(powers) > 1 else Binding.SUM
        return self.dot.join([self.power(base, n, least) for base, n in powers])

    def cases(self, rows: Sequence[tuple[Term, Term]]) -> str:
        *chosen, (otherwise, _) = rows
        texts = [f"{self.text(v, Binding.OR)} if {self.text(c, Binding.OR)}" for v, c in chosen]
        return " else ".join([*texts, self.text(otherwise, Binding.OR)])

    def raised(self, base: str, exponent: int) -> str:
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def number(self, value: Term) -> tuple[str, Binding]:
        mantissa, exponent, is_cut = digits(value)
        ten = self.raised(self.figures("10"), int(exponent)) if exponent else ""
        if mantissa == "0.5" and not ten:
            return self.half, Binding.ATOM
        if ten and mantissa == "1":
            return ten, Binding.POWER
        text = self.figures(mantissa + self.dots * is_cut)
        return (self.dot.join((text, ten)), Binding.PRODUCT) if ten else (text, Binding.ATOM)

    def figures(self, text: str) -> str:
        return text

    def symbol(self, name: str) -> str:
        """A name as a symbol: `alpha_1` is α₁, but as written if another name is α₁ too."""
        is_alike = name in self.alike
        return self.written(name) if is_alike else self.shown(*split_name(name))

    def written(self, name: str) -> str:
        return name

    def shown(self, stem: str, rest: str, index: str) -> str:
        return LETTERS.get(stem, stem) + "_" * bool(rest) + rest + index.translate(_SUBSCRIPTS)


unicode_line = Typesetter().text


def unicode_maths(
    equations: Sequence[Equation], width: int, names: Iterable[str] = ()
) -> list[str]:
    """Equations one below the other with their `=` aligned, a choice in several lines.

    `names` are further ones of the op.
    """
    setter = Typesetter({*names, *names_in(equations)})
    lefts = [" = ".join(map(setter.text, equation.left)) for equation in equations]
    margin = max((len(left) for left in lefts if " = " not in left), default=0)
    lines: list[str] = []
    is_tall = False
    for left, equation in zip(lefts, equations, strict=True):
        start = f"{left:<{margin}} = "
        rows = _rows(setter, equation.right, max(width - len(start), width // 2))
        if lines and (is_tall or len(rows) > 1):
            lines.append("")
        is_tall = len(rows) > 1
        lines += [(" " * len(start) if k else start) + row for k, row in enumerate(rows)]
    return lines


def _rows(setter: Typesetter, term: Term, width: int) -> list[str]:
    """The lines of a term, with the brace of a choice that has room for one."""
    *chosen, (otherwise, _) = case_rows(term)
    values = [setter.text(value, Binding.OR) for value, _ in chosen]
    conditions = [f"if {setter.text(condition, Binding.OR)}" for _, condition in chosen]
    rows = [*zip(values, conditions, strict=True), (setter.text(otherwise), "otherwise")]
    widest, last = (max(map(len, column)) for column in zip(*rows, strict=True))
    if not chosen or widest + last + 4 > width:
        return _wrapped(setter.text(term), width)
    braces = ["⎧", *"⎪" * (len(rows) - 2), "⎩"]
    return [f"{b} {v:<{widest}}  {end}" for b, (v, end) in zip(braces, rows, strict=True)]


def _wrapped(text: str, width: int) -> list[str]:
    """Lines broken before operators."""
    glued = _GLUE.sub("\u00a0", text)
    lines = textwrap.wrap(glued, width, subsequent_indent="  ", break_long_words=False)
    return [line.replace("\u00a0", " ") for line in lines]
