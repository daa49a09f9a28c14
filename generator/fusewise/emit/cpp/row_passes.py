"""The C++ of a pass that reduces rows: the passes that it runs as, and what runs them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fusewise.emit.cpp.runners import Runner, body, dtypes
from fusewise.emit.cpp.structs import StructView, bits, struct_view
from fusewise.emit.printing import wrapped
from fusewise.graph.passes import Pass
from fusewise.language.names import camel_case
from fusewise.plan.statements import KernelPlan, RowPass

# The terms of a phase.
RUN_CUDA_TOTALS = ("run_cuda_totals", "run_cuda_totals", "run_cuda_totals_strided")

# The lists of dtype.h for a kernel that also reads totals.
WIDE_DTYPES = {"Floats": "WideFloats", "Numbers": "WideNumbers"}


def row_structs(
    name: str, struct: str, source: Pass, plan: RowPass, cuda: str
) -> tuple[list[StructView], list[Runner]]:
    """The structs of the passes that a pass runs as; their runners, and that of the whole.

    On the CPU only the whole has a runner.
    """
    structs, runners = [], []
    maxima = _maxima(plan)
    for part in plan.parts:
        is_maximum = plan.has_row_kernel and maxima.get(part.name, 0) % 2 == 1
        view = struct_view(_part_struct(struct, part), source, part, is_maximum=is_maximum)
        structs.append(view)
        # Vectors do not pay for few numbers, and kernels with vectors take long to compile.
        function = cuda.removesuffix("_strided") + "_strided" if part is plan.rows else cuda
        arguments = f"{view.name}, {dtypes(source)}"
        if plan.rescaled and part is plan.totals[1]:
            structs.append(struct_view(_part_struct(struct, plan.rescaled), source, plan.rescaled))
            function = "run_cuda_relative_totals"
            first = [read.name for read in part.reads].index("total0")
            arguments = f"{', '.join(_phase_types(struct, plan))}, {first}, {dtypes(source)}"
        elif part.name in maxima:
            function = RUN_CUDA_TOTALS[source.order]
            arguments = f"{arguments}, {maxima[part.name]}"
        elif plan.num_totals or plan.kept_reads:
            arguments = f"{view.name}, {WIDE_DTYPES.get(dtypes(source), dtypes(source))}"
        runners.append(Runner(_part_runner(name, part), (), body(function, arguments), function))
    if held := plan.held_elements:
        structs.append(struct_view(_part_struct(struct, held.plan), source, held.plan))
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
        part.name: bits(part.write_names, found)
        for part, found in zip(plan.totals, plan.maxima, strict=True)
    }


def _phase_types(struct: str, plan: RowPass) -> list[str]:
    """The type of each phase, for a kernel that runs all of them."""
    found = []
    for k, (part, picked) in enumerate(zip(plan.totals, plan.picked, strict=True)):
        arguments = [_part_struct(struct, part), _maxima(plan)[part.name]]
        if picked:
            totals = bits(part.write_names, picked.totals)
            arguments += [totals, plan.reads.index(picked.place)]
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
        "row_reads": bits(plan.reads, plan.row_reads),
        "row_writes": bits(plan.writes, plan.row_writes),
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
        own["at_once"] = f"run_cuda_rows<Passes, {dtypes(source)}>"
    lines = _row_pass_lines("RowPhase", phases, "RowPass", {**fields, **own}, "run_row_pass")
    return (*passes, *lines)


def _row_passes(struct: str, source: Pass, plan: RowPass) -> list[str]:
    """The passes over a row as one type, for a kernel that runs all of them."""
    held = plan.held_elements
    stored = {write.name: write.dtype for write in source.writes}
    totals = plan.row_writes - stored.keys()
    floats = [name for name in plan.row_writes if name in totals or stored[name] == "float32"]
    arguments = [
        bits(plan.writes, plan.row_writes),
        bits(plan.writes, floats),
        bits(plan.reads, plan.columns),
        bits(plan.reads, plan.late),
        bits(plan.writes, plan.summed),
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
        arguments = [_part_struct(struct, part), dtypes(source), *map(str, more)]
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
