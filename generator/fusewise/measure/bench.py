"""Times ops beside what else would compute them, at the shapes that their specs name.

All contenders and a plain copy of as many bytes take turns, so that a drift of the machine meets
all alike.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import math
import multiprocessing
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch._functorch.config as functorch_config
import torch._inductor.config as inductor_config
from filelock import FileLock
from torch import Tensor
from torch._inductor.runtime.benchmarking import benchmarker
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch.profiler import ProfilerActivity, profile

from fusewise.build.ninja import Report
from fusewise.emit.views import Variant
from fusewise.language.model import Input, Param, Shapes, Spec
from fusewise.measure.bench_report import OURS, Missing, Results, Row
from fusewise.measure.contenders import COMPILED, CONTENDERS, Function, contender, contenders_of
from fusewise.measure.environment import environment
from fusewise.measure.layouts import Layout, lay_out
from fusewise.measure.timing import Action, device_times, keep_memory, wall_times
from fusewise.pipeline import compile_spec
from fusewise.plan.cost import moved_bytes

DEFAULT_SHAPE = (8192, 8192)
CPU_ELEMENTS = 2**23
FEWEST = 4  # of a dimension that is made smaller
WARM_UP = 2  # calls: after the first one memory may still grow


@dataclass(frozen=True, slots=True)
class Setting:
    """How a run measures; also told to the processes that compile for it."""

    device: str
    dtype: str
    threads: int
    rounds: int
    against: Collection[str] = CONTENDERS
    layout: Layout = "contiguous"

    def prepare(self) -> None:
        """Sets this process up."""
        torch.manual_seed(0)
        torch.set_num_threads(self.threads)
        inductor_config.cpp.threads = self.threads  # else code for other threads may be cached
        functorch_config.donated_buffer = False  # many backward passes follow one forward pass
        if self.device == "cpu":
            keep_memory()

    @property
    def contenders(self) -> list[str]:
        """Those of the run beside ours."""
        return [name for name in contenders_of(self.device) if name in self.against]


@dataclass(frozen=True, slots=True)
class Case:
    """An op at one choice of shapes."""

    spec: Spec
    shapes: Shapes

    @property
    def params(self) -> dict[str, float | int | bool]:
        return {param.name: _value(param) for param in self.spec.params}

    def inputs(self, setting: Setting) -> dict[str, Tensor]:
        """Tensors of the shapes in the run's layout; those that have gradients want one."""
        kinds = {item.name: item for item in self.spec.inputs}
        domains = {name: bounds for name, *bounds in self.spec.test.domain}
        found = {}
        for index, (name, shape) in enumerate(self.shapes):
            values = _draw(shape, kinds[name], domains, setting)
            found[name] = lay_out(values, setting.layout, index)
            found[name].requires_grad_(values.is_floating_point())
        return found

    def bytes(self, variant: Variant, itemsize: int) -> dict[str, int]:
        """What the passes, and a step of both, must move."""
        shapes = dict(self.shapes)
        found = {
            source.name: moved_bytes(self.spec, source, plan, shapes, itemsize)
            for source, plan in list(zip(variant.passes, variant.kernels, strict=True))[:2]
        }
        return found | {"step": sum(found.values())} if len(found) > 1 else found


def run(
    specs: Sequence[Spec],
    module: ModuleType,
    setting: Setting,
    report: Report,
    *,
    elements: Sequence[int] = (),
    jobs: int = 1,
) -> Iterator[Results]:
    """Measures op by op, both passes and a step; yields all that it has so far after each of them.

    Args:
        specs: of the ops; composed ones are left out, their parts are ops themselves.
        module: the built package.
        elements: shapes are made smaller until the largest tensor has at most so many; several
            numbers give several cases. Without, shapes are those of the specs, on a CPU 2^23.
        jobs: processes that compile ahead; at 1 each op is compiled when it is its turn.
    """
    setting.prepare()
    limits = elements or ((CPU_ELEMENTS,) if setting.device == "cpu" else ())
    cases = cases_of(specs, limits)
    compiled = [name for name in COMPILED if name in setting.contenders]
    if jobs > 1 and compiled:
        _compile_ahead(cases, compiled, module.__name__, setting, jobs, report)
    rows: list[Row] = []
    reason = "composed of other ops, which are timed themselves"
    missing = [Missing(OURS, spec.name, reason) for spec in specs if spec.compose]
    for done, case in enumerate(cases, start=1):
        found, absent = _measure(case, module, setting)
        rows += found
        missing += absent
        _forget()
        report(done, len(cases), case.spec.name)
        yield Results(
            environment(setting.device),
            setting.dtype,
            setting.rounds,
            tuple(rows),
            tuple(missing),
            setting.layout,
        )


