"""Runs ninja in a folder of object files: one build at a time, of which any may be killed."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fusewise.build.contents import without_key
from fusewise.build.hints import compiler_hint

LOG = ".ninja_log"
LOCK = "fusewise.lock"
MOST_LINES = 30  # of what a compiler said that a message shows

# Ninja's status before the label of each step.
_STATUS = re.compile(r"\[(\d+)/(\d+)\] (.*)")

Report = Callable[[int, int, str], None]  # steps done, steps in all, what was done last


_FIRST = 3.0  # seconds of a build after which the time left can be estimated
# The seconds that a step takes, by its label, where no former build tells; others take one.
_USUAL = {
    r"(torch|python)\.cpp": 10.0,
    r".*\.cu": 4.0,
}


class Estimate:
    """Counts the work of the steps that are done and of those to do.

    The work of a step is the seconds that it took the last time, or else those of its kind.
    """

    def __init__(
        self,
        steps: Sequence[str],
        seconds: Mapping[str, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
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
        usual = (took for label, took in _USUAL.items() if re.fullmatch(label, step))
        return self._seconds.get(step, next(usual, 1.0))


def _rounded(seconds: float) -> str:
    if seconds < 90:
        step = 1 if seconds < 10 else 10
        return f"{max(1, round(seconds / step) * step)} s"
    return f"{round(seconds / 60)} min"


class BuildError(Exception):
    """A build that cannot start or did not finish; str() says why and what to do."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem, hint)
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.problem}\n  hint: {self.hint}" if self.hint else self.problem


@dataclass(frozen=True, slots=True)
class Step:
    """A command that ninja has run to its end, as its log has it."""

    output: str  # relative to the folder
    begin: int  # in milliseconds since that run of ninja began
    end: int
    stamp: str  # of the file

    @property
    def seconds(self) -> float:
        return (self.end - self.begin) / 1000


@contextmanager
def locked(folder: Path, report: Report, *, shared: bool = False) -> Iterator[int]:
    """One build at a time in a folder: ninja does not look out for another of its kind.

    Gives the open file that holds the lock. A ninja that has it too, and its compilers, keep the
    folder locked where they outlive this process. Shared locks exclude only an exclusive one.
    """
    file = folder / LOCK
    operation = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            try:
                fcntl.flock(lock, operation | fcntl.LOCK_NB)
            except BlockingIOError:
                report(0, 1, f"waiting for another process in {folder}")
                fcntl.flock(lock, operation)
            if _is_at(file, lock):  # else `fusewise clean` has removed it in the meantime
                yield lock
                # closing would not do where a compiler has started a server, which has it too
                fcntl.flock(lock, fcntl.LOCK_UN)
                return
        finally:
            os.close(lock)


def _is_at(path: Path, file: int) -> bool:
    """True if an open file is the file at a path."""
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file))
    return False


def run_ninja(ninja: str, file: Path, lock: int, report: Report) -> tuple[tuple[Step, ...], str]:
    """Brings up to date what `file` describes: the steps that this took, and the warnings.

    A report names the label of a step, and the time that the others will take.

    Raises:
        BuildError: a step failed.
    """
    folder = file.parent
    before = _read_log(folder)
    estimate = Estimate(_planned(ninja, file), _seconds(file, before))
    text, code = _run(
        ninja,
        file,
        lock,
        lambda done, total, step: report(done, total, f"{step}{estimate.after(step)}"),
    )
    if code:
        raise BuildError(_failure(text, file.with_suffix(".log")), compiler_hint(text))
    after = _read_log(folder).items()
    steps = tuple(step for output, step in after if before.get(output) != step)
    return steps, re.sub(r"\n{2,}", "\n", text).strip("\n")


def compile_jobs() -> int:
    """How many compilers run at a time: MAX_JOBS, else as many as cores and memory allow.

    Raises:
        BuildError: MAX_JOBS is no positive number.
    """
    if wish := os.environ.get("MAX_JOBS"):
        if not wish.isdecimal() or int(wish) == 0:
            raise BuildError(f"MAX_JOBS is {wish!r}: expected a number of compilers such as 4")
        return int(wish)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)), memory // (2 << 30)))  # up to 2 GiB a compiler


def _run(ninja: str, file: Path, lock: int, report: Report) -> tuple[str, int]:
    """What was printed beside the steps, and the exit status."""
    output: list[str] = []
    with subprocess.Popen(
        [*_command(ninja, file), "-j", str(compile_jobs())],
        env=_environ(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(lock,),
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if step := _STATUS.match(line):
                    report(int(step[1]), int(step[2]), step[3])
                    output.append("")
                elif not line.startswith("ninja: ") or line.startswith("ninja: error: "):
                    output.append(line.rstrip("\n"))
        except BaseException:
            process.send_signal(signal.SIGINT)  # at which it stops its compilers
            process.communicate()
            raise
    return "\n".join(output), process.returncode


def _planned(ninja: str, file: Path) -> list[str]:
    """The labels of the steps that ninja would run."""
    command = [*_command(ninja, file), "-n"]
    run = subprocess.run(command, env=_environ(), capture_output=True, text=True, check=False)
    return [step[3] for step in map(_STATUS.match, run.stdout.splitlines()) if step]


def _seconds(file: Path, log: Mapping[str, Step]) -> dict[str, float]:
    """How long each step took the last time, by its label."""
    last = {without_key(output): step.seconds for output, step in log.items()}
    rows = re.finditer(r"^build (.+?): .*\n  label = (.*)$", file.read_text(), re.MULTILINE)
    names = ((row[2], without_key(row[1])) for row in rows)
    return {label: last[name] for label, name in names if name in last}


def _command(ninja: str, file: Path) -> list[str]:
    return [ninja, "-C", str(file.parent), "-f", file.name]


def _environ() -> dict[str, str]:
    return os.environ | {"NINJA_STATUS": "[%f/%t] ", "LC_ALL": "C"}


def _failure(text: str, log: Path) -> str:
    """The first failed file and how the compiler's words begin; all of them go to a log."""
    log.write_text(text + "\n")
    # ninja prints "FAILED: [code=1] swiglu_cpu.cpp.o", the command, and what the compiler said
    match = re.search(r"^FAILED: (?:\[code=\d+\] )?(\S+) *\n(.*)\n((?:.+\n?)*)", text, re.MULTILINE)
    if not match:
        return f"the build failed:\n{text.strip()}"
    what = Path(without_key(match[1]))
    verb = "does not link" if what.suffix == ".so" else "does not compile"
    said = match[3].rstrip("\n").split("\n")
    shown = [f"  {line}" for line in said[:MOST_LINES]]
    if len(said) > MOST_LINES:
        shown.append(f"  ... and {len(said) - MOST_LINES} lines more")
    name = what if what.suffix == ".so" else what.with_suffix("")
    return "\n".join([f"{name} {verb}:", *shown, f"the whole output is in {log}"])


def _read_log(folder: Path) -> dict[str, Step]:
    """The last step of each output in ninja's log."""
    log = folder / LOG
    if not log.exists():
        return {}
    rows = re.finditer(r"^(\d+)\t(\d+)\t(\d+)\t(.+)\t\w+$", log.read_text(), re.MULTILINE)
    return {row[4]: Step(row[4], int(row[1]), int(row[2]), row[3]) for row in rows}
