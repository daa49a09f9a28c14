"""Short names of the rows of operators and reductions, for stages that rewrite them."""

from __future__ import annotations

from fusewise.language.functions.table import REDUCTIONS, ROWS

ADD, SUB, MUL, DIV, NEG, POW = (ROWS[n] for n in ("add", "sub", "mul", "div", "neg", "pow"))
FLOORDIV, MOD = ROWS["floordiv"], ROWS["mod"]
LT, LE, GT, GE, EQ, NE = (ROWS[name] for name in ("lt", "le", "gt", "ge", "eq", "ne"))
AND, OR, NOT = (ROWS[name] for name in ("logical_and", "logical_or", "logical_not"))
ABS, HYPOT = ROWS["abs"], ROWS["hypot"]
EXP, EXP_NEGATIVE = ROWS["exp"], ROWS["exp_negative"]
DIV_SHARED = ROWS["div_shared"]  # the divisor is constant in a row
SUM, AMAX = REDUCTIONS["sum"], REDUCTIONS["amax"]  # the reductions that kernels have
AMIN, MEAN = REDUCTIONS["amin"], REDUCTIONS["mean"]
LOG_SOFTMAX = REDUCTIONS["log_softmax"]
