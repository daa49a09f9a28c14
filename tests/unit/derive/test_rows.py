"""Derivatives of formulas that reduce rows, against autograd of PyTorch in float64."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import pytest
import torch
from fusewise import testing
from fusewise.derive.autodiff import differentiate, mark_detached
from fusewise.derive.simplify import simplify
from fusewise.graph.dag import Node, topological
from fusewise.graph.passes import Operand, Pass, build_graph
from fusewise.language.formula import INDEX, LENGTH
from fusewise.language.functions import REDUCTIONS
from fusewise.language.spec import parse_spec
from fusewise.plan.kernels import plan_kernels
from repository import PLAIN, SPECS
from torch import Tensor

ROWS, LENGTH_OF_ROW = 3, 7
SCOPE = {"torch": torch, "testing": testing}
FORMULAS = {
    "sum": "sum(x * y)",
    "rms_norm": "x * rsqrt(mean(x * x) + 0.1) * y",
    "layer_norm": "(x - mean(x)) * rsqrt(var(x, 0) + 0.1) * y + s",
    "statistics of statistics": "std(x) * mean(square(x - mean(x * y))) + norm(y)",
    "softmax": "softmax(s * x) * y",
    "log_softmax": "log_softmax(x + y)",
    "sums of log_softmax": "sum(log_softmax(x) if y > 0 else 0) * mean(-y * log_softmax(x + y))",
    "mean of log_softmax": "mean(log_softmax(x) / 3) * y",
    "logsumexp": "logsumexp(x * y) * x",
    "extremes": "amax(x * y) + amin(x - y)",
    "masked": "sum(log(x) if x > 0 else 0) * y",
    "index and length": "sum(x if index == 3 else 0) / length + index * y",
    "any, all and count": "x * count(x > y) if any(x > 5) or all(x < 5) else y",
    "a row input in each element": "sum(exp(s) * x) * s + y",
    "only an element": "x * s + y",
    "a row value in each element of a sum": "mean(logsumexp(x) - x) + sum(amax(y) + s * x)",
    "a row value in a branch": "sum(norm(x) if y > 0 else x) + sum(y if x > 0 else mean(y))",
}


def forward_pass(formula: str) -> Pass:
    text = (
        "op: sample\ninputs: {x: tensor, y: tensor, s: row tensor}\n"
        f"let: {{f: '{formula}'}}\noutputs: {{out: f + 0 * (sum(x) + sum(y)) * s}}\n"
    )
    return build_graph(parse_spec(text))


def spec_pass(op: str) -> Pass:
    return mark_detached(build_graph(SPECS[op]), None)


def domain_of(op: str) -> Domain:
    return {name: (float(low), float(high)) for name, low, high in SPECS[op].test.domain}


Domain = Mapping[str, tuple[float, float]]
CASES: dict[str, tuple[Callable[[], Pass], Domain]] = {
    **{name: (functools.partial(forward_pass, text), {}) for name, text in FORMULAS.items()},
    **{op: (functools.partial(spec_pass, op), domain_of(op)) for op in PLAIN if SPECS[op].reduces},
}
each_case = pytest.mark.parametrize(("build", "domain"), CASES.values(), ids=CASES)


def evaluated(source: Pass, given: Mapping[str, Tensor]) -> list[Tensor]:
    """The writes of a pass, each function by its definition in PyTorch."""
    index = torch.arange(LENGTH_OF_ROW, dtype=torch.float64)
    numbers = {param.name: torch.tensor(0.25).double() for param in source.params}
    leaves = {**numbers, **given, INDEX: index}
    leaves[LENGTH] = torch.tensor(float(LENGTH_OF_ROW)).double()
    values: dict[Node, Tensor] = {}
    for node in topological(source.roots):
        if node.kind == "const":
            values[node] = torch.tensor(float(node.value or 0), dtype=torch.float64)
        elif node.row is None:
            values[node] = leaves[node.name]
        else:
            args = {
                param: values[arg].item() if k and node.reduction else values[arg]
                for k, (param, arg) in enumerate(zip(node.row.params, node.args, strict=True))
            }
            values[node] = eval(node.row.ref, {**SCOPE, **args})
            if values[node].dtype in (torch.int64, torch.float32):
                values[node] = values[node].double()
    shapes = [ROWS, LENGTH_OF_ROW], [ROWS, 1]
    return [
        values[part].expand(shapes[tensor.extent == "row"])
        for tensor in source.writes
        for part in tensor.parts
    ]


def inputs(source: Pass, domain: Domain) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(0)

    def drawn(tensor: Operand, name: str) -> Tensor:
        shape = ROWS, LENGTH_OF_ROW if tensor.extent == "element" else 1
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        if tensor.dtype == "bool":
            return values > 0
        if not tensor.floating:
            return (torch.arange(ROWS, dtype=torch.float64).unsqueeze(-1) + 2).expand(shape)
        if name in domain:
            low, high = domain[name]
            values = low + (high - low) * values.sigmoid()
        return values.requires_grad_()

    return {name: drawn(tensor, name) for tensor in source.reads for name in tensor.part_names}


def part_names(tensors: Iterable[Operand]) -> list[str]:
    return [name for tensor in tensors for name in tensor.part_names]


def parted(tensors: Iterable[Operand], values: Iterable[Tensor]) -> list[list[Tensor]]:
    """The values of all parts, by the tensor that they are of."""
    left = iter(values)
    return [[next(left) for _ in tensor.parts] for tensor in tensors]


@each_case
def test_derivatives_of_both_orders(build: Callable[[], Pass], domain: Domain) -> None:
    source = build()
    for _ in range(2 * any(tensor.differentiable for tensor in source.writes)):
        derivative = simplify(differentiate(source))
        values = inputs(source, domain)
        written = zip(source.writes, parted(source.writes, evaluated(source, values)), strict=True)
        outputs = [part for tensor, parts in written if tensor.differentiable for part in parts]
        arriving = inputs(derivative, domain)
        names = part_names(derivative.incoming)
        for name, output in zip(names, outputs, strict=True):
            arriving[name] = torch.ones_like(output) * 0.5 + 0.1 * output.detach()
        reads = [t.gradient_of for t in derivative.writes if t.gradient_of]
        learning = [values[name] for name in part_names(reads)]
        wanted = torch.autograd.grad(
            outputs,
            learning,
            [arriving[name] for name in names],
            materialize_grads=True,
        )
        found = evaluated(derivative, {**arriving, **values})
        for name, one, other in zip(part_names(derivative.writes), found, wanted, strict=True):
            torch.testing.assert_close(one, other, msg=lambda text, name=name: f"{name}: {text}")
        source = derivative


def test_a_row_that_is_not_chosen_has_no_gradient() -> None:
    """Autograd of the same formula gives NaN: zero times the infinite slope of the branch."""
    source = forward_pass("(sum(sqrt(x)) if s > 1e6 else 0) + sum(x * y)")
    derivative = simplify(differentiate(source))
    values = inputs(source, {})
    arriving = {tensor.name: torch.ones(ROWS, 1).double() for tensor in derivative.incoming}
    grad_x, *_ = evaluated(derivative, {**values, **arriving})
    torch.testing.assert_close(grad_x, values["y"])


@pytest.mark.parametrize(("reduction", "value"), [("norm", 0.0), ("std", 2.0)])
def test_the_double_backward_of_a_row_without_variation_is_zero(
    reduction: str, value: float
) -> None:
    """PyTorch has NaN in the gradient of the row, or of the incoming gradient."""
    source = forward_pass(f"{reduction}(x)")
    for _ in range(2):
        source = simplify(differentiate(source))
    x = torch.full((ROWS, LENGTH_OF_ROW), value).double()
    values = {**inputs(source, {}), "x": x}
    written = dict(zip(part_names(source.writes), evaluated(source, values), strict=True))
    assert {"grad_x", "grad_grad_out"} <= written.keys()
    assert all((gradient == 0).all() for gradient in written.values())


# No branch that divides or takes a logarithm is chosen: x, y and s are numbers of both signs, and
# beside an infinite slope a gradient of zero becomes NaN.
@pytest.mark.parametrize(
    "formula",
    [
        "(mean(sqrt(x)) if s > 1e6 else 0) + sum(x * y)",
        "(log(s - 1e6) if x > 0 else 0) if any(x > 1e6) else y",
        "(log(s - 1e6) if any(x > 1e6) else 0) if y > 0 else x",
        "(sqrt(amax(x) - 1e6) if x > 0 else 0) * y if amin(y) > 1e6 else y",
        "logsumexp(x + sqrt(s - 1e6)) * y if s > 1e6 else y",
        "softmax(x / sqrt(s - 1e6)) * y if all(x > 1e6) and y > 0 else y",
        "(norm(log(x - 1e6)) if y > 0 or s > 1e6 else y) if s > 1e6 else x",
    ],
)
def test_a_reduction_in_a_row_that_is_not_chosen_has_no_gradient(formula: str) -> None:
    source = forward_pass(formula)
    for _ in range(2):
        source = simplify(differentiate(source))
        values = inputs(source, {})
        assert all(written.isfinite().all() for written in evaluated(source, values))


# `y if x > 0 else y` is `y` to the generator, also where y is a value of the row.
@pytest.mark.parametrize("name", [row.name for row in REDUCTIONS.values() if row.gradient])
def test_a_reduction_of_a_value_of_the_row(name: str) -> None:
    equal, other = (
        forward_pass(f"{name}({term}) * x") for term in ("s if x > 0 else s", "s + (x - x)")
    )
    for _ in range(3):
        values = inputs(other, {})
        for one, two in zip(evaluated(equal, values), evaluated(other, values), strict=True):
            torch.testing.assert_close(one, two, rtol=1e-9, atol=1e-9)
        equal, other = simplify(differentiate(equal)), simplify(differentiate(other))


@each_case
def test_phases_have_the_values_of_the_pass(build: Callable[[], Pass], domain: Domain) -> None:
    """The terms of each phase, reduced, then the writes, give what the formulas give.

    The backward reads the totals that the forward pass keeps. Elements that are computed from a
    term of the last phase have the same values.
    """
    source = simplify(build())
    passes = [source, simplify(differentiate(source))]
    known: dict[str, Tensor] = {}
    for plan, whole in zip(plan_kernels(passes), passes, strict=True):
        if plan.row_pass is None:
            assert not whole.reduces
            continue
        values = {name: value.detach() for name, value in inputs(whole, domain).items()} | known
        known.update(values)
        for part, maxima in zip(plan.row_pass.totals, plan.row_pass.maxima, strict=True):
            for name, node in zip(part.write_names, part.kernel.writes, strict=True):
                (terms,) = evaluated(_single(whole, node), values)
                values[name] = terms
                values[name.replace("term", "total")] = (
                    terms.amax(-1, keepdim=True) if name in maxima else terms.sum(-1, keepdim=True)
                )
        found = {}
        held = plan.row_pass.held_elements
        whole_row = (plan.row_pass.rows, plan.row_pass.elements, held and held.plan)
        for part in filter(None, whole_row):
            for name, node in zip(part.write_names, part.kernel.writes, strict=True):
                one = evaluated(_single(whole, node), values)[0]
                torch.testing.assert_close(one, found.setdefault(name, one))
        known.update((name, found[name][:, :1]) for name in plan.kept.names if name in found)
        for name, want in zip(part_names(whole.writes), evaluated(whole, values), strict=True):
            torch.testing.assert_close(found[name][..., : want.shape[-1]], want)


def _single(source: Pass, node: Node) -> Pass:
    """A pass whose only write is an element, the value of a node."""
    write = replace(source.writes[0], parts=(node,), extent="element")
    return replace(source, writes=(write,))
