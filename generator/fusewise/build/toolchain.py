"""Compilers, torch and flags: all that a build takes from the machine."""

from __future__ import annotations

import contextlib
import ctypes
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from fusewise.build.hints import NO_NVCC
from fusewise.build.ninja import BuildError

OLDEST_TORCH = (2, 11)  # Stream::native_handle, with which one extension serves CPU and CUDA
# Where no GPU is seen: its machine code runs on sm_80 to sm_89, and its PTX on every newer GPU.
DEFAULT_ARCHS = ("80",)
NEWEST_ARCH = "90"  # that kernels are tuned for
PTX_ONLY = "-virtual"  # after an architecture: its PTX, and no machine code, as CMake has it
# What a file of CPU kernels is compiled for beside the default, by PyTorch's names.
CAPABILITIES = {
    "avx2": "-mavx2 -mfma -mf16c",
    "avx512": "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mf16c",
}
NVCC_VARIABLES = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
# What the bits of results on the CPU depend on.
FLOAT_FLAGS = "-fno-math-errno -fno-trapping-math -ffp-contract=off"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compilers, the torch and the flags of a build."""

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
    native: bool = False  # for this machine alone
    nvcc_environ: str = ""  # the flags that nvcc itself takes from the environment

    @classmethod
    def find(cls, environ: Mapping[str, str] = os.environ) -> Toolchain:
        """What this machine has, as FUSEWISE_CUDA, FUSEWISE_ARCHS, FUSEWISE_WERROR and CXX wish.

        CPU kernels are for all processors of this machine's family.

        Raises:
            BuildError: torch, a compiler, Python's headers or ninja is missing, or a variable has
                another value than it can have.
        """
        torch, version = find_torch()
        cxx = find_compiler(environ)
        find_headers()
        nvcc, no_cuda = find_nvcc(environ)
        return cls(
            cxx=cxx,
            nvcc=nvcc,
            ninja=find_ninja(),
            archs=find_architectures(environ) if nvcc else (),
            torch=torch,
            torch_version=version,
            std=_cxx_standard(torch),
            strict=environ.get("FUSEWISE_WERROR", "0") not in ("", "0"),
            capabilities=tuple(CAPABILITIES) if platform.machine() == "x86_64" else (),
            no_cuda=no_cuda,
            nvcc_environ=" ".join(environ.get(name, "") for name in NVCC_VARIABLES).strip(),
        )

    @classmethod
    def find_in_place(cls, environ: Mapping[str, str] = os.environ) -> Toolchain:
        """The same, but with CPU kernels for this machine's processor and for any other.

        Raises:
            BuildError: as `find`.
        """
        found = cls.find(environ)
        present = _processor_features()
        suited = [
            name
            for name in found.capabilities
            if {flag.removeprefix("-m") for flag in CAPABILITIES[name].split()} <= present
        ]
        wish = environ.get("ATEN_CPU_CAPABILITY")  # the runtime takes no better one
        best = (wish,) if wish in suited else tuple(suited[-1:])
        return replace(found, capabilities=best)

    @classmethod
    def find_native(cls, environ: Mapping[str, str] = os.environ) -> Toolchain:
        """The same for this machine alone: its torch, its processor and its GPUs.

        Raises:
            BuildError: as `find`.
        """
        found = replace(cls.find_in_place(environ), native=True)
        if environ.get("FUSEWISE_CUDA") == "1" or torch_cuda(found.torch):
            return found
        why = found.no_cuda or "this torch has no CUDA"
        return replace(found, nvcc=None, archs=(), no_cuda=why)

    def __str__(self) -> str:
        if not self.nvcc:
            return f"torch {self.torch_version}, CPU kernels only ({self.no_cuda})"
        archs = ", ".join(map(code_name, self.archs))
        return f"torch {self.torch_version}, CPU and CUDA kernels for {archs} with {self.nvcc}"

    @property
    def tag(self) -> str:
        """Names a folder of object files: builds that differ in it keep theirs apart."""
        parts = [sys.implementation.cache_tag, f"torch{self.torch_version}"]
        parts += ["cuda" if self.nvcc else "cpu"] + ["strict"] * self.strict
        if self.native:  # machines of several kinds may share the folder
            parts += ["native", *self.capabilities, *(f"sm_{arch}" for arch in self.archs)]
        return "-".join(parts)

    @property
    def cxxflags(self) -> str:
        defines = "-DFUSEWISE_WITH_CUDA " if self.nvcc else ""
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
        # PTX for GPUs to come; that of a variant such as 90a runs on no other
        numbers = [arch.removesuffix(PTX_ONLY) for arch in self.archs]
        newest = max((int(number) for number in numbers if number.isdigit()), default=None)
        ptx = [f"{newest}{PTX_ONLY}"] if newest else []
        return self.cuda_flags([*self.archs, *ptx])

    def cuda_flags(self, archs: Sequence[str]) -> str:
        """Those for device code of some architectures."""
        strict = ",-Werror -Werror all-warnings" if self.strict else ""
        return (
            # -O is of the host's code, which launches kernels and no more; theirs is always 3
            f"-std=c++{self.std} -O1 {_compression(self.nvcc)} -ccbin {shlex.quote(self.cxx)} "
            + " ".join(dict.fromkeys(map(gencode, archs)))
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


def code_name(arch: str) -> str:
    """What nvcc calls the code of an architecture: sm_90, or compute_90 for its PTX."""
    number = arch.removesuffix(PTX_ONLY)
    return f"{'sm' if number == arch else 'compute'}_{number}"


def gencode(arch: str) -> str:
    """The flag with which nvcc compiles for an architecture."""
    return f"-gencode=arch=compute_{arch.removesuffix(PTX_ONLY)},code={code_name(arch)}"


def capability_defines(names: Iterable[str]) -> str:
    """The flags that tell the build for any machine for which capabilities there are others."""
    return "".join(f"-DFUSEWISE_WITH_{name.upper()} " for name in names)


def find_torch() -> tuple[Path, str]:
    """The folder and the version of torch, which is not imported: that would take seconds.

    Raises:
        BuildError: there is no torch, it is too old, or does not tell its version.
    """
    found = importlib.util.find_spec("torch")
    oldest = ".".join(map(str, OLDEST_TORCH))
    hint = f"install torch {oldest} or newer"
    if found is None or found.origin is None:
        raise BuildError(f"no torch beside {sys.executable}", hint)
    torch = Path(found.origin).parent
    match = re.search(r"__version__ = '([^']+)'", (torch / "version.py").read_text())
    if not match:
        raise BuildError(f"cannot tell the version of the torch in {torch}", hint)
    if tuple(int(n) for n in match[1].split(".")[:2]) < OLDEST_TORCH:
        raise BuildError(f"torch {match[1]} is too old", hint)
    return torch, match[1]


def torch_release(version: str) -> str:
    """The part of a version of torch with which an extension works: 2.13 of 2.13.0+cu130."""
    return ".".join(version.split(".")[:2])


def torch_cuda(torch: Path) -> str | None:
    """The version of CUDA that a torch is built with; None if it is without."""
    found = re.search(r"^cuda\b.* = '(.+)'", (torch / "version.py").read_text(), re.MULTILINE)
    return found and found[1]


def find_compiler(environ: Mapping[str, str]) -> str:
    """The C++ compiler: that of CXX, else g++.

    Raises:
        BuildError: it is not on PATH.
    """
    cxx = environ.get("CXX", "g++")
    if not shutil.which(cxx):
        hint = "install g++, or name another C++ compiler in CXX"
        raise BuildError(f"no C++ compiler: {cxx} is not on PATH", hint)
    return cxx


def find_headers() -> Path:
    """The folder of Python's headers.

    Raises:
        BuildError: this Python has none.
    """
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").exists():
        raise BuildError(
            f"{sys.executable} has no Python.h", "apt-get install python3-dev, or its like"
        )
    return folder


def find_ninja() -> str:
    """The path of ninja: beside this Python, else on PATH.

    Raises:
        BuildError: there is none.
    """
    ninja = shutil.which("ninja", path=Path(sys.executable).parent) or shutil.which("ninja")
    if not ninja:
        raise BuildError("no ninja", "pip install ninja")
    return ninja


def _processor_features() -> set[str]:
    """By Linux's names, which are those of g++'s options."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                return set(line.split())
    return set()


