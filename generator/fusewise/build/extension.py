"""Compiles generated C++ and CUDA into one extension module.

`build_extension` serves `fusewise build` and `fusewise.load` alike. It writes a ninja
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
from fusewise.build.tree import write_text
from fusewise.folders import runtime_dir

# From so many files on, ATen's headers are precompiled for them: that takes about what it saves in
# three files, and a few hundred MB.
PRECOMPILE_FROM = 8
_PRECOMPILED = "runtime/decomposition.h"
# The runtime's files on ATen are one to the compiler, since most of their time goes to the headers;
# these two have more headers, and as much work of their own.
_APART = ("autograd.cpp", "module.cpp")
_JOINED = "torch.cpp"  # beside the ninja files, where no output is
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
    with locked(folder, report) as lock:
        text = ninja_text(package, csrc.resolve(), toolchain)
        ninja_file = folder / f"{package}.ninja"
        write_text(ninja_file, text)
        includes = [f"#include <{path.relative_to(runtime_dir())}>\n" for path in _joined()]
        write_text(folder / _JOINED, "".join(includes))
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
    rules = {".cpp": "cxx", ".cu": "nvcc"} if toolchain.nvcc else {".cpp": "cxx"}
    objects = {
        f"{name}.o": path
        for name, path in sorted(_sources(package, csrc).items())
        if path.suffix in rules
    }
    if not any(name.startswith(f"{package}/") for name in objects):
        raise BuildError(f"nothing to compile in {csrc}: run `fusewise generate` first")
    # the runtime's objects serve every package, so their command must not name this one's folder
    shared = f"-I{shlex.quote(str(runtime))}"
    own = f"{shared} -I{shlex.quote(str(csrc))}"
    lines = _head(toolchain)
    on_aten = [name for name in objects if name.endswith("_torch.cpp.o")]
    precompiled = ""
    if len(on_aten) >= PRECOMPILE_FROM:
        precompiled = f"{_PRECOMPILED}.gch"
        header = runtime / "fusewise/torch/decomposition.h"
        flags = f"{shared} -O1 -w -x c++-header"
        lines += _step(precompiled, "cxx", str(header), header.name, flags)
    linked: list[str] = []
    for name, path in objects.items():
        rule, source = rules[path.suffix], str(path)
        flags, needs = (shared if name.startswith("runtime/") else own), ""
        if name in on_aten:  # of one -O, as precompiled headers ask
            flags = f"-O1 {own}"
            if precompiled:
                flags, needs = f"{flags} -include {_PRECOMPILED}", precompiled
        lines += _step(name, rule, source, path.name, flags, needs)
        linked.append(name)
        for capability in toolchain.capabilities if name.endswith("_cpu.cpp.o") else ():
            linked.append(f"{name.removesuffix('.o')}.{capability}.o")
            # vectors that an op's loops write out gain nothing from -O3, but conversions do
            level = "" if name.startswith("runtime/") else "-O2 "
            target = f"{level}-DFUSEWISE_CAPABILITY={capability} {CAPABILITIES[capability]}"
            label = f"{path.name} for {capability}"
            lines += _step(linked[-1], rule, source, label, f"{target} {flags}")
    module = f"{package}/_C.so"
    lines.append(f"build {module}: link {' '.join(map(_escape_path, linked))}")
    lines.append(f"  label = {module}")
    return "\n".join(lines) + "\n"


def _sources(package: str, csrc: Path) -> dict[str, Path]:
    """The files to compile, and others, by the name that objects get."""
    runtime = runtime_dir()
    joined = _joined()
    sources = {f"{package}/{path.relative_to(csrc)}": path for path in csrc.rglob("*")}
    for path in runtime.rglob("*"):
        if path not in joined:
            sources[f"runtime/{path.relative_to(runtime)}"] = path
    return sources | ({f"runtime/{_JOINED}": Path(_JOINED)} if joined else {})


def _joined() -> list[Path]:
    files = sorted((runtime_dir() / "fusewise/torch").glob("*.cpp"))
    return [path for path in files if path.name not in _APART]


def _head(toolchain: Toolchain) -> list[str]:
    """The flags and rules of a ninja file."""
    compile_it = "-MMD -MF $out.d ${}flags $own -c $in -o $out"
    cxx = f"{shlex.quote(toolchain.cxx)} {compile_it.format('cxx')}"
    lines = ["ninja_required_version = 1.5", f"cxxflags = {_escape(toolchain.cxxflags)}"]
    lines += [f"nvccflags = {_escape(toolchain.nvccflags) if toolchain.nvcc else ''}", ""]
    lines += _rule("cxx", cxx)
    if toolchain.nvcc:
        lines += _rule("nvcc", f"{shlex.quote(toolchain.nvcc)} {compile_it.format('nvcc')}")
    libraries = _escape(toolchain.libraries)
    return lines + _rule("link", f"{toolchain.link} -shared $in -o $out {libraries}")


def _step(
    output: str, rule: str, source: str, label: str, flags: str, needs: str = ""
) -> list[str]:
    waits = f" | {_escape_path(needs)}" if needs else ""
    build = f"build {_escape_path(output)}: {rule} {_escape_path(source)}{waits}"
    return [build, f"  label = {_escape(label)}", f"  own = {_escape(flags)}"]


def _rule(name: str, command: str) -> list[str]:
    # no `deps = gcc`: packages share one log, and ninja forgets dependencies that it keeps there
    # for files of another package
    depfile = [] if name == "link" else ["  depfile = $out.d"]
    return [f"rule {name}", f"  command = {command}", "  description = $label", *depfile, ""]


def _escape(text: str) -> str:
    return text.replace("$", "$$")


def _escape_path(text: str) -> str:
    return _escape(text).replace(" ", "$ ").replace(":", "$:")
