"""Times ops against PyTorch eager at the shapes that their specs name."""

from __future__ import annotations

import io
import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.utils.benchmark import Timer

from fusewise.build import Report
from fusewise.choices import take_choices
from fusewise.model import Param, Shapes, Spec

ROUNDS = 3
MIN_SECONDS = 0.1  # of one measurement; there are two a round
DEFAULT_SHAPES = {"cpu": (1024, 1024), "cuda": (8192, 8192)}

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Row:
    """One pass of one op at one shape; microseconds of wall time a call."""

    op: str
    shapes: str
    direction: str
    against: str
    fused: float
    eager: float

    @property
    def ratio(self) -> float:
        return self.eager / self.fused


@dataclass(frozen=True, slots=True)
class Results:
    """All rows of one run, and where they were taken."""

    device: str
    dtype: str
    torch: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        table = Table(title=f"{self.device}, {self.dtype}, torch {self.torch}, times in us")
        for column in ("op", "shapes", "pass", "eager is"):
            table.add_column(column)
        for column in ("fused", "eager", "ratio"):
            table.add_column(column, justify="right")
        for row in self.rows:
            times = (f"{row.fused:.1f}", f"{row.eager:.1f}", f"{row.ratio:.2f} x")
            table.add_row(row.op, row.shapes, row.direction, row.against, *times)
        text = io.StringIO()
        Console(file=text, width=120).print(table)
        return text.getvalue()

    def json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


def run(
    specs: Sequence[Spec], module: ModuleType, device: str, dtype: str | None, report: Report
) -> Results:
    """Times forward and backward of each op, beside its reference or else its ATen formula."""
    dtype = dtype or ("bfloat16" if device == "cuda" else "float32")
    cases = [(spec, shapes) for spec in specs for shapes in _shapes(spec, device)]
    rows: list[Row] = []
    for done, (spec, shapes) in enumerate(cases, start=1):
        rows += _time_case(spec, shapes, module, device, getattr(torch, dtype))
        report(done, len(cases), spec.name)
    threads = f"CPU, {torch.get_num_threads()} threads"
    name = torch.cuda.get_device_name() if device == "cuda" else threads
    return Results(name, dtype, torch.__version__, tuple(rows))


def _shapes(spec: Spec, device: str) -> Sequence[Shapes]:
    if spec.bench or spec.compose:  # inputs of a composed op do not broadcast: no shape fits all
        return spec.bench
    shape = DEFAULT_SHAPES[device]
    packed = {item.name: (*shape[:-1], shape[-1] * max(1, len(item.parts))) for item in spec.inputs}
    return (tuple(packed.items()),)


def _time_case(
    spec: Spec, shapes: Shapes, module: ModuleType, device: str, dtype: torch.dtype
) -> Iterator[Row]:
    given = dict(shapes)
    tensors = {
        item.name: _draw(given[item.name], item.dtype, device, dtype)
        if item.name in given
        else None
        for item in spec.inputs
    }
    params = {param.name: _value(param) for param in spec.params}
    fused = getattr(module, spec.name)
    against, eager = eager_function(spec, module, params)
    if eager is None:
        return
    label = " ".join(f"{name}[{'x'.join(map(str, shape))}]" for name, shape in shapes)
    arguments = tuple(tensors.values())
    with torch.no_grad():
        times = _alternate(lambda: fused(*arguments, **params), lambda: eager(*arguments, **params))
    yield Row(spec.name, label, "forward", against, *times)
    leaves = [t.requires_grad_() for t in arguments if t is not None and t.is_floating_point()]
    if not leaves:
        return
    passes = [_backward(function(*arguments, **params), leaves) for function in (fused, eager)]
    backward = [function for function in passes if function]
    if len(backward) == 2:
        yield Row(spec.name, label, "backward", against, *_alternate(*backward))


def _draw(shape: tuple[int, ...], kind: str, device: str, dtype: torch.dtype) -> Tensor:
    if kind == "bool":
        return torch.rand(shape, device=device) < 0.5
    if kind == "int":
        return torch.randint(1, 10, shape, device=device)
    return torch.rand(shape, device=device).to(dtype)  # in [0, 1): in most functions' domain


def _value(param: Param) -> float | int | bool:
    if param.default is not None:
        return param.cast(param.default)
    return param.cast(
        param.choices[0] if param.choices else {"float": 0.5, "int": 1, "bool": False}[param.type]
    )


def eager_function(
    spec: Spec, module: ModuleType, params: Mapping[str, Any]
) -> tuple[str, Function | None]:
    """What the op is compared with: the spec's reference, or else its formula in ATen calls."""
    if spec.test.reference is not None:
        names = ", ".join([item.name for item in spec.inputs] + [*params])
        # not the user's text: the spec's reader has parsed, checked and printed it
        return "reference", eval(f"lambda {names}: {spec.test.reference}", {"torch": torch})
    if spec.compose:
        return "", None
    chosen = {param.name: params[param.name] for param in spec.params if param.choices}
    variant = next(choice for choice in take_choices(spec) if choice.arguments == chosen)
    composite = getattr(module._ops, variant.spec.name).composite

    def formula(*tensors: Tensor, **params: Any) -> Any:
        others = {name: value for name, value in params.items() if name not in chosen}
        return composite(*tensors, **others)

    return "formula", formula


def _backward(outputs: Any, leaves: Sequence[Tensor]) -> Callable[[], object] | None:
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    roots = [root for root in roots if root.requires_grad]
    if not roots:
        return None
    gradients = [torch.ones_like(root) for root in roots]
    return lambda: torch.autograd.grad(
        roots, leaves, gradients, retain_graph=True, allow_unused=True
    )


def _alternate(*functions: Callable[[], object]) -> list[float]:
    """Microseconds a call of each, taken in turn so that a drift of the machine meets all alike."""
    timers = [
        Timer("f()", globals={"f": function}, num_threads=torch.get_num_threads())
        for function in functions
    ]
    times: list[list[float]] = [[] for _ in timers]
    for _ in range(ROUNDS):
        for timer, found in zip(timers, times, strict=True):
            found.append(timer.blocked_autorange(min_run_time=MIN_SECONDS).median * 1e6)
    return [statistics.median(found) for found in times]
