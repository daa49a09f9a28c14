"""Stage emit, second half: what the generated test file of an op says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fusewise.emit.printing import bracketed, python_tuple
from fusewise.emit.reference import called_references, functions_of_case, value_text
from fusewise.graph.passes import Pass
from fusewise.language.choices import Choice
from fusewise.language.formula import Call, Name, Number, walk
from fusewise.language.functions import CALLABLE, FORMS, FUNCTIONS
from fusewise.language.functions.operators import POW
from fusewise.language.model import FLOAT_DTYPES, Input, Output, Param, Spec


@dataclass(frozen=True, slots=True)
class Tested:
    """What tests want to know of a variant: what it saves, and its backward before planning."""

    choice: Choice
    saves: tuple[str, ...]
    derived: Pass | None


@dataclass(frozen=True, slots=True)
class TestView:
    """A test file; the fields of its case are ready to print."""

    class_name: str
    definition_lines: tuple[str, ...]  # the functions, each after two empty lines
    composed: bool
    names: str  # of the classes of `testing` that the case is made of
    field_lines: tuple[str, ...]  # all but the op's names
    bases: str  # the classes of tests that apply


def emit_tests(spec: Spec, variants: Sequence[Tested], ops: Mapping[str, Spec]) -> TestView:
    """The view of an op's tests; `ops` are those that it may call."""
    usual = variants[0]  # what can arrive and what is asked for is the same for all
    functions = functions_of_case(spec, usual.derived)
    definitions = [*called_references(spec, ops), *functions]
    forms = {node.function for node in _calls(spec) if node.function in FORMS}
    forms = {name for name in forms if FORMS[name].autograd_only}
    reason = "its backward is a surrogate" if spec.is_surrogate else ""
    if forms:
        reason = f"{' and '.join(sorted(forms))} change the gradient on purpose"
    coarse = {str(out.dtype) for out in spec.outputs} & set(FLOAT_DTYPES[:-1])
    if coarse and not reason:
        reason = f"an output is {coarse.pop()}: its steps are too coarse"
    return TestView(
        class_name=spec.name.title().replace("_", ""),
        definition_lines=tuple(line for f in definitions for line in ("", "", *f.lines)),
        composed=spec.compose is not None,
        names=", ".join(
            [*(["Choice"] if usual.choice.values else []), "Input", "OpCase", "Output"]
        ),
        field_lines=(
            *("    inputs=(", *[f"        {_input(spec, e)}," for e in spec.inputs], "    ),"),
            *bracketed(
                "params={", [_param(spec, p) for p in spec.params if not p.choices], "},", 4
            ),
            *_tuple_lines("outputs=(", [_output(output) for output in spec.outputs]),
            *_saves(variants),
            *[f"    {function.name}={function.name}," for function in functions],
            *([f'    no_finite_differences="{reason}",'] if reason else []),
            *(["    exact=True,"] if _is_exact(spec) else []),
            *(["    reduces=True,"] if spec.reduces else []),
        ),
        bases=", ".join(f"testing.{name}" for name in _classes(spec, variants)),
    )


def _saves(variants: Sequence[Tested]) -> list[str]:
    if not variants[0].choice.values:
        return _tuple_lines("saves=(", [f'"{name}"' for name in variants[0].saves])
    items = []
    for variant in variants:
        values = ", ".join(
            f'"{name}": {value_text(value)}' for name, value in variant.choice.values
        )
        saves = python_tuple([f'"{name}"' for name in variant.saves])
        items.append(f'Choice("{variant.choice.suffix}", {{{values}}}, saves={saves})')
    return _tuple_lines("choices=(", items)


def _input(spec: Spec, entry: Input) -> str:
    fields = [f'"{entry.name}"']
    if entry.dtype != "float":
        fields.append(f'kind="{entry.dtype}"')
    if domain := domain_of_samples(spec, entry):
        fields.append(f"domain=({float(domain[0])}, {float(domain[1])})")
    if entry.parts:
        fields.append(f"parts={len(entry.parts)}")
    if entry.default is not None:
        fields.append("optional=True")
    if entry.extent == "row":
        fields.append("is_row=True")
    if spec.compose:
        fields.append(f"shape={_small_shape(spec, entry.name)}")
    return f"Input({', '.join(fields)})"


