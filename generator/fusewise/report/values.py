"""Values of a pass in float64, for many rows at once, by the definition of each function."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import CodeType

import torch
from torch import Tensor

from fusewise.graph.dag import Node, expand, topological
from fusewise.graph.passes import Pass, names_of
from fusewise.language.formula import INDEX, LENGTH, Expr
from fusewise.language.functions import Form, Function, Reduction


def run(source: Pass, values: Mapping[str, Tensor], shape: tuple[int, int]) -> dict[str, Tensor]:
    """The writes of a pass by name, each of the given shape or of one that broadcasts to it.

    values: the reads and params by name, likewise.
    shape: the number of rows, and of elements of each; a pass that does not reduce has rows of one.
    """
    known = {**values, INDEX: torch.arange(shape[1]).double(), LENGTH: _number(shape[1])}
    done = expand(source.dag.copy(), source.roots, _body)
    results: dict[Node, Tensor] = {}
    for node in topological(done.values()):
        args = [results[arg] for arg in node.args]
        if node.kind == "const":
            assert node.value is not None
            results[node] = _number(float(node.value))
        elif node.row is None:
            results[node] = known[node.name]
        elif isinstance(node.row, Form):
            results[node] = torch.where(args[0] != 0, *args[1:]) if node.row.selects else args[0]
        else:
            if isinstance(node.row, Reduction):
                args = [arg.expand(shape) for arg in args]
            results[node] = _called(node.row, args)
    names = names_of(source.writes)
    return {name: results[done[root]] for name, root in zip(names, source.roots, strict=True)}


def _body(row: Function | Reduction) -> Expr | None:
    return row.body if isinstance(row, Reduction) else None


def _called(row: Function | Reduction, args: list[Tensor]) -> Tensor:
    names = dict(zip(row.params, args, strict=True))
    return eval(_code(row.ref), {"torch": torch, **names}).double()


@cache
def _code(text: str) -> CodeType:
    return compile(text, "<reference>", "eval")


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
