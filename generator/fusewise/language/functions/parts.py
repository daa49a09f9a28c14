"""Formulas that rows of both tables share."""

from __future__ import annotations

E = "exp(-abs(x))"  # at most 1, so that a sigmoid in terms of it cannot overflow
# GELU has 1 + tanh(u) = 2 * sigmoid(2 * u), with u = sqrt(2 / pi) * (x + 0.044715 * x ** 3).
SQRT_8_OVER_PI = "1.59576912160573071175978423973752747390343452"
TWO_U = f"(x * ({SQRT_8_OVER_PI} + 0.0713548162726002487763387522798635409955920748 * x * x))"
