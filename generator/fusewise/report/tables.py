"""The tables of a report: the interface of an op, its memory plan, its traffic and its speed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from fusewise.emit.views import Variant
from fusewise.explain.page import show_bytes, show_time
from fusewise.language.model import Output, Spec
from fusewise.measure.bench.report import OURS
from fusewise.pipeline import Compiled
from fusewise.plan.cost import FLOAT_BYTES, H200, estimate
from fusewise.plan.memory import Alternative, MemoryPlan
from fusewise.report.blocks import Block, Table, Text, table
from fusewise.report.measured import Speed

_KINDS = {"float": "float", "int": "integer", "bool": "bool", "number": "float or integer"}


def interface_table(compiled: Compiled) -> Table:
    """Inputs, params and outputs, with their types and the first case of typical shapes."""
    spec = compiled.spec
    shapes = spec.first_shapes
    forward = [source for variant in compiled.variants for source in variant.passes[:1]]
    learning = {t.name for source in forward for t in source.reads if t.differentiable}
    if spec.compose:
        learning = {entry.name for entry in spec.inputs if entry.dtype == "float"}
    rows = []
    for entry in spec.inputs:
        parts = ", ".join(f"`{part}`" for part in entry.parts)
        packed = f"{parts}, {entry.layout}" if parts else ""
        kind = _KINDS[entry.dtype] + ", one a row" * (entry.extent == "row")
        default = _number(entry.default.value) if entry.default is not None else ""
        shape = _shape(shapes.get(entry.name))
        learns = "yes" if entry.name in learning else "no"
        rows.append((f"`{entry.name}`", "input", kind, shape, default, packed, learns))
    for param in spec.keywords:
        default = "" if param.default is None else _number(param.default)
        choices = f"one of {', '.join(map(_number, param.choices))}" if param.choices else ""
        rows.append((f"`{param.name}`", "param", param.type, "", default, choices, ""))
    for output in spec.outputs:
        shape = "" if spec.compose or not shapes else _shape(_output_shape(spec, output, shapes))
        packed = f"{len(output.parts)} parts, {output.layout}" if output.layout else ""
        kind = output.dtype or "as the inputs"
        rows.append((f"`{output.name}`", "output", kind, shape, "", packed, ""))
    columns = ("name", "", "type", "typical shape", "default", "values", "gradient")
    return table(columns, rows)


def _output_shape(
    spec: Spec, output: Output, shapes: dict[str, tuple[int, ...]]
) -> tuple[int, ...]:
    *outer, last = full = spec.full_shape(shapes)
    if output.extent == "element":
        return (*outer, last * len(output.parts))
    dims = [len(full) + dim for dim in spec.rows.of(len(full))]
    kept = [1 if k in dims else size for k, size in enumerate(full)]
    return tuple(size for k, size in enumerate(kept) if output.keepdim or k not in dims)


def _shape(shape: Sequence[int] | None) -> str:
    return "" if shape is None else f"[{', '.join(map(str, shape))}]"


def _number(value: Fraction | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{float(value):.12g}"


def choice_line(variant: Variant) -> Iterator[Block]:
    """A line that says which variant follows, if there are several."""
    if variant.choice.values:
        yield Text(f"With {variant.choice}:")


def memory_blocks(variants: Iterable[Variant]) -> Iterator[Block]:
    """What each derivative keeps, why, and the choices that were not taken."""
    for variant in variants:
        yield from choice_line(variant)
        for plan in variant.memory:
            yield Text(_kept(plan))
            if plan.rejected:
                yield _alternatives(plan)
            rows = [
                (f"`{gradient}`", _names(names))
                for gradient, names in plan.kept_for.items()
                if len(names) < len(plan.chosen.inputs + plan.chosen.outputs)
            ]
            if rows:
                yield table(("for this gradient alone", "is kept"), rows)


def _kept(plan: MemoryPlan) -> str:
    chosen = plan.chosen
    sizes = [f"{chosen.elements * size} B in {dtype}" for dtype, size in FLOAT_BYTES.items()]
    each = f", for each element {' or '.join(sizes)}" if chosen.elements else ""
    return (
        f"The {plan.derivative.title} keeps {_names(chosen.inputs + chosen.outputs)}{each}, and"
        f" has {chosen.cost} instructions. The reason: {plan.reason}."
    )


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def _alternatives(plan: MemoryPlan) -> Table:
    """The choices, best first, with the cost that decides: instructions and bytes weighed."""

    def row(choice: Alternative) -> tuple[str, ...]:
        sizes = (f"{choice.elements * size} B" for size in FLOAT_BYTES.values())
        return _names(choice.inputs + choice.outputs), *sizes, str(choice.cost), str(choice.total)

    columns = ("choice", *FLOAT_BYTES, "instructions", "cost of both")
    return table(columns, map(row, (plan.chosen, *plan.rejected)))


def traffic_blocks(spec: Spec, variant: Variant) -> Iterator[Block]:
    """Reads and writes of each pass, and the roofline at the first case of typical shapes."""
    if not variant.passes:
        return
    passes = zip(variant.passes, variant.kernels, strict=True)
    yield table(
        ("pass", "reads and writes"), [(source.title, plan.traffic) for source, plan in passes]
    )
    shapes = spec.first_shapes
    if not shapes:
        return
    case = ", ".join(f"`{name}` {list(shape)}" for name, shape in shapes.items())
    yield Text(f"The least time on an {H200.name} for {case}:")
    rows = []
    for source, plan in variant.timed:
        for dtype in FLOAT_BYTES:
            found = estimate(spec, source, plan, shapes, dtype)
            if not found.bytes:  # gradients that are forwarded
                continue
            each = found.bytes / math.prod(spec.loop_shape(shapes))
            times = map(show_time, (found.memory, found.arithmetic))
            rows.append(
                (source.title, dtype, f"{each:.3g} B", show_bytes(found.bytes), *times, found.bound)
            )
    columns = ("pass", "type", "each element", "all", "memory", "arithmetic", "bound by")
    yield table(columns, rows)


def speed_table(speeds: Sequence[Speed]) -> Table:
    """Our time, our share of a copy's speed, and the times of others divided by ours."""
    others = dict.fromkeys(name for s in speeds for row in s.rows for name in row.others)
    rows = []
    for speed in speeds:
        for row in speed.rows:
            ratios = (f"{ratio:.2f}" if ratio else "" for ratio in map(row.ratio, others))
            time, share = row.times.get(OURS), row.share(OURS)
            texts = (
                show_time(time / 1e6) if time else "",
                f"{share:.0%}" if share else "",
                *ratios,
            )
            rows.append((speed.results.title, _shape(row.largest), row.direction, *texts))
    return table(("run", "largest tensor", "", OURS, "of a copy", *others), rows)
