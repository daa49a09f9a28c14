"""The functions and operators of the formula language, one row each.

Formulas are written in the language itself. A derivative may use `out`, the function's result, and
`where`, which selects and never multiplies by zero. The double backward differentiates it again, so
its functions must be smooth wherever the true derivative is. A difference of nearly equal values
must not occur in it: `sech2(x)`, not `1 - out * out`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from fusewise.language.functions import values
from fusewise.language.functions.parts import TWO_U, E
from fusewise.language.functions.row import P


def _native(function: Callable[..., Any]) -> dict[str, Any]:
    """The fields `mp` and `float64` of a Python function that takes mpmath numbers and floats."""
    return {"mp": function, "float64": function}


_R = f"div_moderate(1, 1 + {E})"
# 1 - tanh(abs(x)), from the parts of dsigmoid(2 * x)
_BELOW_ONE = "(2 * (exp(-abs(2 * x)) * div_moderate(1, 1 + exp(-abs(2 * x)))))"
_LOG_2 = "0.693147180559945309417232121458176568075500134"
_TWO_OVER_SQRT_PI = "1.12837916709551257389615890312154517"

_SAME: Any = {"result": "same", "integer": True}
_BOOL: Any = {"result": "bool", "integer": True, "digits": "same", "cost": 1}
_COMPARISON: Any = {**_BOOL, "kinks": ("x - y",), "convention": "a condition has no gradient"}
_LOGICAL: Any = {**_BOOL, "of_conditions": True, "domain": "0:1"}
_STEPS: Any = {
    **_SAME,
    "digits": "same",
    "cost": 1,
    "kinks": ("x - round(x)",),
    "convention": "0 at the steps",
}
_TIE: Any = {
    **_SAME,
    "symmetric": True,
    "finite_slope": True,
    "digits": "same",
    "cost": 3,
    "kinks": ("x - y",),
    "convention": "half to each at a tie; NaN propagates",
}
_POLES: Any = {
    "large": "gamma",
    "slow": True,
    "kinks": ("where(x > 0.5, 1, x - round(x))",),
    "convention": "poles at 0 and the negative integers",
}

# fmt: off
LANGUAGE = (
    # Arithmetic
    P("add(x, y)", ("1", "1"), symbol="+", operator="x + y", **_native(operator.add), cost=1,
      symmetric=True, finite_slope=True, digits="more", **_SAME),
    P("sub(x, y)", ("1", "-1"), symbol="-", operator="x - y", **_native(operator.sub), cost=1,
      finite_slope=True, digits="more", **_SAME,
      aliases=("subtract",)),
    P("mul(x, y)", ("y", "x"), symbol="*", operator="x * y", **_native(operator.mul), cost=1,
      symmetric=True, finite_slope=True, digits="more", **_SAME,
      aliases=("multiply",)),
    P("div(x, y)", ("1 / y", "-out / y"), symbol="/", operator="x / y", mp=values.div,
      float64=values.div_float64, domain="-4:4, 0.1:4", cost=8, row_invariant="div_shared(x, y)",
      aliases=("divide", "true_divide")),
    P("neg(x)", ("-1",), symbol="-", operator="-x", **_native(operator.neg), cost=1,
      finite_slope=True, digits="same", **_SAME,
      aliases=("negative",)),
    P("floordiv(x, y)", ("0", "0"), mp=lambda x, y: mpmath.floor(values.div(x, y)),
      fraction=values.floordiv_fraction, ref="torch.div(x, y, rounding_mode='floor')",
      aten="div", aten_mode="floor",  # floor_divide has no derivative
      domain="-20:20", cost=12, kinks=("x / y - round(x / y)",), convention="0 at the steps",
      means="floor(x / y)", **_SAME,
      aliases=("floor_divide",)),
    P("mod(x, y)", ("1", "-floordiv(x, y)"), operator="x % y",
      mp=lambda x, y: x - y * mpmath.floor(values.div(x, y)), fraction=values.mod_fraction,
      ref="torch.remainder", aten="remainder", domain="-20:20", cost=12,
      kinks=("x / y - round(x / y)",), convention="the sign of the divisor", **_SAME,
      aliases=("remainder",)),
    P("pow(x, y)",
      ("where(y == 0, 0, y * pow(x, y - 1))", "where(x == 0 and y >= 0, 0, out * log(x))"),
      powers={Fraction(0): "1", Fraction(1): "x", Fraction(2): "x * x", Fraction(3): "x * x * x",
              Fraction(1, 2): "sqrt(x)", Fraction(-1, 2): "rsqrt(x)", Fraction(-1): "1 / x"},
      operator="x ** y", mp=values.power, domain="1e-3:4, -4:4", ulp=2, cost=30, large="exponent",
      aten_numbers=True, aliases=("power",),
      convention="the derivative by x is 0 where y is 0, by y where x is 0 and y is not negative",
      **_SAME),
    P("square(x)", ("2 * x",), body="x * x", aten="square", **_SAME, digits="more",
      fraction=lambda x: x * x, means="x * x",
      aliases=("sqr",)),
    P("reciprocal(x)", ("-out * out",), body="1 / x", aten="reciprocal", domain="0.1:4",
      means="1 / x"),

    # Conditions
    P("lt(x, y)", (None, None), symbol="<", operator="x < y", mp=operator.lt, **_COMPARISON),
    P("le(x, y)", (None, None), symbol="<=", operator="x <= y", mp=operator.le, **_COMPARISON),
    P("gt(x, y)", (None, None), symbol=">", operator="x > y", mp=operator.gt, **_COMPARISON),
    P("ge(x, y)", (None, None), symbol=">=", operator="x >= y", mp=operator.ge, **_COMPARISON),
    P("eq(x, y)", (None, None), symbol="==", operator="x == y", mp=operator.eq, symmetric=True,
      **_COMPARISON),
    P("ne(x, y)", (None, None), symbol="!=", operator="x != y", mp=operator.ne, symmetric=True,
      **_COMPARISON),
    P("logical_and(x, y)", (None, None), symbol="&", operator="x and y",
      mp=lambda x, y: bool(x and y), **_LOGICAL),
    P("logical_or(x, y)", (None, None), symbol="|", operator="x or y",
      mp=lambda x, y: bool(x or y), **_LOGICAL),
    P("logical_not(x)", (None,), symbol="!", operator="not x", mp=operator.not_, **_LOGICAL),
    P("isnan(x)", (None,), body="x != x", aten="isnan", result="bool"),
    P("isinf(x)", (None,), body="abs(x) == inf", aten="isinf", result="bool"),
    P("isfinite(x)", (None,), body="abs(x) < inf", aten="isfinite", result="bool"),

    # Steps, signs and order
    P("abs(x)", ("sign(x)",), **_native(abs), fraction=abs, cost=1, even=True, finite_slope=True,
      digits="same", kinks=("x",), convention="abs'(0) = 0", aliases=("fabs",),
      fences=(("|", "|"), (r"\lvert ", r" \rvert")), **_SAME),
    P("sign(x)", ("0",), mp=values.sign, fraction=lambda x: (x > 0) - (x < 0), cost=3,
      bounded=True, finite_slope=True, digits="same", kinks=("x",), convention="sign'(0) = 0",
      **_SAME,
      aliases=("sgn",)),
    P("floor(x)", ("0",), mp=mpmath.floor, fraction=math.floor,
      fences=(("⌊", "⌋"), (r"\lfloor ", r" \rfloor")), **_STEPS),
    P("ceil(x)", ("0",), mp=mpmath.ceil, fraction=math.ceil,
      fences=(("⌈", "⌉"), (r"\lceil ", r" \rceil")), **_STEPS),
    P("trunc(x)", ("0",), mp=values.trunc, fraction=math.trunc, **_STEPS),
    P("round(x)", ("0",), mp=mpmath.nint, fraction=round, cost=1, digits="same",
      kinks=("x - floor(x) - 0.5",), convention="half to even; 0 at the steps", **_SAME),
    P("minimum(x, y)",
      ("where(x > y, 0, where(x == y, 0.5, 1))", "where(x < y, 0, where(x == y, 0.5, 1))"),
      mp=values.minimum, fraction=min, neutral=math.inf, aliases=("fmin", "min"),
      math=r"min \min", **_TIE),
    P("maximum(x, y)",
      ("where(x < y, 0, where(x == y, 0.5, 1))", "where(x > y, 0, where(x == y, 0.5, 1))"),
      mp=values.maximum, fraction=max, neutral=-math.inf, aliases=("fmax", "max"),
      math=r"max \max", **_TIE),
    P("clamp(x, low, high)",
      ("where(x >= low and x <= high, 1, 0)",
       "where(x < low and low < high, 1, 0)",
       "where(x > high or high < low, 1, 0)"),
      body="minimum(maximum(x, low), high)", aten="clamp", fraction=values.clamp_fraction,
      digits="same", domain="-4:4, -3:0, 0:3", aten_numbers=True, ref_numbers=True,
      aliases=("clip",), kinks=("x - low", "x - high"),
      convention="1 at the bounds, 0 for NaN, which propagates", **_SAME),

    # Roots
    P("sqrt(x)", ("0.5 / out",), mp=mpmath.sqrt, domain="0:1e4", cost=8,
      convention="sqrt'(0) = inf", in_hardware=True),
    P("rsqrt(x)", ("-0.5 * out * (out * out)",), mp=lambda x: values.div(1, mpmath.sqrt(x)),
      domain="1e-3:1e4", ulp=2, cost=8, in_hardware=True, means="1 / sqrt(x)"),
    P("cbrt(x)", ("1 / (3 * (out * out))",), mp=lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
      ref="torch.sign(x) * torch.abs(x) ** (1 / 3)", aten_body="sign(x) * pow(abs(x), 1 / 3)",
      domain="-1e3:1e3", ulp=2, cost=20, kinks=("x",), convention="cbrt'(0) = inf"),
    P("hypot(x, y)", ("hypot_slope(x, y)", "hypot_slope(y, x)"), mp=mpmath.hypot, cost=16,
      kinks=("hypot(x, y)",), convention="NaN at (0, 0)", symmetric=True,
      means="sqrt(x * x + y * y)"),

    # Exponentials and logarithms
    P("exp(x)", ("out",), mp=mpmath.exp, domain="-20:20", ulp=2, cost=10, vanishes=True,
      large="exponent", math=r"exp \exp"),
    P("exp2(x)", (f"{_LOG_2} * out",), mp=lambda x: mpmath.power(2, x), domain="-20:20",
      ulp=2, cost=8, vanishes=True, large="exponent", means="pow(2, x)"),
    P("expm1(x)", ("exp(x)",), mp=mpmath.expm1, domain="-20:20", ulp=2, cost=14, large="exponent",
      means="exp(x) - 1"),
    P("log(x)", ("1 / x",), mp=mpmath.log, domain="1e-6:1e6", cost=10, aliases=("ln",),
      math=r"ln \ln"),
    P("log2(x)", ("1.44269504088896340735992468100189214 / x",), mp=lambda x: mpmath.log(x, 2),
      domain="1e-6:1e6", cost=10, math=r"log₂ \log_2"),
    P("log10(x)", ("0.434294481903251827651128918916605082 / x",), mp=mpmath.log10,
      domain="1e-6:1e6", ulp=2, cost=10, math=r"log₁₀ \log_{10}"),
    P("log1p(x)", ("1 / (1 + x)",), mp=mpmath.log1p, domain="-0.999:1e6", cost=12,
      means="log(1 + x)"),
    P("xlogy(x, y)",
      ("where(x == 0 and y <= 0, 0, log(y))", "where(x == 0 and y <= 0, 0, x / y)"),
      body="where(x == 0 and y == y, 0, x * log(y))", aten="xlogy", domain="-4:4, 1e-3:10", ulp=2,
      convention="0 where x is 0, and so are its derivatives where y is not positive",
      ref_numbers=True, means="x * log(y)"),
    P("logaddexp(x, y)", ("sigmoid(x - y)", "sigmoid(y - x)"),
      body=f"maximum(x, y) + where(x == y, {_LOG_2}, log1p_unit(exp(-abs(x - y))))",
      aten="logaddexp", domain="-20:20", ulp=16, symmetric=True, means="log(exp(x) + exp(y))"),

    # Trigonometric and hyperbolic functions
    P("sin(x)", ("cos(x)",), mp=mpmath.sin, domain="-10:10", cost=16, bounded=True, large="angle",
      math=r"sin \sin"),
    P("cos(x)", ("-sin(x)",), mp=mpmath.cos, domain="-10:10", cost=16, even=True, bounded=True,
      large="angle", math=r"cos \cos"),
    P("tan(x)", ("1 + out * out",), mp=mpmath.tan, domain="-1.5:1.5", ulp=2, cost=24, large="angle",
      math=r"tan \tan"),
    P("asin(x)", ("1 / sqrt(one_minus_square(x))",), mp=mpmath.asin, domain="-1:1", cost=20,
      aliases=("arcsin",), math=r"arcsin \arcsin"),
    P("acos(x)", ("-1 / sqrt(one_minus_square(x))",), mp=mpmath.acos, domain="-1:1", cost=20,
      aliases=("arccos",), math=r"arccos \arccos"),
    P("atan(x)", ("1 / (1 + x * x)",), mp=mpmath.atan, domain="-10:10", cost=18, bounded=True,
      aliases=("arctan",), math=r"arctan \arctan"),
    P("atan2(y, x)",
      ("where(hypot(x, y) == 0, 0, x / hypot(x, y) / hypot(x, y))",
       "where(hypot(x, y) == 0, 0, -y / hypot(x, y) / hypot(x, y))"),
      mp=mpmath.atan2, ulp=2, cost=24, kinks=("where(x > 0, hypot(x, y), y)",),
      convention="0 at (0, 0); jumps where y is 0 and x negative", aliases=("arctan2",),
      math="arctan2"),
    P("sinh(x)", ("cosh(x)",), mp=mpmath.sinh, domain="-10:10", ulp=2, cost=20, large="exponent",
      math=r"sinh \sinh"),
    P("cosh(x)", ("sinh(x)",), mp=mpmath.cosh, domain="-10:10", ulp=2, cost=14, even=True,
      large="exponent", math=r"cosh \cosh"),
    P("tanh(x)", ("sech2(x)",), mp=mpmath.tanh, domain="-9:9", ulp=2, cost=18,
      shared="where(abs(2 * x) < 1.2, tanh_near_zero(x),"
             f" where(x < 0, {_BELOW_ONE} - 1, 1 - {_BELOW_ONE}))", bounded=True,
      large="exponent", math=r"tanh \tanh"),
    P("asinh(x)", ("1 / hypot(x, 1)",), mp=mpmath.asinh, domain="-1e3:1e3", ulp=2, cost=24,
      math="arsinh"),
    P("acosh(x)", ("1 / (sqrt(x - 1) * sqrt(x + 1))",), mp=mpmath.acosh, domain="1:1e3", ulp=2,
      cost=24, convention="acosh'(1) = inf", math="arcosh"),
    P("atanh(x)", ("1 / one_minus_square(x)",), mp=mpmath.atanh, domain="-0.999:0.999", ulp=2,
      cost=20, math="artanh"),

    # Error functions, and the normal distribution of GELU
    P("erf(x)", (f"{_TWO_OVER_SQRT_PI} * gaussian(x)",), mp=mpmath.erf, cost=20, bounded=True),
    P("erfc(x)", (f"-{_TWO_OVER_SQRT_PI} * gaussian(x)",), mp=values.erfc, domain="-4:8", ulp=5,
      cost=30, bounded=True, vanishes=True),
    P("erfinv(x)", ("0.886226925452758013649083741670572591 / gaussian(out)",), mp=mpmath.erfinv,
      domain="-0.999:0.999", ulp=3, cost=40, slow=True, convention="erfinv'(1) = erfinv'(-1) = inf",
      math=r"erf⁻¹ \operatorname{erf}^{-1}"),
    P("gaussian(x)", ("-2 * (x * out)",), body="exp_mul(-x, x)", ref="torch.exp(-x * x)", ulp=2,
      even=True, bounded=True, vanishes=True, means="exp(-x * x)"),
    P("normal_pdf(x)", ("-x * out",),
      body="0.398942280401432677939946059934381868475858631 * exp_mul(-0.5 * x, x)",
      ref="torch.exp(-0.5 * x * x) / (2 * torch.pi) ** 0.5", ulp=3, even=True, bounded=True,
      vanishes=True, math=r"φ \varphi", note="φ is the density of the standard normal law"),
    P("normal_cdf(x)", ("normal_pdf(x)",), mp=lambda x: values.erfc(-x / mpmath.sqrt(2)) / 2,
      ref="torch.special.ndtr", aten_body="0.5 * erfc(-0.707106781186547524400844362104849039 * x)",
      domain="-12:12", ulp=6, cost=34, bounded=True, vanishes=True, math=r"Φ \Phi",
      note="Φ is the distribution of the standard normal law",
      aliases=("ndtr",)),

    # The gamma function and its derivatives; zeta is Hurwitz's, the sum of (x + k) ** -s for k >= 0
    P("lgamma(x)", ("digamma(x)",), mp=lambda x: mpmath.re(mpmath.loggamma(x)),
      domain="1e-3:100", ulp=6, cost=60, **_POLES, means="log(abs(gamma(x)))"),
    P("digamma(x)", ("trigamma(x)",), mp=mpmath.digamma, domain="1e-3:100", ulp=6, cost=60,
      **_POLES, math=r"ψ \psi"),
    P("trigamma(x)", ("-2 * zeta(3, x)",), body="zeta(2, x)", ref="torch.special.zeta(2, x)",
      domain="1e-3:100", ulp=6, **_POLES, math=r"ψ′ \psi'"),
    P("zeta(s, x)", (None, "-s * zeta(s + 1, x)"), mp=values.zeta, ref="torch.special.zeta",
      aten="special_zeta", domain="2:5, 1e-2:100", ulp=6, cost=200, **_POLES, math=r"ζ \zeta"),

    # Smooth activations
    P("sigmoid(x)", ("dsigmoid(x)",), body=f"where(x >= 0, {_R}, {E} * {_R})", aten="sigmoid",
      domain="-20:20", ulp=3, bounded=True, vanishes=True, math=r"σ \sigma",
      aliases=("expit",)),
    P("dsigmoid(x)", ("-out * tanh(0.5 * x)",), body=f"{E} * {_R} * {_R}",
      ref="torch.sigmoid(x) * torch.sigmoid(-x)", aten_body="sigmoid(x) * sigmoid(-x)",
      domain="-20:20", ulp=4, even=True, bounded=True, vanishes=True, math=r"σ′ \sigma'"),
    P("sech2(x)", ("-2 * tanh(x) * out",), body="4 * dsigmoid(2 * x)", ref="torch.cosh(x) ** -2",
      domain="-9:9", ulp=4, even=True, bounded=True, vanishes=True, means="sech(x) * sech(x)"),
    P("logsigmoid(x)", ("sigmoid(-x)",), body=f"minimum(x, 0) - log1p_unit({E})",
      ref="torch.nn.functional.logsigmoid", aten="log_sigmoid", domain="-20:20", ulp=2,
      means="log(sigmoid(x))"),
    P("softplus(x)", ("sigmoid(x)",), body=f"maximum(x, 0) + log1p_unit({E})",
      ref="-torch.nn.functional.logsigmoid(-x)", aten_body="-logsigmoid(-x)", domain="-20:20",
      ulp=2, unlike_torch="PyTorch's softplus(x) is x above its threshold: give threshold=40"),
    P("silu(x)", ("sigmoid(x) + x * dsigmoid(x)",), body="x * sigmoid(x)",
      ref="x * torch.sigmoid(x)", domain="-20:20", ulp=4, aliases=("swish",), math="SiLU"),
    P("mish(x)", ("tanh_softplus(x) + x * dtanh_softplus(x)",), body="x * tanh_softplus(x)",
      ref="torch.nn.functional.mish", domain="-20:20", ulp=5, math="Mish"),
    P("gelu(x)", ("normal_cdf(x) + x * normal_pdf(x)",), body="x * normal_cdf(x)",
      ref="x * torch.special.ndtr(x)", domain="-12:12", ulp=7, math="GELU",
      unlike_torch="PyTorch's gelu with approximate='tanh' is gelu_tanh"),
    P("gelu_tanh(x)", ("dgelu_tanh(x)",),
      # PyTorch's gelu loses the lower tail, where 1 + tanh cancels
      body=f"x * sigmoid({TWO_U})",
      ref="x * torch.sigmoid((8 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3))",
      domain="-9:9", ulp=128, math=r"GELU_tanh \operatorname{GELU}_{\tanh}",
      aliases=("gelu_new",)),
    P("softsign(x)", ("square(1 / (1 + abs(x)))",), body="x / (1 + abs(x))",
      ref="torch.nn.functional.softsign", domain="-100:100", ulp=2, kinks=("x",),
      convention="smooth at 0, where the second derivative is 0", bounded=True),

    # Activations with kinks
    P("relu(x)", ("where(out <= 0, 0, 1)",), body="where(x <= 0, 0, x)", aten="relu",
      kinks=("x",), convention="relu'(0) = 0; NaN propagates", **_SAME, digits="same", math="ReLU"),
    P("relu6(x)", ("where(out <= 0 or out >= 6, 0, 1)",),
      body="where(x <= 0, 0, where(x >= 6, 6, x))", ref="torch.nn.functional.relu6", aten="relu6",
      domain="-4:10", kinks=("x", "x - 6"), convention="0 at both ends", digits="same",
      math="ReLU6"),
    P("leaky_relu(x, negative_slope=0.01)",
      ("where(x > 0, 1, negative_slope)", "where(x > 0, 0, x)"),
      body="where(x > 0, x, negative_slope * x)",
      ref="torch.where(x > 0, x, negative_slope * x)", domain="-4:4, 0:0.5",
      kinks=("x",), convention="negative_slope at 0", digits="same", ref_numbers=True,
      math="LeakyReLU"),
    # at::where multiplies the gradient of the branch not taken by 0; clamp keeps it finite.
    P("elu(x, alpha=1)",
      ("where(x <= 0, alpha * exp(x), 1)", "where(x <= 0, expm1(x), 0)"),
      body="where(x <= 0, alpha * expm1(x), x)",
      ref="torch.where(x <= 0, alpha * torch.expm1(x.clamp(max=0)), x)",
      aten_body="where(x <= 0, alpha * expm1(clamp(x, -inf, 0)), x)", domain="-10:4, 0.5:2",
      ulp=3, kinks=("x",), convention="both derivatives alpha at 0", ref_numbers=True, math="ELU"),
    P("selu(x)",
      ("where(x <= 0, 1.75809934084737685994021752081231934 * exp(x),"
       " 1.0507009873554804934193349852946)",),
      body="1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)",
      ref="torch.nn.functional.selu", aten="selu", domain="-10:4", ulp=4, kinks=("x",),
      convention="the left derivatives at 0", math="SELU"),
    P("hardsigmoid(x)", ("where(x > -3 and x < 3, 1 / 6, 0)",),
      body="where(x <= -3, 0, where(x >= 3, 1, (x + 3) / 6))",
      # PyTorch's hardsigmoid has a derivative in float precision, and no second derivative
      ref="torch.where(x <= -3, 0.0, torch.where(x >= 3, 1.0, (x + 3) / 6))",
      ulp=2, kinks=("x + 3", "x - 3"), convention="0 at both ends", bounded=True),
    P("hardswish(x)", ("where(x <= -3, 0, where(x < 3, x / 3 + 0.5, 1))",),
      body="x * hardsigmoid(x)",
      # On CUDA, PyTorch's hardswish multiplies by the float32 value of 1 / 6 in every dtype
      ref="x * torch.where(x <= -3, 0.0, torch.where(x >= 3, 1.0, (x + 3) / 6))",
      ulp=3, kinks=("x + 3", "x - 3"), convention="0 at -3, 1 at 3"),
    P("hardtanh(x, low=-1, high=1)",
      ("where(x <= low or x >= high, 0, 1)",
       "where(x <= low, 1, 0)",
       "where(x <= low, 0, where(x >= high, 1, 0))"),
      body="where(x <= low, low, where(x >= high, high, x))",
      ref="torch.where(x <= low, low, torch.where(x >= high, high, x))",
      domain="-4:4, -3:-0.5, 0.5:3", kinks=("x - low", "x - high"), convention="0 at both ends",
      digits="same", ref_numbers=True),
)
# fmt: on