def domain_of_samples(spec: Spec, entry: Input) -> tuple[Fraction, Fraction] | None:
    """The range of the samples of an input: the spec's, else that of its functions, if any."""
    names = (entry.name, *entry.parts)
    ranges = [(low, high) for name, low, high in spec.test.domain if name in names]
    ranges = ranges or _function_domains(spec, names)
    return (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None


def _function_domains(spec: Spec, names: Sequence[str]) -> list[tuple[Fraction, Fraction]]:
    """The domains of the functions that take one of the names as it is."""
    return [
        domain
        for call in _calls(spec)
        if call.function in FUNCTIONS and FUNCTIONS[call.function].symbol is None
        for arg, domain in zip(call.args, FUNCTIONS[call.function].domain, strict=False)
        if isinstance(arg, Name) and arg.id in names
    ]


def _small_shape(spec: Spec, name: str) -> tuple[int, ...]:
    """The shape in the first typical case, with all sizes divided by their common divisor."""
    shapes = dict(spec.shapes[0]) if spec.shapes else {}
    shared = math.gcd(*(size for shape in shapes.values() for size in shape)) if shapes else 1
    return tuple(size // shared for size in shapes.get(name, (2, 3)))


def _output(output: Output) -> str:
    parts = f", parts={len(output.parts)}" if len(output.parts) > 1 else ""
    dtype = f', dtype="{output.dtype}"' if output.dtype else ""
    rows = ", is_row=True" if output.extent == "row" else ""
    keepdim = ", keepdim=True" if output.keepdim else ""
    return f'Output("{output.name}"{parts}{dtype}{rows}{keepdim})'


def _param(spec: Spec, param: Param) -> str:
    return f'"{param.name}": {python_tuple(_values(spec, param))}'


def _values(spec: Spec, param: Param) -> list[str]:
    """The values of a param that tests try, the usual one first."""
    if param.type == "bool":
        usual = bool(param.default)
        return [str(usual), str(not usual)]
    ranges = [(low, high) for name, low, high in spec.test.domain if name == param.name]
    middle = sum(ranges[0]) / 2 if ranges else Fraction(1)
    values = [middle if param.default is None else param.default]
    other = middle if middle != values[0] else ranges[0][0] if ranges else middle + 1
    if param.type == "int":
        other = Fraction(math.floor(other))
    return [value_text(value) for value in dict.fromkeys([*values, other])]


def _calls(spec: Spec) -> list[Call]:
    formulas = [step.formula for step in spec.let]
    formulas += [] if spec.compose else [part for out in spec.outputs for part in out.parts]
    return [node for formula in formulas for node in walk(formula) if isinstance(node, Call)]


def _classes(spec: Spec, variants: Sequence[Tested]) -> Iterator[str]:
    """The classes of `fusewise.testing` whose tests apply."""
    yield "Values"
    if spec.compose or any(variant.derived for variant in variants):
        yield "Gradients"
    if _is_exact(spec):
        yield "Ties"
    if _is_exact(spec) or any(output.dtype not in (None, "bool") for output in spec.outputs):
        yield "Caches"


def _is_exact(spec: Spec) -> bool:
    """Whether the op computes sums and products, and chooses, but nothing that rounds always."""
    digits = {_digits(call) for call in _calls(spec)}
    return "more" in digits and "any" not in digits


def _digits(call: Call) -> str:
    """As in the row of the function; a square and a cube are products."""
    row, exponent = CALLABLE[call.function], call.args[-1]
    is_product = row is POW and isinstance(exponent, Number) and exponent.value in (2, 3)
    return "more" if is_product else row.digits


def _tuple_lines(opening: str, items: Sequence[str]) -> list[str]:
    return bracketed(opening, items, ",)," if len(items) == 1 else "),", 4)
