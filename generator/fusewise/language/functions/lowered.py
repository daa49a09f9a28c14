"""Lowered intrinsics: functions that only the generator calls. In a spec they are errors.

Some are correct only for a range of arguments, which the generator guarantees. The others have
derivatives that do not cancel or overflow.
"""

from __future__ import annotations

from typing import Any

import mpmath

from fusewise.language.functions import values
from fusewise.language.functions.parts import SQRT_8_OVER_PI, TWO_U, E
from fusewise.language.functions.row import P

# tanh(softplus(x)) = num / (num + rest). For x >= 0 both are scaled by exp(-2 * abs(x)).
_NUM = f"where(x >= 0, 1 + 2 * {E}, {E} * (2 + {E}))"
_REST = f"where(x >= 0, 2 * {E} * {E}, 2)"
_U = "((8 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3))"  # TWO_U in PyTorch
_D = f"dsigmoid({TWO_U})"
_THREE_C = "0.214064448817800746329016256839590622986776224"  # of x ** 2 in the derivative of TWO_U
_TWELVE_C = "0.856257795271202985316065027358362491947104896"
_QUOTIENT: Any = {
    "mp": values.div, "float64": values.div_float64, "fraction": values.div_fraction,
    "ref": "(x / y)", "aten_body": "x / y", "domain": "-4:4, 0.1:4", "cost": 8,
    "in_hardware": True, "means": "x / y",
}  # fmt: skip

# fmt: off
LOWERED = (
    # a quotient by a number that is neither tiny nor huge; cheaper in 16 bits
    P("div_moderate(x, y)", ("1 / y", "-out / y"),
      convention="for y from 2^-100 to 2^100; cheaper in 16 bits", **_QUOTIENT),
    # a quotient by a row-invariant divisor; on a GPU the elements of a row share the reciprocal
    P("div_shared(x, y)", ("1 / y", "-out / y"),
      convention="for y that is the same in a row; cheaper there", **_QUOTIENT),
    # The product rule gives (1 - x) - (1 + x), which cancels near 0. PyTorch's autograd uses it,
    # so the ATen formula has the product only for abs(x) >= 0.5.
    P("one_minus_square(x)", ("-2 * x",), body="(1 - x) * (1 + x)", ref="(1 - x * x)",
      aten_body="where(abs(x) < 0.5, 1 - square(where(abs(x) < 0.5, x, 0)), (1 - x) * (1 + x))",
      ulp=2, even=True, degree=2, means="1 - x * x"),
    # The plain derivative by x is 1 / h - x * x / h ** 3, which cancels if y is small.
    P("hypot_slope(x, y)",
      ("hypot_slope(y, x) / hypot(x, y) * hypot_slope(y, x)",
       "-out / hypot(x, y) * hypot_slope(y, x)"),
      body="x / hypot(x, y)", ref="(x / torch.hypot(x, y))", ulp=2, kinks=("hypot(x, y)",),
      convention="NaN at (0, 0)", bounded=True, means="x / hypot(x, y)"),
    P("log1p_unit(x)", ("1 / (1 + x)",), mp=mpmath.log1p, ref="torch.log1p", aten_body="log1p(x)",
      domain="0:1", ulp=2, cost=12, convention="for x from 0 to 1; cheaper there",
      means="log(1 + x)"),
    # GPUs flush results below 2 ** -126 to zero, beside the 1 that a sum over a row has.
    P("exp_negative(x)", ("out",), mp=mpmath.exp, ref="torch.exp", aten_body="exp(x)",
      domain="-20:0", ulp=3, cost=10, vanishes=True,
      convention="for x up to 0; cheaper there, and 0 on a GPU where exp(x) < 2^-126",
      large="exponent", means="exp(x)"),
    # exp(x * y) without the rounding error of the product, which exp would magnify
    P("exp_mul(x, y)", ("y * out", "x * out"), mp=lambda x, y: mpmath.exp(x * y),
      ref="torch.exp(x * y)", aten_body="exp(x * y)", ulp=2, cost=14, vanishes=True,
      large="exponent", means="exp(x * y)"),
    # exp(x) - 1 - x, which is about x * x / 2 near 0
    P("exp_remainder(x)", ("expm1(x)",), mp=values.exp_remainder,
      ref="torch.expm1(x) - x", aten_body="expm1(x) - x", domain="-20:20", ulp=8, cost=30,
      large="exponent", means="exp(x) - 1 - x"),
    P("sin_doubled(x)", ("2 - 4 * sin_squared(x)",), mp=lambda x: mpmath.sin(2 * x),
      ref="torch.sin(2 * x)", aten_body="sin(2 * x)", domain="-10:10", ulp=4, cost=10, bounded=True,
      large="angle", means="sin(2 * x)"),
    P("sin_squared(x)", ("sin_doubled(x)",), mp=lambda x: mpmath.sin(x) ** 2,
      shared="sin(x) * sin(x)", ref="torch.sin(x) ** 2", aten_body="square(sin(x))",
      domain="-10:10", ulp=4, cost=12, even=True, bounded=True, large="angle",
      means="sin(x) * sin(x)"),
    P("tanh_near_zero(x)", ("sech2(x)",), mp=mpmath.tanh, ref="torch.tanh", aten_body="tanh(x)",
      domain="-0.6:0.6", ulp=2, cost=8, convention="for x from -0.6 to 0.6; cheaper there",
      bounded=True, large="exponent", means="tanh(x)"),
    P("tanh_softplus(x)", ("dtanh_softplus(x)",), body=f"div_moderate({_NUM}, {_NUM} + {_REST})",
      ref="torch.tanh(torch.nn.functional.softplus(x))", aten_body="tanh(softplus(x))",
      domain="-20:20", ulp=4, bounded=True, vanishes=True, means="tanh(softplus(x))"),
    P("dtanh_softplus(x)", ("out * (sigmoid(-x) - 2 * tanh_softplus(x) * sigmoid(x))",),
      body=f"div_moderate(4 * {E} * (1 + {E}) * where(x >= 0, {E}, 1),"
           f" square({_NUM} + {_REST}))",
      ref="torch.cosh(torch.nn.functional.softplus(x)) ** -2 * torch.sigmoid(x)",
      aten_body="sech2(softplus(x)) * sigmoid(x)", domain="-20:20", ulp=8, bounded=True,
      vanishes=True, means="sech2(softplus(x)) * sigmoid(x)"),
    # The body and the derivative multiply by the vanishing factor first, so nothing overflows.
    P("dgelu_tanh(x)",
      (f"2 * ({_D} * {SQRT_8_OVER_PI}) + {_D} * x * x * {_TWELVE_C}"
       f" - x * ({_D} * {SQRT_8_OVER_PI} + {_D} * x * x * {_THREE_C}) * tanh(0.5 * {TWO_U})"
       f" * {SQRT_8_OVER_PI}"
       f" - x * ({_D} * {SQRT_8_OVER_PI} + {_D} * x * x * {_THREE_C}) * tanh(0.5 * {TWO_U})"
       f" * x * x * {_THREE_C}",),
      body=f"sigmoid({TWO_U}) + x * {_D} * {SQRT_8_OVER_PI} + x * {_D} * x * x * {_THREE_C}",
      ref=f"torch.sigmoid({_U}) * (1 + x * torch.sigmoid(-{_U}) * (8 / torch.pi) ** 0.5"
          " * (1 + 0.134145 * x ** 2))",
      domain="-9:9", ulp=128, math=r"GELU_tanh′ \operatorname{GELU}_{\tanh}'"),
)
# fmt: on