def _cxx_standard(torch: Path) -> int:
    """The C++ standard that this torch compiles extensions with, at least our own C++20."""
    text = (torch / "utils" / "cpp_extension.py").read_text()
    return max([20, *map(int, re.findall(r"-std=c\+\+(\d\d)\b", text))])


def find_nvcc(environ: Mapping[str, str]) -> tuple[str | None, str]:
    """The path of nvcc, or None and the reason.

    Raises:
        BuildError: FUSEWISE_CUDA is 1 but there is no nvcc, or it is not 0, 1 or auto.
    """
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
        raise BuildError(f"FUSEWISE_CUDA=1, but {missing}", NO_NVCC)
    return None, missing


def find_architectures(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Those of FUSEWISE_ARCHS ("80 90", "8.0;9.0"), else of the GPUs present, else the default.

    Of "90-virtual" a build has the PTX alone.

    Raises:
        BuildError: FUSEWISE_ARCHS names something else.
    """
    wish = environ.get("FUSEWISE_ARCHS", "").replace("+PTX", "").replace(".", "")
    named = tuple(dict.fromkeys(re.split(r"[\s,;]+", wish.strip()))) if wish.strip() else ()
    for arch in named:
        if not re.fullmatch(rf"\d{{2,3}}([af]|{PTX_ONLY})?", arch):
            raise BuildError(f"FUSEWISE_ARCHS names {arch!r}: expected numbers such as 80 90")
    return named or gpu_architectures() or DEFAULT_ARCHS


@functools.cache  # GPUs do not come and go
def gpu_architectures() -> tuple[str, ...]:
    """Those of the GPUs that the driver's management library lists.

    Unlike CUDA it creates no context, so that the process may fork, and unlike `nvidia-smi` it
    starts no process.
    """
    count, device, major, minor = ctypes.c_uint(), ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
    with contextlib.suppress(OSError, AttributeError):  # no library, or one without a function
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
            return ()
        found: set[tuple[int, int]] = set()
        for index in range(count.value):
            # each call gives 0 if it succeeds
            failed = nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device)) or (
                nvml.nvmlDeviceGetCudaComputeCapability(
                    device, ctypes.byref(major), ctypes.byref(minor)
                )
            )
            if not failed:
                found.add((major.value, minor.value))
        nvml.nvmlShutdown()
        return tuple(f"{major}{minor}" for major, minor in sorted(found))
    return ()


class CudaVersion(NamedTuple):
    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


def nvcc_version(nvcc: str) -> CudaVersion:
    """The version of CUDA that an nvcc belongs to.

    Raises:
        BuildError: it does not tell.
    """
    run = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"release (\d+)\.(\d+)", run.stdout)
    if not found:
        raise BuildError(f"{nvcc} does not tell its version", "install the CUDA toolkit again")
    return CudaVersion(int(found[1]), int(found[2]))


def _compression(nvcc: str | None) -> str:
    """The flag with which nvcc compresses device code."""
    # an nvcc that does not tell its version fails when it compiles
    with contextlib.suppress(BuildError, OSError):
        if nvcc and nvcc_version(nvcc).major >= 13:
            return "-compress-mode=size"  # a fifth smaller; drivers before CUDA 12.4 cannot read it
    return "-Xfatbin=-compress-all"


def driver_cuda() -> CudaVersion | None:
    """The newest version of CUDA that the driver supports; None without a driver."""
    version = ctypes.c_int()
    with contextlib.suppress(OSError, AttributeError):
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        if not nvml.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(version)):
            return CudaVersion(version.value // 1000, version.value % 1000 // 10)
    return None
