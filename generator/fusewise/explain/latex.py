"""Mathematics in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fusewise.explain.algebra import Term
from fusewise.explain.equations import Equation, names_in
from fusewise.explain.notation import LETTERS, Binding
from fusewise.explain.unicode import Powers, Typesetter

_COMMANDS = {
    "eps": "varepsilon", "epsilon": "varepsilon", "inf": "infty", "lam": "lambda", "phi": "varphi"
}  # fmt: skip


class _Latex(Typesetter):
    language, half, dots = "latex", r"\tfrac{1}{2}", r"\ldots"
    minus, difference, dot = "-", " - ", r" \cdot "

    def fenced(self, text: str) -> str:
        is_tall = r"\frac" in text or r"\begin" in text
        return rf"\left({text}\right)" if is_tall else f"({text})"

    def quotient(self, over: Powers, under: Powers) -> str:
        return rf"\frac{{{self.factors(over)}}}{{{self.factors(under)}}}"

    def cases(self, rows: Sequence[tuple[Term, Term]]) -> str:
        *chosen, (otherwise, _) = [(self.text(v), self.text(c, Binding.OR)) for v, c in rows]
        lines = [rf"{value} & \text{{if }} {{{condition}}} \\ " for value, condition in chosen]
        last = rf"{otherwise} & \text{{otherwise}}"
        return rf"\begin{{cases}} {''.join(lines)}{last} \end{{cases}}"

    def raised(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def written(self, name: str) -> str:
        return rf"\mathrm{{{name}}}".replace("_", r"\_")

    def shown(self, stem: str, rest: str, index: str) -> str:
        if stem in LETTERS:
            stem = f"\\{_COMMANDS.get(stem, stem)}"
        elif len(stem) > 1:
            stem, rest = self.written(stem + "_" * bool(rest) + rest), ""
        roman = self.written(rest) if rest else ""
        below = ",".join(filter(None, (roman, index)))
        return f"{stem}_{{{below}}}" if below else stem


def latex_maths(equations: Sequence[Equation], names: Iterable[str] = ()) -> list[str]:
    """The equations as an `align*` environment; `names` are further ones of the op."""
    text = _Latex({*names, *names_in(equations)}).text
    rows = [f"  {' = '.join(map(text, e.left))} &= {text(e.right)}" for e in equations]
    return [r"\begin{align*}", *(rf"{row} \\" for row in rows[:-1]), rows[-1], r"\end{align*}"]
