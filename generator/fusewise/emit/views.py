"""A planned op as the strings that templates set into files.

Structure is the templates' business: what they get is an `OpView` of ready lines and flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fusewise.derive.verify import Verdict
from fusewise.emit.compose import ComposeView, compose_view
from fusewise.emit.cpp import PassView, assigned, forward_schema, pass_view
from fusewise.emit.printing import wrapped
from fusewise.emit.python import ModuleView, PythonView, module_view, python_view
from fusewise.emit.tests import Tested, TestView, emit_tests
from fusewise.graph.passes import Pass
from fusewise.language.choices import Choice
from fusewise.language.model import Spec
from fusewise.plan.kept import KeptTotals
from fusewise.plan.memory import MemoryPlan
from fusewise.plan.statements import KernelPlan

# The headers of a file of kernels that reduce rows.
_CUDA_ROWS = ("core/rows.h", "cuda/index.h", "cuda/row.cuh", "cuda/totals.cuh")


@dataclass(frozen=True, slots=True)
class Variant:
    """An op with its choices taken, as the stages left it; a composed one has no passes.

    `derived` is the backward before simplifying; `verdicts` are on the gradients that the spec
    gives as derivatives.
    """

    choice: Choice
    passes: tuple[Pass, ...]  # forward, backward, double backward; an integer op has a forward only
    memory: tuple[MemoryPlan, ...]
    kernels: tuple[KernelPlan, ...]
    derived: Pass | None
    verdicts: tuple[Verdict, ...] = ()

    @property
    def timed(self) -> list[tuple[Pass, KernelPlan]]:
        """Forward and backward with their kernels: a double backward is not timed."""
        return list(zip(self.passes, self.kernels, strict=True))[:2]


@dataclass(frozen=True, slots=True)
class OpView:
    name: str
    source: str  # the path of the spec, as files name it
    header: str  # comment lines: the formulas, what is kept, and the bytes moved
    short_header: str  # of the files beside the one with the header
    passes: tuple[PassView, ...]
    compose: ComposeView | None
    schema_lines: tuple[str, ...]
    registration: str  # the type in C++ that defines the op
    python: PythonView
    module: ModuleView | None
    test: TestView

    @property
    def math_includes(self) -> str:
        """What its passes are written in: dtype.h too where they name a storage type."""
        structs = [struct for view in self.passes for struct in view.structs]
        named = any(view.functions[-1].rounds or view.stored_dtype for view in structs)
        headers = ["dtype.h" if named else "math.h", *["outlined.h"] * self.is_large]
        return "\n".join(f"#include <fusewise/math/{header}>" for header in headers)

    @property
    def torch_includes(self) -> str:
        headers = ["aten.h", "op.h", *["row_dims.h"] * (self.registration != "Registration")]
        return _includes(*(f"torch/{header}" for header in headers))

    @property
    def is_large(self) -> bool:
        """Whether a pass calls functions that are not inlined."""
        return any(view.is_large for view in self.passes)

    @property
    def reduces(self) -> bool:
        return any(view.reduces for view in self.passes)

    @property
    def cpu_includes(self) -> str:
        """What holds the runners of its passes on the CPU."""
        return _includes("cpu/row_pass.h" if self.reduces else "cpu/row_loop.h")

    @property
    def cuda_includes(self) -> str:
        """What holds the runners of its passes on a GPU; all include pointwise.cuh."""
        runners = {runner.cuda_function for view in self.passes for runner in view.runners}
        rows = _CUDA_ROWS if self.reduces else ()
        if "run_cuda_same_shape" in runners:
            return _includes(*rows, "cuda/same_shape.cuh")
        sums = "run_cuda_reduction" in runners
        return _includes(*rows, "cuda/reduction.cuh" if sums else "cuda/pointwise.cuh")

    @property
    def passes_last_first(self) -> tuple[PassView, ...]:
        return self.passes[::-1]

    @property
    def forward_passes(self) -> tuple[PassView, ...]:
        return tuple(view for view in self.passes if view.is_forward)


def _includes(*headers: str) -> str:
    return "\n".join(f"#include <fusewise/{header}>" for header in headers)


def emit(spec: Spec, variants: Sequence[Variant], ops: Mapping[str, Spec]) -> OpView:
    """The view of a planned op; `ops` are the specs of the same build, which it may call."""
    inputs = [entry.name for entry in spec.inputs]
    compose = compose_view(spec.compose, inputs, ops) if spec.compose else None
    views = [view for variant in variants for view in _pass_views(variant)]
    totals = [kernel.kept for variant in variants for kernel in variant.kernels[1:2]]
    return OpView(
        name=spec.name,
        source=spec.shown_path,
        header=_comment(header_lines(spec, variants)),
        short_header=_comment([_origin(spec), f"The formulas stand in {spec.name}.math.h."]),
        passes=tuple(views),
        compose=compose,
        schema_lines=tuple(assigned("", forward_schema(spec))),
        registration="Registration" if spec.rows.are_last else "RowDimsRegistration",
        python=python_view(
            spec,
            [variant.choice for variant in variants],
            [plan for variant in variants for plan in variant.memory[:1]],
            max(totals, key=lambda kept: len(kept.inputs), default=KeptTotals()),
        ),
        module=module_view(spec) if spec.module else None,
        test=emit_tests(spec, [_tested(variant) for variant in variants], ops),
    )


def _pass_views(variant: Variant) -> list[PassView]:
    derivatives = [*variant.passes[1:], None]
    plans = zip(variant.passes, variant.kernels, derivatives, strict=False)
    return [pass_view(variant.choice, *planned) for planned in plans]


def _tested(variant: Variant) -> Tested:
    read = variant.passes[1].reads if variant.derived else ()
    saves = tuple(tensor.name for tensor in read if tensor.role in ("input", "output"))
    return Tested(variant.choice, saves, variant.derived is not None)


def header_lines(spec: Spec, variants: Sequence[Variant]) -> list[str]:
    """The top of the file that states the op: the formulas, what is kept, and the bytes moved."""
    lines = [_origin(spec), ""]
    lines += [line.strip() for line in str(spec).splitlines()[1:]]
    for variant in variants:
        if variant.choice.values:
            lines += ["", f"With {variant.choice}:"]
        for source in variant.passes[1:2]:
            lines += ["", *source.lines(), ""]
        lines += [f"{plan.derivative.name} keeps {plan.chosen}" for plan in variant.memory]
        lines += [f"{plan.name}: {plan.traffic}" for plan in variant.kernels]
    if spec.is_surrogate:
        lines.append("The backward is a surrogate, on purpose not the derivative of the forward.")
    return lines


def _origin(spec: Spec) -> str:
    return f"Generated from {spec.shown_path} by `fusewise generate`. Do not edit."


def _comment(lines: Sequence[str]) -> str:
    pieces = [piece for line in lines for piece in wrapped(line, 3)]
    return "\n".join(f"// {piece}".rstrip() for piece in pieces)
