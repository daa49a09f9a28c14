"""Stage emit: a planned op as the strings that templates set into files.

The only Python that prints C++ expressions. Structure is the templates' business: what they get is
an `OpView` of ready lines and flags.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fusewise.compose import ATEN_FUNCTIONS
from fusewise.dag import Node
from fusewise.emit_tests import TestView, emit_tests
from fusewise.formula import Expr, Name, Number
from fusewise.graph import Pass, Tensor
from fusewise.kernels import KernelPlan
from fusewise.memory import MemoryPlan
from fusewise.model import Compose, Spec
from fusewise.primitives import PRIMITIVES

WIDTH = 100

# By whether a pass sums gradients of broadcast inputs, and how often it runs.
RUN_CUDA = {
    "forward": "run_cuda",
    "backward": "run_cuda_reducing",
    "double_backward": "run_cuda_reducing_small",
}

# How tightly an operator binds; an operand that binds less is set in parentheses.
_TIGHTNESS = {"*": 5, "/": 5, "+": 4, "-": 4, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 2, "!=": 2}
_PREFIX, _ATOM = 6, 7


@dataclass(frozen=True, slots=True)
class PassView:
    """One pass in C++."""

    name: str  # forward
    struct: str  # Forward
    dispatch_name: str  # swiglu, swiglu_backward
    likes: str  # for each write the read whose shape it takes, or None, as a Python tuple
    num_reads: int
    num_writes: int
    num_params: int
    dtypes: str  # Floats, Numbers or Integers
    run_cuda: str  # the runner, by whether the pass may sum the gradient of a broadcast input
    kernel_reads: str  # ` reads`, or nothing where the body reads none, so that no name is unused
    kernel_params: str
    kernel_lines: tuple[str, ...]
    composite_reads: str
    composite_params: str
    composite_lines: tuple[str, ...]
    aten_functions: tuple[str, ...]
    descriptor_lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComposeView:
    """The body of a composed op."""

    lines: tuple[str, ...]
    callees: tuple[tuple[str, str], ...]  # a constant in C++, the op that it names
    aten_functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpView:
    """One op, ready for the templates: of passes, or composed."""

    name: str
    spec: str  # the path of the spec, as files name it
    header: tuple[str, ...]
    passes: tuple[PassView, ...]
    aten_headers: tuple[str, ...]
    compose: ComposeView | None
    schema_lines: tuple[str, ...]
    python: PythonView
    test: TestView

    @property
    def passes_last_first(self) -> tuple[PassView, ...]:
        return self.passes[::-1]


@dataclass(frozen=True, slots=True)
class PythonView:
    """The op as a Python function."""

    signature: str  # x: Tensor, bias: Tensor | None = None, *, alpha: float = 1.0
    result: str  # Tensor, or tuple[Tensor, Tensor]
    doc_lines: tuple[str, ...]  # with quotes and indentation
    args: str  # x, bias, alpha, out: by position, as the extension takes them
    compiled_args: str  # x, bias, alpha=alpha, out=out: as torch.ops takes them


@dataclass(frozen=True, slots=True)
class Text:
    """A printed expression, how tightly its outermost operator binds, whether it is a number."""

    text: str
    tightness: int = _ATOM
    scalar: bool = False
    type: str = "float"


class KernelPrinter:
    """Prints nodes as C++ over the value type `T` of a kernel."""

    def __init__(self) -> None:
        self.names: dict[Node, Text] = {}

    def name(self, node: Node, text: str, scalar: bool = False) -> None:
        """From here on the node is printed as that name."""
        self.names[node] = Text(text, scalar=scalar, type=node.type)

    def show(self, node: Node) -> str:
        return self.print(node).text

    def print(self, node: Node) -> Text:
        return self.names[node] if node in self.names else self.define(node)

    def define(self, node: Node) -> Text:
        """The expression of a node, which may have a name itself."""
        if node.kind == "const":
            assert node.value is not None
            return self.const(node.value)
        args = [self.print(arg) for arg in node.args]
        symbol = PRIMITIVES[node.name].symbol if node.name in PRIMITIVES else None
        return self.infix(symbol, args, node) if symbol else self.call(node, args)

    def const(self, value: Fraction | float) -> Text:
        return Text(f"T({_literal(value)})")

    def call(self, node: Node, args: list[Text]) -> Text:
        return Text(f"rt::{node.name}({', '.join(arg.text for arg in args)})")

    def infix(self, symbol: str, args: list[Text], node: Node) -> Text:
        scalar = all(arg.scalar for arg in args)
        if len(args) == 1:
            return Text(symbol + _operand(args[0], _ATOM), _PREFIX, scalar, node.type)
        tightness = _TIGHTNESS.get(symbol, 1)
        # Nothing is reassociated: an operand on the right that binds as tightly has parentheses.
        left = _operand(args[0], tightness + (tightness < 4))
        right = _operand(args[1], tightness + 1)
        return Text(f"{left} {symbol} {right}", tightness, scalar, node.type)


class CompositePrinter(KernelPrinter):
    """Prints nodes as calls of ATen. Params and constants are numbers; `like` is some tensor."""

    def __init__(self, like: str) -> None:
        super().__init__()
        self.like = like
        self.functions: set[str] = set()

    def const(self, value: Fraction | float) -> Text:
        text = _literal(value)
        return Text(text, _PREFIX if text.startswith("-") else _ATOM, scalar=True)

    def tensor(self, arg: Text) -> str:
        if not arg.scalar:
            return arg.text
        function = "condition" if arg.type == "bool" else "constant"
        return f"{function}({arg.text}, {self.like})"

    def call(self, node: Node, args: list[Text]) -> Text:
        if node.name == "stop_grad":
            self.functions.add("detach")
            return Text(f"at::detach({self.tensor(args[0])})")
        texts = [self.tensor(arg) for arg in args]
        if node.name == "straight_through":
            return Text(f"straight_through({', '.join(texts)})")
        if _takes_numbers(node.name, args):
            texts[1:] = [arg.text for arg in args[1:]]
        aten = "where" if node.name == "where" else PRIMITIVES[node.name].aten
        assert isinstance(aten, str)
        self.functions.add(aten)
        return Text(f"at::{aten}({', '.join(texts)})")

    def infix(self, symbol: str, args: list[Text], node: Node) -> Text:
        if symbol in "&|!" and not all(arg.scalar for arg in args):
            function = {"&": "logical_and", "|": "logical_or", "!": "logical_not"}[symbol]
            self.functions.add(function)
            return Text(f"at::{function}({', '.join(self.tensor(arg) for arg in args)})")
        return super().infix(symbol, args, node)


def _takes_numbers(function: str, args: list[Text]) -> bool:
    """Whether ATen has the function with plain numbers after the first argument."""
    scalars = [arg.scalar for arg in args[1:]]
    match function:
        case "where":
            return not all(scalars)
        case "pow" | "clamp":
            return not args[0].scalar and all(scalars)
    return False


def _operand(arg: Text, least: int) -> str:
    return arg.text if arg.tightness >= least else f"({arg.text})"


def _literal(value: Fraction | float) -> str:
    """The shortest digits that make the same double."""
    if isinstance(value, Fraction):
        whole = value.denominator == 1 and abs(value) < 2**53
        return str(value.numerator) if whole else repr(float(value))
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def kernel_lines(plan: KernelPlan) -> list[str]:
    """The body of a pass for one element, in terms of `reads`, `params` and `writes`."""
    printer = KernelPrinter()
    lines = []
    used = plan.kernel.used
    for array, nodes in (("reads", plan.reads), ("params", plan.params)):
        for index, node in enumerate(nodes):
            if node in used:
                read = f"{array}[{index}]"
                test = " != T(0)" if node.type == "bool" else ""
                lines.append(f"const {_kernel_type(node)} {node.name} = {read}{test};")
                printer.name(node, node.name)
    for name, node in plan.kernel.steps:
        lines += wrapped(f"const {_kernel_type(node)} {name} = {printer.define(node).text};", 4)
        printer.name(node, name)
    for index, node in enumerate(plan.kernel.writes):
        text = printer.show(node)
        if node.type == "bool":
            text = f"rt::where({text}, T(1), T(0))"
        lines += wrapped(f"writes[{index}] = {text};", 4)
    return lines


def composite_lines(plan: KernelPlan) -> tuple[list[str], set[str]]:
    """The body of the composite, and the functions of ATen that it calls."""
    statements = plan.composite
    printer = CompositePrinter(like="reads[0]")
    lines = []
    used = statements.used
    for index, node in enumerate(plan.reads):
        if node in used:
            lines.append(f"const Tensor& {node.name} = reads[{index}];")
            printer.name(node, node.name)
    for index, node in enumerate(plan.params):
        if node in used:
            kind, test = ("bool", " != 0") if node.type == "bool" else ("double", "")
            lines.append(f"const {kind} {node.name} = params[{index}]{test};")
            printer.name(node, node.name, scalar=True)
    for name, node in statements.steps:
        text = printer.define(node)
        kind = ("bool" if node.type == "bool" else "double") if text.scalar else "Tensor"
        lines += wrapped(f"const {kind} {name} = {text.text};", 2)
        printer.name(node, name, scalar=text.scalar)
    for index, node in enumerate(statements.writes):
        lines += wrapped(f"writes[{index}] = {printer.tensor(printer.print(node))};", 2)
    return lines, printer.functions


def emit(
    spec: Spec,
    passes: Sequence[Pass],
    plans: Sequence[KernelPlan],
    memory: Sequence[MemoryPlan],
    derived: Pass | None,
    ops: Mapping[str, Spec],
) -> OpView:
    """The view of a planned op; `passes` start with the forward, a composed op has none.

    `derived` is the backward before simplifying, for the tests of a surrogate; `ops` are the specs
    of the same build, for the tests of a composed op.
    """
    inputs = [entry.name for entry in spec.inputs]
    compose = compose_view(spec.compose, inputs, ops) if spec.compose else None
    derivatives = [*passes[1:], None] if passes else []
    views = [
        pass_view(spec, source, plan, derivative)
        for source, plan, derivative in zip(passes, plans, derivatives, strict=True)
    ]
    callers = [compose] if compose else views
    functions = {name for view in callers for name in view.aten_functions}
    return OpView(
        name=spec.name,
        spec=spec.path,
        header=tuple(header_lines(spec, passes, plans, memory)),
        passes=tuple(views),
        aten_headers=tuple(sorted(functions)),
        compose=compose,
        schema_lines=tuple(_assigned("", _forward_schema(spec))),
        python=python_view(spec),
        test=emit_tests(spec, passes, derived, ops),
    )


def header_lines(
    spec: Spec, passes: Sequence[Pass], plans: Sequence[KernelPlan], memory: Sequence[MemoryPlan]
) -> list[str]:
    """What stands at the top of each file: the formulas, what is kept, and the bytes moved."""
    lines = [f"Generated from {spec.path} by `fusewise generate`. Do not edit.", ""]
    lines += [line.strip() for line in str(spec).splitlines()[1:]]
    for source in passes[1:2]:
        lines += ["", *(piece for line in source.lines() for piece in wrapped(line, 3)), ""]
    lines += [f"{plan.derivative.name} keeps {plan.chosen}" for plan in memory]
    for plan in plans:
        reads, writes = plan.read_elements, len(plan.write_names)
        lines.append(f"{plan.name}: {reads} read and {writes} written for each element")
    if spec.backward and spec.backward.kind == "surrogate":
        lines.append("The backward is a surrogate, on purpose not the derivative of the forward.")
    return [f"// {line}".rstrip() for line in lines]


def pass_view(spec: Spec, source: Pass, plan: KernelPlan, derivative: Pass | None) -> PassView:
    """A pass with everything that its C++ says."""
    kernel = kernel_lines(plan)
    composite, functions = composite_lines(plan)
    return PassView(
        name=source.name,
        struct=_struct(source),
        dispatch_name=spec.name if source.name == "forward" else f"{spec.name}_{source.name}",
        likes=_likes(source),
        num_reads=len(plan.reads),
        num_writes=len(plan.write_names),
        num_params=len(plan.params),
        dtypes=_dtypes(source),
        run_cuda=RUN_CUDA[source.name],
        kernel_reads=_used("reads", kernel),
        kernel_params=_used("params", kernel),
        kernel_lines=tuple(kernel),
        composite_reads=_used("reads", composite),
        composite_params=_used("params", composite),
        composite_lines=tuple(composite),
        aten_functions=tuple(sorted(functions)),
        descriptor_lines=tuple(_descriptor(spec, source, derivative, plan.dissolves)),
    )


def _descriptor(spec: Spec, source: Pass, derivative: Pass | None, dissolves: bool) -> list[str]:
    """The fields of the pass's descriptor."""
    reads = [tensor.name for tensor in source.reads]
    name = source.name
    schema = _forward_schema(spec) if name == "forward" else _derivative_schema(spec, source)
    lines = _assigned(".schema = ", schema)
    lines += _listed(".inputs = ", [_input(tensor) for tensor in source.reads])
    lines += _listed(".outputs = ", [_output(tensor, reads) for tensor in source.writes])
    lines.append(f".kernels = {{{name}_cpu, kWithCuda ? {name}_cuda : nullptr}},")
    lines.append(f".composite = {name}_composite,")
    if derivative:
        written = [tensor.name for tensor in source.writes]
        arrivals = sum(tensor.differentiable for tensor in source.writes)
        kept = [tensor.name for tensor in derivative.reads[arrivals:]]
        lines.append(f".derivative = &k{_struct(derivative)},")
        for field, names, among in (
            (".saved_inputs", [n for n in kept if n in reads], reads),
            (".saved_outputs", [n for n in kept if n not in reads], written),
            (".gradients", [tensor.of or "" for tensor in derivative.writes], reads),
        ):
            if names:
                lines.append(f"{field} = {{{', '.join(str(among.index(n)) for n in names)}}},")
    return lines if dissolves else [*lines, ".dissolves = false,"]


