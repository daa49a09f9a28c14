"""Stage emit, the C++: passes as kernels, as decompositions and as descriptors."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fusewise.emit.printing import (
    WIDTH,
    DecompositionPrinter,
    KernelPrinter,
    literal,
    quoted,
    wrapped,
)
from fusewise.graph.dag import Node, instructions
from fusewise.graph.passes import Operand, Pass
from fusewise.language.choices import Choice, default_choice
from fusewise.language.formula import Expr, Name, Number
from fusewise.language.functions.operators import DIV_SHARED
from fusewise.language.model import FLOAT8_DTYPES, FLOAT_DTYPES, Compose, Spec
from fusewise.language.sections.compose import ATEN_FUNCTIONS
from fusewise.plan.kernels import KernelPlan, prepared_values, used_by

# By whether a pass sums gradients of broadcast inputs, and how often it runs.
RUN_CUDA = {
    "forward": "run_cuda",
    "backward": "run_cuda_reducing",
    "double_backward": "run_cuda_reducing_small",
}
# Of an op of one tensor, which broadcasts with no other.
RUN_CUDA_DENSE = {
    "forward": "run_cuda",
    "backward": "run_cuda_dense",
    "double_backward": "run_cuda_dense_small",
}

# A pass of more instructions calls its functions instead of inlining them, and its decomposition is
# compiled without optimization: the compiler takes seconds then. Usual ops have less than 300.
LARGE_PASS = 600

# What ATen calls the types that an output can be fixed to.
ATEN_DTYPES = {
    "bool": "kBool",
    "uint8": "kByte",
    "int8": "kChar",
    "int16": "kShort",
    "int32": "kInt",
    "int64": "kLong",
    "float16": "kHalf",
    "bfloat16": "kBFloat16",
    "float32": "kFloat",
    "float64": "kDouble",
    "float8_e4m3fn": "kFloat8_e4m3fn",
    "float8_e5m2": "kFloat8_e5m2",
}


# What dtype.h calls those of one byte, for which a vector has a form of its own.
BYTE_DTYPES = {
    "bool": "kBool",
    "uint8": "kUInt8",
    "int8": "kInt8",
    "float8_e4m3fn": "kFloat8E4M3FN",
    "float8_e5m2": "kFloat8E5M2",
}


@dataclass(frozen=True, slots=True)
class FunctionView:
    """A function of a pass's struct, a template over the value type."""

    name: str  # apply or prepare
    arguments: str  # those that the body does not use have no name
    lines: tuple[str, ...]

    @property
    def rounds(self) -> bool:
        """Whether it rounds to the types of reads, which it is told then."""
        return bool(_used("types", self.lines))


@dataclass(frozen=True, slots=True)
class PassView:
    """One pass in C++."""

    name: str  # forward; of one of several choices act_1_forward
    struct: str  # Forward, Act1Forward
    dispatch_name: str  # swiglu, swiglu_backward
    is_forward: bool
    likes: str  # for each write the read whose shape it takes, or None, as a Python tuple
    num_reads: int
    num_writes: int
    num_params: int
    instructions: int  # of an element, roughly, beside what is prepared
    prepared: int  # how many values are prepared
    prepared_from: int  # a bit for each read that prepared values or shared divisors depend on
    numbers: int  # a bit for each row scalar of the specialization
    pairs: int  # a bit for the first of two interleaved parts, reads before writes
    repeated: int  # a bit for each read that is broadcast in the specialization
    full: int  # a bit for each operand as large as the loop of the specialized sums
    summed: int  # and a bit for each of the sums
    crosses: int  # 1 where two sums of the specialization are over different dimensions
    stored_dtype: str  # the statement that tells operands of a fixed type of one byte, if there are
    dtypes: str  # a list of dtype.h
    run_cuda: str  # the runner, by whether the pass may sum the gradient of a broadcast input
    functions: tuple[FunctionView, ...]  # prepare, if there is something to prepare, and apply
    decomposition_reads: str
    decomposition_params: str
    decomposition_types: str
    decomposition_lines: tuple[str, ...]
    aten_functions: tuple[str, ...]
    descriptor_lines: tuple[str, ...]

    @property
    def is_large(self) -> bool:
        return self.instructions > LARGE_PASS

    @property
    def decomposition_type(self) -> str:
        """What its decomposition is declared as: of a large pass it is not optimized."""
        return "RT_UNOPTIMIZED void" if self.is_large else "void"

    @property
    def optional_constants(self) -> list[tuple[str, int]]:
        """What kernels take for 0 where a pass does not have it."""
        constants = {
            "kCrosses": self.crosses,
            "kFull": self.full,
            "kNumbers": self.numbers,
            "kPairs": self.pairs,
            "kPrepared": self.prepared,
            "kPreparedFrom": self.prepared_from,
            "kRepeated": self.repeated,
            "kSummed": self.summed,
        }
        return [(name, value) for name, value in constants.items() if value]


