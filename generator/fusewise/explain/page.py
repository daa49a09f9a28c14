"""The page of an op: what it computes, its gradients, what it keeps and what it costs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import sympy
from sympy import Symbol

from fusewise.derive.matching import Rule
from fusewise.derive.rules import RULES
from fusewise.emit.views import Variant
from fusewise.explain.algebra import Term, gradient, name_of
from fusewise.explain.equations import (
    Equation,
    Kink,
    forward_equations,
    kinks,
    names_in,
    pass_equations,
)
from fusewise.explain.latex import latex_maths
from fusewise.explain.unicode import Typesetter, unicode_maths
from fusewise.graph.dag import Node, rebuild, topological
from fusewise.graph.steps import show_value
from fusewise.language.formula import format_expr
from fusewise.language.functions import CALLABLE
from fusewise.language.model import Spec
from fusewise.pipeline import Compiled
from fusewise.plan.cost import FLOAT_BYTES, H200, estimate

WIDTH = 100
_INDENT = "  "


def explain(compiled: Compiled) -> str:
    """The page as text."""
    spec, variants = compiled.spec, compiled.variants
    title, *_ = str(spec).splitlines()
    lines = [title.rstrip(":")]
    if spec.doc:
        lines += ["", *_wrapped(spec.doc.splitlines(), WIDTH)]
    formula = _maths(spec, forward_equations(spec))
    lines += _section("Formula", [*formula, *_after_blank(notes(compiled))])
    if spec.compose:
        lines += _section("Gradients", ["Autograd composes them from the gradients of the parts."])
    elif len(variants) == 1:
        lines += _section("Gradients", _gradients(spec, variants[0]))
        lines += _section("Memory", [*_stages(variants[0].memory), *_recomputed(variants[0])])
    else:
        lines += [line for variant in variants for line in _variant(spec, variant)]
    first = variants[0]
    arrows = [(written, "->", stable, holds) for written, stable, holds in rewrites(variants)]
    lines += _section("Rewritten", _table(arrows))
    lines += _section("Kinks and edges", _wrapped_rows(conventions(variants, _names(spec))))
    if first.passes:
        lines += _section(f"Roofline on an {H200.name}", _roofline(spec, first))
        lines += _section("Passes", _stages(first.passes))
        lines += _section("Kernels", _stages(first.kernels))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def explain_latex(compiled: Compiled) -> str:
    """The formula and the gradients as LaTeX, an `align*` for each."""
    name, names = compiled.spec.name, _names(compiled.spec)
    blocks = [(name, forward_equations(compiled.spec))]
    for variant in compiled.variants:
        suffix = f", {variant.choice}" if variant.choice.values else ""
        passes = variant.passes[:2] if suffix else variant.passes[1:2]
        for source in passes:
            steps, writes = pass_equations(source)
            blocks.append((f"{name}, {source.name}{suffix}", [*steps, *writes]))
    lines = [line for title, block in blocks for line in (f"% {title}", *latex_maths(block, names))]
    return "\n".join(lines) + "\n"


def _gradients(spec: Spec, variant: Variant) -> list[str]:
    steps, writes = gradient_equations(variant)
    lines = [*_maths(spec, steps), *_maths(spec, writes)]
    for note in gradient_notes(spec, variant):
        lines += [*[""] * bool(lines), *_wrapped([note])]
    return lines


def gradient_equations(variant: Variant) -> tuple[list[Equation], list[Equation]]:
    """The steps and the gradients of the backward pass; neither if there is none."""
    return pass_equations(variant.passes[1]) if len(variant.passes) > 1 else ([], [])


def gradient_notes(spec: Spec, variant: Variant) -> list[str]:
    """Sentences on gradients that are absent, given by the spec, or no derivatives."""
    forward = variant.passes[0]
    outputs = [tensor.name for tensor in forward.writes if tensor.detached]
    if len(variant.passes) == 1:
        reason = "the inputs are detached" if outputs else "no gradient arrives at this op"
        return [f"None: {reason}."]
    found = []
    line = Typesetter(_names(spec)).text
    inputs = [gradient(tensor.name) for tensor in forward.reads if tensor.detached]
    if inputs:
        names = ", ".join(map(line, inputs))
        found.append(f"None, since the inputs are detached: {names}.")
    if outputs:
        shown = ", ".join(map(line, map(Symbol, outputs)))
        found.append(f"No gradient arrives at the detached outputs: {shown}.")
    if variant.verdicts:
        given = ", ".join(f"{line(gradient(v.part))} is {v}" for v in variant.verdicts)
        found.append(f"The spec gives gradients, compared with the derived ones: {given}.")
    if spec.is_surrogate:
        found.append(
            "They are a surrogate: they differ from the derivative of the formula on purpose."
        )
    return found


def _recomputed(variant: Variant) -> list[str]:
    """The totals that the forward pass keeps, or else those that the backward computes anew."""
    if len(variant.passes) == 1:
        return []
    if variant.kernels[1].kept.inputs:
        return ["", *_wrapped([str(variant.kernels[1].kept)])]
    forward, backward = variant.passes[:2]
    written = {tensor.name: tensor.parts for tensor in forward.writes}
    kept: dict[Node, Node] = {}  # what the backward reads -> the formula of the output
    for tensor in backward.reads:
        kept |= zip(tensor.parts, written.get(tensor.name, tensor.parts), strict=True)
    used = [node for node in topological(backward.roots) if node.reduction]
    formulas = rebuild(backward.dag.copy(), used, known=kept)
    again = {formulas[node] for node in used}
    found = [node for node in topological(forward.roots) if node.reduction and node in again]
    names = {node: name for name, node in forward.lets}
    if not found:
        return []
    shown = ", ".join(show_value(node, names) for node in found)
    return ["", *_wrapped([f"The backward computes anew: {shown}."])]


def _variant(spec: Spec, variant: Variant) -> list[str]:
    """The section of one choice of params: the formula that remains, its gradients, its memory."""
    steps, writes = pass_equations(variant.passes[0])
    lines = [*_maths(spec, [*steps, *writes]), "", *_gradients(spec, variant)]
    return _section(f"With {variant.choice}", [*lines, "", *_stages(variant.memory[:1])])


def _maths(spec: Spec, equations: Sequence[Equation]) -> list[str]:
    return unicode_maths(equations, WIDTH - len(_INDENT), _names(spec))


def _names(spec: Spec) -> set[str]:
    """The names of the op that its page shows."""
    arguments = (entry.name for entry in (*spec.inputs, *spec.keywords))
    return {*arguments, *names_in(forward_equations(spec))}


def notes(compiled: Compiled) -> list[str]:
    """Notes below the formulas: uncommon signs, defaults, gradients that are summed."""
    spec = compiled.spec
    symbol = Typesetter(_names(spec)).symbol
    equations = forward_equations(spec)
    for variant in compiled.variants:
        for source in variant.passes[:2]:
            equations += (e for group in pass_equations(source) for e in group)
    used = {name_of(call) for e in equations for call in sympy.preorder_traversal(e.right)}
    signs = [row.notation.note for name, row in CALLABLE.items() if name in used]
    found = [note for note in signs if note]
    if spec.rows.whole:
        found.append("All elements are one row.")
    elif spec.rows.param:
        found.append(f"A row is the dimension {symbol(spec.rows.param.name)}.")
    elif not spec.rows.are_last:
        one, more = "A row is the dimension", "A row is the elements of the dimensions"
        shown = ", ".join(map(_value, map(Fraction, spec.rows.dims)))
        found.append(f"{one if len(spec.rows.dims) == 1 else more} {shown}.")
    defaults = [(p.name, p.default) for p in spec.keywords if p.default is not None]
    defaults += [(i.name, i.default.value) for i in spec.inputs if i.default is not None]
    if defaults:
        shown = [f"{symbol(name)} = {_value(value)}" for name, value in defaults]
        found.append(f"By default {', '.join(shown)}.")
    if names := _broadcast(compiled):
        one, more = "broadcasts, and its gradient is", "broadcast, and their gradients are"
        found.append(f"{', '.join(map(symbol, names))} {one if len(names) == 1 else more} summed.")
    return found


def _after_blank(sentences: Sequence[str]) -> list[str]:
    return ["", *_wrapped(sentences)] if sentences else []


def _value(value: Fraction | float | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{float(value):.12g}".replace("-", "−").replace("inf", "∞")


def _broadcast(compiled: Compiled) -> list[str]:
    """The inputs with a gradient that broadcast in the first case of `shapes`."""
    spec = compiled.spec
    shapes = spec.first_shapes
    loop = spec.loop_shape(shapes)
    backwards = [source for variant in compiled.variants for source in variant.passes[1:2]]
    learn = {t.gradient_of.name for s in backwards for t in s.writes if t.gradient_of}
    return [
        entry.name
        for entry in spec.inputs
        if entry.name in shapes and entry.name in learn
        if spec.part_shape(entry, shapes[entry.name]) != loop
    ]


def rewrites(variants: Iterable[Variant]) -> list[tuple[str, str, str]]:
    """The rules that were applied in any pass: the form as written, the stable one, its domain."""
    applied = {
        text for variant in variants for source in variant.passes for text in source.rewrites
    }
    return [
        (format_expr(rule.pattern), format_expr(rule.stable), _holds(rule))
        for rule in RULES
        if rule.text in applied
    ]


def _holds(rule: Rule) -> str:
    return "everywhere" if rule.holds is None else f"where {format_expr(rule.holds)}"


def conventions(variants: Iterable[Variant], names: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The places where functions are not smooth, and the convention that holds there.

    `names` are those of the op.
    """
    line = Typesetter(names).text
    sources = [source for variant in variants for source in variant.passes[:1]]
    found = dict.fromkeys(kink for source in sources for kink in kinks(source))
    return [(_place(kink, line), _convention(kink, line)) for kink in found]