def _forward_schema(spec: Spec) -> str:
    """The op's signature in PyTorch's dispatcher, which has no literal for an infinite default."""
    args = [
        f"Tensor? {entry.name}=None" if entry.default is not None else f"Tensor {entry.name}"
        for entry in spec.inputs
    ]
    args += ["*"] if spec.params else []
    for param in spec.params:
        finite = param.default is not None and not isinstance(param.default, float)
        args.append(f"{param.type} {param.name}" + (f"={_python(param.default)}" if finite else ""))
    return f"{spec.name}({', '.join(args)}) -> {_results(len(spec.outputs))}"


def _derivative_schema(spec: Spec, source: Pass) -> str:
    orders = Counter(_order(tensor) for tensor in source.reads)
    args = []
    for tensor in source.reads:
        order = _order(tensor)  # of several gradients each may be missing, of one it may not
        optional = orders[order] > 1 if order else tensor.default is not None
        args.append(f"Tensor{'?' if optional else ''} {tensor.name}")
    args += ["*"] if spec.params else []
    args += [f"{param.type} {param.name}" for param in spec.params]
    args.append(f"bool[{len(source.writes)}] needs")
    return f"{spec.name}_{source.name}({', '.join(args)}) -> {_results(len(source.writes))}"


def _order(tensor: Tensor) -> int:
    """0 for a tensor of the op itself, 1 for a gradient, 2 for the gradient of one."""
    return 2 if tensor.name.startswith("grad_grad_") else int(tensor.name.startswith("grad_"))