@dataclass(frozen=True, slots=True)
class ComposeView:
    """The body of a composed op."""

    lines: tuple[str, ...]
    callees: tuple[tuple[str, str], ...]  # a constant in C++, the op that it names
    aten_functions: tuple[str, ...]


def pass_view(choice: Choice, source: Pass, plan: KernelPlan, derivative: Pass | None) -> PassView:
    """A pass with everything that its C++ says."""
    prepared = prepared_values(plan)
    divisors = [node.args[1] for node in plan.kernel.used if node.function is DIV_SHARED]
    decomposition, functions = decomposition_lines(plan, in_floats=choice.spec.computes_floats)
    operands = [*(read.name for read in plan.reads), *plan.write_names]
    special = plan.specialization
    is_forward, op = source.name == "forward", choice.spec.name
    count = sum(map(instructions, used_by(plan.kernel.writes, prepared) - set(prepared)))
    return PassView(
        name=_name(choice, source),
        struct=_struct(choice, source),
        dispatch_name=op if is_forward else f"{op}_{source.name}",
        is_forward=is_forward,
        likes=_likes(source),
        num_reads=len(plan.reads),
        num_writes=len(plan.write_names),
        num_params=len(plan.params),
        instructions=count,
        prepared=len(prepared),
        prepared_from=_bits(plan.reads, used_by([*prepared, *divisors])),
        numbers=_bits(operands, special.row_scalars),
        pairs=_pairs(source),
        repeated=_bits(operands, special.broadcast),
        full=_bits(operands, special.full),
        summed=_bits(operands, special.summed),
        crosses=int(special.two_axis),
        stored_dtype=_stored_dtype(source),
        dtypes=_dtypes(source),
        run_cuda=(RUN_CUDA if broadcasts(choice.spec) else RUN_CUDA_DENSE)[source.name],
        functions=kernel_functions(plan, prepared, count > LARGE_PASS),
        decomposition_reads=_used("reads", decomposition),
        decomposition_params=_used("params", decomposition),
        decomposition_types=_used("types", decomposition),
        decomposition_lines=tuple(decomposition),
        aten_functions=tuple(sorted(functions)),
        descriptor_lines=tuple(_descriptor(choice, source, derivative, plan.decomposes)),
    )


def broadcasts(spec: Spec) -> bool:
    """Whether an input of the op may be smaller than its outputs."""
    return len(spec.inputs) > 1


def kernel_functions(
    plan: KernelPlan, prepared: Sequence[Node], is_large: bool = False
) -> tuple[FunctionView, ...]:
    """A pass for one element, and before it what many elements can share, if there is something."""
    apply = _function("apply", plan, "writes", plan.kernel.writes, prepared, is_large)
    if not prepared:
        return (apply,)
    return _function("prepare", plan, "prepared", prepared, (), is_large), apply


def _function(
    name: str,
    plan: KernelPlan,
    array: str,
    results: Sequence[Node],
    prepared: Sequence[Node],
    is_large: bool,
) -> FunctionView:
    """The function that writes the results to an array."""
    lines = tuple(_kernel_lines(plan, array, results, prepared, is_large))
    arguments = [f"const T*{_used(source, lines)}" for source in ("reads", "params")]
    arguments += ["const T* prepared"] if prepared else []
    arguments += ["const Dtype* types"] if _used("types", lines) else []
    return FunctionView(name, ", ".join([*arguments, f"T* {array}"]), lines)


