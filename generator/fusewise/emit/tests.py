"""What the generated test file of an op says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fusewise.emit.plain_pytorch import value_text
from fusewise.emit.printing import bracketed, python_tuple
from fusewise.emit.reference import called_names, called_references, functions_of_case
from fusewise.language.choices import Choice
from fusewise.language.formula import Call, Name, Number, walk
from fusewise.language.functions import CALLABLE, FORMS, FUNCTIONS
from fusewise.language.functions.operators import POW
from fusewise.language.model import (
    FLOAT_DTYPES,
    Input,
    Module,
    Output,
    Param,
    Parameter,
    Spec,
)
from fusewise.language.names import camel_case


@dataclass(frozen=True, slots=True)
class Tested:
    """What tests want to know of a variant."""

    choice: Choice
    saves: tuple[str, ...]
    has_backward: bool


@dataclass(frozen=True, slots=True)
class TestView:
    """A test file; the fields of its case are ready to print."""

    definition_lines: tuple[str, ...]  # the functions, each after two empty lines
    composed: bool
    names: str  # of the classes of `testing` that the case is made of
    before_op: str  # a call that gives an op of the last dimension; empty if its row is that
    after_op: str
    dispatch_name: str
    field_lines: tuple[str, ...]  # all but the op's names
    class_header: str  # with the classes of tests that apply
    module_lines: tuple[str, ...]  # the fields of the case of its module; none without a module


def emit_tests(spec: Spec, variants: Sequence[Tested], ops: Mapping[str, Spec]) -> TestView:
    """The view of an op's tests; `ops` are those that it may call."""
    has_choices = bool(variants[0].choice.values)
    called = called_names(spec, ops)
    functions = functions_of_case(spec, called)
    definitions = [*called_references(called, ops), *functions]
    forms = {node.function for node in _calls(spec) if node.function in FORMS}
    forms = {name for name in forms if FORMS[name].autograd_only}
    reason = "its backward is a surrogate" if spec.is_surrogate else ""
    if forms:
        reason = f"{' and '.join(sorted(forms))} change the gradient on purpose"
    coarse = [out.dtype for out in spec.outputs if out.dtype in FLOAT_DTYPES[:-1]]
    if coarse and not reason:
        reason = f"an output is {coarse[0]}: its steps are too coarse"
    before, after = _moved(spec)
    name = f"Test{camel_case(spec.name)}"
    bases = [f"testing.{name}" for name in _classes(spec, variants)]
    return TestView(
        definition_lines=tuple(line for f in definitions for line in ("", "", *f.lines)),
        composed=spec.compose is not None,
        names=", ".join(
            [
                *(["Choice"] if has_choices else []),
                "Input",
                *(["ModuleCase"] if spec.module else []),
                *("OpCase", "Output"),
            ]
        ),
        before_op=before,
        after_op=after,
        dispatch_name=spec.name if has_choices else spec.rows_name,
        field_lines=(
            *("    inputs=(", *[f"        {_input(spec, e)}," for e in spec.inputs], "    ),"),
            *bracketed(
                "params={", [_param(spec, p) for p in spec.params if not p.choices], "},", 4
            ),
            *_tuple_lines("outputs=(", [_output(output) for output in spec.outputs]),
            *_saves(variants),
            *[f"    {function.name}={_called(spec, function.name)}," for function in functions],
            *([f'    no_finite_differences="{reason}",'] if reason else []),
            *(["    exact=True,"] if _is_exact(spec) else []),
            *(["    reduces=True,"] if spec.reduces else []),
        ),
        class_header="\n".join(bracketed(f"class {name}(", bases, "):")),
        module_lines=tuple(_module_lines(spec, spec.module)) if spec.module else (),
    )


def _moved(spec: Spec) -> tuple[str, str]:
    """What stands before and after an op, so that its row is the last dimension."""
    if spec.rows.are_last:
        return "", ""
    if spec.rows.whole:
        return "testing.op_of_rows(", f', "{spec.rows_name}")'
    return "testing.rows_last(", f", {_rows(spec)})"


def _rows(spec: Spec) -> str:
    """What `testing.rows_last` takes beside a function."""
    fields = [str(spec.rows.sampled)]
    inputs = tuple(k for k, entry in enumerate(spec.inputs) if entry.extent == "row")
    outputs = tuple(
        k for k, out in enumerate(spec.outputs) if out.extent == "row" and not out.keepdim
    )
    fields += [f"row_inputs={inputs}"] if inputs else []
    fields += [f"row_outputs={outputs}"] if outputs else []
    fields += [f"{name}={dim}" for name, dim in spec.rows.arguments.items()]
    return ", ".join(fields)


def _called(spec: Spec, function: str) -> str:
    """A function of the test file for rows in the last dimension. The oracle is the user's own."""
    if function != "oracle" or spec.rows.are_last:
        return function
    if spec.rows.whole:
        return f"testing.for_each_row({function})"
    return f"testing.rows_last({function}, {_rows(spec)})"


