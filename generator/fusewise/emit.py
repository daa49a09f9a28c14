"""Stage emit: a planned op as the strings that templates set into files.

Structure is the templates' business: what they get is an `OpView` of ready lines and flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fusewise.emit_cpp import (
    ComposeView,
    PassView,
    assigned,
    compose_view,
    forward_schema,
    pass_view,
)
from fusewise.emit_python import PythonView, python_view
from fusewise.emit_tests import TestView, emit_tests
from fusewise.graph import Pass
from fusewise.kernels import KernelPlan
from fusewise.memory import MemoryPlan
from fusewise.model import Spec
from fusewise.printing import wrapped


@dataclass(frozen=True, slots=True)
class OpView:
    """One op, ready for the templates: of passes, or composed."""

    name: str
    source: str  # the path of the spec, as files name it
    header: str  # comment lines
    passes: tuple[PassView, ...]
    aten_headers: tuple[str, ...]
    compose: ComposeView | None
    schema_lines: tuple[str, ...]
    python: PythonView
    test: TestView

    @property
    def passes_last_first(self) -> tuple[PassView, ...]:
        return self.passes[::-1]


def emit(
    spec: Spec,
    passes: Sequence[Pass],
    plans: Sequence[KernelPlan],
    memory: Sequence[MemoryPlan],
    derived: Pass | None,
    ops: Mapping[str, Spec],
) -> OpView:
    """The view of a planned op; `passes` start with the forward, a composed op has none.

    `derived` is the backward before simplifying, for the tests of a surrogate; `ops` are the specs
    of the same build, for the tests of a composed op.
    """
    inputs = [entry.name for entry in spec.inputs]
    compose = compose_view(spec.compose, inputs, ops) if spec.compose else None
    derivatives = [*passes[1:], None] if passes else []
    views = [
        pass_view(spec, source, plan, derivative)
        for source, plan, derivative in zip(passes, plans, derivatives, strict=True)
    ]
    callers = [compose] if compose else views
    functions = {name for view in callers for name in view.aten_functions}
    return OpView(
        name=spec.name,
        source=spec.shown_path,
        header="\n".join(header_lines(spec, passes, plans, memory)),
        passes=tuple(views),
        aten_headers=tuple(sorted(functions)),
        compose=compose,
        schema_lines=tuple(assigned("", forward_schema(spec))),
        python=python_view(spec),
        test=emit_tests(spec, passes, derived, ops),
    )


def header_lines(
    spec: Spec, passes: Sequence[Pass], plans: Sequence[KernelPlan], memory: Sequence[MemoryPlan]
) -> list[str]:
    """What stands at the top of each file: the formulas, what is kept, and the bytes moved."""
    lines = [f"Generated from {spec.shown_path} by `fusewise generate`. Do not edit.", ""]
    lines += [line.strip() for line in str(spec).splitlines()[1:]]
    for source in passes[1:2]:
        lines += ["", *source.lines(), ""]
    lines += [f"{plan.derivative.name} keeps {plan.chosen}" for plan in memory]
    for plan in plans:
        reads, writes = plan.read_elements, len(plan.write_names)
        lines.append(f"{plan.name}: {reads} read and {writes} written for each element")
    if spec.backward and spec.backward.kind == "surrogate":
        lines.append("The backward is a surrogate, on purpose not the derivative of the forward.")
    pieces = [piece for line in lines for piece in wrapped(line, 3)]
    return [f"// {piece}".rstrip() for piece in pieces]
