"""Compiles generated C++ and CUDA into one extension module.

`build_extension` serves `fusewise build` and `fusewise.load` alike.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import sysconfig
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fusewise.build.contents import without_key
from fusewise.build.ninja import Report, locked, run_ninja
from fusewise.build.steps import PART, plan_build
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import write_text

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    path: Path
    seconds: float
    compiled: tuple[
        tuple[str, float], ...
    ]  # file and seconds, slowest first; empty: all was up to date
    warnings: str  # what the compilers said


def build_extension(
    package: str,
    csrc: Path,
    target: Path,
    *,
    work: Path,
    toolchain: Toolchain | None = None,
    report: Report = lambda done, total, what: None,
) -> Built:
    """Compiles the sources under `csrc` and the runtime, and puts the module at `target`.

    Object files stay in a folder of `work` named by the toolchain; those of the runtime are shared
    by all packages that are built there, so that only the first of them pays for it.

    Raises:
        BuildError: there is nothing to compile with, or it does not compile.
    """
    start = time.perf_counter()
    toolchain = toolchain or Toolchain.find()
    csrc, folder = csrc.resolve(), work.resolve() / toolchain.tag
    with locked(folder, report) as lock:
        plan = plan_build(package, csrc, folder, toolchain)
        ninja_file = folder / f"{package}.ninja"
        write_text(ninja_file, plan.text)
        steps, ended = (), False
        try:
            steps, warnings = run_ninja(toolchain.ninja, ninja_file, lock, report)
            _install(folder / plan.outputs[-1], target)
            ended = True
        finally:
            if steps or not ended:
                # of a source that was edited during the build, any text may have been compiled
                now = plan_build(package, csrc, folder, toolchain)
                _remove(folder, set(plan.outputs) - set(now.outputs))
        if steps:
            _remove(folder, _superseded(folder, package, plan.outputs))
    compiled = sorted(
        ((Path(without_key(step.output)).stem, step.seconds) for step in steps),
        key=lambda item: (-item[1], item[0]),
    )
    return Built(target, time.perf_counter() - start, tuple(compiled), warnings)


def _install(module: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and filecmp.cmp(module, target, shallow=False):
        return
    # a process that has the old one loaded keeps it: never write into the file itself
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(module, fresh)
    fresh.replace(target)


def _superseded(folder: Path, package: str, outputs: Sequence[str]) -> Iterator[str]:
    """What was compiled from former contents, and what a killed compiler has left."""
    names = set(map(without_key, outputs))
    for top in (package, "runtime"):
        for path in (folder / top).rglob("*.*"):
            name = path.relative_to(folder).as_posix()
            if path.suffix == PART or (without_key(name) in names and name not in outputs):
                yield name


def _remove(folder: Path, outputs: Iterable[str]) -> None:
    for output in list(outputs):
        (folder / output).unlink(missing_ok=True)
