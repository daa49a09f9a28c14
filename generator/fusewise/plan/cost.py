"""The cost of a pass: bytes, instructions, and the roofline estimate of its time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fusewise.graph.dag import Node, instructions
from fusewise.graph.passes import Operand, Pass
from fusewise.language.model import DTYPES, Spec
from fusewise.plan.statements import KernelPlan, used_by

# Of the dtypes for which pages show bytes and times.
FLOAT_BYTES = {name: DTYPES[name].bytes for name in ("float32", "bfloat16")}
_INT_BYTES = DTYPES["int64"].bytes  # of a tensor of any integers


@dataclass(frozen=True, slots=True)
class Machine:
    """The limits of a pointwise kernel on a machine."""

    name: str
    bytes_per_second: float  # read and written, of a plain copy
    instructions_per_second: float  # of all lanes, in units of Function.cost


H200 = Machine("H200", bytes_per_second=4.3e12, instructions_per_second=29e12)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The roofline: the longer of the time for memory and the time for arithmetic."""

    bytes: int
    memory: float  # seconds
    arithmetic: float  # seconds

    @property
    def seconds(self) -> float:
        return max(self.memory, self.arithmetic)

    @property
    def bound(self) -> str:
        return "memory" if self.memory >= self.arithmetic else "arithmetic"


def estimate(
    spec: Spec,
    source: Pass,
    plan: KernelPlan,
    shapes: Mapping[str, Sequence[int]],
    dtype: str,
    machine: Machine = H200,
) -> Estimate:
    """The estimate for input shapes. An optional input without a shape is absent."""
    count = moved_bytes(spec, source, plan, shapes, FLOAT_BYTES[dtype])
    work = _instructions(source, plan, spec.loop_shape(shapes))
    return Estimate(count, count / machine.bytes_per_second, work / machine.instructions_per_second)


def _instructions(source: Pass, plan: KernelPlan, loop: Sequence[int]) -> int:
    """Those for all elements. The phases of a pass that reduces compute shared values anew."""
    elements = math.prod(loop)
    if plan.row_pass is None:
        used = _used(plan, [tensor for tensor in source.writes if source.equal_to(tensor) is None])
        return elements * sum(map(instructions, used))
    rows = math.prod(loop[:-1])
    return sum(
        instructions(node) * (elements if node.is_element else rows)
        for part in plan.row_pass.parts
        for node in part.kernel.used
    )


def moved_bytes(
    spec: Spec, source: Pass, plan: KernelPlan, shapes: Mapping[str, Sequence[int]], item: int
) -> int:
    """The least number of bytes that the pass reads and writes, for floats of `item` bytes.

    A gradient that equals another one of the same shape is forwarded, which moves no bytes.
    """
    *outer, last = spec.loop_shape(shapes)
    known = {name: tuple(shape) for name, shape in shapes.items()}
    for output in spec.outputs:
        of_rows = output.extent == "row"
        known[output.name] = tuple(outer) if of_rows else (*outer, last * len(output.parts))

    def shape(tensor: Operand) -> tuple[int, ...]:
        return known.get(tensor.origin, (0,))

    writes = []
    for tensor in source.writes:
        equal = source.equal_to(tensor)
        if math.prod(shape(tensor)) and (equal is None or shape(equal) != shape(tensor)):
            writes.append(tensor)
    used = _used(plan, writes)
    reads = [tensor for tensor in source.reads if used.intersection(tensor.parts)]
    return sum(math.prod(shape(t)) * item_bytes(t, item) for t in (*reads, *writes))


def _used(plan: KernelPlan, writes: Sequence[Operand]) -> set[Node]:
    """The nodes that the values of these writes depend on."""
    named = dict(zip(plan.write_names, plan.kernel.writes, strict=True))
    return used_by(named[name] for tensor in writes for name in tensor.part_names)


def item_bytes(tensor: Operand, size: int) -> int:
    """The bytes of an element; `size` are those of a float without a fixed dtype."""
    if tensor.dtype in DTYPES:
        return DTYPES[tensor.dtype].bytes
    return _INT_BYTES if tensor.dtype == "int" else size
