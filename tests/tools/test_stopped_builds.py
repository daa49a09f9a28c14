"""Stopped builds: the next one waits for their compilers, and takes no half-written object."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fusewise.build import extension as build
from fusewise.build import tree
from fusewise.build.extension import SUFFIX

Answer = Callable[[Path], int]
# A compiler that, while the file `hold` is there, leaves half of the object of slow.cpp and waits.
HOLDING_CXX = """\
#!/bin/bash
folder=$(dirname "$0")
trap 'exit 130' INT  # else bash goes on if the signal comes as its `sleep` ends
[[ "$*" == *slow.cpp* ]] || exec g++ "$@"
echo begin >> "$folder/calls"
if [ -e "$folder/hold" ]; then
  until [ "$1" = -o ]; do rest+=("$1"); shift; done
  echo half > "$2"
  echo $$ > "$folder/held"
  while [ -e "$folder/hold" ]; do sleep 0.02; done
fi
g++ "${rest[@]}" "$@"
echo end >> "$folder/calls"
"""

BUILD = """\
import signal
import sys
from dataclasses import replace
from pathlib import Path
from fusewise.build import extension as build
from fusewise.build import steps
# which a shell ignores for what it runs in the background
signal.signal(signal.SIGINT, signal.default_int_handler)
root, newer = Path(sys.argv[1]), sys.argv[2] == "newer"
steps.runtime_dir = lambda: root / "runtime"
toolchain = build.Toolchain.find({"FUSEWISE_CUDA": "0", "CXX": str(root / "cxx")})
if newer:  # each command changes, the folder stays the same
    toolchain = replace(toolchain, std=toolchain.std + 3)
target = root / f"my_ops/_C{build.SUFFIX}"
built = build.build_extension(
    "my_ops", root / "csrc", target, work=root / "build", toolchain=toolchain,
    report=lambda done, total, what: print(what, flush=True),
)
print("compiled", *sorted(name for name, _ in built.compiled))
"""


class Builds:
    """Builds in processes of their own, which can be killed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, flags: str = "") -> subprocess.Popen[bytes]:
        environ = os.environ | {"PYTHONPATH": str(Path(build.__file__).parents[2]), "MAX_JOBS": "2"}
        with self.output.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", BUILD, str(self.root), flags],
                env=environ,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    @property
    def output(self) -> Path:
        """What the build that was started last has said."""
        return self.root / "output"

    def finish(self, process: subprocess.Popen[bytes]) -> list[str]:
        """What it compiled."""
        code = process.wait(timeout=60)
        text = self.output.read_text()
        assert code == 0, text
        return text.splitlines()[-1].split()[1:]

    def start_held(self, flags: str = "") -> subprocess.Popen[bytes]:
        """A build that has compiled all but slow.cpp, of which half an object is there."""
        (self.root / "hold").touch()
        process = self.start(flags)
        others = ["module.cpp", "runtime.cpp"]
        wait_for(lambda: sorted(self.output.read_text().split()) == others)
        wait_for(lambda: (self.root / "held").exists())
        return process

    @property
    def compiler(self) -> int:
        return int((self.root / "held").read_text())


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def builds(sources: Path) -> Iterator[Builds]:
    root = sources.parent
    tree.write_text(sources / "slow.cpp", "int slow() { return 1; }\n")
    tree.write_text(root / "cxx", HOLDING_CXX)
    (root / "cxx").chmod(0o755)
    builds = Builds(root)
    yield builds
    (root / "hold").unlink(missing_ok=True)
    for process in builds.started:
        process.kill()
        process.wait()


def interrupt_all(process: subprocess.Popen[bytes], compiler: int) -> None:
    """As Ctrl-C in a terminal does."""
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=30)


def interrupt_python(process: subprocess.Popen[bytes], compiler: int) -> None:
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)


def kill_all(process: subprocess.Popen[bytes], compiler: int) -> None:
    for pid in (process.pid, parent_of(compiler), compiler):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_running(compiler))


STOPS = pytest.mark.parametrize("stop", [interrupt_all, interrupt_python, kill_all])
Stop = Callable[[subprocess.Popen[bytes], int], None]


@pytest.mark.slow
@STOPS
def test_a_build_that_was_stopped_goes_on_where_it_was(
    builds: Builds, stop: Stop, answer: Answer
) -> None:
    process = builds.start_held()
    compiler = builds.compiler
    stop(process, compiler)
    assert not is_running(compiler)
    (builds.root / "hold").unlink()
    assert builds.finish(builds.start()) == ["_C", "slow.cpp"]
    assert answer(builds.root / f"my_ops/_C{SUFFIX}") == 42
    assert builds.finish(builds.start()) == []


@pytest.mark.slow
@STOPS
def test_half_an_object_is_never_taken_for_a_whole_one(
    builds: Builds, stop: Stop, answer: Answer
) -> None:
    assert builds.finish(builds.start()) == ["_C", "module.cpp", "runtime.cpp", "slow.cpp"]
    process = builds.start_held("newer")
    stop(process, builds.compiler)
    (builds.root / "hold").unlink()
    # the whole object that the first build has made is still there
    assert builds.finish(builds.start()) == []
    assert answer(builds.root / f"my_ops/_C{SUFFIX}") == 42
    assert "slow.cpp" in builds.finish(builds.start("newer"))
    assert not list(builds.root.glob("build/**/*.part"))


@pytest.mark.slow
def test_a_build_waits_for_the_compilers_of_one_that_was_killed(
    builds: Builds, answer: Answer
) -> None:
    process = builds.start_held()
    process.kill()
    process.wait()
    other = builds.start()
    wait_for(lambda: builds.output.read_text().startswith("waiting for another process in "))
    (builds.root / "hold").unlink()
    assert "_C" in builds.finish(other)
    calls = (builds.root / "calls").read_text().split()
    assert calls == ["begin", "end"] * (len(calls) // 2)
    assert answer(builds.root / f"my_ops/_C{SUFFIX}") == 42
