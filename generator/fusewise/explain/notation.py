"""The notation of mathematics in Unicode and LaTeX: names, functions, numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

# How tightly a term binds; one that binds less than its place asks for is set in parentheses.
LOOSE, OR, AND, RELATION, SUM, PRODUCT, POWER, ATOM = range(8)


class Form(NamedTuple):
    """A function in Unicode and LaTeX: its name, or a template of its arguments.

    In a template, □ stands for the next argument, and ■ for one that binds more tightly than the
    form does; the last of them takes the arguments that remain.
    """

    unicode: str
    latex: str = ""  # the name in Unicode, upright, if empty
    tightness: int = ATOM
    note: str = ""  # for readers who may not know the sign


# fmt: off
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}
NOTATION: Mapping[str, Form] = {  # the other functions are called by their own name
    "abs": Form("|□|", r"\lvert □ \rvert"), "acos": Form("arccos", r"\arccos"),
    "acosh": Form("arcosh"), "add": Form("□ + ■", "□ + ■", SUM), "asin": Form("arcsin", r"\arcsin"),
    "asinh": Form("arsinh"), "atan": Form("arctan", r"\arctan"), "atan2": Form("arctan2"),
    "atanh": Form("artanh"), "cases": Form("cases", "", LOOSE),
    "cbrt": Form("∛■", r"\sqrt[3]{□}", POWER), "ceil": Form("⌈□⌉", r"\lceil □ \rceil"),
    "comma": Form("□, □", r"□,\; □", LOOSE), "cos": Form("cos", r"\cos"),
    "cosh": Form("cosh", r"\cosh"), "digamma": Form("ψ", r"\psi"),
    "dgelu_tanh": Form("GELU_tanh′", r"\operatorname{GELU}_{\tanh}'"),
    "div": Form("■ / ■", r"\frac{□}{□}", PRODUCT), "dsigmoid": Form("σ′", r"\sigma'"),
    "elu": Form("ELU"), "eq": Form("■ = ■", "■ = ■", RELATION),
    "erfinv": Form("erf⁻¹", r"\operatorname{erf}^{-1}"), "exp": Form("exp", r"e^{□}"),
    "floor": Form("⌊□⌋", r"\lfloor □ \rfloor"), "gamma": Form("Γ", r"\Gamma"),
    "ge": Form("■ ≥ ■", r"■ \ge ■", RELATION), "gelu": Form("GELU"),
    "gelu_tanh": Form("GELU_tanh", r"\operatorname{GELU}_{\tanh}"),
    "gt": Form("■ > ■", "■ > ■", RELATION), "le": Form("■ ≤ ■", r"■ \le ■", RELATION),
    "le_le": Form("■ ≤ ■ ≤ ■", r"■ \le ■ \le ■", RELATION),
    "le_lt": Form("■ ≤ ■ < ■", r"■ \le ■ < ■", RELATION), "leaky_relu": Form("LeakyReLU"),
    "list": Form("[□]", "[□]"), "log": Form("ln", r"\ln"), "log10": Form("log₁₀", r"\log_{10}"),
    "log2": Form("log₂", r"\log_2"), "logical_and": Form("■ ∧ ■", r"■ \land ■", AND),
    "logical_not": Form("¬■", r"\lnot ■", POWER), "logical_or": Form("■ ∨ ■", r"■ \lor ■", OR),
    "lt": Form("■ < ■", "■ < ■", RELATION), "lt_le": Form("■ < ■ ≤ ■", r"■ < ■ \le ■", RELATION),
    "lt_lt": Form("■ < ■ < ■", "■ < ■ < ■", RELATION), "matmul": Form("■ ■", r"■\, ■", PRODUCT),
    "maximum": Form("max", r"\max"), "minimum": Form("min", r"\min"), "mish": Form("Mish"),
    "mul": Form("■ ⊙ ■", r"■ \odot ■", PRODUCT), "ne": Form("■ ≠ ■", r"■ \ne ■", RELATION),
    "normal_cdf": Form("Φ", r"\Phi", note="Φ is the distribution of the standard normal law"),
    "normal_pdf": Form("φ", r"\varphi", note="φ is the density of the standard normal law"),
    "pow": Form("■^■", "■^{□}", POWER), "relu": Form("ReLU"), "relu6": Form("ReLU6"),
    "round_to": Form("fl_□", r"\operatorname{fl}_{□}",
                     note="fl_x(e) is e rounded to the type of x"),
    "same": Form("□", "□", POWER), "selu": Form("SELU"), "sigmoid": Form("σ", r"\sigma"),
    "silu": Form("SiLU"), "sin": Form("sin", r"\sin"), "sinh": Form("sinh", r"\sinh"),
    "sqrt": Form("√■", r"\sqrt{□}", POWER),
    "stop_grad": Form("sg", note="sg(e) is e with the derivative zero"),
    "straight_through": Form("ste", note="ste(v, c) has the value of v and the derivative of c"),
    "tan": Form("tan", r"\tan"), "tanh": Form("tanh", r"\tanh"),
    "transpose": Form("■ᵀ", r"■^{\top}", POWER), "trigamma": Form("ψ′", r"\psi'"),
    "zeta": Form("ζ", r"\zeta"),
}
# Functions that are written out as formulas, since mathematics has no name for them.
FORMULAS: Mapping[str, str] = {
    "div_moderate": "x / y", "div_shared": "x / y",
    "dtanh_softplus": "sech2(softplus(x)) * sigmoid(x)", "exp2": "pow(2, x)",
    "exp_mul": "exp(x * y)", "exp_remainder": "exp(x) - 1 - x", "expm1": "exp(x) - 1",
    "floordiv": "floor(x / y)", "gaussian": "exp(-x * x)", "hypot": "sqrt(x * x + y * y)",
    "hypot_slope": "x / hypot(x, y)", "lgamma": "log(abs(gamma(x)))", "log1p": "log(1 + x)",
    "log1p_unit": "log(1 + x)", "logaddexp": "log(exp(x) + exp(y))",
    "logsigmoid": "log(sigmoid(x))", "one_minus_square": "1 - x * x", "reciprocal": "1 / x",
    "rsqrt": "1 / sqrt(x)", "sech2": "sech(x) * sech(x)", "sin_doubled": "sin(2 * x)",
    "sin_squared": "sin(x) * sin(x)", "square": "x * x", "tanh_near_zero": "tanh(x)",
    "tanh_softplus": "tanh(softplus(x))", "xlogy": "x * log(y)",
}
# fmt: on
BODIES = ("dgelu_tanh",)  # functions of which the body is shown, since its parts are worth a name
_EXACT_DIGITS = 10
_ROUNDED_DIGITS = 6


def form_of(function: str) -> Form:
    """The form of a function; one that is not in the table has its own name."""
    form = NOTATION.get(function, Form(function, ""))
    operator = rf"\operatorname{{{form.unicode}}}".replace("_", r"\_")
    return form._replace(latex=form.latex or operator)


def is_decimal(value: Any) -> bool:
    """Whether a number is written with a point; others of few digits are fractions."""
    return value.q > 1000 or not digits(value)[2]


def digits(value: Any) -> tuple[str, str, bool]:
    """Mantissa, exponent of ten, and whether digits are left out."""
    exact, short = (
        Context(prec=count).divide(Decimal(value.p), Decimal(value.q))
        for count in (_EXACT_DIGITS, _ROUNDED_DIGITS)
    )
    is_cut = Fraction(exact) != Fraction(value.p, value.q)
    shown, count = (short, _ROUNDED_DIGITS) if is_cut else (exact, _EXACT_DIGITS)
    plain = -_ROUNDED_DIGITS < shown.adjusted() < count
    mantissa, _, exponent = f"{shown.normalize():{'f' if plain else 'e'}}".partition("e")
    return mantissa, str(int(exponent)) if exponent else "", is_cut


def split_name(name: str) -> tuple[str, str, str]:
    """The stem of a name, what follows it after a `_`, and the number that it ends in."""
    match = re.fullmatch(r"(.*?)_*([0-9]*)", name)
    assert match
    stem, _, rest = match.group(1).partition("_")
    return stem, rest, match.group(2)
