"""Values of formulas in float64, for many rows at once, by the definition of each function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import CodeType

import torch
from torch import Tensor

from fusewise.graph.dag import Node, topological
from fusewise.language.formula import INDEX, LENGTH

Values = Mapping[Node, Tensor]


def evaluate_rows(roots: Iterable[Node], given: Values, length: int) -> dict[Node, Tensor]:
    """The value of every node that the roots need; their reductions are sums and maxima.

    given: inputs and params; a column for each element, or one that broadcasts.
    """
    leaves = {INDEX: torch.arange(length).double().unsqueeze(0), LENGTH: number(length)}
    values: dict[Node, Tensor] = {}
    for node in topological(roots):
        if node in given:
            values[node] = given[node].bool() if node.type == "bool" else given[node]
        elif node.kind == "const":
            assert node.value is not None
            values[node] = number(float(node.value))
        elif node.row is None:
            values[node] = leaves[node.name]
        elif node.form and not node.form.selects:
            values[node] = values[node.args[0]]
        else:
            args = [values[arg] for arg in node.args]
            if node.reduction:
                args = [arg.expand(*arg.shape[:-1], length) for arg in args]
            names = dict(zip(node.row.params, args, strict=True))
            value = eval(_code(node.row.ref), {"torch": torch}, names)
            values[node] = value if value.dtype == torch.bool else value.double()
    return values


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


@cache
def _code(text: str) -> CodeType:
    return compile(text, "<reference>", "eval")
