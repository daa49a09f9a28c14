"""A pass with everything that its C++ says."""

from __future__ import annotations

from dataclasses import dataclass

from fusewise.emit.cpp.bodies import decomposition_lines, used_array
from fusewise.emit.cpp.descriptor import (
    descriptor,
    dispatch_name,
    input_names,
    pass_name,
    registered,
    struct_name,
)
from fusewise.emit.cpp.row_passes import row_structs
from fusewise.emit.cpp.runners import Runner, body, cuda_function, dtypes
from fusewise.emit.cpp.structs import LARGE_PASS, StructView, struct_view
from fusewise.graph.passes import Pass
from fusewise.language.choices import Choice
from fusewise.plan.statements import KernelPlan


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
    cuda = cuda_function(choice.spec, source)
    if plan.row_pass:
        structs, runners = row_structs(name, struct, source, plan.row_pass, cuda)
    else:
        structs = [struct_view(struct, source, plan)]
        arguments = f"{struct}, {dtypes(source)}"
        runners = [Runner(name, body("run_cpu", arguments), body(cuda, arguments), cuda)]
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