def _kernel_lines(
    plan: KernelPlan,
    array: str,
    results: Sequence[Node],
    prepared: Sequence[Node],
    is_large: bool,
) -> Iterator[str]:
    """A body in terms of `reads`, `params` and, of what is prepared, `prepared`."""
    printer = KernelPrinter(plan.reads, is_large)
    used = used_by(results, prepared)
    names = {node: name for name, node in plan.kernel.steps}
    names.update((node, node.name) for node in (*plan.reads, *plan.params))
    for source, nodes in (("reads", plan.reads), ("params", plan.params), ("prepared", prepared)):
        for index, node in enumerate(nodes):
            value = f"{source}[{index}]" + (" != T(0)" if node.type == "bool" else "")
            if node in used and node in names:
                yield f"const {_kernel_type(node)} {names[node]} = {value};"
                printer.name(node, names[node])
            elif node in used:
                printer.name(node, f"({value})" if node.type == "bool" else value)
    for name, node in plan.kernel.steps:
        if node in used and node not in prepared:
            text = printer.define(node).text
            yield from wrapped(f"const {_kernel_type(node)} {name} = {text};", 4)
            printer.name(node, name)
    for index, node in enumerate(results):
        text = printer.show(node)
        if node.type == "bool":
            text = f"rt::where({text}, T(1), T(0))"
        yield from wrapped(f"{array}[{index}] = {text};", 4)


def decomposition_lines(plan: KernelPlan, *, in_floats: bool) -> tuple[list[str], set[str]]:
    """The body of the decomposition, and the functions of ATen that it calls.

    A number beside tensors of integers is an integer, or ATen would promote them to floats.
    """
    number = "double" if in_floats else "int64_t"
    statements = plan.decomposition
    printer = DecompositionPrinter(plan.reads, like="reads[0]")
    lines = []
    used = statements.used
    for index, node in enumerate(plan.reads):
        if node in used:
            lines.append(f"const Tensor& {node.name} = reads[{index}];")
            printer.name(node, node.name)
    for index, node in enumerate(plan.params):
        if node in used:
            kind = "bool" if node.type == "bool" else number
            lines.append(f"const {kind} {node.name} = params[{index}].as<{kind}>();")
            printer.name(node, node.name, scalar=True)
    for name, node in statements.steps:
        text = printer.define(node)
        kind = ("bool" if node.type == "bool" else number) if text.scalar else "Tensor"
        lines += wrapped(f"const {kind} {name} = {text.text};", 2)
        printer.name(node, name, scalar=text.scalar)
    for index, node in enumerate(statements.writes):
        lines += wrapped(f"writes[{index}] = {printer.tensor(printer.print(node))};", 2)
    return lines, printer.functions


def _kernel_type(node: Node) -> str:
    return "rt::Mask<T>" if node.type == "bool" else "T"


def _used(array: str, lines: Iterable[str]) -> str:
    return f" {array}" if any(f"{array}[" in line for line in lines) else ""


def _dtypes(source: Pass) -> str:
    """The list of dtype.h that the kernels of a pass are made for."""
    kinds = {tensor.dtype for tensor in source.reads}
    fixed = {tensor.dtype for tensor in source.writes}
    if fixed.intersection(FLOAT8_DTYPES):
        return "FloatsAndFloat8"
    if "float" in kinds or fixed.intersection(FLOAT_DTYPES):
        return "Floats"
    return "Numbers" if "number" in kinds else "Integers"


def _descriptor(
    choice: Choice, source: Pass, derivative: Pass | None, decomposes: bool
) -> list[str]:
    """The fields of the pass's descriptor."""
    name, spec = _name(choice, source), choice.spec
    is_forward = source.name == "forward"
    schema = forward_schema(spec) if is_forward else _derivative_schema(spec, source)
    lines = assigned(".schema = ", schema)
    if choice.values:
        suffix = "" if is_forward else f"_{source.name}"
        lines.append(f'.name = "{choice.op}{suffix}",')
    inputs = [_input(source, tensor) for tensor in source.reads]
    inputs += [_shape(tensor) for tensor in source.shapes]
    lines += _listed(".inputs = ", inputs)
    lines += _listed(".outputs = ", [_output(source, tensor) for tensor in source.writes])
    lines += _listed(".kernels = ", [f"{name}_cpu", f"kWithCuda ? {name}_cuda : nullptr"])
    lines.append(f".decomposition = {name}_decomposition,")
    if derivative:
        reads = [tensor.name for tensor in source.reads]
        written = [tensor.name for tensor in source.writes]
        arrivals = sum(tensor.differentiable for tensor in source.writes)
        kept = [tensor.name for tensor in derivative.reads[arrivals:]]
        lines.append(f".derivative = &k{_struct(choice, derivative)},")
        for field, names, among in (
            (".saved_inputs", [n for n in kept if n in reads], reads),
            (".saved_outputs", [n for n in kept if n not in reads], written),
            (".saved_shapes", [tensor.name for tensor in derivative.shapes], reads),
            (".gradients", [tensor.of or "" for tensor in derivative.writes], reads),
        ):
            if names:
                lines.append(f"{field} = {{{', '.join(str(among.index(n)) for n in names)}}},")
    return lines if decomposes else [*lines, ".decomposes = false,"]


