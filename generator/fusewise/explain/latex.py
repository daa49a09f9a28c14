"""Mathematics in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fusewise.explain.equations import Equation
from fusewise.explain.notation import (
    ATOM,
    FENCES,
    FUNCTIONS,
    GREEK,
    LOOSE,
    OPERATORS,
    POWER,
    PRODUCT,
    SIGNS,
    SUM,
    digits,
    ends_in_cases,
    fraction,
    is_decimal,
    raises_name,
    tightness_of,
)
from fusewise.explain.terms import Apply, Cases, Infix, Product, Sum, Symbol, Term

_GREEK_NAMES = {"eps": "varepsilon", "epsilon": "varepsilon", "lam": "lambda", "phi": "varphi"}
_BREAK = r" \\ "


def latex_maths(equations: Sequence[Equation]) -> list[str]:
    """The equations as an `align*` environment."""
    rows = []
    for equation in equations:
        left = " = ".join(_latex(term) for term in equation.left)
        rows.append(f"  {left} &= {_latex(equation.right)}")
    ends = [r" \\"] * (len(rows) - 1) + [""]
    return [r"\begin{align*}", *map(str.__add__, rows, ends), r"\end{align*}"]


def _latex(term: Term, least: int = LOOSE) -> str:
    text = _bare_latex(term)
    return text if tightness_of(term) >= least else _parenthesised(text)


def _parenthesised(text: str) -> str:
    tall = r"\frac" in text or r"\begin" in text
    return rf"\left({text}\right)" if tall else f"({text})"


def _bare_latex(term: Term) -> str:
    match term:
        case Symbol(name):
            return _latex_name(name)
        case Apply():
            return _latex_apply(term)
        case Infix("between", args):
            return " ".join(_latex(arg, SUM) for arg in args)
        case Infix(operator, args):
            tightness, _, sign = OPERATORS[operator]
            return sign.join(_latex(arg, tightness + 1) for arg in args)
        case Product(coefficient, ()) if is_decimal(coefficient):
            return _latex_number(coefficient)
        case Product():
            return _latex_product(term)
        case Sum(terms):
            signs = [" - " if part.coefficient < 0 else " + " for part in terms]
            texts = [_latex(replace(p, coefficient=abs(p.coefficient)), PRODUCT) for p in terms]
            for k, part in enumerate(terms[:-1]):
                texts[k] = _parenthesised(texts[k]) if ends_in_cases(part) else texts[k]
            signs[0] = "-" if terms[0].coefficient < 0 else ""
            return "".join(map(str.__add__, signs, texts))
        case Cases(branches, otherwise):
            rows = [rf"{_latex(value)} & \text{{if }} {{{_latex(c)}}}" for value, c in branches]
            rows.append(rf"{_latex(otherwise)} & \text{{otherwise}}")
            return rf"\begin{{cases}} {_BREAK.join(rows)} \end{{cases}}"


def _latex_apply(term: Apply, raised: str = "") -> str:
    match term:
        case Apply("exp", (arg,)) if not raised:
            return f"e^{{{_latex(arg)}}}"
        case Apply("sqrt", (arg,)):
            return rf"\sqrt{{{_latex(arg)}}}"
        case Apply("cbrt", (arg,)):
            return rf"\sqrt[3]{{{_latex(arg)}}}"
        case Apply("pow", (base, exponent)):
            return f"{_latex(base, ATOM)}^{{{_latex(exponent)}}}"
        case Apply("transpose", (matrix,)):
            return rf"{_latex(matrix, ATOM)}^{{\top}}"
        case Apply("logical_not", (condition,)):
            return rf"\lnot {_latex(condition, ATOM)}"
        case Apply("round_to", (arg, like)):
            return rf"\operatorname{{fl}}_{{{_latex(like)}}}{_parenthesised(_latex(arg))}"
    inside = ", ".join(map(_latex, term.args))
    if term.function in FENCES:
        _, _, opening, closing = FENCES[term.function]
        return f"{opening}{inside}{closing}"
    return f"{_latex_function(term.function)}{raised}{_parenthesised(inside)}"


def _latex_product(term: Product) -> str:
    over, under, behind = fraction(term)
    count = len(over) + len(under) + len(behind)
    least = POWER if count > 1 else SUM
    above = [_latex_power(b, n, SUM if under and len(over) == 1 else least) for b, n in over]
    below = [_latex_power(b, n, SUM if len(under) == 1 else least) for b, n in under]
    if below:
        above = [rf"\frac{{{_latex_times(above) or '1'}}}{{{_latex_times(below)}}}"]
    return "-" * (term.coefficient < 0) + _latex_times([*above, *map(_latex, behind)])


def _latex_times(factors: Sequence[str]) -> str:
    """Words as names need a dot between them, letters do not."""
    dotted = any(factor.startswith(r"\mathrm") for factor in factors)
    return (r" \cdot " if dotted else r" \, ").join(factors)


def _latex_power(base: Term, exponent: int, least: int) -> str:
    if exponent == 1:
        return _latex(base, least)
    raised = f"^{{{exponent}}}"
    if isinstance(base, Apply) and raises_name(base):
        return _latex_apply(base, raised)
    return f"{_latex(base, ATOM)}{raised}"


def _latex_number(value: Fraction) -> str:
    if abs(value) == Fraction(1, 2):
        return r"-\tfrac{1}{2}" if value < 0 else r"\tfrac{1}{2}"
    mantissa, exponent, more = digits(value)
    ten = f"10^{{{exponent}}}" if exponent else ""
    mantissa += r"\ldots" if more else ""
    return ten if mantissa == "1" and ten else r" \cdot ".join(filter(None, (mantissa, ten)))


def _latex_name(name: str) -> str:
    if name in SIGNS:
        return SIGNS[name][1]
    if name.startswith("grad_"):
        return rf"\frac{{\partial L}}{{\partial {_latex_name(name.removeprefix('grad_'))}}}"
    match = re.fullmatch(r"(.*?)_*([0-9]*)", name)
    assert match
    stem, _, rest = match.group(1).partition("_")
    if stem in GREEK:
        base = f"\\{_GREEK_NAMES.get(stem, stem)}"
    elif len(stem) == 1:
        base = stem
    else:
        base, rest = rf"\mathrm{{{match.group(1)}}}".replace("_", r"\_"), ""
    below = ",".join(
        filter(None, (rest and rf"\mathrm{{{rest}}}".replace("_", r"\_"), match.group(2)))
    )
    return f"{base}_{{{below}}}" if below else base


def _latex_function(name: str) -> str:
    if name in FUNCTIONS:
        return FUNCTIONS[name][1]
    return rf"\operatorname{{{name}}}".replace("_", r"\_")