def _place(kink: Kink, line: Callable[[Term], str]) -> str:
    values = " or ".join(line(value) for _, value in kink.places)
    return f"{line(kink.places[0][0])} = {values}" if values else line(kink.call)


def _convention(kink: Kink, line: Callable[[Term], str]) -> str:
    function = kink.function
    if function.symbol is None and kink.places:
        return f"{function.name}: {function.convention}"
    args = dict(kink.args)

    def shown(word: re.Match[str]) -> str:
        return line(args[word[0]]) if word[0] in args else word[0]

    convention = re.sub(r"\w+", shown, function.convention)
    return f"{line(kink.call)}: {convention}"


def _roofline(spec: Spec, variant: Variant) -> list[str]:
    """Bytes and times of forward and backward at the first case of `shapes`."""
    shapes = spec.first_shapes
    if not shapes:
        return []
    case = ", ".join(f"{name} {list(shape)}" for name, shape in shapes.items())
    rows: list[tuple[str, ...]] = [
        ("", "", "moved", "memory", "arithmetic", "estimate", "bound by")
    ]
    for source, plan in variant.timed:
        for dtype in FLOAT_BYTES:
            found = estimate(spec, source, plan, shapes, dtype)
            times = map(show_time, (found.memory, found.arithmetic, found.seconds))
            rows.append((source.name, dtype, show_bytes(found.bytes), *times, found.bound))
    rates = (H200.bytes_per_second / 1e12, H200.instructions_per_second / 1e12)
    limits = "{:.1f} TB/s and {:.0f}e12 instructions/s".format(*rates)
    return [*_wrapped([f"{case}; at {limits}"]), "", *_table(rows, right=True)]


