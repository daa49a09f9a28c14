"""A pass with everything that its C++ says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fusewise.emit.bodies import (
    FunctionView,
    decomposition_lines,
    kernel_functions,
    used_array,
)
from fusewise.emit.descriptor import (
    descriptor,
    dispatch_name,
    input_names,
    pass_name,
    registered,
    struct_name,
)
from fusewise.emit.printing import wrapped
from fusewise.graph.dag import instructions
from fusewise.graph.passes import Pass
from fusewise.language.choices import Choice
from fusewise.language.functions.operators import DIV_SHARED
from fusewise.language.model import DTYPES, FLOAT8_DTYPES, FLOAT_DTYPES, Spec
from fusewise.language.names import camel_case
from fusewise.plan.kernels import hoisted_values
from fusewise.plan.statements import KernelPlan, RowPass, used_by

# By the order of a pass: whether it sums gradients of broadcast inputs, and how often it runs.
RUN_CUDA = ("run_cuda_pointwise", "run_cuda_reduction", "run_cuda_reduction_strided")
# Of an op of one tensor, which broadcasts with no other.
RUN_CUDA_SAME_SHAPE = ("run_cuda_pointwise", "run_cuda_same_shape", "run_cuda_same_shape_strided")

# The terms of a phase.
RUN_CUDA_TOTALS = ("run_cuda_totals", "run_cuda_totals", "run_cuda_totals_strided")

# The lists of dtype.h for a kernel that also reads totals.
WIDE_DTYPES = {"Floats": "WideFloats", "Numbers": "WideNumbers"}

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


@dataclass(frozen=True, slots=True)
class Runner:
    """A function that runs a pass over a loop: its name, and its body for each device.

    A device without a body has no such function.
    """

    name: str
    cpu: tuple[str, ...]
    cuda: tuple[str, ...]
    cuda_function: str = ""  # what the body calls


@dataclass(frozen=True, slots=True)
class PassView:
    name: str  # forward; of one of several choices act_1_forward
    struct: str  # Forward, Act1Forward; of a pass that reduces the start of its structs' names
    dispatch_name: str  # swiglu, swiglu_backward
    is_forward: bool
    likes: str  # for each write the read whose shape it takes, or None, as a Python tuple
    reduces: bool
    rows: str  # what needs the whole last dimension, in Python; empty if nothing does
    structs: tuple[StructView, ...]  # one, unless the pass reduces
    runners: tuple[Runner, ...]  # of each struct, and then of the pass, if it reduces
    decomposition_reads: str
    decomposition_params: str
    decomposition_types: str
    decomposition_lines: tuple[str, ...]
    descriptor_lines: tuple[str, ...]
    registered: str  # the arguments that define the op, after the library; of a forward pass

    @property
    def instructions(self) -> int:
        return sum(struct.instructions for struct in self.structs)

    @property
    def is_large(self) -> bool:
        return self.instructions > LARGE_PASS


def pass_view(choice: Choice, source: Pass, plan: KernelPlan, derivative: Pass | None) -> PassView:
    decomposition = decomposition_lines(plan, in_floats=choice.spec.computes_floats)
    name, struct = pass_name(choice, source), struct_name(choice, source)
    cuda = (RUN_CUDA if broadcasts(choice.spec) else RUN_CUDA_SAME_SHAPE)[source.order]
    if plan.row_pass:
        structs, runners = _row_structs(name, struct, source, plan.row_pass, cuda)
    else:
        structs = [_struct_view(struct, source, plan)]
        runners = [_runner(name, f"{struct}, {_dtypes(source)}", "run_cpu", cuda)]
    return PassView(
        name=name,
        struct=struct,
        dispatch_name=dispatch_name(choice.spec.rows_name, source),
        is_forward=source.order == 0,
        likes=_likes(source, plan),
        reduces=plan.row_pass is not None,
        rows=_rows(source, plan),
        structs=tuple(structs),
        runners=tuple(runners),
        decomposition_reads=used_array("reads", decomposition),
        decomposition_params=used_array("params", decomposition),
        decomposition_types=used_array("types", decomposition),
        decomposition_lines=tuple(decomposition),
        descriptor_lines=tuple(descriptor(choice, source, derivative, plan)),
        registered=registered(choice, source),
    )


def _struct_view(
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
        "kFull": _bits(operands, special.full),
        "kRowScalars": _bits(operands, special.row_scalars),
        "kInterleaved": _interleaved(source, operands),
        "kHoisted": len(hoisted),
        "kHoistedFrom": _bits(plan.reads, used_by([*hoisted, *divisors])),
        "kRepeated": _bits(operands, special.broadcast),
        "kSummed": _bits(operands, special.summed),
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


def _runner(name: str, arguments: str, cpu: str, cuda: str) -> Runner:
    return Runner(name, _run(cpu, arguments), _run(cuda, arguments), cuda)


def _run(function: str, arguments: str) -> tuple[str, ...]:
    return tuple(wrapped(f"return {function}<{arguments}>(loop, params, launch);", 2))


def _row_structs(
    name: str, struct: str, source: Pass, plan: RowPass, cuda: str
) -> tuple[list[StructView], list[Runner]]:
    """The structs of the passes that a pass runs as; their runners, and that of the whole.

    On the CPU only the whole has a runner.
    """
    structs, runners = [], []
    maxima = _maxima(plan)
    for part in plan.parts:
        is_maximum = plan.has_row_kernel and maxima.get(part.name, 0) % 2 == 1
        view = _struct_view(_part_struct(struct, part), source, part, is_maximum=is_maximum)
        structs.append(view)
        # Vectors do not pay for few numbers, and kernels with vectors take long to compile.
        run = cuda.removesuffix("_strided") + "_strided" if part is plan.rows else cuda
        arguments = f"{view.name}, {_dtypes(source)}"
        if plan.rescaled and part is plan.totals[1]:
            structs.append(_struct_view(_part_struct(struct, plan.rescaled), source, plan.rescaled))
            run = "run_cuda_relative_totals"
            first = [read.name for read in part.reads].index("total0")
            arguments = f"{', '.join(_phase_types(struct, plan))}, {first}, {_dtypes(source)}"
        elif part.name in maxima:
            run = RUN_CUDA_TOTALS[source.order]
            arguments = f"{arguments}, {maxima[part.name]}"
        elif plan.num_totals or plan.kept_reads:
            arguments = f"{view.name}, {WIDE_DTYPES.get(_dtypes(source), _dtypes(source))}"
        runners.append(Runner(_part_runner(name, part), (), _run(run, arguments), run))
    if held := plan.held_elements:
        structs.append(_struct_view(_part_struct(struct, held.plan), source, held.plan))
    fields = _row_pass_fields(source, plan)
    whole = Runner(
        name,
        _cpu_row_pass(struct, source, plan, fields),
        _cuda_row_pass(name, struct, source, plan, fields),
    )
    return structs, [*runners, whole]


def _part_struct(struct: str, part: KernelPlan) -> str:
    """The name of the struct of a part, from the start that all parts share."""
    return f"{struct}{camel_case(part.name)}"


def _part_runner(name: str, part: KernelPlan) -> str:
    """The name of the runner of a part, from that of the whole."""
    return f"{name}_{part.name}"


def _maxima(plan: RowPass) -> dict[str, int]:
    """The totals of each phase that are maxima, a bit each."""
    return {
        part.name: _bits(part.write_names, found)
        for part, found in zip(plan.totals, plan.maxima, strict=True)
    }


def _phase_types(struct: str, plan: RowPass) -> list[str]:
    """The type of each phase, for a kernel that runs all of them."""
    found = []
    for k, (part, picked) in enumerate(zip(plan.totals, plan.picked, strict=True)):
        arguments = [_part_struct(struct, part), _maxima(plan)[part.name]]
        if picked:
            bits = _bits(part.write_names, picked.totals)
            arguments += [bits, plan.reads.index(picked.place)]
        if plan.rescaled and k == 1:
            arguments += [] if picked else [0, 0]
            arguments.append(_part_struct(struct, plan.rescaled))
        found.append(f"cuda::Phase<{', '.join(map(str, arguments))}>")
    return found


def _row_pass_fields(source: Pass, plan: RowPass) -> dict[str, object]:
    """What a row pass says of itself on both devices."""
    return {
        "phases": "kPhases" if plan.totals else "nullptr",
        "num_phases": len(plan.totals),
        "num_totals": plan.num_totals,
        "num_params": len(source.params),
        "row_reads": _bits(plan.reads, plan.row_reads),
        "row_writes": _bits(plan.writes, plan.row_writes),
    }


def _cuda_row_pass(
    name: str, struct: str, source: Pass, plan: RowPass, fields: Mapping[str, object]
) -> tuple[str, ...]:
    phases = [
        f"{{.run = {_part_runner(name, part)}_cuda, .num_totals = {len(part.write_names)}}},"
        for part in plan.totals
    ]
    own = {
        "fill_index": "fill_index_cuda" if plan.uses_index else "nullptr",
        "rows": f"{_part_runner(name, plan.rows)}_cuda" if plan.rows else "nullptr",
        "elements": f"{_part_runner(name, plan.elements)}_cuda" if plan.elements else "nullptr",
    }
    passes = []
    if plan.has_row_kernel:
        passes = _row_passes(struct, source, plan)
        own["at_once"] = f"run_cuda_rows<Passes, {_dtypes(source)}>"
    lines = _row_pass_lines("RowPhase", phases, "RowPass", {**fields, **own}, "run_row_pass")
    return (*passes, *lines)


def _row_passes(struct: str, source: Pass, plan: RowPass) -> list[str]:
    """The passes over a row as one type, for a kernel that runs all of them."""
    held = plan.held_elements
    dtypes = {write.name: write.dtype for write in source.writes}
    totals = plan.row_writes - dtypes.keys()
    floats = [name for name in plan.row_writes if name in totals or dtypes[name] == "float32"]
    arguments = [
        _bits(plan.writes, plan.row_writes),
        _bits(plan.writes, floats),
        _bits(plan.reads, plan.columns),
        _bits(plan.reads, plan.late),
        _bits(plan.writes, plan.summed),
        "true" if plan.uses_index else "false",
        _part_struct(struct, plan.elements) if plan.elements else "cuda::NoPass",
        _part_struct(struct, plan.rows) if plan.rows else "cuda::NoPass",
        f"cuda::HeldElements<{_part_struct(struct, held.plan)}, {held.term}>"
        if held
        else "cuda::NoPass",
        *_phase_types(struct, plan),
    ]
    return wrapped(f"using Passes = cuda::RowPasses<{', '.join(map(str, arguments))}>;", 4)


def _cpu_row_pass(
    struct: str, source: Pass, plan: RowPass, fields: Mapping[str, object]
) -> tuple[str, ...]:
    def compiled(part: KernelPlan, function: str, *more: int) -> str:
        arguments = [_part_struct(struct, part), _dtypes(source), *map(str, more)]
        return f"{function}<{', '.join(arguments)}>"

    maxima, held = _maxima(plan), plan.held_elements
    phases = []
    for part in plan.totals:
        holds = [held.term] if held and part is plan.totals[-1] else []
        terms = compiled(part, "cpu_terms", maxima[part.name], *holds)
        phases.append(f"{{.terms = {terms}, .num_totals = {len(part.write_names)}}},")
    own = {"has_index": "true" if plan.uses_index else "false"}
    for name, passed in (("rows", plan.rows), ("elements", plan.elements)):
        own[name] = compiled(passed, "cpu_pass") if passed else "nullptr"
    if held:
        own["held_elements"] = compiled(held.plan, "cpu_pass")
    return _row_pass_lines("CpuPhase", phases, "CpuRowPass", {**fields, **own}, "run_cpu_row_pass")


def _row_pass_lines(
    phase: str, phases: Sequence[str], kind: str, fields: Mapping[str, object], run: str
) -> tuple[str, ...]:
    lines = []
    if phases:
        lines = [
            f"static constexpr {phase} kPhases[] = {{",
            *(f"    {row}" for row in phases),
            "};",
        ]
    lines.append(f"static constexpr {kind} kPass = {{")
    lines += (f"    .{field} = {value}," for field, value in fields.items())
    return (*lines, "};", f"return {run}(kPass, loop, params, launch);")


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


def _copied(plan: KernelPlan) -> int:
    """The reads that the first writes copy, a bit each, as far as they stand in order."""
    found = 0
    for node in plan.kernel.writes:
        bit = 1 << plan.reads.index(node) if node in plan.reads and node.is_element else 0
        if bit <= found:
            break
        found |= bit
    return found


def _bits(items: Sequence[Any], among: Collection[Any]) -> int:
    return sum(1 << index for index, item in enumerate(items) if item in among)


def _interleaved(source: Pass, operands: Sequence[str]) -> int:
    """The first parts of interleaved tensors, a bit each."""
    tensors = (*source.reads, *source.writes)
    firsts = [t.part_names[0] for t in tensors if t.layout == "interleaved" and len(t.parts) == 2]
    return _bits(operands, firsts)


def _stored_dtype(source: Pass, operands: Sequence[str]) -> str:
    tensors = (*source.reads, *source.writes)
    dtypes = {name: tensor.dtype for tensor in tensors for name in tensor.part_names}
    fixed = [
        f"operand == {index} ? Dtype::{DTYPES[dtypes[name]].cpp}"
        for index, name in enumerate(operands)
        if dtypes.get(name) in BYTE_DTYPES
    ]
    return "\n    ".join(wrapped(f"return {' : '.join([*fixed, 'others'])};", 4)) if fixed else ""


def _likes(source: Pass, plan: KernelPlan) -> str:
    inputs = input_names(source, plan)
    return str(tuple(None if t.like is None else inputs.index(t.like) for t in source.writes))


def _rows(source: Pass, plan: KernelPlan) -> str:
    tensors = (*source.reads, *source.shapes, *source.writes)
    if plan.row_pass is None:
        return "_runtime.Rows()" if any(len(t.parts) > 1 for t in tensors) else ""
    inputs = input_names(source, plan)
    reads = {t.name for t in (*source.reads, *source.shapes) if t.extent == "row" and not t.keepdim}
    reads.update(plan.kept.names)
    writes = tuple(k for k, t in enumerate(source.writes) if t.extent == "row" and not t.keepdim)
    return f"_runtime.Rows({tuple(k for k, n in enumerate(inputs) if n in reads)}, {writes})"
