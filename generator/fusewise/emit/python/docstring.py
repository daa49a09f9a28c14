"""The docstring of an op: the spec's own text, formulas, gradients, shapes, types, kept tensors."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from fusewise.emit.python.literals import python_literal
from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Operand, Pass
from fusewise.graph.steps import show_value
from fusewise.language.functions import INTRINSICS
from fusewise.language.model import Input, Output, RowDims, Spec
from fusewise.plan.cost import FLOAT_BYTES, item_bytes
from fusewise.plan.kept import KeptTotals
from fusewise.plan.memory import MemoryPlan

DOC_WIDTH = 96  # of the text, which is indented by 4
_LONGEST = 40  # nodes of a gradient that is shown as a formula
_DTYPES = {
    "float": "floating point",
    "int": "integer",
    "bool": "bool",
    "number": "floating point or integer",
}


def doc_lines(spec: Spec, plans: Sequence[MemoryPlan], totals: KeptTotals) -> list[str]:
    """The docstring, indented. `plans` are those of the backward, one for each choice of params."""
    lines = [*prose(spec), ""]
    for line in [*str(spec).splitlines()[1:], *_values(spec), *_gradients(spec, plans)]:
        lines += textwrap.wrap(f"  {line.strip()}", DOC_WIDTH, subsequent_indent="      ")
    lines += [] if spec.compose else ["", *_facts(spec, plans, totals)]
    return quoted_doc(lines)


def quoted_doc(lines: Sequence[str]) -> list[str]:
    """Lines as a docstring, indented by 4."""
    first, *rest = lines
    return [f"    {line}".rstrip() for line in [f'"""{first}', *rest, '"""']]


def prose(spec: Spec) -> list[str]:
    """The text of the spec; a paragraph with a line that is too long is filled anew.

    Nothing in it can end a docstring.
    """
    text = (spec.doc or spec.name).strip().replace("\\", "\\\\").replace('"', '\\"')
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        width = DOC_WIDTH if lines else DOC_WIDTH - 3  # the quotes stand before the first line
        rows = paragraph.splitlines()
        if any(len(row) > width for row in rows):
            rows = _filled(rows, width)
        lines += [*([""] if lines else []), *rows]
    return lines


def _filled(rows: Sequence[str], width: int) -> list[str]:
    """The rows of a paragraph within a width; those of a list stay rows of their own."""
    is_list = any(row.startswith((" ", "-", "*")) for row in rows)
    indent = "    " if is_list else ""
    wrapper = textwrap.TextWrapper(width, subsequent_indent=indent, break_on_hyphens=False)
    texts = rows if is_list else [" ".join(rows)]
    return [piece for text in texts for piece in wrapper.wrap(text)]


def _values(spec: Spec) -> Iterable[str]:
    """The values of inputs that are left out, and the choices of params."""
    for entry in spec.inputs:
        if entry.default is not None:
            yield f"{entry.name} is {python_literal(entry.default.value)} if it is None"
    for param in spec.params:
        if param.choices:
            yield f"{param.name} is one of {', '.join(map(python_literal, param.choices))}"


# Gradients


def _gradients(spec: Spec, plans: Sequence[MemoryPlan]) -> Iterable[str]:
    """The derived gradients: a short one as its formula, of a longer one the tensors it needs."""
    written = {step.name for step in spec.backward.gradients} if spec.backward else set()
    shown: dict[str, list[str]] = {}
    needed: dict[str, dict[str, None]] = {}
    for source in (plan.derivative.where_all_arrive() for plan in plans):
        for tensor in source.writes:
            if written.issuperset(tensor.part_names):
                continue
            lines = _formulas(source, tensor)
            is_same = shown.setdefault(tensor.name, lines) == lines
            shown[tensor.name] = lines if is_same else []
            reads = dict.fromkeys(read.name for read in source.reads_of(tensor))
            needed.setdefault(tensor.name, {}).update(reads)
    for name, reads in needed.items():
        yield from shown[name] or [f"{name} needs {', '.join(reads) or 'nothing'}"]


def _formulas(source: Pass, tensor: Operand) -> list[str]:
    """A line for each part of a gradient; none if one of them is long."""
    if (equal := source.equal_to(tensor)) is not None:
        return [f"{tensor.name} = {equal.name}"]
    names = {node: name for name, node in source.lets}
    if any(_is_long(part, names) for part in tensor.parts):
        return []
    parts = zip(tensor.part_names, tensor.parts, strict=True)
    lines = [f"{name} = {show_value(part, names)}" for name, part in parts]
    return lines if all(len(line) <= DOC_WIDTH - 2 for line in lines) else []


def _is_long(root: Node, names: Mapping[Node, str]) -> bool:
    """Whether a formula has many nodes, each counted as often as it is printed, or internals."""
    sizes: dict[Node, int] = {}
    for node in topological([root]):
        is_internal = node.kind == "call" and node.name in INTRINSICS
        args = 0 if node in names else sum(sizes[arg] for arg in node.args)
        sizes[node] = 1 + args + (_LONGEST if is_internal else 0)
    return sizes[root] > _LONGEST


# Shapes, types and kept tensors


def _facts(spec: Spec, plans: Sequence[MemoryPlan], totals: KeptTotals) -> Iterable[str]:
    facts = [f"Shapes: {_shapes(spec)}", f"Dtypes: {_dtypes(spec)}", _kept(spec, plans, totals)]
    for fact in facts:
        yield from textwrap.wrap(fact, DOC_WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _shapes(spec: Spec) -> str:
    tensors = (*spec.inputs, *spec.outputs)
    is_plain = all(t.layout is None and t.extent == "element" for t in tensors)
    if is_plain and not spec.reduces:
        return "any that broadcast" if len(spec.inputs) > 1 else "any"
    inputs = _grouped((entry.name, _input_shape(spec, entry)) for entry in spec.inputs)
    outputs = _grouped((output.name, _output_shape(spec, output)) for output in spec.outputs)
    broadcast = ", which broadcast" if len(spec.inputs) > 1 else ""
    return f"{inputs}{broadcast} -> {outputs}"


def _input_shape(spec: Spec, entry: Input) -> str:
    return _shape(spec.rows, "" if entry.extent == "row" else "n", len(entry.names))


def _output_shape(spec: Spec, output: Output) -> str:
    row = "1" if output.keepdim else ""
    return _shape(spec.rows, row if output.extent == "row" else "n", len(output.parts))


def _shape(rows: RowDims, row: str, parts: int) -> str:
    """A shape, with `row` for the sizes of a row: [..., n], [..., m, n0, n1]; [...] without."""
    if rows.whole:
        return {"": "[]", "1": "[1, ...]"}.get(row, "[...]")
    if rows.param:
        sizes = [row, "..."]
    else:
        several = len(rows.dims) > 1 and row == "n"
        names = iter(f"{row}{k}" if several else row for k in range(len(rows.dims)))
        others = iter("mkji")
        span = range(min(rows.dims), 0)
        sizes = [next(names) if d in rows.dims else next(others, "m") for d in span]
    packed = [f"{parts} {size}" if parts > 1 else size for size in sizes]
    return f"[{', '.join(['...', *filter(None, packed)])}]"


def _dtypes(spec: Spec) -> str:
    inputs = _grouped((entry.name, _DTYPES[entry.dtype]) for entry in spec.inputs)
    if len({entry.dtype for entry in spec.inputs}) == 1:
        inputs = _DTYPES[spec.inputs[0].dtype]
    fixed = [
        (out.name, f"as {out.like}" if out.like else out.dtype) for out in spec.outputs if out.dtype
    ]
    return f"{inputs} -> {_grouped(fixed)}" if fixed else inputs


def _grouped(pairs: Iterable[tuple[str, str]]) -> str:
    """`x, y [..., n], target [...]`: names with what they have in common."""
    groups: dict[str, list[str]] = {}
    for name, what in pairs:
        groups.setdefault(what, []).append(name)
    return ", ".join(f"{', '.join(names)} {what}" for what, names in groups.items())


def _kept(spec: Spec, plans: Sequence[MemoryPlan], totals: KeptTotals) -> str:
    if not plans:
        return "It has no gradient."
    kept: dict[str, Operand] = {}
    for plan in plans:
        names = plan.chosen.inputs + plan.chosen.outputs
        kept |= {read.name: read for read in plan.derivative.reads if read.name in names}
    shown = [*kept, *([totals.counted] if totals.inputs else [])]
    if not shown:
        return "Kept for the backward: nothing"
    large = [tensor for tensor in kept.values() if _is_large(spec, tensor)]
    sizes = {
        dtype: sum(item_bytes(tensor, size) * len(tensor.parts) for tensor in large)
        for dtype, size in FLOAT_BYTES.items()
    }
    most = "at most " if len(plans) > 1 else ""
    return f"Kept for the backward: {most}{', '.join(shown)}{_total(sizes)}"


def _total(sizes: Mapping[str, int]) -> str:
    """The bytes of an element for each dtype."""
    (dtype, size), *others = sizes.items()
    if all(other == size for _, other in others):  # no float is kept
        return f"; {size} byte{'s' * (size > 1)} an element" if size else ""
    rest = "".join(f", {other} in {name}" for name, other in others)
    return f"; {size} bytes an element in {dtype}{rest}"


def _is_large(spec: Spec, tensor: Operand) -> bool:
    """Whether a tensor has a number for each element, at the first of the typical shapes."""
    shapes = spec.first_shapes
    entries = {entry.name: entry for entry in spec.inputs}
    if tensor.extent == "row":
        return False
    if not shapes or tensor.name not in entries:
        return True
    entry = entries[tensor.name]
    return entry.name in shapes and spec.part_shape(entry, shapes[entry.name]) == spec.loop_shape(
        shapes
    )