def cases_of(specs: Sequence[Spec], elements: Sequence[int] = ()) -> list[Case]:
    """The cases of all ops that are not composed; `elements` as `run` takes them."""
    return [
        Case(spec, shapes)
        for spec in specs
        if not spec.compose
        for shapes in _shapes(spec, elements)
    ]


def own_actions(case: Case, module: ModuleType, setting: Setting) -> dict[str, Action]:
    """The op itself: its forward pass, and where it has gradients its backward pass and a step."""
    return _Contender(case, getattr(module, case.spec.name), setting).actions()


def _forget() -> None:
    gc.collect()  # graphs may hold tensors in circles
    torch.compiler.reset()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def _shapes(spec: Spec, limits: Sequence[int]) -> list[Shapes]:
    """Those of the spec, or one that fits any op, made smaller for each of the limits."""
    parts = {item.name: max(1, len(item.parts)) for item in spec.inputs}
    *outer, last = DEFAULT_SHAPE
    default = tuple((name, (*outer, last * count)) for name, count in parts.items())
    found = spec.shapes or (default,)
    if limits:
        found = [reduced(spec, shapes, most) for shapes in found for most in limits]
    return list(dict.fromkeys(found))


def reduced(spec: Spec, shapes: Shapes, most: int) -> Shapes:
    """The shapes with sizes halved, the leading ones first, until the largest tensor is in bounds.

    No dimension gets fewer than FEWEST elements, so the result may still be larger.
    """
    found = {name: list(shape) for name, shape in shapes}
    rank = len(spec.loop_shape(found))
    for dim in range(-rank, 0):
        while _largest(spec, found) > most:
            loop = spec.loop_shape(found)[dim]
            # sizes of packed tensors are multiples of the others' in the last dimension
            moved = [shape for shape in found.values() if len(shape) >= -dim and shape[dim] > 1]
            if loop // 2 < FEWEST or (dim == -1 and any(shape[dim] % 2 for shape in moved)):
                break
            for shape in moved:
                shape[dim] = shape[dim] // 2
    return tuple((name, tuple(shape)) for name, shape in found.items())


def _largest(spec: Spec, shapes: Mapping[str, Sequence[int]]) -> int:
    return max([math.prod(spec.loop_shape(shapes)), *map(math.prod, shapes.values())])


def _draw(
    shape: Sequence[int], item: Input, domains: Mapping[str, Sequence[Any]], setting: Setting
) -> Tensor:
    """Numbers of the spec's domain, not far from zero where that goes far."""
    if item.dtype == "bool":
        return torch.rand(shape, device=setting.device) < 0.5
    if item.dtype == "int":
        return torch.randint(1, 10, shape, device=setting.device)
    low, high = map(float, domains.get(item.name) or domains.get(item.names[0]) or (-3, 3))
    if low < 3 and high > -3:
        low, high = max(low, -3.0), min(high, 3.0)
    values = torch.rand(shape, device=setting.device) * (high - low) + low
    return values.to(getattr(torch, setting.dtype))


def _value(param: Param) -> float | int | bool:
    if param.default is not None:
        return param.cast(param.default)
    return param.cast(
        param.choices[0] if param.choices else {"float": 0.5, "int": 1, "bool": False}[param.type]
    )


def _function(case: Case, name: str, module: ModuleType) -> Function | None:
    if name == OURS:
        return getattr(module, case.spec.name)
    return contender(name, case.spec, module, case.params)


