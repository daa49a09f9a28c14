"""Times ops beside other implementations, at the typical shapes of their specs.

All contenders and a plain copy of as many bytes take turns, so that a drift of the machine meets
all alike. On a CPU everything is timed twice: in the process as it is, and then where it keeps
freed memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import ModuleType

from fusewise.build.ninja import Report
from fusewise.language.model import Spec
from fusewise.measure.bench.actions import Contender, copy_action, forget
from fusewise.measure.bench.cases import Case, Setting, cases_of
from fusewise.measure.bench.compile_ahead import compile_ahead
from fusewise.measure.bench.report import KEPT, OURS, PLAIN, Missing, Results, Row
from fusewise.measure.environment import environment
from fusewise.measure.timing import Action, device_times, keep_memory, wall_times
from fusewise.pipeline import compile_spec

CPU_ELEMENTS = 2**23
WARM_UP = 2  # calls: after the first one memory may still grow


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
    limits = elements or ((CPU_ELEMENTS,) if setting.device == "cpu" else ())
    reason = "composed of other ops, which are timed themselves"
    missing = [Missing(OURS, spec.name, reason) for spec in specs if spec.compose]
    yield from run_cases(cases_of(specs, limits), module, setting, report, missing, jobs=jobs)


def run_cases(
    cases: Sequence[Case],
    module: ModuleType,
    setting: Setting,
    report: Report,
    missing: Sequence[Missing] = (),
    *,
    jobs: int = 1,
) -> Iterator[Results]:
    """Times cases of any shapes; `missing` lists what was left out before."""
    setting.prepare()
    if jobs > 1 and setting.compiled:
        compile_ahead(cases, module.__name__, setting, jobs, report)
    rows: list[Row] = []
    missing = list(missing)
    turns = [(memory, case) for memory in memories_of(setting.device) for case in cases]
    for done, (memory, case) in enumerate(turns, start=1):
        if memory == KEPT:
            keep_memory()
        found, absent = _measure(case, module, setting)
        rows += [replace(row, memory=memory) for row in found]
        missing += absent
        forget()
        report(done, len(turns), case.spec.name)
        yield Results(
            environment(setting.device),
            setting.dtype,
            setting.rounds,
            tuple(rows),
            tuple(missing),
            setting.layout,
        )


def memories_of(device: str) -> tuple[str, ...]:
    """The values of `Row.memory` in the order of measuring. A GPU always keeps freed memory."""
    return (PLAIN, KEPT) if device == "cpu" else ("",)


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
            called = Contender.of(case, name, module, setting)
            if called is None:
                continue
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
    moved = case.bytes(variant, setting.itemsize)
    measure = device_times if setting.device == "cuda" else wall_times
    try:
        for direction, size in moved.items():
            if size:
                actions["copy", direction] = copy_action(size, setting)
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