def forward_schema(spec: Spec) -> str:
    """The op's signature in PyTorch's dispatcher, which has no literal for an infinite default."""
    args = [
        f"Tensor? {entry.name}=None" if entry.default is not None else f"Tensor {entry.name}"
        for entry in spec.inputs
    ]
    args += ["*"] if spec.params else []
    for param in spec.params:
        finite = param.default is not None and not isinstance(param.default, float)
        default = f"={_schema_default(param.default)}" if finite else ""
        args.append(f"{param.type} {param.name}{default}")
    return f"{spec.name}({', '.join(args)}) -> {_results(len(spec.outputs))}"


def _schema_default(value: Fraction | float | bool | None) -> str:
    return str(value) if isinstance(value, bool) else literal(_as_number(value))


def _derivative_schema(spec: Spec, source: Pass) -> str:
    arriving = [tensor for tensor in source.reads if _arrives(source, tensor)]
    args = []
    for tensor in source.reads:  # what no gradient of a call reads is not there
        is_given = [tensor] == arriving
        args.append(f"Tensor{'' if is_given else '?'} {tensor.name}")
    args += [f"Tensor? {tensor.name}" for tensor in source.shapes]
    args += ["*"] if spec.params else []
    args += [f"{param.type} {param.name}" for param in spec.params]
    args.append(f"bool[{len(source.writes)}] needs")
    return f"{spec.name}_{source.name}({', '.join(args)}) -> {_results(len(source.writes))}"


def _arrives(source: Pass, tensor: Operand) -> bool:
    """Whether this is a gradient that arrives at a derivative."""
    return _order(tensor) == (2 if source.name == "double_backward" else 1)


def _is_optional(source: Pass, tensor: Operand) -> bool:
    """Whether a read that counts may be None: of several gradients each may, of one it may not."""
    order = _order(tensor)
    if not order:
        return tensor.default is not None
    return sum(_order(other) == order for other in source.reads) > 1


def _order(tensor: Operand) -> int:
    """0 for a tensor of the op itself, 1 for a gradient, 2 for the gradient of one."""
    return 2 if tensor.name.startswith("grad_grad_") else int(tensor.name.startswith("grad_"))


def _results(count: int) -> str:
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def _bits(items: Sequence[Any], among: Collection[Any]) -> int:
    return sum(1 << index for index, item in enumerate(items) if item in among)


def _pairs(source: Pass) -> int:
    bits, index = 0, 0
    for tensor in (*source.reads, *source.writes):
        if tensor.layout == "interleaved" and len(tensor.parts) == 2:
            bits |= 1 << index
        index += len(tensor.parts)
    return bits


def _stored_dtype(source: Pass) -> str:
    parts = [t.dtype for t in (*source.reads, *source.writes) for _ in t.parts]
    fixed = [
        f"operand == {index} ? Dtype::{BYTE_DTYPES[dtype]}"
        for index, dtype in enumerate(parts)
        if dtype in BYTE_DTYPES
    ]
    return "\n    ".join(wrapped(f"return {' : '.join([*fixed, 'others'])};", 4)) if fixed else ""


def _name(choice: Choice, source: Pass) -> str:
    return f"{choice.suffix}_{source.name}" if choice.suffix else source.name


def _struct(choice: Choice, source: Pass) -> str:
    return _name(choice, source).title().replace("_", "")


