"""The functions: every function and operator of the formula language, one row each.

Formulas are written in the language itself. A derivative may use `out`, the function's result, and
`where`, which selects and never multiplies by zero. It is differentiated again for the double
backward, so it is made of functions that are smooth wherever the true derivative is, and it holds
no difference of nearly equal values: `sech2(x)`, not `1 - out * out`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath

from fusewise.language.formula import Call, Expr, parse_formula, walk


@dataclass(frozen=True, slots=True)
class Function:
    """What the generator knows of one function."""

    name: str
    params: tuple[str, ...]
    defaults: tuple[Expr, ...]  # of the last params
    derivatives: tuple[Expr | None, ...]  # one a param; None: not differentiable in it
    body: Expr | None  # what a composite expands to; the others are functions of `math.h`
    shared: Expr | None  # what one expands to beside functions that have most of this in them
    symbol: str | None  # the operator in C++, for those that have one
    ref: str  # what it means: a PyTorch expression over the params
    aten: str | Expr  # in ATen: `at::NAME` of the same params, all of them tensors, or a formula
    mp: Callable[..., Any] | None  # its value in mpmath; a composite has its body's
    domain: tuple[tuple[Fraction, Fraction], ...]  # where samples are drawn, one range a param
    ulp: float  # bound of the error of the float and double forms, outside zero crossings
    cost: int  # rough number of instructions
    kinks: tuple[Expr, ...]  # they vanish where the function or a derivative is not smooth
    convention: str  # what holds at a kink or an edge: as in PyTorch
    result: str  # float; bool; or same: integers stay integers
    integer: bool  # defined on integer tensors


def P(  # noqa: N802  one letter, so that the table is read by its columns
    signature: str,
    d: tuple[str | None, ...],
    *,
    body: str | None = None,
    shared: str | None = None,
    symbol: str | None = None,
    ref: str | None = None,
    aten: str | None = None,
    aten_body: str | None = None,
    mp: Callable[..., Any] | None = None,
    domain: str = "-4:4",
    ulp: float = 1,
    cost: int = 0,
    kinks: tuple[str, ...] = (),
    convention: str = "",
    result: str = "float",
    integer: bool = False,
) -> Function:
    """One row. `ref` and `aten` default to the name itself, `aten` of a composite to its body."""
    name, _, rest = signature.removesuffix(")").partition("(")
    params, _, defaults = zip(*(param.partition("=") for param in rest.split(", ")), strict=True)
    ref = ref or f"torch.{name}"
    expansion = aten_body or (body if aten is None else None)
    ranges = domain.split(", ")
    return Function(
        name=name,
        params=params,
        defaults=tuple(parse_formula(default) for default in defaults if default),
        derivatives=tuple(None if text is None else parse_formula(text) for text in d),
        body=parse_formula(body) if body else None,
        shared=parse_formula(shared) if shared else None,
        symbol=symbol,
        ref=ref if "(" in ref else f"{ref}({', '.join(params)})",
        aten=parse_formula(expansion) if expansion else aten or name,
        mp=mp,
        domain=tuple(map(_range, ranges * len(params) if len(ranges) == 1 else ranges)),
        ulp=ulp,
        cost=cost,
        kinks=tuple(parse_formula(text) for text in kinks),
        convention=convention,
        result=result,
        integer=integer,
    )


def _range(text: str) -> tuple[Fraction, Fraction]:
    low, high = text.split(":")
    return Fraction(low), Fraction(high)


def _table(rows: Iterable[Function]) -> dict[str, Function]:
    """The rows by name; a composite costs what the distinct calls of its body cost."""
    table = {row.name: row for row in rows}

    def cost(name: str) -> int:
        row = table.get(name)
        if row is None:  # where
            return 1
        calls = {node for node in walk(row.body) if isinstance(node, Call)} if row.body else set()
        return row.cost or sum(cost(call.function) for call in calls)

    return {name: replace(row, cost=cost(name)) for name, row in table.items()}


# Values for which mpmath raises, or says otherwise than IEEE arithmetic.


def _div(x: Any, y: Any) -> Any:
    return x * mpmath.inf if y == 0 else mpmath.mpf(x) / y


def _pow(x: Any, y: Any) -> Any:
    return mpmath.inf if x == 0 and y < 0 else mpmath.power(x, y)


def _sign(x: Any) -> Any:
    return mpmath.mpf(int(x > 0) - int(x < 0))


def _trunc(x: Any) -> Any:
    return mpmath.floor(x) if x > 0 else mpmath.ceil(x)


def _minimum(x: Any, y: Any) -> Any:
    return x if x < y or x != x else y


def _maximum(x: Any, y: Any) -> Any:
    return x if x > y or x != x else y


def _exp_remainder(x: Any) -> Any:
    return x * x / 2 * mpmath.hyp1f1(1, 3, x) if abs(x) < 1 else mpmath.expm1(x) - x


def _erfc(x: Any) -> Any:
    return mpmath.erfc(x) if abs(x) < 1e6 else 1 - mpmath.sign(x)


def _zeta(s: Any, x: Any) -> Any:
    if s != int(s):
        return mpmath.zeta(s, x)
    return (-1) ** int(s) * mpmath.psi(int(s) - 1, x) / mpmath.factorial(s - 1)


# Parts that several rows share. Sigmoids are made of exp(-abs(x)), which is at most 1.
_E = "exp(-abs(x))"
_R = f"div_moderate(1, 1 + {_E})"
# 1 - tanh(abs(x)), in the parts of dsigmoid(2 * x)
_BELOW_ONE = "(2 * (exp(-abs(2 * x)) * div_moderate(1, 1 + exp(-abs(2 * x)))))"
_LOG_2 = "0.693147180559945309417232121458176568075500134"
_TWO_OVER_SQRT_PI = "1.12837916709551257389615890312154517"
# tanh(softplus(x)) is num / (num + rest), times exp(-2 * abs(x)) above and below where x >= 0.
_NUM = f"where(x >= 0, 1 + 2 * {_E}, {_E} * (2 + {_E}))"
_REST = f"where(x >= 0, 2 * {_E} * {_E}, 2)"
# 2 u where GELU has 1 + tanh(u), twice a sigmoid: u = sqrt(2 / pi) * (x + 0.044715 * x ** 3)
_SQRT_8_OVER_PI = "1.59576912160573071175978423973752747390343452"
_TWO_U = f"(x * ({_SQRT_8_OVER_PI} + 0.0713548162726002487763387522798635409955920748 * x * x))"
_U = "((8 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3))"  # 2 u in PyTorch
_D = f"dsigmoid({_TWO_U})"
_THREE_C = "0.214064448817800746329016256839590622986776224"  # of x ** 2 in the derivative of 2 u
_TWELVE_C = "0.856257795271202985316065027358362491947104896"

_SAME: Any = {"result": "same", "integer": True}
_BOOL: Any = {"result": "bool", "integer": True, "cost": 1}
_COMPARISON: Any = {**_BOOL, "kinks": ("x - y",), "convention": "a condition has no gradient"}
_LOGICAL: Any = {**_BOOL, "domain": "0:1"}
_STEPS: Any = {
    **_SAME,
    "cost": 1,
    "kinks": ("x - round(x)",),
    "convention": "0 at the steps",
}
_TIE: Any = {
    **_SAME,
    "cost": 3,
    "kinks": ("x - y",),
    "convention": "half to each at a tie; NaN propagates",
}
_POLES: Any = {
    "kinks": ("where(x > 0.5, 1, x - round(x))",),
    "convention": "poles at 0 and the negative integers",
}

# fmt: off
FUNCTIONS: Mapping[str, Function] = _table((
    # Arithmetic
    P("add(x, y)", ("1", "1"), symbol="+", mp=operator.add, cost=1, **_SAME),
    P("sub(x, y)", ("1", "-1"), symbol="-", mp=operator.sub, cost=1, **_SAME),
    P("mul(x, y)", ("y", "x"), symbol="*", mp=operator.mul, cost=1, **_SAME),
    P("div(x, y)", ("1 / y", "-out / y"), symbol="/", mp=_div, domain="-4:4, 0.1:4", cost=8),
    # a quotient that is cheaper in 16 bits, by a number that is neither tiny nor huge
    P("div_moderate(x, y)", ("1 / y", "-out / y"), mp=_div, ref="(x / y)", aten_body="x / y",
      domain="-4:4, 0.1:4", cost=8, convention="for y from 2^-100 to 2^100; cheaper in 16 bits"),
    # a quotient whose divisor's reciprocal many elements share on a GPU
    P("div_shared(x, y)", ("1 / y", "-out / y"), mp=_div, ref="(x / y)", aten_body="x / y",
      domain="-4:4, 0.1:4", cost=8, convention="for y that is the same in a row; cheaper there"),
    P("neg(x)", ("-1",), symbol="-", mp=operator.neg, cost=1, **_SAME),
    P("floordiv(x, y)", ("0", "0"), mp=lambda x, y: mpmath.floor(_div(x, y)),
      ref="torch.div(x, y, rounding_mode='floor')", aten="div", domain="-20:20", cost=12,
      kinks=("x / y - round(x / y)",), convention="0 at the steps", **_SAME),
    P("mod(x, y)", ("1", "-floordiv(x, y)"), mp=lambda x, y: x - y * mpmath.floor(_div(x, y)),
      ref="torch.remainder", aten="remainder", domain="-20:20", cost=12,
      kinks=("x / y - round(x / y)",), convention="the sign of the divisor", **_SAME),
    P("pow(x, y)",
      ("where(y == 0, 0, y * pow(x, y - 1))", "where(x == 0 and y >= 0, 0, out * log(x))"),
      mp=_pow, domain="1e-3:4, -4:4", ulp=2, cost=30,
      convention="dx is 0 where y is 0, dy is 0 where x is 0 and y is not negative", **_SAME),
    P("square(x)", ("2 * x",), body="x * x", aten="square", **_SAME),
    P("reciprocal(x)", ("-out * out",), body="1 / x", aten="reciprocal", domain="0.1:4"),
    # The derivative of this product by its factors would be (1 - x) - (1 + x), which cancels near
    # 0. PyTorch's autograd takes it, so there the product stands where that does not cancel.
    P("one_minus_square(x)", ("-2 * x",), body="(1 - x) * (1 + x)", ref="(1 - x * x)",
      aten_body="where(abs(x) < 0.5, 1 - square(where(abs(x) < 0.5, x, 0)), (1 - x) * (1 + x))",
      ulp=2),

    # Conditions
    P("lt(x, y)", (None, None), symbol="<", mp=operator.lt, **_COMPARISON),
    P("le(x, y)", (None, None), symbol="<=", mp=operator.le, **_COMPARISON),
    P("gt(x, y)", (None, None), symbol=">", mp=operator.gt, **_COMPARISON),
    P("ge(x, y)", (None, None), symbol=">=", mp=operator.ge, **_COMPARISON),
    P("eq(x, y)", (None, None), symbol="==", mp=operator.eq, **_COMPARISON),
    P("ne(x, y)", (None, None), symbol="!=", mp=operator.ne, **_COMPARISON),
    P("logical_and(x, y)", (None, None), symbol="&", mp=lambda x, y: bool(x and y), **_LOGICAL),
    P("logical_or(x, y)", (None, None), symbol="|", mp=lambda x, y: bool(x or y), **_LOGICAL),
    P("logical_not(x)", (None,), symbol="!", mp=operator.not_, **_LOGICAL),
    P("isnan(x)", (None,), body="x != x", aten="isnan", result="bool"),
    P("isinf(x)", (None,), body="abs(x) == inf", aten="isinf", result="bool"),
    P("isfinite(x)", (None,), body="abs(x) < inf", aten="isfinite", result="bool"),

    # Steps, signs and order
    P("abs(x)", ("sign(x)",), mp=abs, cost=1, kinks=("x",), convention="abs'(0) = 0", **_SAME),
    P("sign(x)", ("0",), mp=_sign, cost=3, kinks=("x",), convention="sign'(0) = 0", **_SAME),
    P("floor(x)", ("0",), mp=mpmath.floor, **_STEPS),
    P("ceil(x)", ("0",), mp=mpmath.ceil, **_STEPS),
    P("trunc(x)", ("0",), mp=_trunc, **_STEPS),
    P("round(x)", ("0",), mp=mpmath.nint, cost=1, kinks=("x - floor(x) - 0.5",),
      convention="half to even; 0 at the steps", **_SAME),
    P("minimum(x, y)",
      ("where(x > y, 0, where(x == y, 0.5, 1))", "where(x < y, 0, where(x == y, 0.5, 1))"),
      mp=_minimum, **_TIE),
    P("maximum(x, y)",
      ("where(x < y, 0, where(x == y, 0.5, 1))", "where(x > y, 0, where(x == y, 0.5, 1))"),
      mp=_maximum, **_TIE),
    P("clamp(x, low, high)",
      ("where(x >= low and x <= high, 1, 0)",
       "where(x < low and low < high, 1, 0)",
       "where(x > high or high < low, 1, 0)"),
      body="minimum(maximum(x, low), high)", aten="clamp", domain="-4:4, -3:0, 0:3",
      kinks=("x - low", "x - high"), convention="1 at the bounds, 0 for NaN, which propagates",
      **_SAME),

    # Roots
    P("sqrt(x)", ("0.5 / out",), mp=mpmath.sqrt, domain="0:1e4", cost=8,
      convention="sqrt'(0) = inf"),
    P("rsqrt(x)", ("-0.5 * out * (out * out)",), mp=lambda x: _div(1, mpmath.sqrt(x)),
      domain="1e-3:1e4", ulp=2, cost=8),
    P("cbrt(x)", ("1 / (3 * (out * out))",), mp=lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
      ref="torch.sign(x) * torch.abs(x) ** (1 / 3)", aten_body="sign(x) * pow(abs(x), 1 / 3)",
      domain="-1e3:1e3", ulp=2, cost=20, kinks=("x",), convention="cbrt'(0) = inf"),
    P("hypot(x, y)", ("hypot_slope(x, y)", "hypot_slope(y, x)"), mp=mpmath.hypot, cost=16,
      kinks=("hypot(x, y)",), convention="NaN at (0, 0)"),
    # by x it is 1 / h - x * x / h ** 3, which cancels where y is the smaller one
    P("hypot_slope(x, y)",
      ("hypot_slope(y, x) / hypot(x, y) * hypot_slope(y, x)",
       "-out / hypot(x, y) * hypot_slope(y, x)"),
      body="x / hypot(x, y)", ref="(x / torch.hypot(x, y))", ulp=2, kinks=("hypot(x, y)",),
      convention="NaN at (0, 0)"),

    # Exponentials and logarithms
    P("exp(x)", ("out",), mp=mpmath.exp, domain="-20:20", ulp=2, cost=10),
    P("exp2(x)", (f"{_LOG_2} * out",), mp=lambda x: mpmath.power(2, x), domain="-20:20",
      ulp=2, cost=8),
    P("expm1(x)", ("exp(x)",), mp=mpmath.expm1, domain="-20:20", ulp=2, cost=14),
    P("log(x)", ("1 / x",), mp=mpmath.log, domain="1e-6:1e6", cost=10),
    P("log2(x)", ("1.44269504088896340735992468100189214 / x",), mp=lambda x: mpmath.log(x, 2),
      domain="1e-6:1e6", cost=10),
    P("log10(x)", ("0.434294481903251827651128918916605082 / x",), mp=mpmath.log10,
      domain="1e-6:1e6", ulp=2, cost=10),
    P("log1p(x)", ("1 / (1 + x)",), mp=mpmath.log1p, domain="-0.999:1e6", cost=12),
    P("log1p_unit(x)", ("1 / (1 + x)",), mp=mpmath.log1p, ref="torch.log1p", aten_body="log1p(x)",
      domain="0:1", ulp=2, cost=12, convention="for x from 0 to 1; cheaper there"),
    # exp(x * y) without the rounding error of the product, which exp would magnify by its size
    P("exp_mul(x, y)", ("y * out", "x * out"), mp=lambda x, y: mpmath.exp(x * y),
      ref="torch.exp(x * y)", aten_body="exp(x * y)", ulp=2, cost=14),
    # exp(x) - 1 - x, which is about x * x / 2 near 0
    P("exp_remainder(x)", ("expm1(x)",), mp=_exp_remainder,
      ref="torch.expm1(x) - x", aten_body="expm1(x) - x", domain="-20:20", ulp=8, cost=30),
    P("xlogy(x, y)",
      ("where(x == 0 and y <= 0, 0, log(y))", "where(x == 0 and y <= 0, 0, x / y)"),
      body="where(x == 0 and y == y, 0, x * log(y))", aten="xlogy", domain="-4:4, 1e-3:10", ulp=2,
      convention="0 where x is 0, and so are its derivatives where y is not positive"),
    P("logaddexp(x, y)", ("sigmoid(x - y)", "sigmoid(y - x)"),
      body=f"maximum(x, y) + where(x == y, {_LOG_2}, log1p_unit(exp(-abs(x - y))))",
      aten="logaddexp", domain="-20:20", ulp=16),

    # Trigonometric and hyperbolic functions
    P("sin(x)", ("cos(x)",), mp=mpmath.sin, domain="-10:10", cost=16),
    P("cos(x)", ("-sin(x)",), mp=mpmath.cos, domain="-10:10", cost=16),
    P("sin_doubled(x)", ("2 - 4 * sin_squared(x)",), mp=lambda x: mpmath.sin(2 * x),
      ref="torch.sin(2 * x)", aten_body="sin(2 * x)", domain="-10:10", ulp=4, cost=10),
    P("sin_squared(x)", ("sin_doubled(x)",), mp=lambda x: mpmath.sin(x) ** 2,
      shared="sin(x) * sin(x)", ref="torch.sin(x) ** 2", aten_body="square(sin(x))",
      domain="-10:10", ulp=4, cost=12),
    P("tan(x)", ("1 + out * out",), mp=mpmath.tan, domain="-1.5:1.5", ulp=2, cost=24),
    P("asin(x)", ("1 / sqrt(one_minus_square(x))",), mp=mpmath.asin, domain="-1:1", cost=20),
    P("acos(x)", ("-1 / sqrt(one_minus_square(x))",), mp=mpmath.acos, domain="-1:1", cost=20),
    P("atan(x)", ("1 / (1 + x * x)",), mp=mpmath.atan, domain="-10:10", cost=18),
    P("atan2(y, x)",
      ("where(hypot(x, y) == 0, 0, x / hypot(x, y) / hypot(x, y))",
       "where(hypot(x, y) == 0, 0, -y / hypot(x, y) / hypot(x, y))"),
      mp=mpmath.atan2, ulp=2, cost=24, kinks=("where(x > 0, hypot(x, y), y)",),
      convention="0 at (0, 0); jumps where y is 0 and x negative"),
    P("sinh(x)", ("cosh(x)",), mp=mpmath.sinh, domain="-10:10", ulp=2, cost=20),
    P("cosh(x)", ("sinh(x)",), mp=mpmath.cosh, domain="-10:10", ulp=2, cost=14),
    P("tanh(x)", ("sech2(x)",), mp=mpmath.tanh, domain="-9:9", ulp=2, cost=18,
      shared="where(abs(2 * x) < 1.2, tanh_near_zero(x),"
             f" where(x < 0, {_BELOW_ONE} - 1, 1 - {_BELOW_ONE}))"),
    P("tanh_near_zero(x)", ("sech2(x)",), mp=mpmath.tanh, ref="torch.tanh", aten_body="tanh(x)",
      domain="-0.6:0.6", ulp=2, cost=8, convention="for x from -0.6 to 0.6; cheaper there"),
    P("asinh(x)", ("1 / hypot(x, 1)",), mp=mpmath.asinh, domain="-1e3:1e3", ulp=2, cost=24),
    P("acosh(x)", ("1 / (sqrt(x - 1) * sqrt(x + 1))",), mp=mpmath.acosh, domain="1:1e3", ulp=2,
      cost=24, convention="acosh'(1) = inf"),
    P("atanh(x)", ("1 / one_minus_square(x)",), mp=mpmath.atanh, domain="-0.999:0.999", ulp=2,
      cost=20),

    # Error functions, and the normal law that GELU is made of
    P("erf(x)", (f"{_TWO_OVER_SQRT_PI} * gaussian(x)",), mp=mpmath.erf, cost=20),
    P("erfc(x)", (f"-{_TWO_OVER_SQRT_PI} * gaussian(x)",), mp=_erfc, domain="-4:8", ulp=5,
      cost=30),
    P("erfinv(x)", ("0.886226925452758013649083741670572591 / gaussian(out)",), mp=mpmath.erfinv,
      domain="-0.999:0.999", ulp=3, cost=40, convention="erfinv'(1) = erfinv'(-1) = inf"),
    P("gaussian(x)", ("-2 * (x * out)",), body="exp_mul(-x, x)", ref="torch.exp(-x * x)", ulp=2),
    P("normal_pdf(x)", ("-x * out",),
      body="0.398942280401432677939946059934381868475858631 * exp_mul(-0.5 * x, x)",
      ref="torch.exp(-0.5 * x * x) / (2 * torch.pi) ** 0.5", ulp=3),
    P("normal_cdf(x)", ("normal_pdf(x)",), mp=lambda x: _erfc(-x / mpmath.sqrt(2)) / 2,
      ref="torch.special.ndtr", aten_body="0.5 * erfc(-0.707106781186547524400844362104849039 * x)",
      domain="-12:12", ulp=6, cost=34),

    # The gamma function's family; zeta is Hurwitz's, the sum of (x + k) ** -s over k >= 0
    P("lgamma(x)", ("digamma(x)",), mp=lambda x: mpmath.re(mpmath.loggamma(x)),
      domain="1e-3:100", ulp=6, cost=60, **_POLES),
    P("digamma(x)", ("trigamma(x)",), mp=mpmath.digamma, domain="1e-3:100", ulp=6, cost=60,
      **_POLES),
    P("trigamma(x)", ("-2 * zeta(3, x)",), body="zeta(2, x)", ref="torch.special.zeta(2, x)",
      domain="1e-3:100", ulp=6, **_POLES),
    P("zeta(s, x)", (None, "-s * zeta(s + 1, x)"), mp=_zeta, ref="torch.special.zeta",
      aten="special_zeta", domain="2:5, 1e-2:100", ulp=6, cost=200, **_POLES),

    # Smooth activations
    P("sigmoid(x)", ("dsigmoid(x)",), body=f"where(x >= 0, {_R}, {_E} * {_R})", aten="sigmoid",
      domain="-20:20", ulp=3),
    P("dsigmoid(x)", ("-out * tanh(0.5 * x)",), body=f"{_E} * {_R} * {_R}",
      ref="torch.sigmoid(x) * torch.sigmoid(-x)", aten_body="sigmoid(x) * sigmoid(-x)",
      domain="-20:20", ulp=4),
    P("sech2(x)", ("-2 * tanh(x) * out",), body="4 * dsigmoid(2 * x)", ref="torch.cosh(x) ** -2",
      domain="-9:9", ulp=4),
    P("logsigmoid(x)", ("sigmoid(-x)",), body=f"minimum(x, 0) - log1p_unit({_E})",
      ref="torch.nn.functional.logsigmoid", aten="log_sigmoid", domain="-20:20", ulp=2),
    P("softplus(x)", ("sigmoid(x)",), body=f"maximum(x, 0) + log1p_unit({_E})",
      ref="-torch.nn.functional.logsigmoid(-x)", aten_body="-logsigmoid(-x)", domain="-20:20",
      ulp=2),
    P("tanh_softplus(x)", ("dtanh_softplus(x)",), body=f"div_moderate({_NUM}, {_NUM} + {_REST})",
      ref="torch.tanh(torch.nn.functional.softplus(x))", aten_body="tanh(softplus(x))",
      domain="-20:20", ulp=4),
    P("dtanh_softplus(x)", ("out * (sigmoid(-x) - 2 * tanh_softplus(x) * sigmoid(x))",),
      body=f"div_moderate(4 * {_E} * (1 + {_E}) * where(x >= 0, {_E}, 1),"
           f" square({_NUM} + {_REST}))",
      ref="torch.cosh(torch.nn.functional.softplus(x)) ** -2 * torch.sigmoid(x)",
      aten_body="sech2(softplus(x)) * sigmoid(x)", domain="-20:20", ulp=8),
    P("silu(x)", ("sigmoid(x) + x * dsigmoid(x)",), body="x * sigmoid(x)",
      ref="x * torch.sigmoid(x)", domain="-20:20", ulp=4),
    P("mish(x)", ("tanh_softplus(x) + x * dtanh_softplus(x)",), body="x * tanh_softplus(x)",
      ref="torch.nn.functional.mish", domain="-20:20", ulp=5),
    P("gelu(x)", ("normal_cdf(x) + x * normal_pdf(x)",), body="x * normal_cdf(x)",
      ref="x * torch.special.ndtr(x)", domain="-12:12", ulp=7),
    P("gelu_tanh(x)", ("dgelu_tanh(x)",),
      # PyTorch's own loses its lower tail, since 1 + tanh cancels there
      body=f"x * sigmoid({_TWO_U})",
      ref="x * torch.sigmoid((8 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3))",
      domain="-9:9", ulp=128),
    # it and its derivative multiply what vanishes for large x before what would overflow
    P("dgelu_tanh(x)",
      (f"2 * ({_D} * {_SQRT_8_OVER_PI}) + {_D} * x * x * {_TWELVE_C}"
       f" - x * ({_D} * {_SQRT_8_OVER_PI} + {_D} * x * x * {_THREE_C}) * tanh(0.5 * {_TWO_U})"
       f" * {_SQRT_8_OVER_PI}"
       f" - x * ({_D} * {_SQRT_8_OVER_PI} + {_D} * x * x * {_THREE_C}) * tanh(0.5 * {_TWO_U})"
       f" * x * x * {_THREE_C}",),
      body=f"sigmoid({_TWO_U}) + x * {_D} * {_SQRT_8_OVER_PI} + x * {_D} * x * x * {_THREE_C}",
      ref=f"torch.sigmoid({_U}) * (1 + x * torch.sigmoid(-{_U}) * (8 / torch.pi) ** 0.5"
          " * (1 + 0.134145 * x ** 2))",
      domain="-9:9", ulp=128),
    P("softsign(x)", ("square(1 / (1 + abs(x)))",), body="x / (1 + abs(x))",
      ref="torch.nn.functional.softsign", domain="-100:100", ulp=2, kinks=("x",),
      convention="smooth at 0, where the second derivative is 0"),

    # Activations with kinks
    P("relu(x)", ("where(out <= 0, 0, 1)",), body="where(x <= 0, 0, x)", aten="relu",
      kinks=("x",), convention="relu'(0) = 0; NaN propagates", **_SAME),
    P("relu6(x)", ("where(out <= 0 or out >= 6, 0, 1)",),
      body="where(x <= 0, 0, where(x >= 6, 6, x))", ref="torch.nn.functional.relu6", aten="relu6",
      domain="-4:10", kinks=("x", "x - 6"), convention="0 at both ends"),
    P("leaky_relu(x, negative_slope=0.01)",
      ("where(x > 0, 1, negative_slope)", "where(x > 0, 0, x)"),
      body="where(x > 0, x, negative_slope * x)",
      ref="torch.where(x > 0, x, negative_slope * x)", domain="-4:4, 0:0.5",
      kinks=("x",), convention="negative_slope at 0"),
    # at::where multiplies the branch not taken by zero: clamp keeps its derivative finite
    P("elu(x, alpha=1)",
      ("where(x <= 0, alpha * exp(x), 1)", "where(x <= 0, expm1(x), 0)"),
      body="where(x <= 0, alpha * expm1(x), x)",
      ref="torch.where(x <= 0, alpha * torch.expm1(x.clamp(max=0)), x)",
      aten_body="where(x <= 0, alpha * expm1(clamp(x, -inf, 0)), x)", domain="-10:4, 0.5:2",
      ulp=3, kinks=("x",), convention="alpha at 0"),
    P("selu(x)",
      ("where(x <= 0, 1.75809934084737685994021752081231934 * exp(x),"
       " 1.0507009873554804934193349852946)",),
      body="1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)",
      ref="torch.nn.functional.selu", aten="selu", domain="-10:4", ulp=4, kinks=("x",),
      convention="the left derivative at 0"),
    P("hardsigmoid(x)", ("where(x > -3 and x < 3, 1 / 6, 0)",),
      body="where(x <= -3, 0, where(x >= 3, 1, (x + 3) / 6))",
      # PyTorch's own has a derivative in float only, and that has none
      ref="torch.where(x <= -3, 0.0, torch.where(x >= 3, 1.0, (x + 3) / 6))",
      ulp=2, kinks=("x + 3", "x - 3"), convention="0 at both ends"),
    P("hardswish(x)", ("where(x <= -3, 0, where(x < 3, x / 3 + 0.5, 1))",),
      body="x * hardsigmoid(x)",
      # PyTorch's own multiplies by a sixth of float32 in every dtype on CUDA
      ref="x * torch.where(x <= -3, 0.0, torch.where(x >= 3, 1.0, (x + 3) / 6))",
      ulp=3, kinks=("x + 3", "x - 3"), convention="0 at -3, 1 at 3"),
    P("hardtanh(x, low=-1, high=1)",
      ("where(x <= low or x >= high, 0, 1)",
       "where(x <= low, 1, 0)",
       "where(x <= low, 0, where(x >= high, 1, 0))"),
      body="where(x <= low, low, where(x >= high, high, x))",
      ref="torch.where(x <= low, low, torch.where(x >= high, high, x))",
      domain="-4:4, -3:-0.5, 0.5:3", kinks=("x - low", "x - high"), convention="0 at both ends"),
))
# fmt: on
