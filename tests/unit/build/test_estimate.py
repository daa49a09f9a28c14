from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fusewise.build.ninja import Estimate, Step, _seconds


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def after(self, seconds: float) -> Callable[[], float]:
        self.now = 100.0 + seconds
        return self


def test_steps_weigh_what_they_took_the_last_time() -> None:
    clock = Clock()
    estimate = Estimate(["a", "b", "c"], {"a": 10, "b": 40, "c": 20}, clock)
    clock.after(20)  # half the speed of the last time
    assert estimate.after("a") == ", about 2 min left"
    clock.after(60)
    assert estimate.after("b") == ", about 20 s left"
    clock.after(90)
    assert estimate.after("c") == ""


def test_steps_that_are_new_weigh_what_their_kind_takes() -> None:
    clock = Clock()
    estimate = Estimate(["torch.cpp", "start.cu", "a_torch.cpp", "lanes_cpu.cpp"], {}, clock)
    clock.after(10)
    assert estimate.after("torch.cpp") == ", about 6 s left"
    clock.after(14)
    assert estimate.after("start.cu") == ", about 2 s left"
    known = Estimate(["start.cu", "new.cu"], {"start.cu": 8}, clock)
    clock.now += 4
    assert known.after("start.cu") == ", about 2 s left"
    none_known = Estimate(["a", "b", "c"], {}, clock)
    clock.now += 10
    assert none_known.after("b") == ", about 20 s left"


def test_of_several_steps_with_one_label_each_counts() -> None:
    clock = Clock()
    estimate = Estimate(["a", "a", "b"], {"a": 5, "b": 5}, clock)
    clock.after(5)
    assert estimate.after("a") == ", about 10 s left"


def test_nothing_is_told_from_the_first_seconds() -> None:
    clock = Clock()
    estimate = Estimate(["a", "b"], {}, clock)
    clock.after(2)
    assert estimate.after("a") == ""


@pytest.mark.parametrize(
    ("left", "shown"),
    [(0.2, "1 s"), (7.4, "7 s"), (14, "10 s"), (88, "90 s"), (91, "2 min"), (600, "10 min")],
)
def test_how_seconds_are_shown(left: float, shown: str) -> None:
    clock = Clock()
    estimate = Estimate(["a", "b"], {"a": 10, "b": left}, clock)
    clock.after(10)
    assert estimate.after("a") == f", about {shown} left"


def test_the_log_is_read_by_label(tmp_path: Path) -> None:
    file = tmp_path / "p.ninja"
    file.write_text(
        "rule cxx\n  command = true\n"
        "build a/a.o: cxx ../a.cpp | x.gch\n  label = a.cpp\n  own = -O1\n"
        "build a/b.o: cxx ../b.cpp\n  label = b.cpp for avx2\n"
    )
    log = {"a/b.o": Step("a/b.o", 1000, 3500, "1"), "gone.o": Step("gone.o", 0, 1, "1")}
    assert _seconds(file, log) == {"b.cpp for avx2": 2.5}
