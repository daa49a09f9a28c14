"""The stages in order, for one spec."""

from __future__ import annotations

from dataclasses import dataclass

from fusewise.autodiff import carry_surrogate, differentiate
from fusewise.emit import OpView, emit
from fusewise.graph import Pass, build_graph
from fusewise.kernels import KernelPlan, plan_kernels
from fusewise.memory import MemoryPlan, plan_memory
from fusewise.simplify import simplify
from fusewise.spec import Spec
from fusewise.verify import verify_backward


@dataclass(frozen=True, slots=True)
class Compiled:
    """What each stage made of a spec; a composed op has no passes."""

    spec: Spec
    passes: tuple[Pass, ...]  # forward, backward, double backward; an integer op has a forward only
    memory: tuple[MemoryPlan, ...]
    kernels: tuple[KernelPlan, ...]
    view: OpView


def compile_spec(spec: Spec) -> Compiled:
    """Runs every stage; raises SpecError when the spec's own backward is not what it says."""
    passes: list[Pass] = []
    memory: list[MemoryPlan] = []
    if spec.compose is None:
        passes.append(simplify(build_graph(spec)))
        given = spec.backward.gradients if spec.backward else ()
        if spec.backward and spec.backward.kind == "derivative":
            verify_backward(
                spec, passes[0], differentiate(passes[0]), differentiate(passes[0], given)
            )
        differentiable = any(t.differentiable for t in passes[0].reads) and any(
            t.differentiable for t in passes[0].writes
        )
        for formulas in (given, ()) if differentiable else ():
            derivative = simplify(differentiate(passes[-1], formulas))
            memory.append(plan_memory(passes[-1], derivative))
            passes.append(memory[-1].derivative)
    carrier = None
    if spec.backward and spec.backward.kind == "surrogate":
        carrier = carry_surrogate(passes[0], passes[2])
    kernels = [plan_kernels(passes[0], carrier)] if passes else []
    kernels += [plan_kernels(source) for source in passes[1:]]
    return Compiled(
        spec, tuple(passes), tuple(memory), tuple(kernels), emit(spec, passes, kernels, memory)
    )
