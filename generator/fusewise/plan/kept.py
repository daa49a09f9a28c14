"""The totals of the forward pass that the backward reads instead of reducing again.

A kept total takes 4 or 8 bytes for each row. Totals are kept only where that saves a phase: another
total in a phase that the backward has anyway costs less than to write a number and to read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fusewise.graph.dag import Dag, Node, reduction_depths, topological


@dataclass(frozen=True, slots=True)
class KeptTotals:
    inputs: Mapping[Node, Node] = field(default_factory=dict)  # of the backward, by the reductions
    phases: int = 0  # of the backward
    phases_without: int = 0  # the same if nothing were kept

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.inputs.values())

    def __str__(self) -> str:
        count = len(self.inputs)
        totals = "one total" if count == 1 else f"{count} totals"
        return (
            f"The forward pass keeps {totals} of each row for the backward, {4 * count} B, which "
            f"leaves {self.phases} of {self.phases_without} phases."
        )


def keep_totals(dag: Dag, forward: Sequence[Node], backward: Sequence[Node]) -> KeptTotals:
    """The reductions that both passes have, unless the backward has as many phases without them.

    The passes are given by their writes in sums and maxima.
    """
    ours = {node for node in topological(forward) if node.reduction}
    shared = [node for node in topological(backward) if node in ours]
    phases, phases_without = num_phases(backward, shared), num_phases(backward)
    if phases == phases_without:
        return KeptTotals(phases=phases, phases_without=phases)
    read = set(topological(backward, stop=shared))
    kept = [node for node in shared if node in read]  # others are read for these alone
    inputs = {
        node: dag.input(f"kept_total{k}", node.type, is_element=False)
        for k, node in enumerate(kept)
    }
    return KeptTotals(inputs, phases, phases_without)


def num_phases(roots: Sequence[Node], given: Iterable[Node] = ()) -> int:
    """The phases of a pass that computes the roots, where some totals are given."""
    return max(reduction_depths(roots, dict.fromkeys(given, 0)).values(), default=0)
