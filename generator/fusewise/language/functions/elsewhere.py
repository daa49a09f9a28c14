"""Functions of other libraries that the language does not have, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fusewise.language.formula import Expr, format_expr, parse_formula, substitute

_IN_FORMULAS = {
    "addcdiv(x, a, b)": "x + a / b",
    "addcmul(x, a, b)": "x + a * b",
    "binary_cross_entropy_with_logits(x, target)": "softplus(x) - x * target",
    "celu(x, alpha=1)": "alpha * elu(x / alpha)",
    "clamp_max(x, high)": "minimum(x, high)",
    "clamp_min(x, low)": "maximum(x, low)",
    "copysign(x, y)": "abs(x) if y >= 0 else -abs(x)",
    "deg2rad(x)": "x * pi / 180",
    "exp10(x)": "10 ** x",
    "float(x)": "x",
    "fmod(x, y)": "x - y * trunc(x / y)",
    "frac(x)": "x - trunc(x)",
    "glu(a, b)": "a * sigmoid(b)",
    "hardshrink(x, lambd=0.5)": "x if abs(x) > lambd else 0",
    "heaviside(x, values)": "values if x == 0 else 1 if x > 0 else 0",
    "huber_loss(x, y, d=1)":
        "0.5 * square(x - y) if abs(x - y) < d else d * (abs(x - y) - 0.5 * d)",
    "int(x)": "trunc(x)",
    "lerp(x, end, weight)": "x + weight * (end - x)",
    "logit(x)": "log(x) - log1p(-x)",
    "mse_loss(x, y)": "square(x - y)",
    "nan_to_num(x, value=0)": "value if isnan(x) else x",
    "ones_like(x)": "1",
    "prelu(x, weight)": "x if x > 0 else weight * x",
    "quick_gelu(x)": "x * sigmoid(1.702 * x)",
    "rad2deg(x)": "x * 180 / pi",
    "sinc(x)": "sin(pi * x) / (pi * x) if x != 0 else 1",
    "softshrink(x, lambd=0.5)": "x - clamp(x, -lambd, lambd)",
    "swiglu(x, y)": "silu(x) * y",
    "tanhshrink(x)": "x - tanh(x)",
    "threshold(x, low, value)": "x if x > low else value",
    "zeros_like(x)": "0",
}  # fmt: skip

# Functions that are not pointwise, by the hint that their error message gives.
_SUMS = "a formula gives one element; gradients of broadcast inputs are summed by the op itself"
_ROWS = "a formula sees one element at a time; give what spans several as an input"
_RANDOM = "draw outside, and give as an input; dropout with a mask: x / (1 - p) if keep else 0"
_PRODUCTS = "matrix products belong in an op with 'compose'"
_PACKED = "an input is split with {split: [a, b]}, an output packed with {pack: [a, b]}"
NOT_POINTWISE = {
    word: hint
    for hint, words in {
        _SUMS: "sum_to_size",
        _ROWS: """
            argmax argmin batch_norm cross_entropy cummax cummin cumprod cumsum flip gather
            group_norm layer_norm median normalize prod rms_norm roll softmin
            """,
        _RANDOM: "alpha_dropout bernoulli dropout rand rand_like randn randn_like rrelu",
        _PRODUCTS: "addmm bmm conv1d conv2d dot einsum linear matmul mm",
        _PACKED: "cat chunk concat split stack",
    }.items()
    for word in words.split()
}


def _row(signature: str, formula: str) -> tuple[str, tuple[str, ...], tuple[Expr, ...], Expr]:
    name, _, rest = signature.removesuffix(")").partition("(")
    params, _, defaults = zip(*(param.partition("=") for param in rest.split(", ")), strict=True)
    given = tuple(parse_formula(default) for default in defaults if default)
    return name, params, given, parse_formula(formula)


ELSEWHERE: Mapping[str, tuple[tuple[str, ...], tuple[Expr, ...], Expr]] = {
    row[0]: row[1:] for row in (_row(*item) for item in _IN_FORMULAS.items())
}


def written(function: str, args: Sequence[Expr]) -> str | None:
    """The formula to write for a call of a function in `ELSEWHERE`; None for any other."""
    if function not in ELSEWHERE:
        return None
    params, defaults, formula = ELSEWHERE[function]
    usual = dict(zip(params[len(params) - len(defaults) :], defaults, strict=True))
    text = format_expr(substitute(formula, usual | dict(zip(params, args, strict=False))))
    return f"({text})" if " " in text else text
