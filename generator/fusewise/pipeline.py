"""The stages in order, for one spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fusewise.derive.autodiff import (
    carry_surrogate,
    check_differentiable,
    differentiate,
    mark_detached,
)
from fusewise.derive.simplify import simplify
from fusewise.derive.verify import Verdict, verify_backward, weakest
from fusewise.emit.views import OpView, Variant, emit
from fusewise.graph.dag import LARGEST_FLOAT64, OutOfRangeError, nesting_depths, topological
from fusewise.graph.passes import Pass, build_graph
from fusewise.language.choices import Choice, take_choices
from fusewise.language.errors import Problem, SpecError
from fusewise.language.functions.forms import WHERE
from fusewise.language.model import Spec
from fusewise.language.sections.compose import check_compose
from fusewise.numeric.constants import check_constants
from fusewise.plan.kernels import plan_kernels
from fusewise.plan.memory import MemoryPlan, check_save, plan_memory
from fusewise.plan.specialize import specialize
from fusewise.plan.statements import KernelPlan

MAX_OPERANDS = 32  # kMaxOperands of loop.h
LONG_PASS = 4000  # instructions of a pass that all compilers together take a minute for
MAX_CHOICES = 200  # one within the other
MAX_PARAMS = 32  # kMaxParams of operator.h, kMaxRowParams of rows.h


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the stages made of a spec."""

    spec: Spec
    variants: tuple[Variant, ...]  # one, unless params have choices; the default's is the first
    view: OpView

    @property
    def verdict(self) -> Verdict | None:
        """The weakest verdict on a gradient that the spec gives as a derivative."""
        return weakest([verdict for variant in self.variants for verdict in variant.verdicts])

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is no mistake, but may not be meant: passes that take the compiler long."""
        largest = max(self.view.passes, key=lambda view: view.instructions, default=None)
        if largest is None or largest.instructions < LONG_PASS:
            return ()
        name = largest.name.replace("_", " ")
        message = (
            f"this takes a compiler minutes: the {name} has {largest.instructions} instructions"
        )
        place = self.spec.outputs[0].parts[0].location
        return (Problem(message, place, "split the op in two", "warning"),)


def compile_spec(spec: Spec, others: Sequence[Spec] = ()) -> Compiled:
    """Runs every stage; `others` are the specs of the same build, which a composed op may call.

    Raises:
        SpecError: the spec's own backward is not what it says, it calls what is not there, or it
            asks for what cannot be built.
    """
    if spec.compose:
        check_compose([spec], others)
    variants = tuple(map(_plan, take_choices(spec)))
    if spec.save:
        check_save(spec.save, [plan for variant in variants for plan in variant.memory[:1]])
    view = emit(spec, variants, {other.name: other for other in others})
    return Compiled(spec, variants, view)


def _plan(choice: Choice) -> Variant:
    """One variant through the stages from `build_graph` to `plan_kernels`."""
    spec = choice.spec
    if spec.compose:
        return Variant(choice, (), (), (), None)
    check_constants(spec)
    try:
        return _planned(choice, spec)
    except OutOfRangeError as error:  # a stage has combined several constants
        message = f"a constant of a derivative is {error}"
        raise SpecError(Problem(message, spec.location, "scale the formula")) from None


def _planned(choice: Choice, spec: Spec) -> Variant:
    graph = mark_detached(build_graph(spec), spec.backward)
    _check_choices(spec, graph)
    passes = [simplify(graph)]
    _check_totals(spec, passes[0])
    memory: list[MemoryPlan] = []
    derived = None
    verdicts: tuple[Verdict, ...] = ()
    if _is_differentiable(passes[0]):
        check_differentiable(spec, graph)
        if spec.backward:
            derived = differentiate(passes[0], spec.backward.gradients)
        else:
            derived = differentiate(passes[0], some_arrive=True)
        if spec.backward and spec.backward.kind == "derivative":
            verdicts = verify_backward(spec, passes[0], derived)
        if spec.backward:
            check_differentiable(spec, derived)
        memory.append(plan_memory(passes[0], simplify(derived), spec.save))
        passes.append(memory[-1].derivative)
        second = simplify(differentiate(passes[1], some_arrive=True))
        if second.writes:  # none where every gradient is zero, as of floor(x)
            memory.append(plan_memory(passes[1], second))
            passes.append(memory[-1].derivative)
    elif not any(output.is_differentiable(spec.inputs) for output in spec.outputs):
        _refuse_gradients(spec)
    _check_size(spec, passes)
    _check_constants(spec, passes)
    carrier, decomposes = None, True
    if spec.is_surrogate:
        carrier = carry_surrogate(*passes)
        decomposes = carrier is not None
    specializations = [specialize(spec, source) for source in passes]
    kernels = plan_kernels(passes, specializations, carrier, decomposes)
    for source, plan in zip(passes, kernels, strict=True):
        _check_parts(spec, source, plan)
    return Variant(choice, tuple(passes), tuple(memory), kernels, derived, verdicts)


def _refuse_gradients(spec: Spec) -> None:
    if section := spec.backward or spec.save:
        message = "no gradient arrives at this op: none of its outputs is a float"
        hint = f"delete the section '{'backward' if spec.backward else 'save'}'"
        raise SpecError(Problem(message, section.location, hint))


def _is_differentiable(forward: Pass) -> bool:
    """Whether a gradient can arrive at an output and go on to an input."""
    sides = (forward.reads, forward.writes)
    return all(any(tensor.differentiable for tensor in side) for side in sides)


def _check_constants(spec: Spec, passes: Sequence[Pass]) -> None:
    """Numbers are exact until they are printed, so that a product of them may be beyond float64."""
    for source in passes:
        for node in topological(source.roots):
            if isinstance(node.value, Fraction) and abs(node.value) > LARGEST_FLOAT64:
                message = f"a constant of the {source.title} is beyond the largest float64, 1.8e308"
                raise SpecError(Problem(message, spec.location, "scale the formula"))


def _check_choices(spec: Spec, graph: Pass) -> None:
    """A gradient of nested choices has one within the other too, so it grows as their square."""
    depths = nesting_depths(graph.roots, lambda node: node.row is WHERE)
    deepest = max(depths.values(), default=0)
    if deepest > MAX_CHOICES:
        message = f"choices are nested {deepest} deep, at most {MAX_CHOICES} compile"
        raise SpecError(Problem(message, spec.location, "split the op in two"))


def _check_size(spec: Spec, passes: Sequence[Pass]) -> None:
    # A kernel gets the length of a row too, and which of several incoming gradients are there.
    own = max(len(source.params) + source.reduces - len(spec.params) for source in passes)
    if len(spec.keywords) > MAX_PARAMS - own:
        most = MAX_PARAMS - own
        message = f"the op has {len(spec.keywords)} params, at most {most} fit one kernel"
        place = spec.keywords[most].location
        raise SpecError(Problem(message, place, "split the op in two"))
    for source in passes:
        operands = sum(len(tensor.parts) for tensor in (*source.reads, *source.writes))
        inputs = sum(len(entry.names) for entry in spec.inputs)
        outputs = sum(len(output.names) for output in spec.outputs)
        causes = "inputs" if inputs >= outputs else "outputs"
        _check_operands(spec, source, operands, "tensors", causes)


def _check_parts(spec: Spec, source: Pass, plan: KernelPlan) -> None:
    """The passes of one that reduces read its totals too."""
    for part in plan.row_pass.parts if plan.row_pass else ():
        operands = len(part.reads) + len(part.write_names)
        _check_operands(spec, source, operands, "tensors and results of reductions", "reductions")


def _check_totals(spec: Spec, forward: Pass) -> None:
    """Of an op with very many reductions: to plan its derivatives takes many seconds."""
    totals = sum(node.reduction is not None for node in topological(forward.roots))
    if totals > MAX_OPERANDS:
        (plan,) = plan_kernels([forward])
        _check_parts(spec, forward, plan)


def _check_operands(spec: Spec, source: Pass, count: int, what: str, causes: str) -> None:
    if count > MAX_OPERANDS:
        message = (
            f"the {source.title} reads and writes {count} {what}, "
            f"at most {MAX_OPERANDS} fit one kernel"
        )
        hint = f"split the op in two, or give it fewer {causes}"
        raise SpecError(Problem(message, spec.location, hint))
