"""Formulas drawn with a seed, as specs without typical shapes, each with the shapes to time it at.

A formula joins its inputs by what people write: products, sums, activations, quotients, selections.
The range of each value is known while a formula grows, so that values and gradients are finite.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Shape = tuple[int, ...]

LARGEST = 20.0  # of the values of a step
TABLES = ((65536, 1024), (8192, 8192), (16384, 4096), (4096, 14336), (32768, 1536))
IMAGES = ((64, 256, 56, 56), (128, 128, 56, 56), (32, 64, 160, 160))
# How PyTorch spells the functions of the language.
PYTORCH = {
    "silu": "torch.nn.functional.silu",
    "gelu": "torch.nn.functional.gelu",
    "normal_cdf": "torch.special.ndtr",
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A spec without typical shapes, and the shapes of its inputs."""

    name: str
    steps: Mapping[str, str]
    outputs: Mapping[str, str]
    shapes: Mapping[str, Shape]
    domain: Mapping[str, tuple[float, float]]

    @property
    def text(self) -> str:
        """The spec. Its reference spells every function as a user of PyTorch would."""
        lines = [f"op: {self.name}", "inputs:", *(f"  {name}: tensor" for name in self.shapes)]
        lines += ["let:"] * bool(self.steps)
        lines += [f"  {name}: {formula}" for name, formula in self.steps.items()]
        lines += ["outputs:", *(f"  {name}: {each}" for name, each in self.outputs.items())]
        domain = ", ".join(f"{name}: [{a:g}, {b:g}]" for name, (a, b) in self.domain.items())
        return "\n".join([*lines, "test:", f"  domain: {{{domain}}}", *self._reference(), ""])

    def __str__(self) -> str:
        steps = "".join(f"{name} = {formula}; " for name, formula in self.steps.items())
        return steps + ", ".join(self.outputs.values())

    def _reference(self) -> list[str]:
        formulas = list(self.outputs.values())
        for name, step in reversed(list(self.steps.items())):
            formulas = [re.sub(rf"\b{name}\b", f"({step})", formula) for formula in formulas]
        spelt = re.compile(r"\b([a-z]\w*)\(")
        found = [
            spelt.sub(lambda match: PYTORCH.get(match[1], f"torch.{match[1]}") + "(", formula)
            for formula in formulas
        ]
        return [f"  reference: {', '.join(found)}"]


# Formulas that were once slower than torch.compile.
FIXED = (
    Formula(
        "black_scholes",
        {"d": "log(s / k) / v + v / 2"},
        {"out": "s * normal_cdf(d) - k * normal_cdf(d - v)"},
        dict.fromkeys("skv", (65536, 1024)),
        {"s": (1, 3), "k": (1, 3), "v": (0.2, 1)},
    ),
    Formula(
        "weighted_square",
        {},
        {"out": "w * (x - y) * (x - y)"},
        {"w": (65536, 1), "x": (65536, 1024), "y": (65536, 1024)},
        {},
    ),
    Formula(
        "channel_silu",
        {},
        {"out": "silu(x * s + b)"},
        {"x": (64, 256, 56, 56), "s": (256, 1, 1), "b": (256, 1, 1)},
        {},
    ),
    Formula("outer_tanh", {}, {"out": "tanh(x + y)"}, {"x": (16000, 1), "y": (1, 8000)}, {}),
)


def draw_formulas(count: int, seed: int) -> list[Formula]:
    """So many formulas; the first of them are the same for any count."""
    return [_draw(f"drawn_{index:02}", random.Random(f"{seed} {index}")) for index in range(count)]


@dataclass(frozen=True, slots=True)
class _Value:
    """A formula and the range of its values."""

    text: str
    low: float
    high: float

    @property
    def factor(self) -> str:
        """The text as an operand of any operator."""
        is_call = re.match(r"[a-z]\w*\(", self.text) and _closes_last(self.text)
        return self.text if is_call or self.text.isidentifier() else f"({self.text})"

    @property
    def largest(self) -> float:
        return max(abs(self.low), abs(self.high))


def _closes_last(text: str) -> bool:
    """True if the first parenthesis is closed by the last character."""
    depth, ends = 0, []
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ")" and not depth:
            ends.append(place)
    return ends == [len(text) - 1]


def _draw(name: str, rng: random.Random) -> Formula:
    names = list("xyzw")[: rng.choices((1, 2, 3, 4), (2, 5, 4, 2))[0]]
    shapes = _draw_shapes(names, rng)
    domain = {name: (0.5, 3.0) if rng.random() < 0.25 else (-3.0, 3.0) for name in names}
    inputs = [_Value(name, *domain[name]) for name in names]
    again = rng.choices(inputs, k=rng.choice((0, 1, 1, 2)) + (len(inputs) == 1))
    joined = _join([*inputs, *again], inputs, rng)
    if rng.random() < 0.7:
        return Formula(name, {}, {"out": joined.text}, shapes, domain)
    step = _Value("h", joined.low, joined.high)
    first = _apply(step, rng)
    second = _combine(step, rng.choice(inputs), inputs, rng)
    outputs = {"out": first.text, "other": second.text}
    return Formula(name, {"h": joined.text}, outputs, shapes, domain)


