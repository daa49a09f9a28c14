"""The notation of mathematics in Unicode and LaTeX: names, functions, numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_DOWN, Context, Decimal, localcontext
from enum import IntEnum
from fractions import Fraction
from typing import Any, NamedTuple

from fusewise.language.functions import CALLABLE
from fusewise.language.functions.row import Notation

# How tightly a term binds; one that binds less than its place asks for is set in parentheses.
Binding = IntEnum("Binding", "LOOSE OR AND RELATION SUM PRODUCT POWER ATOM", start=0)
_, OR, AND, RELATION, SUM, PRODUCT, POWER, ATOM = Binding


class Form(NamedTuple):
    """How a function is set in Unicode and LaTeX: its name, or a template of its arguments.

    In a template, □ stands for the next argument, and ■ for one that binds more tightly than the
    form does. Arguments that have no mark follow in parentheses.
    """

    unicode: str
    latex: str
    tightness: Binding = ATOM


# fmt: off
LETTERS = {  # and the sign of infinity
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "inf": "∞",
}
OPERATORS: Mapping[str, Form] = {  # what is not set as a name or in fences
    "between": Form("■ ≤ ■ ≤ ■", r"■ \le ■ \le ■", RELATION), "cases": Form("", ""),
    "cbrt": Form("∛■", r"\sqrt[3]{□}", POWER), "eq": Form("■ = ■", "■ = ■", RELATION),
    "exp": Form("exp", r"e^{□}"), "gamma": Form("Γ", r"\Gamma"),
    "ge": Form("■ ≥ ■", r"■ \ge ■", RELATION), "gt": Form("■ > ■", "■ > ■", RELATION),
    "gradient": Form("∂L/∂□", r"\frac{\partial L}{\partial □}"), "gradient_step": Form("□", "□"),
    "le": Form("■ ≤ ■", r"■ \le ■", RELATION), "list": Form("", ""),
    "logical_and": Form("■ ∧ ■", r"■ \land ■", AND),
    "logical_not": Form("¬■", r"\lnot ■", POWER), "logical_or": Form("■ ∨ ■", r"■ \lor ■", OR),
    "lt": Form("■ < ■", "■ < ■", RELATION), "ne": Form("■ ≠ ■", r"■ \ne ■", RELATION),
    "pow": Form("■^■", "■^{□}", POWER), "round_to": Form("fl_□", r"\operatorname{fl}_{□}"),
    "sqrt": Form("√■", r"\sqrt{□}", POWER), "tuple": Form("", ""),
}
# fmt: on


def form_of(function: str) -> Form:
    """The form of a function: as an operator, in fences, by its sign or by its own name."""
    if function in OPERATORS:
        return OPERATORS[function]
    notation = CALLABLE[function].notation if function in CALLABLE else Notation()
    if notation.fences:
        unicode, latex = (f"{opening}□{closing}" for opening, closing in notation.fences)
        return Form(unicode, latex)
    upright = rf"\operatorname{{{function}}}".replace("_", r"\_")
    return Form(*(notation.name or (function, upright)))


def digits(value: Any) -> tuple[str, str, bool]:
    """The first digits as mantissa and exponent of ten, and whether further ones are left out."""
    with localcontext(Context(rounding=ROUND_DOWN)):
        number = Decimal(value.p) / Decimal(value.q)
        shown = f"{number:.10g}"
        is_cut = Fraction(shown) != Fraction(value.p, value.q)
        mantissa, _, exponent = (f"{number:.6g}" if is_cut else shown).partition("e")
    if "." in mantissa and not is_cut:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa, str(int(exponent)) if exponent else "", is_cut


def split_name(name: str) -> tuple[str, str, str]:
    """The stem of a name, what follows it after a `_`, and the number that it ends in."""
    match = re.fullmatch(r"(.*?)_*([0-9]*)", name)
    assert match
    stem, _, rest = match.group(1).partition("_")
    return stem, rest, match.group(2)