def _results(count: int) -> str:
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def _struct(source: Pass) -> str:
    return source.name.title().replace("_", "")


def _input(tensor: Tensor) -> str:
    fields = [f".name = {quoted(tensor.name)}"]
    if tensor.dtype != "float":
        fields.append(f".kind = Kind::k{tensor.dtype.title()}")
    if tensor.default:
        fields.append(f".fill = {_literal(tensor.default)}")
    return f"{{{', '.join(fields + _packing(tensor))}}}"


def _output(tensor: Tensor, reads: list[str]) -> str:
    fields = [f".name = {quoted(tensor.name)}"]
    if tensor.like is not None:
        fields.append(f".like = {reads.index(tensor.like)}")
    elif tensor.dtype == "bool":
        fields.append(".dtype = at::kBool")
    return f"{{{', '.join(fields + (_packing(tensor) if tensor.like is None else []))}}}"


def _packing(tensor: Tensor) -> list[str]:
    if len(tensor.parts) == 1:
        return []
    packing = [f".parts = {len(tensor.parts)}"]
    return packing + ([".layout = Layout::kInterleaved"] if tensor.layout == "interleaved" else [])


def _dtypes(source: Pass) -> str:
    """The list of dtype.h that the kernels of a pass are made for."""
    kinds = {tensor.dtype for tensor in source.reads}
    if "float" in kinds:
        return "Floats"
    return "Numbers" if "number" in kinds else "Integers"


