"""Compiles generated C++ and CUDA into one extension module; knows all about compilers and flags.

`build_extension` serves setup.py, `fusewise build` and `fusewise.load` alike. It writes a ninja
file, because torch's own `BuildExtension` refuses CUDA sources beside a CPU-only torch and does not
see a changed header there.
"""

from __future__ import annotations

import filecmp
import functools
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fusewise.ninja import BuildError, Report, locked, run_ninja

OLDEST_TORCH = (2, 11)  # Stream::native_handle, with which one extension serves CPU and CUDA
DEFAULT_ARCHS = ("80", "90")
# From so many files on, ATen's headers are precompiled for them: that takes about what it saves in
# three files, and a few hundred MB.
PRECOMPILE_FROM = 8
_PRECOMPILED = "runtime/composite.h"
# What a file of CPU kernels is compiled for beside the default, by PyTorch's names.
CAPABILITIES = {
    "avx2": "-mavx2 -mfma -mf16c",
    "avx512": "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mf16c",
}
# What the bits of results on the CPU depend on.
FLOAT_FLAGS = "-fno-math-errno -fno-trapping-math -ffp-contract=off"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def runtime_dir() -> Path:
    """The hand-written C++ runtime: beside the package once installed, else in the repository."""
    return _data_dir("runtime")


def templates_dir() -> Path:
    """The templates: beside the package once installed, else in the repository."""
    return _data_dir("templates")


