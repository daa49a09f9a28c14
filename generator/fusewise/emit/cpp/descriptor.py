"""The descriptor of a pass, which is what the runtime knows of it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from fusewise.emit.printing import WIDTH, literal, quoted
from fusewise.graph.dag import topological
from fusewise.graph.passes import Operand, Pass
from fusewise.language.choices import Choice
from fusewise.language.model import DTYPES, Param, Spec
from fusewise.plan.statements import KernelPlan


def pass_name(choice: Choice, source: Pass) -> str:
    """The name of a pass in C++, as are `<name>_cpu` and `<name>_cuda`."""
    return f"{choice.suffix}_{source.name}" if choice.suffix else source.name


def struct_name(choice: Choice, source: Pass) -> str:
    """The name of the struct of a pass; of its descriptor after a `k`."""
    # Between digits an underscore stays: choices 1.5 and 15 differ by it.
    return re.sub(r"_(?!(?<=\d_)\d)", "", pass_name(choice, source).title())


def dispatch_name(op: str, source: Pass) -> str:
    """The name of a pass as an op, from that of the op: swiglu, swiglu_backward."""
    return f"{op}_{source.name}" if source.order else op


def descriptor(
    choice: Choice, source: Pass, derivative: Pass | None, plan: KernelPlan
) -> list[str]:
    name, spec = pass_name(choice, source), choice.spec
    is_forward = source.order == 0
    schema = rows_schema(spec) if is_forward else _derivative_schema(spec, source, plan)
    lines = assigned(".schema = ", schema)
    if choice.values or not spec.rows.are_last:
        lines.append(f'.name = "{dispatch_name(choice.op, source)}",')
    inputs = [_input(source, tensor) for tensor in source.reads]
    inputs += [_kept_total(name) for name in kept_reads(source, plan)]
    inputs += [_shape(tensor) for tensor in source.shapes]
    lines += _listed(".inputs = ", inputs)
    lines += _listed(".outputs = ", [_output(source, tensor, plan) for tensor in source.writes])
    lines += _listed(".kernels = ", [f"{name}_cpu", f"kWithCuda ? {name}_cuda : nullptr"])
    lines.append(f".decomposition = {name}_decomposition,")
    if derivative:
        reads = [tensor.name for tensor in source.reads]
        written = [tensor.name for tensor in source.writes]
        kept = [tensor.name for tensor in derivative.reads if tensor not in derivative.incoming]
        lines.append(f".derivative = &k{struct_name(choice, derivative)},")
        for field, names, among in (
            (".saved_inputs", [n for n in kept if n in reads], reads),
            (".saved_outputs", [n for n in kept if n not in reads], written),
            (".saved_shapes", [tensor.name for tensor in derivative.shapes], reads),
            (".gradients", [t.gradient_of.name for t in derivative.writes if t.gradient_of], reads),
        ):
            if names:
                lines.append(f"{field} = {{{', '.join(str(among.index(n)) for n in names)}}},")
    arriving = {tensor.arrives: i for i, tensor in enumerate(source.reads)}
    arrivals = [str(arriving[p]) for p in source.params if p in arriving]
    if arrivals:
        lines.append(f".arrivals = {{{', '.join(arrivals)}}},")
    if is_forward and plan.kept.names:
        lines.append(f".kept_totals = {len(plan.kept.names)},")
    flags = {
        ".decomposes = false,": not plan.decomposes,
        ".reduces = true,": source.reduces,
        ".needs_elements = true,": source.reduces and source.needs_elements,
        ".reads_index = true,": source.reads_index,
    }
    return [*lines, *(line for line, holds in flags.items() if holds)]


def forward_schema(spec: Spec) -> str:
    """The op's signature in PyTorch's dispatcher."""
    return _schema(spec, spec.name, spec.keywords)


def rows_schema(spec: Spec) -> str:
    """The signature of the op whose rows are the last dimension."""
    return _schema(spec, spec.rows_name, spec.params)


def registered(choice: Choice, source: Pass) -> str:
    """The arguments that define the op of a pass, after the library."""
    spec, descriptor = choice.spec, f"k{struct_name(choice, source)}"
    if spec.rows.are_last:
        return f" {descriptor}"
    dims = ", ".join(map(str, () if spec.rows.param else spec.rows.dims))
    dims = "kAllDims" if spec.rows.whole else dims
    lines = [*assigned("", forward_schema(spec)), f"{descriptor}, {{{dims}}}"]
    return "".join(f"\n    {line}" for line in lines)


def _schema(spec: Spec, name: str, params: Sequence[Param]) -> str:
    """A signature. PyTorch has no literal for an infinite default."""
    args = [
        f"Tensor? {entry.name}=None" if entry.default is not None else f"Tensor {entry.name}"
        for entry in spec.inputs
    ]
    args += ["*"] if params else []
    for param in params:
        args.append(f"{param.type} {param.name}{_default(param)}")
    return f"{name}({', '.join(args)}) -> {_results(len(spec.outputs))}"


def _default(param: Param) -> str:
    value = param.default
    if value is None or isinstance(value, float):
        return ""
    return f"={value if isinstance(value, bool) else literal(value)}"


def _derivative_schema(spec: Spec, source: Pass, plan: KernelPlan) -> str:
    args = []
    for tensor in source.reads:  # a tensor that only unwanted gradients read is not passed
        is_given = source.incoming == (tensor,)
        args.append(f"Tensor{'' if is_given else '?'} {tensor.name}")
    args += [f"Tensor? {name}" for name in kept_reads(source, plan)]
    args += [f"Tensor? {tensor.name}" for tensor in source.shapes]
    args += ["*"] if spec.params else []
    args += [f"{param.type} {param.name}" for param in spec.params]
    args.append(f"bool[{len(source.writes)}] needs")
    name = dispatch_name(spec.rows_name, source)
    return f"{name}({', '.join(args)}) -> {_results(len(source.writes))}"


def _is_optional(source: Pass, tensor: Operand) -> bool:
    """Whether a read may be None: an optional input, or one of several incoming gradients."""
    if tensor.role != "incoming gradient":
        return tensor.default is not None
    return sum(other.order == tensor.order for other in source.reads) > 1


def _results(count: int) -> str:
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def input_names(source: Pass, plan: KernelPlan) -> list[str]:
    """The inputs of a pass as an op, in order: what it reads, and what it takes a shape from."""
    reads = [*(tensor.name for tensor in source.reads), *kept_reads(source, plan)]
    return [*reads, *(tensor.name for tensor in source.shapes)]


def kept_reads(source: Pass, plan: KernelPlan) -> tuple[str, ...]:
    """The totals of the forward pass that a pass reads."""
    return plan.kept.names if source.order else ()


def _input(source: Pass, tensor: Operand) -> str:
    fields = _named(tensor)
    if _is_optional(source, tensor):
        fields.append(".optional = true")
    if tensor.default:
        fields.append(f".fill = {literal(tensor.default)}")
    return f"{{{', '.join([*fields, *_packing(tensor), *_extent(tensor)])}}}"


def _shape(tensor: Operand) -> str:
    fields = [*_named(tensor), *_packing(tensor), ".shape_only = true", *_extent(tensor)]
    return f"{{{', '.join(fields)}}}"


def _named(tensor: Operand) -> list[str]:
    kind = [f".kind = Kind::k{tensor.dtype.title()}"] if tensor.dtype != "float" else []
    return [f".name = {quoted(tensor.name)}", *kind]


def _extent(tensor: Operand) -> list[str]:
    keepdim = [".keepdim = true"] if tensor.keepdim else []
    return [".extent = Extent::kRow", *keepdim] if tensor.extent == "row" else []


def _kept_total(name: str) -> str:
    fields = [f".name = {quoted(name)}", ".kind = Kind::kTotal", ".extent = Extent::kRow"]
    return f"{{{', '.join(fields)}}}"


def _output(source: Pass, tensor: Operand, plan: KernelPlan) -> str:
    inputs = input_names(source, plan)
    fields = [f".name = {quoted(tensor.name)}"]
    if tensor.like is not None:
        fields.append(f".like = {inputs.index(tensor.like)}")
    if source.order:
        reads = [read.name for read in source.reads_of(tensor)]
        if any(node.reduction for node in topological(tensor.parts)):
            reads += kept_reads(source, plan)
        fields.append(f".reads = {{{', '.join(str(inputs.index(name)) for name in reads)}}}")
    fields += _packing(tensor)
    if tensor.dtype_like is not None:
        fields.append(f".dtype_like = {inputs.index(tensor.dtype_like)}")
    elif tensor.dtype in DTYPES:
        fields.append(f".dtype = Dtype::{DTYPES[tensor.dtype].cpp}")
    if tensor.detached:
        fields.append(".detached = true")
    equal = source.equal_to(tensor)
    if equal is not None and equal.name in inputs:
        fields.append(f".equal_input = {inputs.index(equal.name)}")
    elif equal is not None:
        written = [write.name for write in source.writes]
        fields.append(f".equal_output = {written.index(equal.name)}")
    fields += _extent(tensor)
    return f"{{{', '.join(fields)}}}"


def _packing(tensor: Operand) -> list[str]:
    if len(tensor.parts) == 1:
        return []
    packing = [f".parts = {len(tensor.parts)}"]
    return packing + ([".layout = Layout::kInterleaved"] if tensor.layout == "interleaved" else [])


def assigned(field: str, text: str) -> list[str]:
    """A field set to a string literal, over as many lines as it needs."""
    pieces = textwrap.wrap(text, WIDTH - 8 - len(field), drop_whitespace=False)
    lines = [quoted(piece) for piece in pieces]
    return [
        f"{field if i == 0 else ' ' * len(field)}{line}{',' if i == len(lines) - 1 else ''}"
        for i, line in enumerate(lines)
    ]


def _listed(field: str, items: list[str]) -> list[str]:
    """A field set to a list, one item a line where they do not fit one line."""
    line = f"{field}{{{', '.join(items)}}},"
    if len(line) <= WIDTH - 4:
        return [line]
    indent = " " * (len(field) + 1)
    ends = [","] * (len(items) - 1) + ["},"]
    starts = [f"{field}{{"] + [indent] * (len(items) - 1)
    lines = map("".join, zip(starts, items, ends, strict=True))
    return [piece for line in lines for piece in _wrapped_fields(line, f"{indent} ")]


def _wrapped_fields(line: str, indent: str) -> list[str]:
    """A line of designated initialisers, cut between two of them where it is too long."""
    joined = line.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    pieces = textwrap.wrap(joined, WIDTH - 4, subsequent_indent=indent, break_long_words=False)
    return [piece.replace("\N{NO-BREAK SPACE}", " ") for piece in pieces]
