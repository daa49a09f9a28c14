"""What a pass costs: bytes, instructions, and the least time that a machine needs for them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fusewise.graph.dag import Node, instructions
from fusewise.graph.passes import Operand, Pass
from fusewise.language.model import Input
from fusewise.language.spec import Spec
from fusewise.plan.kernels import KernelPlan, row_invariant_nodes, used_by
from fusewise.plan.memory import H200, Machine

FLOAT_BYTES = {"float32": 4, "bfloat16": 2}
_FIXED_BYTES = {
    "bool": 1, "uint8": 1, "int8": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "int16": 2,
    "float16": 2, "bfloat16": 2, "int32": 4, "float32": 4, "int": 8, "int64": 8, "float64": 8,
}  # fmt: skip

WORTH_HOISTING = 8  # instructions that a value held in a register saves an element


@dataclass(frozen=True, slots=True)
class ElementCost:
    """What one element of the loop costs, of tensors none of which is broadcast."""

    reads: int
    writes: int
    bytes: Mapping[str, int]  # by floating-point type
    instructions: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The roofline: the time that memory or arithmetic takes, whichever is longer."""

    bytes: int
    memory: float  # seconds
    arithmetic: float

    @property
    def seconds(self) -> float:
        return max(self.memory, self.arithmetic)

    @property
    def bound(self) -> str:
        return "memory" if self.memory >= self.arithmetic else "arithmetic"


def element_cost(source: Pass, plan: KernelPlan) -> ElementCost:
    """The cost of an element; what is worked out twice in a formula is counted once."""
    writes = [tensor for tensor in source.writes if source.equal_to(tensor) is None]
    used = _used(plan, writes)
    moved = [(tensor, used.intersection(tensor.parts)) for tensor in source.reads]
    reads = sum(len(parts) for _, parts in moved)
    moved += [(tensor, set(tensor.part_names)) for tensor in writes]
    return ElementCost(
        reads=reads,
        writes=sum(len(tensor.parts) for tensor in writes),
        bytes={
            name: sum(len(parts) * _item_bytes(tensor, size) for tensor, parts in moved)
            for name, size in FLOAT_BYTES.items()
        },
        instructions=sum(map(instructions, used)),
    )


def estimate(
    spec: Spec,
    source: Pass,
    plan: KernelPlan,
    shapes: Mapping[str, Sequence[int]],
    dtype: str,
    machine: Machine = H200,
) -> Estimate:
    """The estimate for input shapes; an optional input without one is absent."""
    count = moved_bytes(spec, source, plan, shapes, FLOAT_BYTES[dtype])
    work = math.prod(loop_shape(spec, shapes)) * element_cost(source, plan).instructions
    return Estimate(count, count / machine.bytes_per_second, work / machine.instructions_per_second)


def moved_bytes(
    spec: Spec, source: Pass, plan: KernelPlan, shapes: Mapping[str, Sequence[int]], item: int
) -> int:
    """What the pass must read and write at least, for floats of `item` bytes.

    A gradient that equals another of its shape is forwarded, and takes nothing.
    """
    *outer, last = loop_shape(spec, shapes)
    known = {name: tuple(shape) for name, shape in shapes.items()}
    known |= {output.name: (*outer, last * len(output.parts)) for output in spec.outputs}

    def shape(tensor: Operand) -> tuple[int, ...]:
        return known.get(tensor.name.removeprefix("grad_").removeprefix("grad_"), (0,))

    writes = []
    for tensor in source.writes:
        equal = source.equal_to(tensor)
        if math.prod(shape(tensor)) and (equal is None or shape(equal) != shape(tensor)):
            writes.append(tensor)
    used = _used(plan, writes)
    reads = [tensor for tensor in source.reads if used.intersection(tensor.parts)]
    return sum(math.prod(shape(t)) * _item_bytes(t, item) for t in (*reads, *writes))


def _used(plan: KernelPlan, writes: Sequence[Operand]) -> set[Node]:
    """The nodes whose values these writes need."""
    named = dict(zip(plan.write_names, plan.kernel.writes, strict=True))
    return used_by(named[name] for tensor in writes for name in tensor.part_names)


def _item_bytes(tensor: Operand, size: int) -> int:
    return _FIXED_BYTES.get(tensor.dtype, size)