def _draw_shapes(names: Sequence[str], rng: random.Random) -> dict[str, Shape]:
    """One input has all dimensions, mostly the first; others may be broadcast."""
    if rng.random() < 0.3:
        full: Shape = rng.choice(IMAGES)
        layouts = [full, (full[1], 1, 1)]
        weights = [2, 3]
    else:
        full = rng.choice(TABLES)
        layouts = [full, (1, full[1]), (full[1],), (full[0], 1)]
        weights = [5, 2, 1, 2]
    shapes = [full, *rng.choices(layouts, weights, k=len(names) - 1)]
    if rng.random() < 0.25:
        rng.shuffle(shapes)
    return dict(zip(names, shapes, strict=True))


def _join(values: Sequence[_Value], inputs: Sequence[_Value], rng: random.Random) -> _Value:
    """All values in one formula, which is not a plain sum."""
    rest = list(values)
    rng.shuffle(rest)
    while len(rest) > 1:
        first, second = rest.pop(), rest.pop()
        if rng.random() < 0.5:
            first = _apply(first, rng)
        rest.insert(rng.randrange(len(rest) + 1), _combine(first, second, inputs, rng))
    is_sum = not re.search(r"[*/(]", rest[0].text)
    return _apply(rest[0], rng) if is_sum or rng.random() < 0.4 else rest[0]


def _combine(a: _Value, b: _Value, inputs: Sequence[_Value], rng: random.Random) -> _Value:
    kind = rng.choices(("*", "+", "-", "/", "where", "maximum"), (6, 5, 3, 2, 1, 0.5))[0]
    if kind == "where":  # conditions of inputs alone, so that rounding takes no other branch
        condition = f"{rng.choice(inputs).text} > {rng.choice((0.5, 1, 1.5))}"
        found = _Value(f"where({condition}, {a.text}, {b.text})", *_hull(a, b))
    elif kind == "maximum" and a.text != b.text:
        bounds = max(a.low, b.low), max(a.high, b.high)
        found = _Value(f"maximum({a.text}, {b.text})", *bounds)
    elif kind == "/" and a.text != b.text:
        divisor = b if b.low >= 0.25 else _Value(f"1 + square({b.text})", 1, 1 + b.largest**2)
        ends = [x / y for x in (a.low, a.high) for y in (divisor.low, divisor.high)]
        found = _Value(f"{a.factor} / {divisor.factor}", min(ends), max(ends))
    elif kind == "+":
        found = _Value(f"{a.text} + {b.text}", a.low + b.low, a.high + b.high)
    elif kind == "-" and a.text != b.text:
        found = _Value(f"{a.text} - {b.factor}", a.low - b.high, a.high - b.low)
    else:
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        found = _Value(f"{a.factor} * {b.factor}", min(ends), max(ends))
    return found if found.largest <= LARGEST else _bounded(found, rng)


def _hull(a: _Value, b: _Value) -> tuple[float, float]:
    return min(a.low, b.low), max(a.high, b.high)


def _bounded(x: _Value, rng: random.Random) -> _Value:
    return rng.choice(
        (
            _Value(f"tanh({x.text})", -1, 1),
            _Value(f"sigmoid({x.text})", 0, 1),
            _Value(f"clamp({x.text}, -4, 4)", max(x.low, -4), min(x.high, 4)),
        )
    )


def _apply(x: _Value, rng: random.Random) -> _Value:
    """A function of one value, in a form that suits the value's range."""
    weights = {"exp": 2, "log": 2, "tanh": 2, "sigmoid": 2, "silu": 2, "gelu": 2, "sqrt": 2}
    weights |= {"erf": 1, "normal_cdf": 1, "clamp": 1, "square": 1, "scale": 1}
    name = rng.choices(list(weights), list(weights.values()))[0]
    text = x.text
    match name:
        case "exp" if x.largest <= 3:
            return _Value(f"exp({text})", 0.04, LARGEST)
        case "exp":
            return _Value(f"exp(-abs({text}))", 0, 1)
        case "log" if x.low >= 0.1:
            return _Value(f"log({text})", -3, 3)
        case "log":
            return _Value(f"log(abs({text}) + 0.5)", -1, 4)
        case "sqrt" if x.low >= 0.1:
            return _Value(f"sqrt({text})", 0.3, 5)
        case "sqrt":
            return _Value(f"sqrt(square({text}) + 0.1)", 0.3, x.largest + 1)
        case "clamp":
            return _Value(f"clamp({text}, -2, 2)", max(x.low, -2), min(x.high, 2))
        case "square" if x.largest**2 <= LARGEST:
            return _Value(f"square({text})", 0, x.largest**2)
        case "square" | "scale":
            scale = rng.choice((0.25, 0.5))
            return _Value(f"{scale} * {x.factor}", scale * x.low, scale * x.high)
        case "silu" | "gelu":
            return _Value(f"{name}({text})", min(0, max(x.low, -0.3)), max(0, x.high))
        case _:
            low = -1 if name in ("tanh", "erf") else 0
            return _Value(f"{name}({text})", low, 1)
