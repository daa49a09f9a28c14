"""The structs of a pass: its formulas for an element, with the constants of pass.h."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from fusewise.emit.cpp.bodies import FunctionView, kernel_functions
from fusewise.emit.printing import wrapped
from fusewise.graph.dag import instructions
from fusewise.graph.passes import Pass, names_of
from fusewise.language.functions.operators import DIV_SHARED
from fusewise.language.model import DTYPES
from fusewise.plan.kernels import hoisted_values
from fusewise.plan.statements import KernelPlan, used_by

# A pass of more instructions calls its functions instead of inlining them, and the compiler takes
# seconds. Usual ops have less than 300.
LARGE_PASS = 600

# Vectors of one-byte elements have a form of their own.
BYTE_DTYPES = frozenset(name for name, row in DTYPES.items() if row.bytes == 1)


@dataclass(frozen=True, slots=True)
class StructView:
    """A struct of pass.h."""

    name: str
    num_reads: int
    num_writes: int
    num_params: int
    instructions: int  # an estimate for an element, without values that are always hoisted
    constants: tuple[tuple[str, int], ...]  # of pass.h, without those that are 0
    stored_dtype: str  # returns the dtype of operands with a fixed one-byte dtype; empty: none has
    functions: tuple[FunctionView, ...]  # hoist, if there is something to hoist, and apply


def struct_view(
    name: str, source: Pass, plan: KernelPlan, *, is_maximum: bool = False
) -> StructView:
    """The struct of a pass. `is_maximum`: its first write is the term of a maximum."""
    hoisted = hoisted_values(plan)
    divisors = [node.args[1] for node in plan.kernel.used if node.function is DIV_SHARED]
    operands = [*(read.name for read in plan.reads), *plan.write_names]
    special = plan.specialization
    is_known = special.possible_row_scalars.isdisjoint(node.name for node in used_by(hoisted))
    per_row = hoisted if is_known else ()
    count = sum(map(instructions, used_by(plan.kernel.writes, per_row) - set(per_row)))
    constants = {
        "kTwoAxis": int(special.two_axis),
        "kFull": bits(operands, special.full),
        "kRowScalars": bits(operands, special.row_scalars),
        "kInterleaved": _interleaved(source, operands),
        "kIntegers": _integers(source, operands),
        "kHoisted": len(hoisted),
        "kHoistedFrom": bits(plan.reads, used_by([*hoisted, *divisors])),
        "kRepeated": bits(operands, special.broadcast),
        "kSummed": bits(operands, special.summed),
        "kCopied": _copied(plan) if is_maximum else 0,
    }
    return StructView(
        name=name,
        num_reads=len(plan.reads),
        num_writes=len(plan.write_names),
        num_params=len(plan.params),
        instructions=count,
        constants=tuple((name, value) for name, value in constants.items() if value),
        stored_dtype=_stored_dtype(source, operands),
        functions=kernel_functions(plan, hoisted, count > LARGE_PASS),
    )


def _copied(plan: KernelPlan) -> int:
    """The reads that the first writes copy, a bit each, as far as they stand in order."""
    found = 0
    for node in plan.kernel.writes:
        bit = 1 << plan.reads.index(node) if node in plan.reads and node.is_element else 0
        if bit <= found:
            break
        found |= bit
    return found


def _interleaved(source: Pass, operands: Sequence[str]) -> int:
    """The first parts of interleaved tensors, a bit each."""
    tensors = (*source.reads, *source.writes)
    firsts = [t.part_names[0] for t in tensors if t.layout == "interleaved" and len(t.parts) == 2]
    return bits(operands, firsts)


def _integers(source: Pass, operands: Sequence[str]) -> int:
    """The reads with an integer or a bool for each element, a bit each."""
    tensors = [t for t in source.reads if t.dtype in ("int", "bool") and t.extent == "element"]
    return bits(operands, names_of(tensors))


def _stored_dtype(source: Pass, operands: Sequence[str]) -> str:
    tensors = (*source.reads, *source.writes)
    dtypes = {name: tensor.dtype for tensor in tensors for name in tensor.part_names}
    fixed = [
        f"operand == {index} ? Dtype::{DTYPES[dtypes[name]].cpp}"
        for index, name in enumerate(operands)
        if dtypes.get(name) in BYTE_DTYPES
    ]
    return "\n    ".join(wrapped(f"return {' : '.join([*fixed, 'others'])};", 4)) if fixed else ""


def bits(items: Sequence[Any], among: Collection[Any]) -> int:
    return sum(1 << index for index, item in enumerate(items) if item in among)
