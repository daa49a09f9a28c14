"""The bodies of a pass in C++, as functions of a kernel and as a decomposition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fusewise.emit.printing import WIDTH, DecompositionPrinter, KernelPrinter, wrapped
from fusewise.graph.dag import Node
from fusewise.language.formula import INDEX, LENGTH
from fusewise.plan.statements import KernelPlan, used_by


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function of a pass's struct, a template over the value type."""

    name: str  # apply or hoist
    arguments: str  # those that the body does not use have no name
    lines: tuple[str, ...]

    @property
    def rounds(self) -> bool:
        """Whether it rounds to the types of reads, which it is told then."""
        return bool(used_array("types", self.lines))


def kernel_functions(
    plan: KernelPlan, hoisted: Sequence[Node], is_large: bool = False
) -> tuple[FunctionView, ...]:
    """A pass for one element, and before it what many elements can share, if there is something."""
    apply = _function("apply", plan, "writes", plan.kernel.writes, hoisted, is_large)
    if not hoisted:
        return (apply,)
    return _function("hoist", plan, "hoisted", hoisted, (), is_large), apply


def _function(
    name: str,
    plan: KernelPlan,
    array: str,
    results: Sequence[Node],
    hoisted: Sequence[Node],
    is_large: bool,
) -> FunctionView:
    """The function that writes the results to an array.

    Its body uses `reads`, `params` and, for hoisted values, `hoisted`.
    """
    printer = KernelPrinter(plan.reads, is_large)
    lines = []
    used = used_by(results, hoisted)
    names = {node: name for name, node in plan.kernel.steps}
    names.update((node, node.name) for node in (*plan.reads, *plan.params))
    for source, nodes in (("reads", plan.reads), ("params", plan.params), ("hoisted", hoisted)):
        for index, node in enumerate(nodes):
            value = f"{source}[{index}]" + (" != T(0)" if node.type == "bool" else "")
            if node in used and node in names:
                lines.append(f"const {_kernel_type(node)} {names[node]} = {value};")
                printer.name(node, names[node])
            elif node in used:
                printer.name(node, f"({value})" if node.type == "bool" else value)
    for step, node in plan.kernel.steps:
        if node in used and node not in hoisted:
            text = printer.define(node).text
            lines += wrapped(f"const {_kernel_type(node)} {step} = {text};", 4)
            printer.name(node, step)
    for index, node in enumerate(results):
        text = printer.show(node)
        if node.type == "bool":
            text = f"rt::where({text}, T(1), T(0))"
        lines += wrapped(f"{array}[{index}] = {text};", 4)
    arguments = [f"const T*{used_array(source, lines)}" for source in ("reads", "params")]
    arguments += ["const T* hoisted"] if hoisted else []
    arguments += ["const Dtype* types"] if used_array("types", lines) else []
    text = f"{', '.join(arguments)}, T* {array}"
    if len(f"  RT_FN static void {name}({text}) {{") > WIDTH:
        text = f"{', '.join(arguments)},\n      T* {array}"
    return FunctionView(name, text, tuple(lines))


def decomposition_lines(plan: KernelPlan, *, in_floats: bool) -> list[str]:
    """The body of the decomposition.

    A number beside tensors of integers is an integer, or ATen would promote them to floats.
    """
    number = "double" if in_floats else "int64_t"
    statements = plan.decomposition
    printer = DecompositionPrinter(plan.reads, like="reads[0]")
    lines = []
    used = statements.used
    for index, node in enumerate(plan.reads):
        if node in used:
            lines.append(f"const Value& {node.name} = reads[{index}];")
            printer.name(node, node.name)
    leaves = {node.name: node for node in used if not node.args} if plan.row_pass else {}
    place = f"reads[{len(plan.reads)}]"
    for name, text in ((LENGTH, f"row_length({place})"), (INDEX, place)):
        if name in leaves and leaves[name] not in plan.reads + plan.params:
            lines.append(f"const Value {name} = {text};")
            printer.name(leaves[name], name)
    for index, node in enumerate(plan.params):
        if node in used:
            kind = "bool" if node.type == "bool" else number
            lines.append(f"const {kind} {node.name} = params[{index}].as<{kind}>();")
            printer.name(node, node.name, scalar=True)
    for name, node in statements.steps:
        text = printer.define(node)
        kind = ("bool" if node.type == "bool" else number) if text.scalar else "Value"
        lines += wrapped(f"const {kind} {name} = {text.text};", 2)
        printer.name(node, name, scalar=text.scalar)
    for index, node in enumerate(statements.writes):
        lines += wrapped(f"writes[{index}] = {printer.tensor(printer.print(node))};", 2)
    return lines


def _kernel_type(node: Node) -> str:
    return "rt::Mask<T>" if node.type == "bool" else "T"


def used_array(array: str, lines: Iterable[str]) -> str:
    """The name of an argument, which it has if the lines use it."""
    return f" {array}" if any(f"{array}[" in line for line in lines) else ""
