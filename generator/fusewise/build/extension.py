"""Compiles generated C++ and CUDA into one extension module.

`build_extension` serves setup.py, `fusewise build` and `fusewise.load` alike. It writes a ninja
file, because torch's own `BuildExtension` refuses CUDA sources beside a CPU-only torch and does not
see a changed header there.
"""

from __future__ import annotations

import filecmp
import os
import shlex
import shutil
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

from fusewise.build.ninja import BuildError, Report, locked, run_ninja
from fusewise.build.toolchain import CAPABILITIES, Toolchain
from fusewise.folders import runtime_dir

# From so many files on, ATen's headers are precompiled for them: that takes about what it saves in
# three files, and a few hundred MB.
PRECOMPILE_FROM = 8
_PRECOMPILED = "runtime/decomposition.h"
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
    folder = work.resolve() / toolchain.tag
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, report) as lock:
        text = ninja_text(package, csrc.resolve(), toolchain)
        ninja_file = folder / f"{package}.ninja"
        if not ninja_file.exists() or ninja_file.read_text() != text:
            ninja_file.write_text(text)
        steps, warnings = run_ninja(toolchain.ninja, ninja_file, lock, report)
        _install(folder / package / "_C.so", target)
    compiled = sorted(
        ((Path(step.output).stem, step.seconds) for step in steps),
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


def ninja_text(package: str, csrc: Path, toolchain: Toolchain) -> str:
    """The ninja file of a package, run in the folder of object files."""
    runtime = runtime_dir()
    sources = {f"{package}/{path.relative_to(csrc)}": path for path in csrc.rglob("*")}
    sources |= {f"runtime/{path.relative_to(runtime)}": path for path in runtime.rglob("*")}
    suffixes = {".cpp": "cxx", ".cu": "nvcc"} if toolchain.nvcc else {".cpp": "cxx"}
    objects = {
        f"{name}.o": path for name, path in sorted(sources.items()) if path.suffix in suffixes
    }
    if not objects:
        raise BuildError(f"nothing to compile in {csrc}: run `fusewise generate` first")
    own = " ".join(f"-I{shlex.quote(str(path))}" for path in (runtime, csrc))
    # the runtime's objects serve every package, so their command must not name this one's folder
    shared = f"-I{shlex.quote(str(runtime))}"
    lines = [
        "ninja_required_version = 1.5",
        f"cxxflags = {_escape(toolchain.cxxflags)}",
        f"nvccflags = {_escape(toolchain.nvccflags) if toolchain.nvcc else ''}",
        "",
        *_rule(
            "cxx", f"{shlex.quote(toolchain.cxx)} -MMD -MF $out.d $cxxflags $own -c $in -o $out"
        ),
    ]
    if toolchain.nvcc:
        nvcc = shlex.quote(toolchain.nvcc)
        lines += _rule("nvcc", f"{nvcc} -MMD -MF $out.d $nvccflags $own -c $in -o $out")
    lines += _rule("link", f"{toolchain.link} -shared $in -o $out {_escape(toolchain.libraries)}")
    on_aten = [name for name in objects if name.endswith("_torch.cpp.o")]
    precompiles = len(on_aten) >= PRECOMPILE_FROM
    if precompiles:
        header = runtime / "fusewise/torch/decomposition.h"
        lines.append(f"build {_PRECOMPILED}.gch: cxx {_escape_path(str(header))}")
        lines.append(f"  label = {header.name}")
        lines.append(f"  own = {_escape(shared)} -O1 -w -x c++-header")
    linked: list[str] = []
    for name, path in objects.items():
        rule = suffixes[path.suffix]
        flags, needs = (shared if name.startswith("runtime/") else own), ""
        if precompiles and name in on_aten:  # of one -O, as precompiled headers ask
            flags, needs = f"-O1 -include {_PRECOMPILED} {own}", f" | {_PRECOMPILED}.gch"
        lines.append(f"build {_escape_path(name)}: {rule} {_escape_path(str(path))}{needs}")
        lines.append(f"  label = {path.name}")
        lines.append(f"  own = {_escape(flags)}")
        linked.append(name)
        for capability in toolchain.capabilities if name.endswith("_cpu.cpp.o") else ():
            linked.append(f"{name.removesuffix('.o')}.{capability}.o")
            lines.append(f"build {_escape_path(linked[-1])}: {rule} {_escape_path(str(path))}")
            lines.append(f"  label = {path.name} for {capability}")
            # vectors that an op's loops write out gain nothing from -O3, but conversions do
            level = "" if name.startswith("runtime/") else "-O2 "
            target = f"{level}-DFUSEWISE_CAPABILITY={capability} {CAPABILITIES[capability]}"
            lines.append(f"  own = {target} {_escape(flags)}")
    lines.append(f"build {package}/_C.so: link {' '.join(map(_escape_path, linked))}")
    lines.append(f"  label = {package}/_C.so")
    return "\n".join(lines) + "\n"


def _rule(name: str, command: str) -> list[str]:
    # no `deps = gcc`: packages share one log, and ninja forgets dependencies that it keeps there
    # for files of another package
    depfile = [] if name == "link" else ["  depfile = $out.d"]
    return [f"rule {name}", f"  command = {command}", "  description = $label", *depfile, ""]


def _escape(text: str) -> str:
    return text.replace("$", "$$")


def _escape_path(text: str) -> str:
    return _escape(text).replace(" ", "$ ").replace(":", "$:")