def _stages(results: Iterable[object]) -> list[str]:
    """The results of a stage, each as it prints itself, with blank lines between them."""
    blocks = [_wrapped(str(result).splitlines()) for result in results]
    return [line for k, block in enumerate(blocks) for line in (*[""] * (k > 0), *block)]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    indented = (_INDENT * bool(line) + line for line in lines)
    return ["", title, "─" * len(title), *indented] if lines else []


def _table(rows: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """Columns of texts; with `right`, all but the first are aligned there."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if right and k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _wrapped_rows(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Two columns, the second below the first where they do not fit beside each other."""
    width = max((len(left) for left, _ in rows), default=0)
    if all(width + 2 + len(right) <= WIDTH - len(_INDENT) for _, right in rows):
        return _table(rows)
    return [line for left, right in rows for line in (left, *_wrapped([f"{_INDENT}{right}"]))]


def _wrapped(lines: Iterable[str], width: int = WIDTH - len(_INDENT)) -> list[str]:
    """Lines cut to the width of the page, the rest further in than the line itself."""
    pieces = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        pieces += textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [
            ""
        ]
    return pieces


def show_time(seconds: float) -> str:
    value, unit = (seconds * 1e3, "ms") if seconds >= 1e-3 else (seconds * 1e6, "µs")
    return f"{value:#.3g} {unit}".replace(". ", " ")


def show_bytes(count: int) -> str:
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= factor:
            return f"{count / factor:#.3g} {unit}".replace(". ", " ")
    return f"{count} B"