def _likes(source: Pass) -> str:
    inputs = _input_names(source)
    return str(tuple(None if t.like is None else inputs.index(t.like) for t in source.writes))


def _input_names(source: Pass) -> list[str]:
    return [tensor.name for tensor in (*source.reads, *source.shapes)]


def _input(source: Pass, tensor: Operand) -> str:
    fields = _named(tensor)
    if _is_optional(source, tensor):
        fields.append(".optional = true")
    if tensor.default:
        fields.append(f".fill = {literal(tensor.default)}")
    return f"{{{', '.join([*fields, *_packing(tensor)])}}}"


def _shape(tensor: Operand) -> str:
    return f"{{{', '.join([*_named(tensor), *_packing(tensor), '.shape_only = true'])}}}"


def _named(tensor: Operand) -> list[str]:
    kind = [f".kind = Kind::k{tensor.dtype.title()}"] if tensor.dtype != "float" else []
    return [f".name = {quoted(tensor.name)}", *kind]


def _output(source: Pass, tensor: Operand) -> str:
    inputs = _input_names(source)
    fields = [f".name = {quoted(tensor.name)}"]
    if tensor.like is not None:
        fields.append(f".like = {inputs.index(tensor.like)}")
    if source.name != "forward":
        reads = [str(inputs.index(read.name)) for read in source.reads_of(tensor)]
        fields.append(f".reads = {{{', '.join(reads)}}}")
    fields += _packing(tensor)
    if tensor.dtype_like is not None:
        fields.append(f".dtype_like = {inputs.index(tensor.dtype_like)}")
    elif tensor.dtype in ATEN_DTYPES:
        fields.append(f".dtype = at::{ATEN_DTYPES[tensor.dtype]}")
    if tensor.detached:
        fields.append(".detached = true")
    equal = source.equal_to(tensor)
    if equal is not None and equal.name in inputs:
        fields.append(f".equal_input = {inputs.index(equal.name)}")
    elif equal is not None:
        written = [write.name for write in source.writes]
        fields.append(f".equal_output = {written.index(equal.name)}")
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


def compose_view(compose: Compose, inputs: Sequence[str], ops: Mapping[str, Spec]) -> ComposeView:
    """The body of a composed op, and what it calls."""
    functions: set[str] = set()
    callees: dict[str, str] = {}
    lines = [f"const Tensor& {name} = reads[{index}];" for index, name in enumerate(inputs)]

    def show(expr: Expr) -> str:
        if isinstance(expr, Name):
            return expr.id
        if isinstance(expr, Number):
            return literal(expr.value)
        shown = [show(arg) for arg in expr.args]
        args = ", ".join(shown)
        if expr.function == "list":
            return f"{{{args}}}"
        if expr.function in ATEN_FUNCTIONS:
            functions.add(expr.function)
            return f"at::{expr.function}({args})"
        choice = default_choice(ops[expr.function])
        assert choice is not None  # check_compose refuses a param without a default
        callee = choice.spec
        args = ", ".join(shown + ["Tensor()"] * (len(callee.inputs) - len(shown)))
        params = ", ".join(literal(_as_number(param.default)) for param in callee.params)
        variable = f"k{expr.function.title().replace('_', '')}"
        callees[variable] = callee.name
        given = f"{{{args}}}, {{{params}}}" if params else f"{{{args}}}"
        return f"call_op({variable}, decompose, {given})[0]"

    for index, step in enumerate(compose.steps):
        text = show(step.call)
        if len(step.targets) == 1:
            lines += wrapped(f"const Tensor {step.targets[0]} = {text};", 2)
            continue
        results = f"step{index}"
        lines += wrapped(f"const std::vector<Tensor> {results} = {text.removesuffix('[0]')};", 2)
        for k, target in enumerate(step.targets):
            lines.append(f"const Tensor& {target} = {results}[{k}];")
    lines += [f"writes[{index}] = {name};" for index, name in enumerate(compose.outputs)]
    return ComposeView(tuple(lines), tuple(sorted(callees.items())), tuple(sorted(functions)))


def _as_number(value: Fraction | float | bool | None) -> Fraction | float:
    assert value is not None  # check_compose refuses the call of an op with a param to be given
    return Fraction(int(value)) if isinstance(value, bool) else value