def _likes(source: Pass) -> str:
    reads = [tensor.name for tensor in source.reads]
    return str(tuple(None if t.like is None else reads.index(t.like) for t in source.writes))


def _used(array: str, lines: list[str]) -> str:
    return f" {array}" if any(f"{array}[" in line for line in lines) else ""


def _assigned(field: str, text: str) -> list[str]:
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
    return [start + item + end for start, item, end in zip(starts, items, ends, strict=True)]


def _kernel_type(node: Node) -> str:
    return "rt::Mask<T>" if node.type == "bool" else "T"


def compose_view(compose: Compose, inputs: Sequence[str], ops: Mapping[str, Spec]) -> ComposeView:
    """The body of a composed op, and what it calls."""
    functions: set[str] = set()
    callees: dict[str, str] = {}
    lines = [f"const Tensor& {name} = reads[{index}];" for index, name in enumerate(inputs)]

    def show(expr: Expr) -> str:
        if isinstance(expr, Name):
            return expr.id
        if isinstance(expr, Number):
            return _literal(expr.value)
        shown = [show(arg) for arg in expr.args]
        args = ", ".join(shown)
        if expr.function == "list":
            return f"{{{args}}}"
        if expr.function in ATEN_FUNCTIONS:
            functions.add(expr.function)
            return f"at::{expr.function}({args})"
        callee = ops[expr.function]
        args = ", ".join(shown + ["Tensor()"] * (len(callee.inputs) - len(shown)))
        params = ", ".join(_literal(_as_number(param.default)) for param in callee.params)
        variable = f"k{expr.function.title().replace('_', '')}"
        callees[variable] = expr.function
        given = f"{{{args}}}, {{{params}}}" if params else f"{{{args}}}"
        return f"call_op({variable}, dissolve, {given})[0]"

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


