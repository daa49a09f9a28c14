"""The times of calls that run in turns: wall time on a CPU, the time of kernels on a GPU."""

from __future__ import annotations

import ctypes
import math
import statistics
import timeit
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

CALLS = 10  # calls of each action in one round on a GPU
SAMPLE_SECONDS = 2e-3  # duration of each action in one round on a CPU, at least one call

Action = Callable[[], object]


def keep_memory() -> None:
    """Keeps freed memory in the process, from now on.

    By default glibc returns the memory of a large tensor to the system and maps it again at each
    call. Clearing the new pages takes longer than most ops.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:  # only glibc has it
        mallopt(-4, 0)  # M_MMAP_MAX: all memory is allocated on the heap
        mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: the heap does not shrink


def wall_times(actions: Mapping[Any, Action], rounds: int) -> dict[Any, float]:
    """Microseconds of wall time per call: the least of the rounds, in which actions take turns.

    The least is used because other load on the machine only makes calls slower.
    """
    timers = {key: timeit.Timer(action) for key, action in actions.items()}
    calls = {key: max(1, round(SAMPLE_SECONDS / timer.timeit(1))) for key, timer in timers.items()}
    found: dict[Any, list[float]] = {key: [] for key in timers}
    for _ in range(rounds):
        for key, timer in timers.items():
            found[key].append(timer.timeit(calls[key]) / calls[key] * 1e6)
    return {key: min(times) for key, times in found.items()}


def device_times(actions: Mapping[Any, Action], rounds: int) -> dict[Any, float]:
    """Microseconds of all kernels of one call, summed: the median over the rounds.

    Raises:
        RuntimeError: the profiler has lost kernels.
    """
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
        for _ in range(rounds):
            for action in actions.values():
                torch.cuda._sleep(1)  # its kernel marks the beginning of an action
                for _ in range(CALLS):
                    action()
        torch.cuda.synchronize()
    kernels = [
        (event.time_range.start, event.name, event.device_time)
        for event in profiler.events() or ()
        if event.device_type.name == "CUDA" and not event.is_user_annotation
    ]
    sums = sums_between(kernels, "spin_kernel")
    if len(sums) != rounds * len(actions):
        raise RuntimeError("the profiler has lost kernels; try fewer --rounds")
    return {
        key: statistics.median(sums[index :: len(actions)]) / CALLS
        for index, key in enumerate(actions)
    }


def sums_between(kernels: Sequence[tuple[float, str, float]], mark: str) -> list[float]:
    """The summed durations of the kernels after each marking kernel.

    kernels: (start, name, duration) of each. mark: a part of the name of marking kernels.
    """
    sums: list[list[float]] = []
    for _, name, duration in sorted(kernels):
        if mark in name:
            sums.append([])
        elif sums:
            sums[-1].append(duration)
    return [math.fsum(durations) for durations in sums]