def _data_dir(name: str) -> Path:
    # not importlib.resources: it does not find folders that an editable install maps
    package = Path(__file__).resolve().parent
    installed = package / f"_{name}"
    return installed if installed.is_dir() else package.parents[1] / name


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Compilers, torch and flags: all that a build takes from the machine."""

    cxx: str
    nvcc: str | None
    ninja: str
    archs: tuple[str, ...]
    torch: Path
    torch_version: str
    std: int
    strict: bool
    capabilities: tuple[str, ...]  # of CAPABILITIES, as the processor's family has them
    no_cuda: str = ""  # why there is no nvcc here

    @classmethod
    def find(cls, environ: Mapping[str, str] = os.environ) -> Toolchain:
        """What this machine has, as FUSEWISE_CUDA, FUSEWISE_ARCHS, FUSEWISE_WERROR and CXX wish."""
        torch = _find_torch()
        version = _torch_version(torch)
        if tuple(int(n) for n in version.split(".")[:2]) < OLDEST_TORCH:
            oldest = ".".join(map(str, OLDEST_TORCH))
            raise BuildError(f"torch {version} is too old: fusewise needs torch {oldest} or newer")
        cxx = environ.get("CXX", "g++")
        if not shutil.which(cxx):
            raise BuildError(f"no C++ compiler: {cxx} is not on PATH (CXX names another)")
        if not Path(sysconfig.get_path("include"), "Python.h").exists():
            raise BuildError(
                f"{sys.executable} has no Python.h: apt-get install python3-dev, or its like"
            )
        ninja = shutil.which("ninja", path=Path(sys.executable).parent) or shutil.which("ninja")
        if not ninja:
            raise BuildError("no ninja: pip install ninja")
        nvcc, no_cuda = _find_nvcc(environ)
        return cls(
            cxx=cxx,
            nvcc=nvcc,
            ninja=ninja,
            archs=_architectures(environ) if nvcc else (),
            torch=torch,
            torch_version=version,
            std=_cxx_standard(torch),
            strict=environ.get("FUSEWISE_WERROR", "0") not in ("", "0"),
            capabilities=tuple(CAPABILITIES) if platform.machine() == "x86_64" else (),
            no_cuda=no_cuda,
        )

    def __str__(self) -> str:
        if not self.nvcc:
            return f"torch {self.torch_version}, CPU kernels only ({self.no_cuda})"
        archs = ", ".join(f"sm_{arch}" for arch in self.archs)
        return f"torch {self.torch_version}, CPU and CUDA kernels for {archs} with {self.nvcc}"

    @property
    def tag(self) -> str:
        """Names a folder of object files: builds that differ in it keep theirs apart."""
        parts = [sys.implementation.cache_tag, f"torch{self.torch_version}"]
        parts += ["cuda" if self.nvcc else "cpu"] + ["strict"] * self.strict
        return "-".join(parts)

    @property
    def cxxflags(self) -> str:
        defines = "-DFUSEWISE_WITH_CUDA " if self.nvcc else ""
        defines += "-DFUSEWISE_WITH_AVX " if self.capabilities else ""
        api = self.torch / "include/torch/csrc/api/include"  # torch/version.h
        includes = [self.torch / "include", api, sysconfig.get_path("include")]
        return (
            f"-std=c++{self.std} -O3 -fPIC -fvisibility=hidden -fopenmp"
            " -DAT_PER_OPERATOR_HEADERS"  # else a header of ATen's brings all of its functions
            f" {FLOAT_FLAGS} -Wall -Wextra {'-Werror ' * self.strict}{defines}"
            + " ".join(f"-isystem {shlex.quote(str(path))}" for path in includes)
        )

    @property
    def nvccflags(self) -> str:
        targets = [f"arch=compute_{arch},code=sm_{arch}" for arch in self.archs]
        # PTX for GPUs to come; that of a variant such as 90a runs on no other
        newest = max((int(arch) for arch in self.archs if arch.isdigit()), default=None)
        if newest:
            targets.append(f"arch=compute_{newest},code=compute_{newest}")
        return self.cuda_flags(targets)

    def cuda_flags(self, targets: Sequence[str]) -> str:
        """Those for device code of some targets, as `-gencode` takes them."""
        strict = ",-Werror -Werror all-warnings" if self.strict else ""
        return (
            # -O is of the host's code, which launches kernels and no more; theirs is always 3
            f"-std=c++{self.std} -O1 -Xfatbin=-compress-all -ccbin {shlex.quote(self.cxx)} "
            + " ".join(f"-gencode={target}" for target in targets)
            + f" -Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra{strict}"
        )

    @property
    def link(self) -> str:
        """The command up to the objects; nvcc knows where its static CUDA runtime is."""
        if not self.nvcc:
            return shlex.quote(self.cxx)
        return f"{shlex.quote(self.nvcc)} -ccbin {shlex.quote(self.cxx)} -cudart static"

    @property
    def libraries(self) -> str:
        lib = self.torch / "lib"
        # torch's own libgomp where it brings one: a second one would start a second pool of threads
        gomp = [f":{path.name}" for path in sorted(lib.glob("libgomp*.so*"))] or ["gomp"]
        torch = f"-L{shlex.quote(str(lib))} -lc10 -ltorch_cpu -ltorch -ltorch_python"
        # the CUDA runtime inside stays private: torch has one of its own in the same process
        return f"-Xlinker --exclude-libs=ALL {torch} -l{gomp[0]}"


def _find_torch() -> Path:
    found = importlib.util.find_spec("torch")  # not imported: that would take a second and more
    if found is None or found.origin is None:
        raise BuildError(
            f"no torch beside {sys.executable}: install one first;"
            " for a package build, pip install --no-build-isolation"
        )
    return Path(found.origin).parent


def _torch_version(torch: Path) -> str:
    match = re.search(r"__version__ = '([^']+)'", (torch / "version.py").read_text())
    if not match:
        raise BuildError(f"cannot tell the version of the torch in {torch}")
    return match[1]


def _cxx_standard(torch: Path) -> int:
    """The C++ standard that this torch compiles extensions with, at least our own C++20."""
    text = (torch / "utils" / "cpp_extension.py").read_text()
    return max(20, *map(int, re.findall(r"-std=c\+\+(\d\d)\b", text)), 0)


def _find_nvcc(environ: Mapping[str, str]) -> tuple[str | None, str]:
    wish = environ.get("FUSEWISE_CUDA", "auto")
    if wish not in ("0", "1", "auto"):
        raise BuildError(f"FUSEWISE_CUDA is {wish!r}: expected 0, 1 or auto")
    if wish == "0":
        return None, "FUSEWISE_CUDA=0"
    homes = [environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if environ.get(name)]
    folders = [f"{home}/bin" for home in homes]
    folders += [environ.get("PATH", ""), "/usr/local/cuda/bin"]
    for path in filter(None, folders):
        if nvcc := shutil.which("nvcc", path=path):
            return nvcc, ""
    missing = "no nvcc in CUDA_HOME, on PATH or in /usr/local/cuda"
    if wish == "1":
        raise BuildError(f"FUSEWISE_CUDA=1, but {missing}")
    return None, missing


def _architectures(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Those of FUSEWISE_ARCHS ("80 90", "8.0;9.0"), else of the GPUs present, else the default."""
    wish = environ.get("FUSEWISE_ARCHS", "").replace("+PTX", "").replace(".", "")
    named = tuple(dict.fromkeys(re.split(r"[\s,;]+", wish.strip()))) if wish.strip() else ()
    for arch in named:
        if not re.fullmatch(r"\d{2,3}[af]?", arch):
            raise BuildError(f"FUSEWISE_ARCHS names {arch!r}: expected numbers such as 80 90")
    return named or _gpu_architectures() or DEFAULT_ARCHS


@functools.cache  # asking takes up to a second, and GPUs do not come and go
def _gpu_architectures() -> tuple[str, ...]:
    command = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()
    found = {line.strip().replace(".", "") for line in answer.stdout.splitlines()}
    return tuple(sorted((arch for arch in found if arch.isdigit()), key=int))


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
    sources |= {f"runtime/{path.name}": path for path in (runtime / "src").glob("*")}
    suffixes = {".cpp": "cxx", ".cu": "nvcc"} if toolchain.nvcc else {".cpp": "cxx"}
    objects = {
        f"{name}.o": path for name, path in sorted(sources.items()) if path.suffix in suffixes
    }
    if not objects:
        raise BuildError(f"nothing to compile in {csrc}: run `fusewise generate` first")
    own = " ".join(f"-I{shlex.quote(str(path))}" for path in (runtime / "include", csrc))
    # the runtime's objects serve every package, so their command must not name this one's folder
    shared = f"-I{shlex.quote(str(runtime / 'include'))}"
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
        header = runtime / "include/fusewise/torch/composite.h"
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
