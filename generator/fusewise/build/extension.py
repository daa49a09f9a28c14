"""Compiles generated C++ and CUDA into one extension module, and tells what one is built for.

`build_extension` serves `fusewise build` and `fusewise.load` alike.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import shutil
import struct
import sysconfig
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fusewise.build.contents import without_key
from fusewise.build.ninja import Report, locked, run_ninja
from fusewise.build.steps import PART, plan_build
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import write_text

FAT_BINARY = 0xBA55ED50
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    path: Path
    seconds: float
    # File and seconds, slowest first. Without steps all was up to date.
    compiled: tuple[tuple[str, float], ...]
    warnings: str  # what the compilers said


@dataclass(frozen=True, slots=True)
class Target:
    """What an extension is built for: a version of torch, and GPUs."""

    torch: str
    code: tuple[int, ...]  # the architectures that it has machine code for, such as 90
    ptx: tuple[int, ...]

    def runs_on(self, arch: str) -> bool:
        """True for a GPU of that architecture: code runs on later minor ones, PTX on all later."""
        gpu = int(arch)
        return any(gpu // 10 == code // 10 and gpu >= code for code in self.code) or any(
            gpu >= ptx for ptx in self.ptx
        )

    def __str__(self) -> str:
        if not self.code:
            return f"torch {self.torch}, CPU only"
        ptx = f", PTX of {', '.join(f'sm_{arch}' for arch in self.ptx)}" if self.ptx else ""
        return f"torch {self.torch}, {', '.join(f'sm_{arch}' for arch in self.code)}{ptx}"


def built_for(module: Path) -> Target | None:
    """What the extension in a file is built for; None if the file does not say."""
    from elftools.common.exceptions import ELFError  # builds go without this library
    from elftools.elf.elffile import ELFFile

    try:
        with module.open("rb") as file:
            elf = ELFFile(file)
            notes = (section.data() for section in elf.iter_sections("SHT_NOTE"))
            note = re.search(rb"fusewise is built for torch ([\x20-\x7e]+)\0", b"".join(notes))
            section = elf.get_section_by_name(".nv_fatbin")
            device = section.data() if section else b""
    except (ELFError, OSError):
        return None
    if note is None:
        return None
    # The static CUDA runtime has a fat binary of its own, for other architectures.
    images = Counter(_fat_binaries(device)).most_common(1)
    kinds = [
        sorted(arch for kind, arch in image if kind == k) for image, _ in images for k in (2, 1)
    ]
    code, ptx = kinds or ([], [])
    return Target(note[1].decode(), tuple(code), tuple(ptx))


def _fat_binaries(data: bytes) -> Iterator[frozenset[tuple[int, int]]]:
    """The images of each fat binary: (1 for PTX or 2 for machine code, architecture)."""
    position = 0
    while position + 16 <= len(data):
        magic, _, header, size = struct.unpack_from("<IHHQ", data, position)
        if magic != FAT_BINARY:
            position += 8  # padding
            continue
        image, position = position + header, position + header + size
        found = set()
        while image + 32 <= position:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, image)
            (arch,) = struct.unpack_from("<I", data, image + 28)
            found.add((kind, arch))
            image += header + size
        yield frozenset(found)


def build_extension(
    package: str,
    csrc: Path,
    target: Path,
    *,
    work: Path,
    toolchain: Toolchain,
    report: Report = lambda done, total, what: None,
) -> Built:
    """Compiles the sources under `csrc` and the runtime, and puts the module at `target`.

    Object files stay in a folder of `work` named by the toolchain; those of the runtime are shared
    by all packages and toolchains that compile the same there, so that only the first of them pays
    for it.

    Raises:
        BuildError: there is nothing to compile with, or it does not compile.
    """
    start = time.perf_counter()
    csrc, folder = csrc.resolve(), work.resolve() / toolchain.tag
    with locked(folder, report) as lock:
        plan = plan_build(package, csrc, folder, toolchain)
        ninja_file = folder / f"{package}.ninja"
        write_text(ninja_file, plan.text)
        _link_runtime(folder, plan.outputs)
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


def _link_runtime(folder: Path, outputs: Iterable[str]) -> None:
    """Links objects of the runtime that another toolchain has compiled from the same contents."""
    for output in outputs:
        path = folder / output
        if not output.startswith("runtime/") or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        for same in folder.parent.glob(f"*/{output}"):
            with contextlib.suppress(OSError):  # its own build may just remove it
                path.hardlink_to(same)


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
