"""Products taken apart into their factors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from fusewise.graph.dag import Dag, Node
from fusewise.language.functions.operators import DIV, MUL, NEG

MAX_FACTORS = 16  # of a product that are looked at together


@dataclass(frozen=True, slots=True)
class Product:
    """A product as a number times factors, none of which is a product itself."""

    scale: Fraction
    factors: tuple[Node, ...]
    constants: int  # that the scale is made of

    @classmethod
    @lru_cache(maxsize=1024)  # each rule looks at the same few products
    def of(cls, node: Node) -> Product:
        scale, constants = Fraction(1), 0
        factors: list[Node] = []
        pending = [node]
        while pending:
            part = pending.pop()
            if part.kind == "const" and isinstance(part.value, Fraction):
                scale, constants = scale * part.value, constants + 1
            elif part.type != "float" or len(factors) + len(pending) >= MAX_FACTORS:
                factors.append(part)
            elif part.row is MUL:
                pending += reversed(part.args)
            elif part.row is NEG:
                scale = -scale
                pending.append(part.args[0])
            elif (divisor := _divisor(part)) is not None:
                scale, constants = scale / divisor, constants + 1
                pending.append(part.args[0])
            else:
                factors.append(part)
        return cls(scale, tuple(factors), constants)

    @property
    def is_cut(self) -> bool:
        """Whether a factor is a product after all, since there are too many."""
        return any(part.type == "float" and is_product(part) for part in self.factors)

    def build(self, dag: Dag) -> Node:
        parts = [dag.const(self.scale)] if self.scale != 1 or not self.factors else []
        return multiplied(dag, [*parts, *self.factors])


def multiplied(dag: Dag, factors: Iterable[Node]) -> Node:
    first, *others = factors
    for factor in others:
        first = dag.call(MUL, first, factor)
    return first


def is_product(node: Node) -> bool:
    """Whether the node is taken apart as a product."""
    return node.row in (MUL, NEG) or _divisor(node) is not None


def _divisor(node: Node) -> Fraction | None:
    if node.row is not DIV:
        return None
    value = node.args[1].value
    return value if isinstance(value, Fraction) and value != 0 else None