class _Contender:
    """A function with inputs of its own, since some overwrite what they have saved."""

    def __init__(self, case: Case, function: Function, setting: Setting) -> None:
        self.function, self.params = function, case.params
        self.inputs = case.inputs(setting)
        self.idle = False  # whether the backward pass forwards what arrives, and does no work

    def forward(self) -> None:
        with torch.no_grad():
            self.outputs()

    def outputs(self) -> list[Tensor]:
        found = self.function(**self.inputs, **self.params)
        return [found] if isinstance(found, Tensor) else list(found)

    def actions(self) -> dict[str, Action]:
        """Both passes and a step; the forward pass alone where there are no gradients."""
        leaves = [tensor for tensor in self.inputs.values() if tensor.requires_grad]
        recorded = self.recorded()
        if not recorded:
            return {"forward": self.forward}
        gradients = [torch.randn_like(output) for output in recorded]

        def backward(outputs: list[Tensor]) -> tuple[Tensor | None, ...]:
            return torch.autograd.grad(
                outputs, leaves, gradients, retain_graph=True, allow_unused=True
            )

        arriving = {_storage(gradient) for gradient in gradients}
        found = backward(recorded)
        self.idle = all(each is None or _storage(each) in arriving for each in found)
        return {
            "forward": self.forward,
            "backward": lambda: backward(recorded),
            "step": lambda: backward(self.recorded()),
        }

    def recorded(self) -> list[Tensor]:
        """The outputs that have gradients."""
        return [output for output in self.outputs() if output.requires_grad]

    def held(self) -> int:
        """Bytes that a recorded forward pass leaves behind beside its outputs."""
        storages = set(map(_storage, self.inputs.values()))
        if torch.cuda.is_initialized():
            before = torch.cuda.memory_allocated()
            outputs = self.outputs()
            taken = torch.cuda.memory_allocated() - before
        else:
            with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
                outputs = self.outputs()
            taken = sum(event.self_cpu_memory_usage for event in profiler.events() or ())
        own = {_storage(output): output.untyped_storage().nbytes() for output in outputs}
        return taken - sum(size for storage, size in own.items() if storage not in storages)


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _measure(case: Case, module: ModuleType, setting: Setting) -> tuple[list[Row], list[Missing]]:
    """The rows of one case, and the contenders that failed at it."""
    actions: dict[tuple[str, str], Action] = {}
    held: dict[str, int] = {}
    missing = []
    idle = []
    variant = compile_spec(case.spec).variants[0]
    decomposes = variant.kernels[0].decomposes
    for name in (OURS, *setting.contenders):
        try:
            function = _function(case, name, module)
            if function is None:
                continue
            called = _Contender(case, function, setting)
            found = called.actions()
            if name != OURS and not decomposes:
                del found["backward"], found["step"]
                reason = "PyTorch has no such backward pass"
                missing.append(Missing(name, case.spec.name, reason))
            elif called.idle:
                del found["backward"]
                idle.append((name, "backward"))
            for action in found.values():
                for _ in range(WARM_UP):
                    action()
            held[name] = called.held()
        except Exception as error:  # no compiler, no Triton, an op that PyTorch does not have
            missing.append(Missing(name, case.spec.name, _reason(error)))
        else:
            actions |= {(name, direction): action for direction, action in found.items()}
    moved = case.bytes(variant, _itemsize(setting))
    measure = device_times if setting.device == "cuda" else wall_times
    try:
        for direction, size in moved.items():
            if size:
                actions["copy", direction] = _copy(size, setting)
            else:
                idle.append(("copy", direction))
        times = measure(actions, setting.rounds) | dict.fromkeys(idle, 0.0)
    except RuntimeError as error:  # no memory left, kernels lost: the next op may do better
        return [], [*missing, Missing(OURS, case.spec.name, _reason(error))]
    rows = []
    for direction, size in moved.items():
        found = {name: times[name, direction] for name in held if (name, direction) in times}
        of_row = held if direction == "forward" and len(moved) > 1 else {}
        copy = times["copy", direction]
        shapes = dict(case.shapes)
        rows.append(Row(case.spec.name, shapes, direction, size, copy, found, of_row))
    return rows, missing


def _reason(error: Exception) -> str:
    """The line of a message that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("backend=")]
    return said[0] if said else type(error).__name__


def _itemsize(setting: Setting) -> int:
    return getattr(torch, setting.dtype).itemsize


def _copy(size: int, setting: Setting) -> Action:
    """A copy that reads and writes so many bytes."""
    count = max(1, size // 2 // _itemsize(setting))
    source = torch.ones(count, dtype=getattr(torch, setting.dtype), device=setting.device)
    target = torch.ones_like(source)
    return lambda: target.copy_(source)


def _compile_ahead(
    cases: Sequence[Case],
    contenders: Sequence[str],
    package: str,
    setting: Setting,
    jobs: int,
    report: Report,
) -> None:
    """Runs what is to be compiled once in processes of their own, for the caches on disk."""
    tasks = [(case, name, package, setting) for case in cases for name in contenders]
    context = multiprocessing.get_context("spawn")
    with (
        contextlib.suppress(BrokenProcessPool),  # then this process compiles the rest itself
        ProcessPoolExecutor(jobs, context, _start_worker, (setting,)) as pool,
    ):
        futures = {pool.submit(_compile_one, *task): task for task in tasks}
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            case, name, *_ = futures[future]
            report(done, len(tasks), f"{name} of {case.spec.name}")


def _start_worker(setting: Setting) -> None:
    setting.prepare()
    inductor_config.compile_threads = 1
    # max-autotune chooses kernels by timing them: one process at a time
    lock = FileLock(Path(cache_dir()) / "gpu.lock")
    benchmarker.benchmark_gpu = lock(benchmarker.benchmark_gpu)


def _compile_one(case: Case, name: str, package: str, setting: Setting) -> None:
    with contextlib.suppress(Exception):  # told when it is the op's turn
        function = _function(case, name, importlib.import_module(package))
        if function is not None:
            for action in _Contender(case, function, setting).actions().values():
                action()
    _forget()
