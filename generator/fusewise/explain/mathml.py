"""Mathematics in MathML, which browsers show without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from fusewise.explain.algebra import Term
from fusewise.explain.equations import Equation, names_in
from fusewise.explain.notation import LETTERS, Binding, Form
from fusewise.explain.unicode import Powers, Typesetter, unicode_line

CELL = "text-align: left; padding: .4em .3em"
WIDTH = 60  # the length in Unicode from which the terms of a sum are in several lines
_TEMPLATES = {  # by the form in Unicode, where its signs in a row would not do
    "GELU_tanh": "<msub><mi>GELU</mi><mi>tanh</mi></msub>",
    "GELU_tanh′": "<msub><mi>GELU′</mi><mi>tanh</mi></msub>",
    "exp": "<msup><mi>e</mi><mrow>□</mrow></msup>",
    "fl_□": "<msub><mi>fl</mi><mrow>□</mrow></msub>",
    "■^■": "<msup><mrow>■</mrow><mrow>□</mrow></msup>",
    "√■": "<msqrt>□</msqrt>",
    "∂L/∂□": "<mfrac><mrow><mo>∂</mo><mi>L</mi></mrow><mrow><mo>∂</mo>□</mrow></mfrac>",
    "∛■": "<mroot><mrow>□</mrow><mn>3</mn></mroot>",
}


class _MathMl(Typesetter):
    half, raising = "<mfrac><mn>1</mn><mn>2</mn></mfrac>", "<msup>"
    plus, minus, difference = "<mo>+</mo>", "<mo>−</mo>", "<mo>−</mo>"
    dot, comma = "<mo>·</mo>", "<mo>,</mo>"

    def template(self, form: Form) -> str:
        if form.unicode in _TEMPLATES:
            return _TEMPLATES[form.unicode]
        pieces = [piece.strip() for piece in re.split("(□|■)", form.unicode)]
        if len(pieces) == 1:
            return f"<mi>{form.unicode}</mi>" if form.unicode else ""
        return (
            f"<mrow>{''.join(p if p in '□■' else f'<mo>{escape(p)}</mo>' for p in pieces)}</mrow>"
        )

    def fenced(self, text: str) -> str:
        is_tall = "<mfrac>" in text or "<mtable" in text
        start = "<mo>" if is_tall else '<mo stretchy="false">'
        return f"<mrow>{start}(</mo>{text}{start})</mo></mrow>"

    def quotient(self, over: Powers, under: Powers) -> str:
        above, below = self.factors(over), self.factors(under)
        return f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"

    def cases(self, rows: Sequence[tuple[Term, Term]]) -> str:
        *chosen, (otherwise, _) = rows
        start = "<mtext>if&#xa0;</mtext>"
        lines = [(self.text(v), start + self.text(c, Binding.OR)) for v, c in chosen]
        table = _table([*lines, (self.text(otherwise), "<mtext>otherwise</mtext>")])
        return f"<mrow><mo>{{</mo>{table}</mrow>"

    def raised(self, base: str, exponent: int) -> str:
        above = str(exponent).replace("-", "−")
        return f"<msup><mrow>{base}</mrow><mn>{above}</mn></msup>"

    def figures(self, text: str) -> str:
        return f"<mn>{text}</mn>"

    def written(self, name: str) -> str:
        return f"<mi>{name}</mi>"

    def shown(self, stem: str, rest: str, index: str) -> str:
        if stem not in LETTERS and len(stem) > 1:
            stem, rest = stem + "_" * bool(rest) + rest, ""
        below = [self.written(rest)] * bool(rest) + [f"<mn>{index}</mn>"] * bool(index)
        letter = self.written(LETTERS.get(stem, stem))
        return f"<msub>{letter}<mrow>{self.comma.join(below)}</mrow></msub>" if below else letter


def mathml_maths(equations: Sequence[Equation]) -> str:
    """The equations as one `math` element, with their `=` one below the other."""
    setter = _MathMl(names_in(equations))
    rows = []
    for equation in equations:
        left = "<mo>=</mo>".join(map(setter.text, equation.left))
        first, *others = _lines(setter, equation.right)
        rows += [(left, "<mo>=</mo>", first), *(("", "", line) for line in others)]
    return f'<math display="block">{_table(rows)}</math>'


def _lines(setter: Typesetter, right: Term) -> list[str]:
    """A term in one line; a long sum with as many of its terms in a line as fit."""
    if not right.is_Add or len(unicode_line(right)) <= WIDTH:
        return [setter.text(right)]
    lines = [""]
    width = 0
    for part in right.args:
        width += len(unicode_line(part))
        if lines[-1] and width > WIDTH:
            lines.append("")
            width = len(unicode_line(part))
        text, _ = setter.product(part)
        is_signed = part is right.args[0] or text.startswith(setter.minus)
        lines[-1] += text if is_signed else setter.plus + text
    return lines


def _table(rows: Iterable[Sequence[str]]) -> str:
    cells = (map(f'<mtd style="{CELL}">{{}}</mtd>'.format, row) for row in rows)
    lines = (f"<mtr>{''.join(row)}</mtr>" for row in cells)
    return f'<mtable displaystyle="true">{"".join(lines)}</mtable>'
