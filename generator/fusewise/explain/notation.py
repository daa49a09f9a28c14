"""The notation of mathematics, in Unicode and LaTeX: names, signs, and how tightly they bind."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from fusewise.explain.terms import Apply, Cases, Infix, Product, Sum, Symbol, Term
from fusewise.language.functions import CALLABLE

# How tightly a term binds; one that binds less than its place asks for is set in parentheses.
LOOSE, OR, AND, RELATION, SUM, PRODUCT, POWER, ATOM = range(8)

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "eta": "η",
    "theta": "θ", "kappa": "κ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
SIGNS = {  # of a symbol, in Unicode and LaTeX
    "inf": ("∞", r"\infty"),
    "nan": ("NaN", r"\mathrm{NaN}"),
    "sqrt(2/pi)": ("√(2/π)", r"\sqrt{2/\pi}"),
    "sqrt(2)": ("√2", r"\sqrt{2}"),
    "1/sqrt(2)": ("1/√2", r"1/\sqrt{2}"),
    "2/sqrt(pi)": ("2/√π", r"2/\sqrt{\pi}"),
    "ln(2)": ("ln 2", r"\ln 2"),
    "<": ("<", "<"),
    "<=": ("≤", r"\le"),
}
FUNCTIONS = {  # in Unicode and LaTeX; others keep their name
    **{name: row.notation.name for name, row in CALLABLE.items() if row.notation.name},
    "gamma": ("Γ", r"\Gamma"),
}
OPERATORS = {  # tightness, in Unicode and LaTeX
    ",": (LOOSE, ", ", r",\; "),
    "or": (OR, " ∨ ", r" \lor "),
    "and": (AND, " ∧ ", r" \land "),
    "<": (RELATION, " < ", " < "),
    "<=": (RELATION, " ≤ ", r" \le "),
    ">": (RELATION, " > ", " > "),
    ">=": (RELATION, " ≥ ", r" \ge "),
    "==": (RELATION, " = ", " = "),
    "!=": (RELATION, " ≠ ", r" \ne "),
    "between": (RELATION, " ", " "),
    "plus": (SUM, " + ", " + "),
    "matmul": (PRODUCT, " ", r"\, "),
    "times": (PRODUCT, " ⊙ ", r" \odot "),
}
FENCES = {  # functions that are written around their argument
    **{
        name: tuple(fence for pair in row.notation.fences for fence in pair)
        for name, row in CALLABLE.items()
        if row.notation.fences
    },
    "list": ("[", "]", "[", "]"),
}
# What a reader may not know, by the functions that it is of.
NOTATION = {name: row.notation.note for name, row in CALLABLE.items() if row.notation.note}
_EXACT_DIGITS = 10
_ROUNDED_DIGITS = 6


def function_name(name: str) -> str:
    """What a function is called in Unicode."""
    return FUNCTIONS[name][0] if name in FUNCTIONS else name


def raises_name(term: Term) -> bool:
    """Whether a power of the term is written at its function's name, as in tanh²(x)."""
    if not isinstance(term, Apply) or term.function in FENCES or term.function == "round_to":
        return False
    return tightness_of(term) == ATOM and function_name(term.function).isalpha()


def ends_in_cases(term: Term) -> bool:
    """Whether a choice stands last, so that nothing can follow without parentheses."""
    return isinstance(term, Product) and any(isinstance(base, Cases) for base, _ in term.powers)


def tightness_of(term: Term) -> int:
    """How tightly the outermost operator of a term binds."""
    match term:
        case Symbol(name):
            return PRODUCT if "/" in name and not name.startswith("sqrt") else ATOM
        case Apply("pow" | "sqrt" | "cbrt" | "transpose" | "logical_not"):
            return POWER
        case Infix(operator):
            return OPERATORS[operator][0]
        case Product(coefficient, powers):
            if coefficient < 0:
                return SUM
            if not powers:
                return ATOM if is_decimal(coefficient) else PRODUCT
            single = len(powers) == 1 and coefficient == 1 and powers[0][1] > 0
            return POWER if single else PRODUCT
        case Sum():
            return SUM
        case Cases():
            return LOOSE
    return ATOM


def is_decimal(value: Fraction) -> bool:
    """Whether a number is written with a point; others of few digits are fractions."""
    is_half = value == Fraction(1, 2)
    return is_half or value.denominator > 1000 or Fraction(_rounded(value)) == value


def digits(value: Fraction) -> tuple[str, str, str]:
    """Mantissa, exponent of ten, and what stands for the digits left out."""
    is_exact = Fraction(_rounded(value)) == value
    count = _EXACT_DIGITS if is_exact else _ROUNDED_DIGITS
    shown = _rounded(value, count).normalize()
    plain = -_ROUNDED_DIGITS < shown.adjusted() < count
    mantissa, _, exponent = f"{shown:{'f' if plain else 'e'}}".partition("e")
    return mantissa, str(int(exponent)) if exponent else "", "" if is_exact else "…"


def _rounded(value: Fraction, digits: int = _EXACT_DIGITS) -> Decimal:
    return Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))


def fraction(
    product: Product,
) -> tuple[list[tuple[Term, int]], list[tuple[Term, int]], list[Term]]:
    """The factors above a fraction bar, those below, and choices, which stand behind it."""
    over: list[tuple[Term, int]] = []
    under: list[tuple[Term, int]] = []
    coefficient = abs(product.coefficient)
    if is_decimal(coefficient):
        over += [(Product(coefficient), 1)] * (coefficient != 1)
    else:
        over += [(Product(Fraction(coefficient.numerator)), 1)] * (coefficient.numerator != 1)
        under.append((Product(Fraction(coefficient.denominator)), 1))
    behind: list[Term] = [b for b, n in product.powers if n == 1 and isinstance(b, Cases)]
    for base, exponent in product.powers:
        if exponent < 0:
            under.append((base, -exponent))
        elif base not in behind:
            over.append((base, exponent))
    return over, under, behind