def loop_shape(spec: Spec, shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """What the inputs broadcast to, each part of a packed one by itself."""
    loop: list[int] = []
    for entry in spec.inputs:
        reverse = part_shape(entry, shapes.get(entry.name, ()))[::-1]
        loop += [1] * (len(reverse) - len(loop))
        for k, size in enumerate(reverse):
            loop[k] = size if loop[k] == 1 else loop[k]
    return tuple(reversed(loop))


def has_two_axis_sums(spec: Spec, source: Pass) -> bool:
    """Whether two gradients each keep rows that the other one sums, where the op is timed.

    A kernel that takes both in one pass over the data is larger.
    """
    for shapes in map(dict, spec.bench if source.name == "backward" else ()):
        loop = loop_shape(spec, shapes)
        small = _sizes(spec, shapes, loop)
        sizes = [small.get(tensor.like, loop) or loop for tensor in source.writes]
        summed = [{d for d in range(len(loop) - 1) if size[d] < loop[d]} for size in sizes]
        for one, other in itertools.combinations(filter(None, summed), 2):
            if one.isdisjoint(other):
                return True
    return False


def specialized_sums(spec: Spec, source: Pass) -> tuple[set[str], set[str]]:
    """The operands of a backward pass as large as the loop, and the sums, where those are timed.

    Both are names of parts. There are none where sums of several kinds are timed, or sums that
    cross.
    """
    timed = [
        found
        for shapes in map(dict, spec.bench if source.name == "backward" else ())
        if (found := _sums(spec, source, shapes))[1]
    ]
    is_one_kind = bool(timed) and all(found == timed[0] for found in timed)
    return timed[0] if is_one_kind and not has_two_axis_sums(spec, source) else (set(), set())


def repeated_reads(spec: Spec, source: Pass) -> set[str]:
    """The reads of a pass, by names of parts, that are smaller than the loop where the op is timed.

    Inputs that are absent there count as smaller, and of an op that is not timed all but the first.
    """
    small: set[str | None] = set()
    if not spec.bench:
        small.update(entry.name for entry in spec.inputs[1:])
    for shapes in map(dict, spec.bench):
        loop = loop_shape(spec, shapes)
        small.update(name for name, size in _sizes(spec, shapes, loop).items() if size != loop)
    return {part for tensor in source.reads if tensor.name in small for part in tensor.part_names}


def _sums(
    spec: Spec, source: Pass, shapes: Mapping[str, tuple[int, ...]]
) -> tuple[set[str], set[str]]:
    loop = loop_shape(spec, shapes)
    sizes = _sizes(spec, shapes, loop)
    full = {part.name for t in source.reads if sizes.get(t.name, loop) == loop for part in t.parts}
    summed: set[str] = set()
    computed = set()  # what autograd asks for once
    for tensor in source.writes:
        size = sizes.get(tensor.like, loop)
        equal = source.equal_to(tensor) or tensor
        is_forwarded = equal in source.reads and size == loop
        if size and not is_forwarded and (equal.name, size) not in computed:
            computed.add((equal.name, size))
            (full if size == loop else summed).update(tensor.part_names)
    return full, summed


def _sizes(
    spec: Spec, shapes: Mapping[str, tuple[int, ...]], loop: tuple[int, ...]
) -> dict[str | None, tuple[int, ...]]:
    """The sizes of inputs in each dimension of the loop, none for those that are absent."""
    sizes: dict[str | None, tuple[int, ...]] = {}
    for entry in spec.inputs:
        small = part_shape(entry, shapes[entry.name]) if entry.name in shapes else ()
        sizes[entry.name] = (1,) * (len(loop) - len(small)) + small if small else ()
    return sizes


def row_scalar_names(spec: Spec) -> set[str]:
    """The inputs, or their parts, that are one number a row where the op is timed."""
    shapes = dict(spec.bench[0] if spec.bench else ())
    return {
        name
        for entry in spec.inputs
        if entry.name in shapes and part_shape(entry, shapes[entry.name])[-1] == 1
        for name in entry.names
    }


def hoisted_values(plan: KernelPlan) -> tuple[Node, ...]:
    """What is worth computing once a row: the same in all of it, and used by what is not."""
    used = sorted(plan.kernel.used, key=lambda node: node.index)  # arguments first
    invariant = row_invariant_nodes(used, plan.row_scalars)
    needed = {arg for node in used if node not in invariant for arg in node.args}
    needed.update(plan.kernel.writes)
    return tuple(
        node
        for node in used
        if node in invariant & needed and sum(map(instructions, used_by([node]))) >= WORTH_HOISTING
    )


def part_shape(entry: Input, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of each part of an input, at least one-dimensional."""
    *outer, last = shape or (1,)
    return (*outer, last // len(entry.names))