def python_view(spec: Spec) -> PythonView:
    """The op's Python function: names, types, defaults and docstring."""
    signature = [
        f"{entry.name}: Tensor | None = None"
        if entry.default is not None
        else f"{entry.name}: Tensor"
        for entry in spec.inputs
    ]
    names = [entry.name for entry in spec.inputs]
    params = []
    for param in spec.params:
        default = "" if param.default is None else f" = {_python(param.default)}"
        params.append(f"{param.name}: {param.type}{default}")
    tensors = ", ".join(["Tensor"] * len(spec.outputs))
    result = tensors if len(spec.outputs) == 1 else f"tuple[{tensors}]"
    keywords = [param.name for param in spec.params]
    if spec.compose is None:
        params.append(f"out: {result} | None = None")
        keywords.append("out")
    signature += ["*", *params] if params else []
    return PythonView(
        signature=", ".join(signature),
        result=result,
        doc_lines=tuple(doc_lines(spec)),
        args=", ".join([*names, *keywords]),
        compiled_args=", ".join([*names, *(f"{name}={name}" for name in keywords)]),
    )


def doc_lines(spec: Spec) -> list[str]:
    """The docstring: the spec's own text, then the formulas. Nothing in it can end the string."""
    lines = [*(spec.doc or spec.name).strip().splitlines(), "", *str(spec).splitlines()[1:]]
    lines = [line.replace("\\", "\\\\").replace('"', '\\"').rstrip() for line in lines]
    return [f'    """{lines[0]}', *(f"    {line}".rstrip() for line in lines[1:]), '    """']


def _as_number(value: Fraction | float | bool | None) -> Fraction | float:
    assert value is not None  # check_compose refuses the call of an op with a param to be given
    return Fraction(int(value)) if isinstance(value, bool) else value


def _python(value: Fraction | float | bool | None) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return (
            "math." + ("nan" if math.isnan(value) else "inf")
            if value > 0 or math.isnan(value)
            else "-math.inf"
        )
    return _literal(value) if value is not None else "None"


def wrapped(line: str, indent: int) -> list[str]:
    """A C++ line cut to the width that it has at an indentation."""
    lines = textwrap.wrap(
        line,
        WIDTH - indent,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [line]


def quoted(text: str) -> str:
    """A C++ string literal."""
    return json.dumps(text, ensure_ascii=True)
