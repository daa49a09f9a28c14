"""What a report says about an op, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sympy import Symbol

from fusewise.emit.render import render
from fusewise.emit.views import Variant
from fusewise.explain.equations import forward_equations
from fusewise.explain.mathml import mathml_maths
from fusewise.explain.page import (
    conventions,
    gradient_equations,
    gradient_notes,
    notes,
    rewrites,
)
from fusewise.explain.unicode import unicode_line
from fusewise.language.model import Spec
from fusewise.language.sections.compose import op_calls
from fusewise.pipeline import Compiled
from fusewise.report.blocks import Block, Code, Figure, Figures, Maths, Page, Section, Text, table
from fusewise.report.figures import slice_figure, speed_figure, thumbnail
from fusewise.report.measured import Measured
from fusewise.report.slices import PLACE, ROW, Slice, slices_of, usual_inputs
from fusewise.report.tables import (
    choice_line,
    interface_table,
    memory_blocks,
    speed_table,
    traffic_blocks,
)

PACKAGE = "fusewise_ops"  # files with formulas do not depend on it


def page_of(compiled: Compiled, others: Sequence[Spec], measured: Measured) -> Page:
    """The report of an op. Sections that would say nothing are left out.

    others: the specs of the same build, which a composed op may call.
    """
    spec, variants = compiled.spec, compiled.variants
    slices = [slices_of(spec, variant) for variant in variants]
    sections = {
        "Formula": [Maths(mathml_maths(forward_equations(spec))), *map(Text, notes(compiled))],
        "Parts": _parts(spec, others),
        "Gradients": _gradients(spec, variants),
        "Inputs and outputs": [interface_table(compiled)],
        "Values and derivatives": _plots(compiled, slices),
        "Memory": memory_blocks(variants),
        "Traffic": traffic_blocks(spec, variants[0]),
        "Stable forms": _rewritten(variants),
        "Kinks and edges": _kinks(variants),
        "Accuracy": _accuracy(spec, measured),
        "Speed": _speed(spec, measured),
        "Code": _code(compiled),
    }
    found = ((title, tuple(blocks)) for title, blocks in sections.items())
    return Page(
        op=spec.name,
        signature=str(spec).splitlines()[0].rstrip(":"),
        doc=tuple(Text(" ".join(text.split())) for text in spec.doc.split("\n\n") if text),
        thumbnail=thumbnail(slices[0][0], spec.name) if slices[0] else "",
        sections=tuple(Section(title, blocks) for title, blocks in found if blocks),
    )


def _parts(spec: Spec, others: Sequence[Spec]) -> Iterator[Block]:
    """The formulas of the ops that a composed op calls."""
    known = {other.name: other for other in others}
    for name in dict.fromkeys(call.function for _, call in op_calls(spec)):
        first, *_ = known[name].doc.splitlines() or [""]
        yield Text(f"`{name}`: {first}" if first else f"`{name}`")
        yield Maths(mathml_maths(forward_equations(known[name])))


def _gradients(spec: Spec, variants: Iterable[Variant]) -> Iterator[Block]:
    if spec.compose:
        yield Text("Autograd composes them from the gradients of the parts.")
        return
    for variant in variants:
        yield from choice_line(variant)
        steps, writes = gradient_equations(variant)
        if writes:
            yield Maths(mathml_maths([*steps, *writes]))
        yield from map(Text, gradient_notes(spec, variant))


def _plots(compiled: Compiled, slices: Sequence[Sequence[Slice]]) -> Iterator[Block]:
    spec = compiled.spec
    if any(slices):
        yield Text(_usual(spec))
    for variant, found in zip(compiled.variants, slices, strict=True):
        yield from choice_line(variant)
        figures = []
        for each in found:
            name = "-".join(filter(None, (spec.name, variant.choice.suffix, each.name)))
            figures.append(Figure(name, f"{spec.name} along {each.name}", slice_figure(each, name)))
        if figures:
            yield Figures(tuple(figures))


def _usual(spec: Spec) -> str:
    """The values of what does not vary in a plot."""
    values = {name: float(value) for name, value in usual_inputs(spec).items()}
    values |= {p.name: float(spec.usual(p)) for p in spec.params if not p.choices}
    conditions = [name for i in spec.inputs if i.dtype == "bool" for name in i.names]
    shown = [
        f"{unicode_line(Symbol(name))} is {'true' if name in conditions else f'{value:.6g}'}"
        for name, value in values.items()
    ]
    row = (
        f" A row has {ROW} elements. Inputs and outputs are the element at place {PLACE}; the other"
        " elements have different values."
    )
    surrogate = " Gradients are those of the surrogate."
    return (
        f"In each plot one input varies. Otherwise {', '.join(shown)}."
        f"{row * spec.reduces}{surrogate * spec.is_surrogate}"
    )


def _rewritten(variants: Sequence[Variant]) -> Iterator[Block]:
    if rows := rewrites(variants):
        yield table(
            ("as written", "as computed", "holds"), [(f"`{a}`", f"`{b}`", c) for a, b, c in rows]
        )


def _kinks(variants: Sequence[Variant]) -> Iterator[Block]:
    if rows := conventions(variants):
        yield table(("place", "value or derivative there"), rows)


def _accuracy(spec: Spec, measured: Measured) -> Iterator[Block]:
    for found in measured.accuracies(spec.name):
        yield Text(
            f"The largest errors in units in the last place, beside PyTorch eager's: {found.title}."
        )
        yield table(found.columns, found.rows)


def _speed(spec: Spec, measured: Measured) -> Iterator[Block]:
    if speeds := measured.speeds(spec):
        bars = {d: speed_figure(speeds, d, f"{spec.name}-{d}") for d in ("forward", "backward")}
        yield Figures(
            tuple(
                Figure(f"{spec.name}-{direction}", f"speed of {spec.name}, {direction}", svg)
                for direction, svg in bars.items()
                if svg
            )
        )
        yield Text("In the table the columns of the others are their time divided by ours.")
        yield speed_table(speeds)


def _code(compiled: Compiled) -> Iterator[Block]:
    spec = compiled.spec
    yield Code(f"The spec, {spec.shown_path}", "yaml", Path(spec.path).read_text(encoding="utf-8"))
    files = render([compiled.view], PACKAGE)
    name = f"{spec.name}_torch.cpp" if spec.compose else f"{spec.name}.math.h"
    yield Code(f"The generated {name}", "cpp", files[f"csrc/{spec.name}/{name}"])
