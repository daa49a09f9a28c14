"""The section `compose`: calls of a few ATen functions and of other ops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from fusewise.language.document import List, Node
from fusewise.language.errors import Location, Problem, SpecError, did_you_mean
from fusewise.language.formula import Call, Expr, Name, Number, plain_number, walk
from fusewise.language.functions import CALLABLE, REDUCTIONS
from fusewise.language.model import Compose, ComposeStep, Input, Output, Spec
from fusewise.language.sections.reader import Reader

# The kinds of the arguments; a question mark means optional.
ATEN_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "add": ("tensor", "tensor"),
    "addmm": ("tensor", "tensor", "tensor"),
    "cat": ("tensors", "int?"),
    "linear": ("tensor", "tensor", "tensor?"),
    "matmul": ("tensor", "tensor"),
    "mul": ("tensor", "tensor"),
}
_DESCRIBED = {"int": "a whole number", "tensors": "a list of tensors", "tensor": "a tensor"}


def read_compose(
    reader: Reader, node: Node, outputs: Node, inputs: Sequence[Input]
) -> tuple[Compose | None, tuple[Output, ...]]:
    table = reader.table(node, "'compose'")
    known = {entry.name for entry in inputs}
    used: set[str] = set()
    steps: list[ComposeStep] = []
    for key, value in table.entries if table else ():
        targets = []
        for match in re.finditer(r"[^,\s][^,]*[^,\s]|[^,\s]", key.text):
            target = key.part(match.start(), match.end())
            reader.declare(target.text, "a step", target.location, output=True)
            targets.append(target.text)
        call = reader.formula(value, f"the call of '{key.text}'", in_compose=True)
        if call is not None:
            call = _signed(call)
            _check_step(reader, call, len(targets), known, used)
            steps.append(ComposeStep(tuple(targets), call, key.location))
        known.update(targets)
    results = _read_outputs(reader, outputs, known - {entry.name for entry in inputs})
    if not reader.problems:
        _check_unused(reader, steps, inputs, used.union(results))
    compose = Compose(tuple(steps), tuple(results))
    return compose, tuple(
        Output(name, (Name(name, location),), None, None, location)
        for name, location in results.items()
    )


def _read_outputs(reader: Reader, node: Node, known: set[str]) -> dict[str, Location]:
    results: dict[str, Location] = {}
    if isinstance(node, List) and not node.items:
        hint = "name a result of a step, as in outputs: [h]"
        reader.report(node.location, "an op has at least one output", hint)
    for item in reader.items(node, "'outputs' of an op with 'compose'"):
        text = reader.text(item, "an output")
        if text is None:
            continue
        if text.text not in known:
            guess = did_you_mean(text.text, known)
            reader.report(text.location, f"'{text.text}' is not the result of a step{guess}")
        elif text.text in results:
            reader.report(text.location, f"'{text.text}' stands here twice")
        results[text.text] = text.location
    return results


def _check_unused(
    reader: Reader, steps: Sequence[ComposeStep], inputs: Sequence[Input], used: set[str]
) -> None:
    for step in steps:
        if used.isdisjoint(step.targets):
            reader.report(step.location, "the result of this step is never used", "delete it")
    for entry in inputs:
        if entry.name not in used:
            hint = "delete it, or use it in a step"
            reader.report(entry.location, f"'{entry.name}' is never used", hint)


def _check_step(reader: Reader, call: Expr, targets: int, known: set[str], used: set[str]) -> None:
    """Reports a step that is not a call of known functions with known names."""
    if not isinstance(call, Call) or call.function == "list":
        hint = "as in linear(x, weight, bias)"
        reader.report(call.location, "a step under 'compose' is a call", hint)
        return
    if targets != 1 and call.function in ATEN_FUNCTIONS:
        message = f"'{call.function}' gives one tensor, but {targets} are named"
        reader.report(call.location, message)
    for node in walk(call):
        if isinstance(node, Name):
            used.add(node.id)
            if node.id not in known:
                message = f"unknown name '{node.id}'{did_you_mean(node.id, known)}"
                reader.report(node.location, message)
        elif isinstance(node, Call) and node.function in ATEN_FUNCTIONS:
            _check_aten_call(reader, node)
        elif isinstance(node, Call) and node.function != "list":
            _check_op_call(reader, node)


def _check_aten_call(reader: Reader, call: Call) -> None:
    kinds = ATEN_FUNCTIONS[call.function]
    least = sum(not kind.endswith("?") for kind in kinds)
    if not least <= len(call.args) <= len(kinds):
        usage = f"{call.function}({', '.join(kinds)})"
        message = f"'{call.function}' does not take {len(call.args)} arguments"
        reader.report(call.location, message, usage)
        return
    for kind, arg in zip(kinds, call.args, strict=False):
        _check_argument(reader, call.function, kind.rstrip("?"), arg)


def _check_argument(reader: Reader, function: str, kind: str, arg: Expr) -> None:
    """Reports an argument of another kind, or one that C++ cannot hold."""
    if _kind(arg) != kind:
        reader.report(arg.location, f"'{function}' expects {_DESCRIBED[kind]} here")
    elif isinstance(arg, Number) and abs(arg.value) >= 2**63:
        message = f"'{function}' expects a whole number between -2^63 and 2^63 here"
        reader.report(arg.location, message, "a dimension counts from 0, or backwards from -1")
    elif isinstance(arg, Call) and kind == "tensors":
        if not arg.args:
            reader.report(arg.location, f"'{function}' expects at least one tensor here")
        for element in arg.args:
            _check_argument(reader, function, "tensor", element)


def _check_op_call(reader: Reader, call: Call) -> None:
    """Reports wrong arguments of a call of an op. `check_compose` checks that the op exists."""
    if call.function in CALLABLE and call.function not in REDUCTIONS:  # an op may be called softmax
        message = f"'{call.function}' belongs in a formula; 'compose' calls ops"
        hint = f"make it an op of its own, or call one of {', '.join(ATEN_FUNCTIONS)}"
        reader.report(call.location, message, hint)
    for arg in call.args:
        if _kind(arg) != "tensor":
            reader.report(arg.location, f"'{call.function}' expects a tensor here")


def check_compose(specs: Sequence[Spec], others: Sequence[Spec] = ()) -> None:
    """Check the calls of ops, and of the others that they reach.

    Raises:
        SpecError: an op does not exist, has another number of inputs or outputs, or calls itself.
    """
    by_name = {spec.name: spec for spec in [*others, *specs]}
    reached = [name for spec in specs for name in reached_ops(spec, by_name) if name in by_name]
    problems = []
    for name in dict.fromkeys([*(spec.name for spec in specs), *reached]):
        spec = by_name[name]
        for step, call in op_calls(spec):
            targets = len(step.targets) if call is step.call else 1
            problems += _op_call(call, by_name, targets)
        problems += _circle(spec, by_name)
    if problems:
        raise SpecError(*problems)


def reached_ops(spec: Spec, specs: Mapping[str, Spec]) -> list[str]:
    """The names of the ops that a composed op calls, directly or through ops in `specs`.

    Those stand first that others of them call.
    """
    met: set[str] = set()
    found: list[str] = []

    def meet(caller: Spec) -> None:
        for _, call in op_calls(caller):
            if call.function in met:
                continue
            met.add(call.function)
            if call.function in specs:
                meet(specs[call.function])
            found.append(call.function)

    meet(spec)
    return found


def op_calls(spec: Spec) -> list[tuple[ComposeStep, Call]]:
    """The calls of ops in each step of a composed op."""
    return [
        (step, node)
        for step in (spec.compose.steps if spec.compose else ())
        for node in walk(step.call)
        if isinstance(node, Call) and node.function not in (*ATEN_FUNCTIONS, "list")
    ]


def _op_call(call: Call, specs: dict[str, Spec], targets: int) -> list[Problem]:
    if call.function not in specs:
        guess = did_you_mean(call.function, [*specs, *ATEN_FUNCTIONS])
        return [Problem(f"unknown op '{call.function}'{guess}", call.location)]
    spec = specs[call.function]
    names = [entry.name for entry in spec.inputs]
    required = sum(entry.default is None for entry in spec.inputs)
    problems = []
    if not spec.rows.are_last:
        message = f"'{call.function}' has a 'reduce', and no composed op can call it yet"
        problems.append(Problem(message, call.location))
    if not required <= len(call.args) <= len(names):
        message = f"'{call.function}' does not take {len(call.args)} tensors"
        usage = f"{call.function}({', '.join(names)})"
        problems.append(Problem(message, call.location, usage))
    for param in spec.params:
        if param.default is None:
            message = (
                f"'{call.function}' needs its param '{param.name}', which no call here can give"
            )
            problems.append(Problem(message, call.location, "give the param a default"))
    if len(spec.outputs) != targets:
        outputs = ", ".join(output.name for output in spec.outputs)
        given = "one tensor" if len(spec.outputs) == 1 else f"{len(spec.outputs)} tensors"
        named = "one is" if targets == 1 else f"{targets} are"
        message = f"'{call.function}' gives {given}, but {named} named"
        problems.append(Problem(message, call.location, f"its outputs are {outputs}"))
    return problems


def _circle(spec: Spec, specs: Mapping[str, Spec]) -> list[Problem]:
    """The problem of an op that calls itself, directly or through other ops."""
    for step, call in op_calls(spec):
        called = specs.get(call.function)
        if called and spec.name in (called.name, *reached_ops(called, specs)):
            message = f"'{spec.name}' ends up calling itself"
            return [Problem(message, step.call.location)]
    return []


def _signed(expr: Expr) -> Expr:
    """The expression with a negative number in place of each number behind a minus."""
    value = plain_number(expr)
    if isinstance(value, Fraction):
        return Number(value, expr.location)
    if isinstance(expr, Call):
        return replace(expr, args=tuple(map(_signed, expr.args)))
    return expr


def _kind(arg: Expr) -> str:
    value = plain_number(arg)
    if isinstance(value, Fraction):
        return "int" if value.denominator == 1 else "number"
    return "tensors" if isinstance(arg, Call) and arg.function == "list" else "tensor"
