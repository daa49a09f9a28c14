"""The time that a build will still take, from the seconds of its steps."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

_FIRST = 3.0  # seconds before which there is nothing to tell from


class Estimate:
    """Counts the work of the steps that are done and of those to do.

    The work of a step is the seconds that it took the last time, or else the mean of the others.
    """

    def __init__(
        self,
        steps: Sequence[str],
        seconds: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        known = [seconds[step] for step in steps if step in seconds]
        self._mean = sum(known) / len(known) if known else 1.0
        self._seconds = seconds
        self._left = Counter(steps)
        self._done = 0.0
        self._clock = clock
        self._begin = clock()

    def after(self, step: str) -> str:
        """What to add to a line about a step that is done: the time left, or nothing."""
        self._done += self._work(step)
        self._left -= Counter([step])
        elapsed = self._clock() - self._begin
        work = sum(self._work(name) * count for name, count in self._left.items())
        if not work or not self._done or elapsed < _FIRST:
            return ""
        return f", about {_rounded(elapsed * work / self._done)} left"

    def _work(self, step: str) -> float:
        return self._seconds.get(step, self._mean)


def _rounded(seconds: float) -> str:
    if seconds < 90:
        step = 1 if seconds < 10 else 10
        return f"{max(1, round(seconds / step) * step)} s"
    return f"{round(seconds / 60)} min"
