"""The text of a formula, from its tree."""

from __future__ import annotations

from fractions import Fraction

from fusewise.language.formula.tree import (
    ATOM,
    COMPARE,
    IF,
    NOT,
    OR,
    POWER,
    PRINTED,
    PRODUCT,
    SIGN,
    Expr,
    Name,
    Number,
)


def format_expr(expr: Expr) -> str:
    """Print an expression with the fewest parentheses; reading it again gives the same one."""
    return _format(expr)[0]


def _format(expr: Expr) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    if isinstance(expr, Number):
        return _format_number(expr.value)
    if isinstance(expr, Name):
        return expr.id, ATOM
    match expr.function, expr.args:
        case "where", (condition, a, b):
            a, condition, b = _operand(a, OR), _operand(condition, OR), _operand(b, IF)
            return f"{a} if {condition} else {b}", IF
        case "logical_not", (a,):
            return f"not {_operand(a, NOT)}", NOT
        case "neg", (a,):
            return f"-{_operand(a, SIGN)}", SIGN
        case "pow", (a, b):
            return f"{_operand(a, ATOM)} ** {_operand(b, SIGN)}", POWER
        case function, (a, b) if function in PRINTED:
            level, symbol = PRINTED[function]
            left = level + 1 if level == COMPARE else level
            return f"{_operand(a, left)} {symbol} {_operand(b, level + 1)}", level
        case function, args:
            inside = ", ".join(map(format_expr, args))
            return (f"[{inside}]" if function == "list" else f"{function}({inside})"), ATOM


def _operand(expr: Expr, loosest: int) -> str:
    text, level = _format(expr)
    return text if level >= loosest else f"({text})"


def _format_number(value: Fraction) -> tuple[str, int]:
    if value < 0:
        text, level = _format_number(-value)
        return f"-{text}", min(level, SIGN)
    digits, exponent = value, 0
    while digits.denominator % 2 == 0 or digits.denominator % 5 == 0:
        digits, exponent = digits * 10, exponent - 1
    if digits.denominator != 1:  # no decimal fraction
        return f"{value.numerator} / {value.denominator}", PRODUCT
    mantissa = str(digits.numerator)
    if exponent == 0 and len(mantissa) > 16:
        stripped = mantissa.rstrip("0")
        mantissa, exponent = stripped, len(mantissa) - len(stripped)
    if exponent > 0 or len(mantissa) + exponent < -3:
        shift = len(mantissa) - 1
        point = f".{mantissa[1:]}" if shift else ""
        return f"{mantissa[0]}{point}e{exponent + shift}", ATOM
    if exponent == 0:
        return mantissa, ATOM
    padded = mantissa.rjust(1 - exponent, "0")
    return f"{padded[:exponent]}.{padded[exponent:]}", ATOM
