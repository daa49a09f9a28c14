"""Mathematics in Unicode, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fusewise.explain.equations import Equation
from fusewise.explain.notation import (
    ATOM,
    FENCES,
    GREEK,
    LOOSE,
    OPERATORS,
    OR,
    POWER,
    PRODUCT,
    SIGNS,
    SUM,
    digits,
    ends_in_cases,
    fraction,
    function_name,
    is_decimal,
    raises_name,
    tightness_of,
)
from fusewise.explain.terms import Apply, Cases, Infix, Product, Sum, Symbol, Term

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def unicode_line(term: Term) -> str:
    """A term in one line."""
    return _FLAT.text(term)


def unicode_maths(equations: Sequence[Equation], width: int) -> list[str]:
    """Equations one below the other with their `=` aligned, broken where they are too wide."""
    lefts = [" = ".join(map(_FLAT.text, equation.left)) for equation in equations]
    plain = [len(text) for text, e in zip(lefts, equations, strict=True) if len(e.left) == 1]
    margin = max(plain, default=0)  # a chain of several `=` may be longer
    lines: list[str] = []
    is_tall = False
    for left, equation in zip(lefts, equations, strict=True):
        right = _TALL.box(equation.right, width - max(margin, len(left)) - 3)
        rows = _beside([Box((f"{left:<{margin}} = ",)), right]).lines
        if lines and (is_tall or len(rows) > 1):
            lines.append("")
        is_tall = len(rows) > 1
        lines += [row.rstrip() for row in rows]
    return lines


@dataclass(frozen=True, slots=True)
class Box:
    """Lines of text, one of which continues what stands to the left and right of them."""

    lines: tuple[str, ...]
    baseline: int = 0

    @property
    def width(self) -> int:
        return max(map(len, self.lines))


def _beside(boxes: Sequence[Box]) -> Box:
    above = max(box.baseline for box in boxes)
    below = max(len(box.lines) - box.baseline for box in boxes)
    columns = []
    for box in boxes:
        blank = (" " * box.width,)
        lines = tuple(line.ljust(box.width) for line in box.lines)
        top = blank * (above - box.baseline)
        columns.append(top + lines + blank * (below - len(lines) + box.baseline))
    return Box(tuple(map("".join, zip(*columns, strict=True))), above)


def _below(boxes: Sequence[Box], baseline: int) -> Box:
    return Box(tuple(line for box in boxes for line in box.lines), baseline)


def _flow(pieces: Sequence[tuple[str, Box]], width: int) -> Box:
    """Pieces with what stands before each, in as many rows as they need."""
    rows: list[list[Box]] = [[]]
    for before, box in pieces:
        used = sum(b.width for b in rows[-1])
        if rows[-1] and used + len(before) + box.width > width:
            rows.append([Box((before.lstrip(),))])
        elif before:
            rows[-1].append(Box((before,)))
        rows[-1].append(box)
    stacked = [_beside(row) for row in rows]
    return _below(stacked, stacked[0].baseline)


def _tall(box: Box, signs: str) -> Box:
    """A bracket as tall as a box: of one line, the top, the middle, the bottom."""
    single, top, middle, bottom = signs
    height = len(box.lines)
    if height == 1:
        return Box((single,))
    return Box((top, *[middle] * (height - 2), bottom), box.baseline)


def _fenced(box: Box) -> Box:
    return _beside([_tall(box, "(⎛⎜⎝"), box, _tall(box, ")⎞⎟⎠")])


@dataclass(frozen=True, slots=True)
class _Layout:
    """Terms as boxes: of one line with `/` and `if` if `flat`, else with bars and braces."""

    flat: bool

    def text(self, term: Term, least: int = LOOSE) -> str:
        return _FLAT.box(term, 10**6, least).lines[0]

    def box(self, term: Term, width: int, least: int = LOOSE) -> Box:
        """A term in parentheses if it binds less than `least`."""
        if tightness_of(term) < least:
            return _fenced(self.bare(term, width - 2))
        return self.bare(term, width)

    def bare(self, term: Term, width: int) -> Box:
        match term:
            case Symbol(name):
                return Box((_name(name),))
            case Apply():
                return self.apply(term, width)
            case Infix("between", args):
                return Box((" ".join(self.text(arg, SUM) for arg in args),))
            case Infix(operator, args):
                tightness, sign, _ = OPERATORS[operator]
                boxes = [self.box(arg, width, tightness + 1) for arg in args]
                return _flow(list(zip(["", *[sign] * len(args)], boxes, strict=False)), width)
            case Product(coefficient, ()) if is_decimal(coefficient):
                return Box((_number(coefficient),))
            case Product():
                return self.product(term, width)
            case Sum(terms):
                signs = [" − " if part.coefficient < 0 else " + " for part in terms]
                signs[0] = signs[0].strip() if terms[0].coefficient < 0 else ""
                parts = [replace(part, coefficient=abs(part.coefficient)) for part in terms]
                boxes = [self.box(part, width - 2, PRODUCT) for part in parts]
                boxes = [
                    _fenced(box) if ends_in_cases(part) and k < len(parts) - 1 else box
                    for k, (box, part) in enumerate(zip(boxes, parts, strict=True))
                ]
                return _flow(list(zip(signs, boxes, strict=True)), width)
        return self.cases(term, width)

    def apply(self, term: Apply, width: int, raised: str = "") -> Box:
        match term:
            case Apply("sqrt" | "cbrt" as root, (arg,)):
                sign = "√" if root == "sqrt" else "∛"
                return _beside([Box((sign,)), self.box(arg, width - 1, ATOM)])
            case Apply("pow", (base, exponent)):
                return Box((f"{self.text(base, ATOM)}^{self.text(exponent, ATOM)}",))
            case Apply("transpose", (matrix,)):
                return Box((f"{self.text(matrix, ATOM)}ᵀ",))
            case Apply("logical_not", (condition,)):
                return Box((f"¬{self.text(condition, ATOM)}",))
            case Apply("round_to", (arg, like)):
                name, args = f"fl_{self.text(like)}", (arg,)
            case Apply(function, args) if function in FENCES:
                opening, closing, _, _ = FENCES[function]
                return Box((f"{opening}{', '.join(map(self.text, args))}{closing}",))
            case Apply(function, args):
                name = function_name(function)
        left = Box((f"{name}{raised}",))
        boxes = [self.box(arg, width - left.width - 2) for arg in args]
        inside = _flow([("" if k == 0 else ", ", box) for k, box in enumerate(boxes)], width)
        return _beside([left, _fenced(inside)])

    def product(self, term: Product, width: int) -> Box:
        over, under, behind = fraction(term)
        minus = Box(("−",) if term.coefficient < 0 else ("",))
        room = width - minus.width
        least = POWER if len(over) + len(under) + len(behind) > 1 else SUM
        boxes = [self.power(base, n, room, least) for base, n in over]
        below = [self.power(base, n, room, least) for base, n in under]
        is_small = self.flat or _is_small(boxes, below)
        if below and not is_small and len(over) == 1:
            boxes = [self.power(*over[0], room, SUM)]
        if below and not is_small and len(under) == 1:
            below = [self.power(*under[0], room, SUM)]
        if below and is_small:
            divisor = " · ".join(box.lines[0] for box in below)
            text = " · ".join(box.lines[0] for box in boxes) or "1"
            boxes = [Box((f"{text} / {divisor if len(below) == 1 else f'({divisor})'}",))]
        elif below:
            boxes = [_stacked(_times(boxes, room) if boxes else Box(("1",)), _times(below, room))]
        used = sum(box.width + 3 for box in boxes)
        boxes += [self.box(base, room - used, LOOSE + self.flat) for base in behind]
        return _beside([minus, _times(boxes, room)])

    def power(self, base: Term, exponent: int, width: int, least: int) -> Box:
        if exponent == 1:
            return self.box(base, width, least)
        raised = str(exponent).translate(_SUPERSCRIPTS)
        if isinstance(base, Apply) and raises_name(base):
            return self.apply(base, width, raised)
        box = self.box(base, width - len(raised), ATOM)
        return _beside([box, Box((raised, *[""] * (len(box.lines) - 1)), box.baseline)])

    def cases(self, term: Cases, width: int) -> Box:
        if self.flat:
            cases = [f"{self.text(v, OR)} if {self.text(c)}" for v, c in term.branches]
            return Box((" else ".join([*cases, self.text(term.otherwise, OR)]),))
        conditions = [f"if {self.text(condition)}" for _, condition in term.branches]
        conditions.append("otherwise")
        room = width - max(map(len, conditions)) - 4
        values = [
            self.box(value, room) for value in (*(v for v, _ in term.branches), term.otherwise)
        ]
        widest = max(value.width for value in values)
        rows = [
            _beside([value, Box((f"{' ' * (widest - value.width)}  {condition}",))])
            for value, condition in zip(values, conditions, strict=True)
        ]
        height = sum(len(row.lines) for row in rows)
        stacked = _below(rows, rows[0].baseline if height == 2 else height // 2)
        brace = ["⎧ ", *["⎪ "] * (height - 2), "⎩ "]
        if height > 2:
            brace[height // 2] = "⎨ "
        return _beside([Box(tuple(brace), stacked.baseline), stacked])


_FLAT, _TALL = _Layout(flat=True), _Layout(flat=False)


def _times(boxes: Sequence[Box], width: int) -> Box:
    return _flow([("" if k == 0 else " · ", box) for k, box in enumerate(boxes)], width)


def _stacked(over: Box, under: Box) -> Box:
    width = max(over.width, under.width) + 2
    rows = [tuple(line.center(width) for line in box.lines) for box in (over, under)]
    return Box((*rows[0], "─" * width, *rows[1]), len(over.lines))


def _is_small(over: Sequence[Box], under: Sequence[Box]) -> bool:
    """Whether a fraction reads well in one line."""
    if any(len(box.lines) > 1 for box in (*over, *under)):
        return False
    return len(under) == 1 and " " not in under[0].lines[0]


def _number(value: Fraction) -> str:
    if abs(value) == Fraction(1, 2):
        return "−½" if value < 0 else "½"
    mantissa, exponent, more = digits(value)
    ten = f"10{exponent.translate(_SUPERSCRIPTS)}" if exponent else ""
    text = ten if mantissa == "1" and ten else "·".join(filter(None, (mantissa + more, ten)))
    return text.replace("-", "−")


def _name(name: str) -> str:
    """A name as a symbol: `alpha_1` is α₁, `grad_x` is ∂L/∂x."""
    if name in SIGNS:
        return SIGNS[name][0]
    if name.startswith("grad_"):
        return f"∂L/∂{_name(name.removeprefix('grad_'))}"
    match = re.fullmatch(r"(.*?)_*([0-9]*)", name)
    assert match
    stem, _, rest = match.group(1).partition("_")
    return GREEK.get(stem, stem) + "_" * bool(rest) + rest + match.group(2).translate(_SUBSCRIPTS)
