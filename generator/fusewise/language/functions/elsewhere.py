"""Functions of other libraries that the language does not have, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fusewise.language.formula import Expr, format_expr, parse_formula, substitute
from fusewise.language.functions.row import parse_signature

_IN_FORMULAS = {
    "addcdiv(x, a, b)": "x + a / b",
    "addcmul(x, a, b)": "x + a * b",
    "binary_cross_entropy_with_logits(x, target)": "softplus(x) - x * target",
    "celu(x, alpha=1)": "alpha * elu(x / alpha)",
    "clamp_max(x, high)": "minimum(x, high)",
    "clamp_min(x, low)": "maximum(x, low)",
    "arange(n)": "index",
    "argmax(x)": "amin(index if x == amax(x) else length)",
    "argmin(x)": "amin(index if x == amin(x) else length)",
    "copysign(x, y)": "abs(x) if y >= 0 else -abs(x)",
    "cosine_similarity(x, y)": "sum(x * y) / maximum(norm(x) * norm(y), 1e-8)",
    "count_nonzero(x)": "count(x != 0)",
    "cube(x)": "x ** 3",
    "cross_entropy(x, target)": "-sum(log_softmax(x) if index == target else 0)",
    "deg2rad(x)": "x * pi / 180",
    "dot(x, y)": "sum(x * y)",
    "exp10(x)": "10 ** x",
    "float(x)": "x",
    "fmod(x, y)": "x - y * trunc(x / y)",
    "frac(x)": "x - trunc(x)",
    "gelu_and_mul(gate, up)": "gelu(gate) * up",
    "glu(a, b)": "a * sigmoid(b)",
    "hardshrink(x, lambd=0.5)": "x if abs(x) > lambd else 0",
    "heaviside(x, values)": "values if x == 0 else 1 if x > 0 else 0",
    "huber_loss(x, y, d=1)":
        "0.5 * square(x - y) if abs(x - y) < d else d * (abs(x - y) - 0.5 * d)",
    "int(x)": "trunc(x)",
    "kl_div(x, target)": "xlogy(target, target) - target * x",
    "layer_norm(x, weight, bias, eps=1e-5)":
        "(x - mean(x)) * rsqrt(var(x, 0) + eps) * weight + bias",
    "len(x)": "length",
    "lerp(x, end, weight)": "x + weight * (end - x)",
    "logit(x)": "log(x) - log1p(-x)",
    "masked_fill(x, mask, value)": "value if mask else x",
    "mse_loss(x, y)": "square(x - y)",
    "nan_to_num(x, value=0)": "value if isnan(x) else x",
    "nansum(x)": "sum(0 if isnan(x) else x)",
    "nll_loss(x, target)": "-sum(x if index == target else 0)",
    "normalize(x)": "x / maximum(norm(x), 1e-12)",
    "numel(x)": "length",
    "one_hot(target)": "1 if index == target else 0",
    "ones_like(x)": "1",
    "prelu(x, weight)": "x if x > 0 else weight * x",
    "quick_gelu(x)": "x * sigmoid(1.702 * x)",
    "rad2deg(x)": "x * 180 / pi",
    "rms(x)": "sqrt(mean(square(x)))",
    "rms_norm(x, weight, eps=1e-6)": "x * rsqrt(mean(square(x)) + eps) * weight",
    "shape(x)": "length",
    "silu_and_mul(gate, up)": "silu(gate) * up",
    "sinc(x)": "sin(pi * x) / (pi * x) if x != 0 else 1",
    "size(x)": "length",
    "softmin(x)": "softmax(-x)",
    "softshrink(x, lambd=0.5)": "x - clamp(x, -lambd, lambd)",
    "swiglu(x, y)": "silu(x) * y",
    "tanhshrink(x)": "x - tanh(x)",
    "threshold(x, low, value)": "x if x > low else value",
    "zeros_like(x)": "0",
}  # fmt: skip

# Functions that no formula replaces, by the hint that their error message gives.
_SUMS = "gradients of broadcast inputs are summed by the op itself"
_ROWS = (
    "a formula has one element and the reductions of its row, such as sum(x): give what mixes"
    " elements otherwise as an input"
)
_OTHER_DIMENSIONS = "the section 'reduce' names the dimensions of a row: reduce: [-2, -1]"
_PAIRS = "it has two results: mean(x), and std(x) or var(x)"
_PRODUCT = "the product of a row of positive numbers is exp(sum(log(x)))"
_RANDOM = "draw outside, and give as an input; dropout with a mask: x / (1 - p) if keep else 0"
_PRODUCTS = "matrix products belong in an op with 'compose'"
_TYPES = "an output has a type: {formula: ..., dtype: float32}"
_PACKED = "an input is split with {split: [a, b]}, an output packed with {pack: [a, b]}"
MISSING = {
    word: hint
    for hint, words in {
        _SUMS: "sum_to_size",
        _ROWS: """
            argsort cummax cummin cumprod cumsum flip gather kthvalue logcumsumexp median mode
            quantile roll scatter sort topk
            """,
        _OTHER_DIMENSIONS: "batch_norm group_norm instance_norm",
        _PAIRS: "std_mean var_mean",
        _PRODUCT: "prod",
        _RANDOM: "alpha_dropout bernoulli dropout rand rand_like randn randn_like rrelu",
        _PRODUCTS: "addmm bmm conv1d conv2d einsum linear matmul mm",
        _TYPES: "bfloat16 double float16 float32 float64 half to",
        _PACKED: "cat chunk concat split stack",
    }.items()
    for word in words.split()
}
# The function of two numbers -> the reduction that has the same name in other libraries.
OF_A_ROW = {"maximum": "amax", "minimum": "amin"}


ELSEWHERE: Mapping[str, tuple[tuple[str, ...], tuple[Expr, ...], Expr]] = {
    name: (params, defaults, parse_formula(formula))
    for signature, formula in _IN_FORMULAS.items()
    for name, params, defaults in (parse_signature(signature),)
}


def written(function: str, args: Sequence[Expr]) -> str | None:
    """The formula to write for a call of a function in `ELSEWHERE`; None for any other."""
    if function not in ELSEWHERE:
        return None
    params, defaults, formula = ELSEWHERE[function]
    usual = dict(zip(params[len(params) - len(defaults) :], defaults, strict=True))
    text = format_expr(substitute(formula, usual | dict(zip(params, args, strict=False))))
    return f"({text})" if " " in text else text
