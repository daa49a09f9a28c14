"""Times of the calls of several actions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from fusewise.measure import timing


def test_kernels_are_summed_between_marks() -> None:
    kernels = [
        (5.0, "copy", 2.0),
        (1.0, "early", 9.0),
        (2.0, "spin_kernel(long)", 1.0),
        (3.0, "a", 0.5),
        (4.0, "void spin_kernel", 1.0),
        (6.0, "spin_kernel", 1.0),
        (7.0, "b", 3.0),
        (8.0, "c", 4.0),
    ]
    assert timing.sums_between(kernels, "spin_kernel") == [0.5, 2.0, 7.0]


class Profiler:
    """What the profiler of a GPU gives: a stream on which each kernel starts after the last."""

    def __init__(self) -> None:
        self.kernels: list[Any] = []

    def __call__(self, **_: Any) -> Profiler:
        return self

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, name: str, duration: float, device: str = "CUDA") -> None:
        start = SimpleNamespace(start=float(len(self.kernels)))
        kind = SimpleNamespace(name=device)
        kernel = {"name": name, "device_time": duration, "time_range": start, "device_type": kind}
        self.kernels.append(SimpleNamespace(**kernel, is_user_annotation=name == "annotation"))

    def events(self) -> list[Any]:
        return list(reversed(self.kernels))


def test_time_on_a_gpu_is_that_of_the_kernels_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    profiler = Profiler()
    rounds = iter([3.0] * 10 + [5.0] * 10 + [4.0] * 10)
    monkeypatch.setattr(timing, "profile", profiler)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "_sleep", lambda _: profiler.run("at::spin_kernel(long)", 7))

    def eager() -> None:
        profiler.run("add", next(rounds))
        profiler.run("launch", 100, "CPU")
        profiler.run("annotation", 100)
        profiler.run("mul", 1)

    actions = {"ours": lambda: profiler.run("ours", 2.5), "eager": eager, "nothing": lambda: None}
    found = timing.device_times(actions, 3)
    assert found == {"ours": 2.5, "eager": 5.0, "nothing": 0.0}
    monkeypatch.setattr(torch.cuda, "_sleep", lambda _: None)
    profiler.kernels.clear()
    with pytest.raises(RuntimeError) as lost:
        timing.device_times({"ours": actions["ours"]}, 1)
    assert str(lost.value) == "the profiler has lost kernels; try fewer --rounds"
