"""Values of formulas on rows, in PyTorch and by the bodies of reductions."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from fusewise.language.formula import INDEX, LENGTH, Expr, Name, Number
from fusewise.language.functions import CALLABLE, Reduction, left_out
from torch import Tensor

CONSTANTS = {"inf": torch.inf, "nan": torch.nan, "pi": torch.pi}


def on_rows(expr: Expr, names: Mapping[str, Tensor], length: int) -> Tensor:
    """The value of a formula on rows, which are the last dimension and have this length."""
    leaves = {INDEX: torch.arange(length), LENGTH: torch.tensor(length)}

    def value(node: Expr, known: Mapping[str, Tensor]) -> Tensor:
        if isinstance(node, Number):
            return torch.tensor(float(node.value), dtype=torch.float64)
        if isinstance(node, Name):
            number = CONSTANTS.get(node.id)
            return known[node.id] if number is None else torch.tensor(number)
        row = CALLABLE[node.function]
        args = [value(arg, known) for arg in (*node.args, *left_out(row, len(node.args)))]
        given = dict(zip(row.params, args, strict=True))
        if isinstance(row, Reduction) and row.body is not None:
            return value(row.body, {**leaves, **given})
        return eval(row.ref, {"torch": torch, **given})

    return value(expr, {**leaves, **names})
