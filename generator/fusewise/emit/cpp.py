"""Stage emit: a pass with everything that its C++ says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from fusewise.emit.bodies import (
    FunctionView,
    decomposition_lines,
    kernel_functions,
    used_array,
)
from fusewise.emit.descriptor import descriptor, input_names, pass_name, struct_name
from fusewise.emit.printing import wrapped
from fusewise.graph.dag import instructions
from fusewise.graph.passes import Pass
from fusewise.language.choices import Choice
from fusewise.language.functions.operators import DIV_SHARED
from fusewise.language.model import FLOAT8_DTYPES, FLOAT_DTYPES, Spec
from fusewise.plan.kernels import KernelPlan, hoisted_values, used_by

# By the order of a pass: whether it sums gradients of broadcast inputs, and how often it runs.
RUN_CUDA = ("run_cuda_pointwise", "run_cuda_reduction", "run_cuda_reduction_strided")
# Of an op of one tensor, which broadcasts with no other.
RUN_CUDA_SAME_SHAPE = ("run_cuda_pointwise", "run_cuda_same_shape", "run_cuda_same_shape_strided")

# A pass of more instructions calls its functions instead of inlining them, and its decomposition is
# compiled without optimization: the compiler takes seconds then. Usual ops have less than 300.
LARGE_PASS = 600

# What dtype.h calls those of one byte, for which a vector has a form of its own.
BYTE_DTYPES = {
    "bool": "kBool",
    "uint8": "kUInt8",
    "int8": "kInt8",
    "float8_e4m3fn": "kFloat8E4M3FN",
    "float8_e5m2": "kFloat8E5M2",
}


@dataclass(frozen=True, slots=True)
class PassView:
    name: str  # forward; of one of several choices act_1_forward
    struct: str  # Forward, Act1Forward
    dispatch_name: str  # swiglu, swiglu_backward
    is_forward: bool
    likes: str  # for each write the read whose shape it takes, or None, as a Python tuple
    num_reads: int
    num_writes: int
    num_params: int
    instructions: int  # of an element, roughly, beside what is hoisted for certain
    constants: tuple[tuple[str, int], ...]  # of pass.h, without those that are 0
    stored_dtype: str  # the statement that tells operands of a fixed type of one byte, if there are
    dtypes: str  # a list of dtype.h
    cuda_runner: str  # the runner, by whether the pass may sum the gradient of a broadcast input
    functions: tuple[FunctionView, ...]  # hoist, if there is something to hoist, and apply
    decomposition_reads: str
    decomposition_params: str
    decomposition_types: str
    decomposition_lines: tuple[str, ...]
    aten_functions: tuple[str, ...]
    descriptor_lines: tuple[str, ...]

    @property
    def is_large(self) -> bool:
        return self.instructions > LARGE_PASS

    @property
    def decomposition_type(self) -> str:
        """What its decomposition is declared as: of a large pass it is not optimized."""
        return "RT_UNOPTIMIZED void" if self.is_large else "void"


def pass_view(choice: Choice, source: Pass, plan: KernelPlan, derivative: Pass | None) -> PassView:
    hoisted = hoisted_values(plan)
    divisors = [node.args[1] for node in plan.kernel.used if node.function is DIV_SHARED]
    decomposition, functions = decomposition_lines(plan, in_floats=choice.spec.computes_floats)
    operands = [*(read.name for read in plan.reads), *plan.write_names]
    special = plan.specialization
    is_forward, op = source.order == 0, choice.spec.name
    is_known = special.possible_row_scalars.isdisjoint(node.name for node in used_by(hoisted))
    per_row = hoisted if is_known else ()
    count = sum(map(instructions, used_by(plan.kernel.writes, per_row) - set(per_row)))
    constants = {
        "kTwoAxis": int(special.two_axis),
        "kFull": _bits(operands, special.full),
        "kRowScalars": _bits(operands, special.row_scalars),
        "kInterleaved": _interleaved(source),
        "kHoisted": len(hoisted),
        "kHoistedFrom": _bits(plan.reads, used_by([*hoisted, *divisors])),
        "kRepeated": _bits(operands, special.broadcast),
        "kSummed": _bits(operands, special.summed),
    }
    return PassView(
        name=pass_name(choice, source),
        struct=struct_name(choice, source),
        dispatch_name=op if is_forward else f"{op}_{source.name}",
        is_forward=is_forward,
        likes=_likes(source),
        num_reads=len(plan.reads),
        num_writes=len(plan.write_names),
        num_params=len(plan.params),
        instructions=count,
        constants=tuple((name, value) for name, value in constants.items() if value),
        stored_dtype=_stored_dtype(source),
        dtypes=_dtypes(source),
        cuda_runner=(RUN_CUDA if broadcasts(choice.spec) else RUN_CUDA_SAME_SHAPE)[source.order],
        functions=kernel_functions(plan, hoisted, count > LARGE_PASS),
        decomposition_reads=used_array("reads", decomposition),
        decomposition_params=used_array("params", decomposition),
        decomposition_types=used_array("types", decomposition),
        decomposition_lines=tuple(decomposition),
        aten_functions=tuple(sorted(functions)),
        descriptor_lines=tuple(descriptor(choice, source, derivative, plan.decomposes)),
    )


def broadcasts(spec: Spec) -> bool:
    """Whether an input of the op may be smaller than its outputs."""
    return len(spec.inputs) > 1


def _dtypes(source: Pass) -> str:
    """The list of dtype.h that the kernels of a pass are made for."""
    kinds = {tensor.dtype for tensor in source.reads}
    fixed = {tensor.dtype for tensor in source.writes}
    if fixed.intersection(FLOAT8_DTYPES):
        return "FloatsAndFloat8"
    if "float" in kinds or fixed.intersection(FLOAT_DTYPES):
        return "Floats"
    return "Numbers" if "number" in kinds else "Integers"


def _bits(items: Sequence[Any], among: Collection[Any]) -> int:
    return sum(1 << index for index, item in enumerate(items) if item in among)


def _interleaved(source: Pass) -> int:
    bits, index = 0, 0
    for tensor in (*source.reads, *source.writes):
        if tensor.layout == "interleaved" and len(tensor.parts) == 2:
            bits |= 1 << index
        index += len(tensor.parts)
    return bits


def _stored_dtype(source: Pass) -> str:
    parts = [t.dtype for t in (*source.reads, *source.writes) for _ in t.parts]
    fixed = [
        f"operand == {index} ? Dtype::{BYTE_DTYPES[dtype]}"
        for index, dtype in enumerate(parts)
        if dtype in BYTE_DTYPES
    ]
    return "\n    ".join(wrapped(f"return {' : '.join([*fixed, 'others'])};", 4)) if fixed else ""


def _likes(source: Pass) -> str:
    inputs = input_names(source)
    return str(tuple(None if t.like is None else inputs.index(t.like) for t in source.writes))
