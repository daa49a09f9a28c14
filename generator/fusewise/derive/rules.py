"""The rules: forms that cancel or overflow, and the stable form of each."""

from __future__ import annotations

from fusewise.derive.matching import Rule, make_rule

# The order matters where two patterns meet: the more particular one stands first.
RULES: tuple[Rule, ...] = (
    # Cancellation of a function against its limit.
    make_rule("1 - sigmoid(x)", "sigmoid(-x)"),
    make_rule("sigmoid(x) - sigmoid(x) * sigmoid(x)", "dsigmoid(x)"),
    make_rule("2 * sigmoid(x) - 1", "tanh(0.5 * x)"),
    make_rule("1 - tanh(x) * tanh(x)", "sech2(x)"),
    make_rule("1 - square(tanh(x))", "sech2(x)"),
    make_rule("1 + tanh(x)", "2 * sigmoid(2 * x)"),
    make_rule("1 - tanh(x)", "2 * sigmoid(-(2 * x))"),
    make_rule("0.5 * tanh(x) + 0.5", "sigmoid(2 * x)"),
    make_rule("1 + erf(x)", "erfc(-x)"),
    make_rule("1 - erf(x)", "erfc(x)"),
    make_rule("1 - erfc(x)", "erf(x)"),
    make_rule("0.5 * erf(x / sqrt(2)) + 0.5", "normal_cdf(x)"),
    make_rule("exp(x) - 1", "expm1(x)"),
    make_rule("y * exp(x) - y", "y * expm1(x)"),
    make_rule("1 - exp(x)", "-expm1(x)"),
    make_rule("1 + expm1(x)", "exp(x)"),
    make_rule("expm1(x) - x", "exp_remainder(x)"),
    make_rule("exp(x) - x - 1", "exp_remainder(x)"),
    make_rule("exp(x) - exp(-x)", "2 * sinh(x)"),
    make_rule("log(1 + x)", "log1p(x)", "x > -1"),
    make_rule("log(1 - x)", "log1p(-x)", "x < 1"),
    make_rule("log((1 + x) / (1 - x))", "2 * atanh(x)", "abs(x) < 1"),
    make_rule("log(x + hypot(x, 1))", "asinh(x)"),
    make_rule("1 - cos(x)", "2 * sin_squared(0.5 * x)"),
    make_rule("1 - x * x", "one_minus_square(x)"),
    make_rule("x * x - 1", "-one_minus_square(x)"),
    make_rule("1 - square(x)", "one_minus_square(x)"),
    make_rule("square(x) - 1", "-one_minus_square(x)"),
    # Overflow of an intermediate result.
    make_rule("exp(x) / (1 + exp(x))", "sigmoid(x)"),
    make_rule("exp(x) / (exp(x) + exp(y))", "sigmoid(x - y)"),
    make_rule("exp(x) / square(1 + exp(x))", "dsigmoid(x)"),
    make_rule("exp(x) / ((1 + exp(x)) * (1 + exp(x)))", "dsigmoid(x)"),
    make_rule("expm1(x) / (1 + exp(x))", "tanh(0.5 * x)"),
    make_rule("2 * sinh(x) / (exp(x) + exp(-x))", "tanh(x)"),
    make_rule("sinh(x) / cosh(x)", "tanh(x)"),
    make_rule("1 / (cosh(x) * cosh(x))", "sech2(x)"),
    make_rule("1 / square(cosh(x))", "sech2(x)"),
    make_rule("exp(x) * sigmoid(-x)", "sigmoid(x)"),
    make_rule("x / (1 + exp(-x))", "silu(x)"),
    make_rule("x / (1 + exp(y))", "x * sigmoid(-y)"),
    make_rule("log1p(exp(x))", "softplus(x)"),
    make_rule("log(exp(x) + exp(y))", "logaddexp(x, y)"),
    make_rule("log(sigmoid(x))", "logsigmoid(x)"),
    make_rule("sqrt(x * x)", "abs(x)"),
    make_rule("sqrt(x * x + y * y)", "hypot(x, y)"),
    make_rule("sqrt(1 + x * x)", "hypot(x, 1)"),
    # A power that magnifies the rounding error of its exponent.
    make_rule("exp(-(x * x))", "gaussian(x)"),
    make_rule("exp(-(x * x) / 2)", "sqrt(2 * pi) * normal_pdf(x)"),
    make_rule("erfc(-x / sqrt(2))", "2 * normal_cdf(x)"),
    make_rule("erfc(x / sqrt(2))", "2 * normal_cdf(-x)"),
    # The whole has a derivative that its parts cannot give: one that neither cancels nor overflows.
    make_rule("sigmoid(x) * sigmoid(-x)", "dsigmoid(x)"),
    make_rule("maximum(x, 0) + softplus(-abs(x))", "softplus(x)"),
    make_rule("relu(x) + softplus(-abs(x))", "softplus(x)"),
    make_rule("minimum(x, 0) - softplus(-abs(x))", "logsigmoid(x)"),
    make_rule("-softplus(-x)", "logsigmoid(x)"),
    make_rule("(1 - x) * (1 + x)", "one_minus_square(x)"),
    make_rule("(x - 1) * (x + 1)", "-one_minus_square(x)"),
    make_rule("x / hypot(x, y)", "hypot_slope(x, y)", "x != 0 or y != 0"),
    make_rule("tanh(softplus(x))", "tanh_softplus(x)"),
    make_rule("sin(x) * sin(x)", "sin_squared(x)"),
    make_rule("square(sin(x))", "sin_squared(x)"),
    make_rule("x * sigmoid(x)", "silu(x)"),
    make_rule("x * tanh_softplus(x)", "mish(x)"),
    make_rule("x * normal_cdf(x)", "gelu(x)"),
    make_rule("x * sigmoid(sqrt(8 / pi) * (x + 0.044715 * x * x * x))", "gelu_tanh(x)"),
    make_rule("x * sigmoid(sqrt(8 / pi) * x * (1 + 0.044715 * x * x))", "gelu_tanh(x)"),
)


def _rules_by_function() -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for rule in RULES:
        rules.setdefault(rule.form.name, []).append(rule)
    return rules


# By the function that a pattern calls.
RULES_OF = _rules_by_function()
