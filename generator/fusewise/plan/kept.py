"""The totals of the forward pass that the backward reads instead of reducing again.

A kept total takes 4 or 8 bytes for each row. A backward that reduces it again has another phase,
or another total in a phase, which takes more registers of each thread that holds the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fusewise.graph.dag import Dag, Node, topological


@dataclass(frozen=True, slots=True)
class KeptTotals:
    inputs: Mapping[Node, Node] = field(default_factory=dict)  # of the backward, by the reductions

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.inputs.values())

    @property
    def counted(self) -> str:
        count = len(self.inputs)
        return f"{'one total' if count == 1 else f'{count} totals'} of each row"

    def __str__(self) -> str:
        size = 4 * len(self.inputs)
        return f"The forward pass keeps {self.counted} for the backward, {size} B."


def keep_totals(dag: Dag, forward: Sequence[Node], backward: Sequence[Node]) -> KeptTotals:
    """The reductions that both passes have.

    The passes are given by their writes in sums and maxima.
    """
    ours = {node for node in topological(forward) if node.reduction}
    shared = [node for node in topological(backward) if node in ours]
    read = set(topological(backward, stop=shared))
    kept = [node for node in shared if node in read]  # others are read for these alone
    return KeptTotals(
        {
            node: dag.input(f"kept_total{k}", node.type, is_element=False)
            for k, node in enumerate(kept)
        }
    )