def _module_lines(spec: Spec, module: Module) -> list[str]:
    sizes = _sample_sizes(spec, module)
    shapes, initial = [], []
    for parameter in module.parameters:
        shape = [f'"{size}"' if isinstance(size, str) else str(size) for size in parameter.shape]
        shapes.append(f'"{parameter.name}": {python_tuple(shape)}')
        bounds = ", ".join(map(value_text, _bounds(parameter)))
        initial.append(f'"{parameter.name}": ({bounds})')
    held = {parameter.name for parameter in module.parameters}
    # torch.inf prints itself as inf
    usual = [(p.name, value_text(spec.usual(p)).replace("torch.", "")) for p in spec.keywords]
    flags = [(e.name, True) for e in spec.inputs if e.name in held and e.default is not None]
    shown = ", ".join(f"{name}={value}" for name, value in [*sizes.items(), *usual, *flags])
    dims = [] if spec.rows.are_last else [f"    dims={spec.rows.dims},"]
    return [
        *bracketed("sizes={", [f'"{name}": {size}' for name, size in sizes.items()], "},", 4),
        *bracketed("shapes={", shapes, "},", 4),
        *bracketed("initial={", initial, "},", 4),
        *bracketed("text=", [f'"{module.name}({shown})"'], ",", 4),
        *dims,
    ]


def _sample_sizes(spec: Spec, module: Module) -> dict[str, int]:
    """Different sizes that packed inputs can split; those of a composed op suit its shapes."""
    sizes = {name: 12 * (place + 1) for place, name in enumerate(module.sizes)}
    for parameter in module.parameters if spec.compose else ():
        found = zip(parameter.shape, _small_shape(spec, parameter.name), strict=False)
        sizes |= {name: size for name, size in found if isinstance(name, str)}
    return sizes


def _bounds(parameter: Parameter) -> tuple[Fraction, Fraction]:
    """The interval of the initial values; a normal one exceeds it in no test."""
    match parameter.init:
        case "constant":
            return parameter.values[0], parameter.values[0]
        case "uniform":
            return parameter.values[0], parameter.values[1]
        case "normal":
            return -10 * parameter.values[0], 10 * parameter.values[0]
    value = Fraction(parameter.init == "ones")
    return value, value


def _saves(variants: Sequence[Tested]) -> list[str]:
    if not variants[0].choice.values:
        return _tuple_lines("saves=(", [f'"{name}"' for name in variants[0].saves])
    items = []
    for variant in variants:
        values = ", ".join(
            f'"{name}": {value_text(value)}' for name, value in variant.choice.values
        )
        saves = python_tuple([f'"{name}"' for name in variant.saves])
        spec = variant.choice.spec
        name = variant.choice.suffix + spec.rows_name.removeprefix(spec.name)
        items.append(f'Choice("{name}", {{{values}}}, saves={saves})')
    return _tuple_lines("choices=(", items)


def _input(spec: Spec, entry: Input) -> str:
    fields = [f'"{entry.name}"']
    if entry.dtype != "float":
        fields.append(f'kind="{entry.dtype}"')
    found = [domain_of_samples(spec, entry, name) for name in entry.names]
    if any(found):
        domains = [f"({float(low)}, {float(high)})" for low, high in (d or (-4, 4) for d in found)]
        domain = domains[0] if len(set(domains)) == 1 else f"({', '.join(domains)})"
        fields.append(f"domain={domain}")
    if entry.parts:
        fields.append(f"parts={len(entry.parts)}")
    if entry.layout == "interleaved":
        fields.append("interleaved=True")
    if entry.default is not None:
        fields.append("optional=True")
    if entry.extent == "row":
        fields.append("is_row=True")
    if spec.compose:
        fields.append(f"shape={_small_shape(spec, entry.name)}")
    return f"Input({', '.join(fields)})"


def domain_of_samples(spec: Spec, entry: Input, name: str) -> tuple[Fraction, Fraction] | None:
    """The range of the samples of an input, or of its part of this name: the spec's, else that of
    its functions, if any."""
    ranges = [spec.domain[key] for key in {entry.name, name} if key in spec.domain]
    ranges = ranges or _function_domains(spec, name)
    return (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None


def _function_domains(spec: Spec, name: str) -> list[tuple[Fraction, Fraction]]:
    """The domains of the functions that take the name as it is."""
    return [
        domain
        for call in _calls(spec)
        if call.function in FUNCTIONS and FUNCTIONS[call.function].symbol is None
        for arg, domain in zip(call.args, FUNCTIONS[call.function].domain, strict=False)
        if arg == Name(name)
    ]


def _small_shape(spec: Spec, name: str) -> tuple[int, ...]:
    """The shape in the first typical case, with all sizes divided by their common divisor."""
    shapes = spec.first_shapes
    shared = math.gcd(*(size for shape in shapes.values() for size in shape)) or 1
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
    usual = spec.usual(param)
    if isinstance(usual, bool):
        return [str(usual), str(not usual)]
    middle = spec.usual(replace(param, default=None))
    least, _ = spec.domain.get(param.name, (middle + 1, None))
    if param.type == "int":
        least = Fraction(math.ceil(least))
    other = middle if middle != usual else least
    return [value_text(value) for value in dict.fromkeys([usual, other])]


def _calls(spec: Spec) -> list[Call]:
    return [node for formula in spec.formulas for node in walk(formula) if isinstance(node, Call)]


def _classes(spec: Spec, variants: Sequence[Tested]) -> Iterator[str]:
    """The classes of `fusewise.testing` whose tests apply."""
    yield "Values"
    if spec.compose or any(variant.has_backward for variant in variants):
        yield "Gradients"
    if _is_exact(spec):
        yield "Ties"
    if _is_exact(spec) or any(output.dtype not in (None, "bool") for output in spec.outputs):
        yield "Caches"
    if spec.module:
        yield "ModuleTests"


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
