"""The primitives: every function and operator of the formula language, one row each.

Formulas are written in the language itself. A derivative may use `out`, the primitive's result, and
`where`, which selects and never multiplies by zero. It is differentiated again for the double
backward, so it is made of functions that are smooth wherever the true derivative is, and it holds
no difference of nearly equal values: `sech2(x)`, not `1 - out * out`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from fusewise.formula import Call, Expr, Name, parse_formula, walk

# Formulas of the table that are no rows: they belong to the language.
FORMS = {"where": 3, "stop_grad": 1, "straight_through": 2, "round_to": 2}


@dataclass(frozen=True, slots=True)
class Primitive:
    """What the generator knows of one function."""

    name: str
    params: tuple[str, ...]
    defaults: tuple[Expr, ...]  # of the last params
    derivatives: tuple[Expr | None, ...]  # one a param; None: not differentiable in it
    body: Expr | None  # a composite: what it expands to; else `math.h` has a function of that name
    symbol: str | None  # the operator in C++, for those that have one
    ref: str  # what it means: a PyTorch expression over the params
    aten: str | Expr  # for the composite: the function `at::NAME` of the same params, or a formula
    mp: Callable[..., Any] | None  # its value in mpmath; a composite takes its body's
    domain: tuple[tuple[Fraction, Fraction], ...]  # where samples are drawn, one range a param
    ulp: float  # bound of the error of the float and double forms outside zero crossings
    cost: int  # rough number of instructions
    kinks: tuple[Expr, ...]  # what vanishes where the derivative jumps
    convention: str  # what holds at a kink or an edge, PyTorch's own
    result: str  # float, bool, or same: integers stay integers
    integer: bool  # defined on integer tensors

    @property
    def arity(self) -> range:
        """The numbers of arguments that a call may have."""
        return range(len(self.params) - len(self.defaults), len(self.params) + 1)


def P(  # noqa: N802  one letter: the table is read by its columns
    signature: str,
    d: tuple[str | None, ...],
    *,
    body: str | None = None,
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
) -> Primitive:
    """One row. `ref` and `aten` default to the name itself, for a composite `aten` to its body."""
    name, _, rest = signature.removesuffix(")").partition("(")
    params, _, defaults = zip(*(param.partition("=") for param in rest.split(", ")), strict=True)
    ref = ref or f"torch.{name}"
    expansion = aten_body or (body if aten is None else None)
    ranges = domain.split(", ")
    return Primitive(
        name=name,
        params=params,
        defaults=tuple(parse_formula(default) for default in defaults if default),
        derivatives=tuple(None if text is None else parse_formula(text) for text in d),
        body=parse_formula(body) if body else None,
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


def _table(*groups: Iterator[Primitive]) -> dict[str, Primitive]:
    return {row.name: row for group in groups for row in group}


def _arithmetic() -> Iterator[Primitive]:
    same: Any = {"result": "same", "integer": True}
    yield P("add(x, y)", ("1", "1"), symbol="+", mp=operator.add, cost=1, **same)
    yield P("sub(x, y)", ("1", "-1"), symbol="-", mp=operator.sub, cost=1, **same)
    yield P("mul(x, y)", ("y", "x"), symbol="*", mp=operator.mul, cost=1, **same)
    yield P("div(x, y)", ("1 / y", "-out / y"), symbol="/", mp=_div, cost=8)
    yield P(
        "floordiv(x, y)",
        ("0", "0"),
        ref="torch.div(x, y, rounding_mode='floor')",
        aten="floor_divide",
        mp=lambda x, y: mpmath.floor(_div(x, y)),
        domain="-20:20",
        cost=12,
        kinks=("x / y - round(x / y)",),
        convention="0 at the steps",
        **same,
    )
    yield P(
        "mod(x, y)",
        ("1", "-floordiv(x, y)"),
        ref="torch.remainder",
        aten="remainder",
        mp=lambda x, y: x - y * mpmath.floor(_div(x, y)),
        domain="-20:20",
        cost=12,
        kinks=("x / y - round(x / y)",),
        convention="the sign of the divisor; at the steps the derivative of the upper side",
        **same,
    )
    yield P(
        "pow(x, y)",
        (
            "where(y == 0, 0, y * pow(x, y - 1))",
            "where(x == 0 and y >= 0, 0, out * log(x))",
        ),
        mp=_pow,
        domain="1e-3:4, -4:4",
        ulp=2,
        cost=30,
        convention="dx is 0 where y is 0, dy is 0 where x is 0 and y is not negative",
        **same,
    )
    yield P("neg(x)", ("-1",), symbol="-", mp=operator.neg, cost=1, **same)


def _conditions() -> Iterator[Primitive]:
    step: Any = {"result": "bool", "integer": True, "cost": 1}
    side: Any = {"kinks": ("x - y",), "convention": "a condition carries no gradient"}
    yield P("lt(x, y)", (None, None), symbol="<", mp=operator.lt, **step, **side)
    yield P("le(x, y)", (None, None), symbol="<=", mp=operator.le, **step, **side)
    yield P("gt(x, y)", (None, None), symbol=">", mp=operator.gt, **step, **side)
    yield P("ge(x, y)", (None, None), symbol=">=", mp=operator.ge, **step, **side)
    yield P("eq(x, y)", (None, None), symbol="==", mp=operator.eq, **step, **side)
    yield P("ne(x, y)", (None, None), symbol="!=", mp=operator.ne, **step, **side)
    yield P("logical_and(x, y)", (None, None), symbol="&", mp=operator.and_, domain="0:1", **step)
    yield P("logical_or(x, y)", (None, None), symbol="|", mp=operator.or_, domain="0:1", **step)
    yield P("logical_not(x)", (None,), symbol="!", mp=operator.not_, domain="0:1", **step)
    yield P("isnan(x)", (None,), body="x != x", result="bool", aten="isnan")
    yield P("isinf(x)", (None,), body="abs(x) == inf", result="bool", aten="isinf")
    yield P("isfinite(x)", (None,), body="abs(x) < inf", result="bool", aten="isfinite")


def _steps() -> Iterator[Primitive]:
    same: Any = {"result": "same", "integer": True}
    steps: Any = {"kinks": ("x - round(x)",), "convention": "0 at the steps", **same}
    yield P("sign(x)", ("0",), mp=_sign, cost=3, kinks=("x",), convention="sign'(0) = 0", **same)
    yield P("floor(x)", ("0",), mp=mpmath.floor, cost=1, **steps)
    yield P("ceil(x)", ("0",), mp=mpmath.ceil, cost=1, **steps)
    yield P("trunc(x)", ("0",), mp=_trunc, cost=1, **steps)
    yield P(
        "round(x)",
        ("0",),
        mp=mpmath.nint,
        cost=1,
        kinks=("x - floor(x) - 0.5",),
        convention="half to even; 0 at the steps",
        **same,
    )
    yield P(
        "abs(x)", ("sign(x)",), mp=abs, cost=1, kinks=("x",), convention="abs'(0) = 0", **same
    )
    yield P(
        "minimum(x, y)",
        (
            "where(x == y, 0.5, where(x > y, 0, 1))",
            "where(x == y, 0.5, where(x < y, 0, 1))",
        ),
        mp=lambda x, y: _nan_or(min, x, y),
        cost=3,
        kinks=("x - y",),
        convention="half to each at a tie; NaN propagates",
        **same,
    )
    yield P(
        "maximum(x, y)",
        (
            "where(x == y, 0.5, where(x < y, 0, 1))",
            "where(x == y, 0.5, where(x > y, 0, 1))",
        ),
        mp=lambda x, y: _nan_or(max, x, y),
        cost=3,
        kinks=("x - y",),
        convention="half to each at a tie; NaN propagates",
        **same,
    )
    yield P(
        "clamp(x, low, high)",
        (
            "where(x >= low and x <= high, 1, 0)",
            "where(x < low and low < high, 1, 0)",
            "where(x > high or high < low, 1, 0)",
        ),
        body="minimum(maximum(x, low), high)",
        aten="clamp",
        domain="-4:4, -3:0, 0:3",
        kinks=("x - low", "x - high"),
        convention="the gradient passes at the bounds; NaN propagates, its derivative is 0",
        **same,
    )


def _powers() -> Iterator[Primitive]:
    yield P("square(x)", ("2 * x",), body="x * x", aten="square", result="same", integer=True)
    yield P("reciprocal(x)", ("-out * out",), body="1 / x", aten="reciprocal")
    yield P("sqrt(x)", ("0.5 / out",), mp=mpmath.sqrt, domain="0:1e4", cost=8,
            convention="sqrt'(0) = inf")  # fmt: skip
    yield P("rsqrt(x)", ("-0.5 * out * (out * out)",), mp=lambda x: _div(1, mpmath.sqrt(x)),
            domain="1e-3:1e4", ulp=2, cost=8)  # fmt: skip
    yield P(
        "cbrt(x)",
        ("1 / (3 * (out * out))",),
        ref="torch.sign(x) * torch.abs(x) ** (1 / 3)",
        aten_body="sign(x) * pow(abs(x), 1 / 3)",
        mp=lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
        domain="-1e3:1e3",
        cost=20,
        kinks=("x",),
        convention="cbrt'(0) = inf",
    )
    yield P(
        "hypot(x, y)",
        ("x / out", "y / out"),
        mp=mpmath.hypot,
        cost=16,
        kinks=("hypot(x, y)",),
        convention="NaN at (0, 0)",
    )


def _exponentials() -> Iterator[Primitive]:
    yield P("exp(x)", ("out",), mp=mpmath.exp, domain="-20:20", ulp=2, cost=10)
    yield P("exp2(x)", ("0.693147180559945309417232121458176568 * out",),
            mp=lambda x: mpmath.power(2, x), domain="-20:20", ulp=2, cost=8)  # fmt: skip
    yield P("expm1(x)", ("exp(x)",), mp=mpmath.expm1, domain="-20:20", ulp=2, cost=14)
    yield P("log(x)", ("1 / x",), mp=mpmath.log, domain="1e-6:1e6", cost=10)
    yield P("log2(x)", ("1.44269504088896340735992468100189214 / x",),
            mp=lambda x: mpmath.log(x, 2), domain="1e-6:1e6", cost=10)  # fmt: skip
    yield P("log10(x)", ("0.434294481903251827651128918916605082 / x",),
            mp=mpmath.log10, domain="1e-6:1e6", ulp=2, cost=10)  # fmt: skip
    yield P("log1p(x)", ("1 / (1 + x)",), mp=mpmath.log1p, domain="-0.999:1e6", cost=12)
    # exp(x * y) where the rounding of the product does not show: |x * y| ulp of it would.
    yield P("exp_mul(x, y)", ("y * out", "x * out"), mp=lambda x, y: mpmath.exp(x * y),
            ref="torch.exp(x * y)", aten_body="exp(x * y)", ulp=2, cost=14)  # fmt: skip
    yield P("xlogy(x, y)",
            ("where(x == 0 and y <= 0, 0, log(y))", "where(x == 0 and y <= 0, 0, x / y)"),
            body="where(x == 0 and y == y, 0, x * log(y))", aten="xlogy",
            domain="-4:4, 1e-3:10", convention="0 where x is 0")  # fmt: skip
    yield P("logaddexp(x, y)", ("sigmoid(x - y)", "sigmoid(y - x)"), aten="logaddexp",
            body="maximum(x, y) + where(x == y, 0.693147180559945309417232121458176568,"
                 " log1p(exp(-abs(x - y))))",
            domain="-20:20", ulp=3)  # fmt: skip


def _trigonometry() -> Iterator[Primitive]:
    yield P("sin(x)", ("cos(x)",), mp=mpmath.sin, domain="-10:10", cost=16)
    yield P("cos(x)", ("-sin(x)",), mp=mpmath.cos, domain="-10:10", cost=16)
    yield P("tan(x)", ("1 + out * out",), mp=mpmath.tan, domain="-1.5:1.5", ulp=2, cost=24)
    yield P("asin(x)", ("1 / sqrt((1 - x) * (1 + x))",), mp=mpmath.asin, domain="-1:1", cost=20)
    yield P("acos(x)", ("-1 / sqrt((1 - x) * (1 + x))",), mp=mpmath.acos, domain="-1:1", cost=20)
    yield P("atan(x)", ("1 / (1 + x * x)",), mp=mpmath.atan, domain="-10:10", cost=18)
    yield P(
        "atan2(y, x)",
        (
            "where(hypot(x, y) == 0, 0, x / hypot(x, y) / hypot(x, y))",
            "where(hypot(x, y) == 0, 0, -y / hypot(x, y) / hypot(x, y))",
        ),
        mp=mpmath.atan2,
        cost=24,
        kinks=("where(x > 0, hypot(x, y), y)",),
        convention="jumps where y is 0 and x negative; 0 at (0, 0)",
    )
    yield P("sinh(x)", ("cosh(x)",), mp=mpmath.sinh, domain="-10:10", ulp=2, cost=20)
    yield P("cosh(x)", ("sinh(x)",), mp=mpmath.cosh, domain="-10:10", ulp=2, cost=14)
    yield P("tanh(x)", ("sech2(x)",), mp=mpmath.tanh, domain="-9:9", ulp=2, cost=18)
    yield P("asinh(x)", ("1 / hypot(x, 1)",), mp=mpmath.asinh, domain="-1e3:1e3", ulp=2, cost=24)
    yield P("acosh(x)", ("1 / (sqrt(x - 1) * sqrt(x + 1))",), mp=mpmath.acosh, domain="1:1e3",
            ulp=2, cost=24, convention="acosh'(1) = inf")  # fmt: skip
    yield P("atanh(x)", ("1 / ((1 - x) * (1 + x))",), mp=mpmath.atanh, domain="-0.999:0.999",
            ulp=2, cost=20)  # fmt: skip


def _error_functions() -> Iterator[Primitive]:
    yield P("erf(x)", ("1.12837916709551257389615890312154517 * gaussian(x)",),
            mp=mpmath.erf, domain="-4:4", cost=20)  # fmt: skip
    yield P("erfc(x)", ("-1.12837916709551257389615890312154517 * gaussian(x)",),
            mp=mpmath.erfc, domain="-4:8", ulp=5, cost=30)  # fmt: skip
    yield P("erfinv(x)", ("0.886226925452758013649083741670572592 / gaussian(out)",),
            mp=mpmath.erfinv, domain="-0.999:0.999", ulp=3, cost=40)  # fmt: skip
    yield P("gaussian(x)", ("-2 * x * out",), body="exp_mul(-x, x)", ref="torch.exp(-x * x)")
    # The density and the distribution of the normal law, which GELU is made of.
    yield P("normal_pdf(x)", ("-x * out",), ref="torch.exp(-0.5 * x * x) / (2 * torch.pi) ** 0.5",
            body="0.398942280401432677939946059934381868 * exp_mul(-0.5 * x, x)")  # fmt: skip
    yield P("normal_cdf(x)", ("normal_pdf(x)",), ref="torch.special.ndtr",
            aten_body="0.5 * erfc(-0.707106781186547524400844362104849039 * x)",
            mp=mpmath.ncdf, domain="-12:12", ulp=6, cost=34)  # fmt: skip


def _gamma() -> Iterator[Primitive]:
    poles: Any = {
        "kinks": ("where(x > 0.5, 1, x - round(x))",),
        "convention": "poles at 0 and the negative integers",
    }
    yield P("lgamma(x)", ("digamma(x)",), mp=lambda x: mpmath.re(mpmath.loggamma(x)),
            domain="1e-3:100", ulp=6, cost=60, **poles)  # fmt: skip
    yield P("digamma(x)", ("trigamma(x)",), mp=mpmath.digamma, domain="1e-3:100", ulp=6, cost=60,
            **poles)  # fmt: skip
    yield P("trigamma(x)", ("-2 * zeta(3, x)",), body="zeta(2, x)", ref="torch.polygamma(1, x)",
            domain="1e-3:100", ulp=6, **poles)  # fmt: skip
    # Hurwitz's: the sum of (x + k) ** -s. Derivatives of digamma are multiples of it.
    yield P("zeta(s, x)", (None, "-s * zeta(s + 1, x)"), ref="torch.special.zeta",
            aten="special_zeta", mp=_zeta, domain="2:5, 1e-2:100", ulp=6, cost=200,
            **poles)  # fmt: skip


def _activations() -> Iterator[Primitive]:
    # All of these share exp(-abs(x)), at most 1, and 1 / (1 + exp(-abs(x))), at least a half.
    e = "exp(-abs(x))"
    r = f"(1 / (1 + {e}))"
    yield P("sigmoid(x)", ("dsigmoid(x)",), body=f"where(x >= 0, {r}, {e} * {r})", aten="sigmoid",
            domain="-20:20", ulp=3)  # fmt: skip
    yield P("dsigmoid(x)", ("-out * tanh(0.5 * x)",), body=f"{e} * {r} * {r}",
            ref="torch.sigmoid(x) * torch.sigmoid(-x)", aten_body="sigmoid(x) * sigmoid(-x)",
            domain="-20:20", ulp=4)  # fmt: skip
    yield P("sech2(x)", ("-2 * tanh(x) * out",), body="4 * dsigmoid(2 * x)",
            ref="torch.cosh(x) ** -2", domain="-9:9", ulp=4)  # fmt: skip
    yield P("logsigmoid(x)", ("sigmoid(-x)",), body=f"minimum(x, 0) - log1p({e})",
            ref="torch.nn.functional.logsigmoid", aten="log_sigmoid", domain="-20:20",
            ulp=2)  # fmt: skip
    yield P("softplus(x)", ("sigmoid(x)",), body=f"maximum(x, 0) + log1p({e})",
            ref="-torch.nn.functional.logsigmoid(-x)", aten_body="-logsigmoid(-x)",
            domain="-20:20", ulp=2)  # fmt: skip
    yield P("silu(x)", ("sigmoid(x) + x * dsigmoid(x)",), body="x * sigmoid(x)",
            ref="torch.nn.functional.silu", domain="-20:20", ulp=4)  # fmt: skip
    # tanh(softplus(x)) as a quotient of polynomials in exp(-abs(x)), and its derivative.
    yield P(
        "tanh_softplus(x)",
        ("dtanh_softplus(x)",),
        body=f"where(x >= 0, 1 + 2 * {e}, {e} * (2 + {e}))"
        f" / (where(x >= 0, 1 + 2 * {e}, {e} * (2 + {e})) + where(x >= 0, 2 * {e} * {e}, 2))",
        ref="torch.tanh(torch.nn.functional.softplus(x))",
        aten_body="tanh(softplus(x))",
        domain="-20:20",
        ulp=4,
    )
    yield P(
        "dtanh_softplus(x)",
        ("out * (sigmoid(-x) - 2 * tanh_softplus(x) * sigmoid(x))",),
        body=f"4 * {e} * (1 + {e}) * where(x >= 0, {e}, 1)"
        f" / square(where(x >= 0, 1 + 2 * {e}, {e} * (2 + {e})) + where(x >= 0, 2 * {e} * {e}, 2))",
        ref="torch.cosh(torch.nn.functional.softplus(x)) ** -2 * torch.sigmoid(x)",
        aten_body="sech2(softplus(x)) * sigmoid(x)",
        domain="-20:20",
        ulp=8,
    )
    yield P("mish(x)", ("tanh_softplus(x) + x * dtanh_softplus(x)",), body="x * tanh_softplus(x)",
            ref="torch.nn.functional.mish", domain="-20:20", ulp=5)  # fmt: skip
    yield P("gelu(x)", ("normal_cdf(x) + x * normal_pdf(x)",), body="x * normal_cdf(x)",
            ref="torch.nn.functional.gelu", domain="-12:12", ulp=7)  # fmt: skip
    # 2 * sqrt(2 / pi) * (x + 0.044715 * x ** 3) inside, so that tanh becomes a sigmoid; outside,
    # products are in an order where exp(-large) comes before the powers that could overflow.
    inner = "x * (1.59576912160573071175978423973752747 + 0.0713548162726002527707919718 * x * x)"
    yield P(
        "gelu_tanh(x)",
        (
            f"sigmoid({inner})"
            f" + x * dsigmoid({inner}) * 1.59576912160573071175978423973752747"
            f" + x * dsigmoid({inner}) * x * x * 0.2140644488178007583123759154",
        ),
        body=f"x * sigmoid({inner})",
        ref="torch.nn.functional.gelu(x, approximate='tanh')",
        domain="-9:9",
        ulp=128,
    )


def _piecewise_activations() -> Iterator[Primitive]:
    at_zero: Any = {"kinks": ("x",)}
    yield P("relu(x)", ("where(out <= 0, 0, 1)",), body="where(x <= 0, 0, x)", aten="relu",
            convention="relu'(0) = 0; NaN propagates", result="same", integer=True,
            **at_zero)  # fmt: skip
    yield P("relu6(x)", ("where(out <= 0 or out >= 6, 0, 1)",), aten="relu6",
            body="where(x <= 0, 0, where(x >= 6, 6, x))", ref="torch.nn.functional.relu6",
            domain="-4:10", kinks=("x", "x - 6"), convention="0 at both ends")  # fmt: skip
    yield P("leaky_relu(x, negative_slope=0.01)",
            ("where(x > 0, 1, negative_slope)", "where(x > 0, 0, x)"),
            body="where(x > 0, x, negative_slope * x)",
            ref="torch.where(x > 0, x, negative_slope * x)", domain="-4:4, 0:0.5",
            convention="the slope at 0", **at_zero)  # fmt: skip
    # at::where multiplies the branch not taken by zero: its expm1 must stay finite
    yield P("elu(x, alpha=1)",
            ("where(x <= 0, alpha * exp(x), 1)", "where(x <= 0, expm1(x), 0)"),
            body="where(x <= 0, alpha * expm1(x), x)",
            ref="torch.where(x <= 0, alpha * torch.expm1(x.clamp(max=0)), x)",
            aten_body="where(x <= 0, alpha * expm1(clamp(x, -inf, 0)), x)",
            domain="-10:4, 0.5:2", ulp=3, convention="alpha at 0", **at_zero)  # fmt: skip
    yield P("selu(x)", ("where(x <= 0, 1.75809934084737682994021752081231 * exp(x),"
                        " 1.05070098735548049341933498529460)",),
            body="1.05070098735548049341933498529460"
                 " * elu(x, 1.67326324235437728481704299167170)",
            ref="torch.nn.functional.selu", aten="selu", domain="-10:4", ulp=4,
            convention="the left derivative at 0", **at_zero)  # fmt: skip
    yield P("hardsigmoid(x)", ("where(x > -3 and x < 3, 1 / 6, 0)",), aten="hardsigmoid",
            body="where(x <= -3, 0, where(x >= 3, 1, (x + 3) / 6))",
            ref="torch.nn.functional.hardsigmoid", kinks=("x + 3", "x - 3"), ulp=2,
            convention="0 at both ends")  # fmt: skip
    yield P("hardswish(x)", ("where(x <= -3, 0, where(x < 3, x / 3 + 0.5, 1))",), aten="hardswish",
            body="x * hardsigmoid(x)", ref="torch.nn.functional.hardswish",
            kinks=("x + 3", "x - 3"), ulp=3, convention="0 at -3, 1 at 3")  # fmt: skip
    yield P("hardtanh(x, low=-1, high=1)",
            ("where(x <= low or x >= high, 0, 1)", "where(x <= low, 1, 0)",
             "where(x <= low, 0, where(x >= high, 1, 0))"),
            body="where(x <= low, low, where(x >= high, high, x))",
            ref="torch.where(x <= low, low, torch.where(x >= high, high, x))",
            domain="-4:4, -3:0, 0:3", kinks=("x - low", "x - high"),
            convention="0 at both ends")  # fmt: skip
    yield P("softsign(x)", ("square(1 / (1 + abs(x)))",), body="x / (1 + abs(x))",
            ref="torch.nn.functional.softsign", domain="-100:100", ulp=2,
            kinks=("x",), convention="smooth at 0; the second derivative is 0 there")  # fmt: skip


# What mpmath leaves to exceptions or says otherwise than IEEE arithmetic.


def _div(x: Any, y: Any) -> Any:
    if y == 0:
        return x * mpmath.inf
    return mpmath.mpf(x) / y


def _pow(x: Any, y: Any) -> Any:
    if x == 0 and y < 0:
        return mpmath.inf
    return mpmath.power(x, y)


def _sign(x: Any) -> Any:
    return mpmath.mpf(int(x > 0) - int(x < 0))


def _trunc(x: Any) -> Any:
    return mpmath.floor(x) if x > 0 else mpmath.ceil(x)


def _nan_or(choose: Callable[..., Any], x: Any, y: Any) -> Any:
    return x + y if mpmath.isnan(x) or mpmath.isnan(y) else choose(x, y)


def _zeta(s: Any, x: Any) -> Any:
    if s == int(s):
        return (-1) ** int(s) * mpmath.psi(int(s) - 1, x) / mpmath.factorial(s - 1)
    return mpmath.zeta(s, x)


PRIMITIVES: Mapping[str, Primitive] = _table(
    _arithmetic(),
    _conditions(),
    _steps(),
    _powers(),
    _exponentials(),
    _trigonometry(),
    _error_functions(),
    _gamma(),
    _activations(),
    _piecewise_activations(),
)
