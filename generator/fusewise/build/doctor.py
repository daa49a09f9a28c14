"""Findings about the machine and a project: what a build needs, and what was built."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fusewise.build.cache import cache_dir, folder_size
from fusewise.build.extension import built_for
from fusewise.build.hints import NO_NVCC, cache_hint, compiler_hint
from fusewise.build.ninja import BuildError
from fusewise.build.settings import SettingsError
from fusewise.build.toolchain import (
    code_name,
    driver_cuda,
    find_architectures,
    find_compiler,
    find_headers,
    find_ninja,
    find_nvcc,
    find_torch,
    gencode,
    gpu_architectures,
    nvcc_version,
    torch_cuda,
    torch_release,
)
from fusewise.build.tree import Manifest, TreeError, staleness
from fusewise.language.errors import SpecError

LEAST_FREE = 1 << 30  # bytes, for a first build with CUDA


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about the machine. A note is no error, but something that may be missed."""

    subject: str
    state: Literal["ok", "note", "broken"]
    text: str
    hint: str = ""

    def __str__(self) -> str:
        line = f"{self.state:6} {self.subject}: {self.text}"
        return f"{line}\n  hint: {self.hint}" if self.hint else line


@dataclass(frozen=True, slots=True)
class Place:
    """The project and the environment that are examined."""

    tree: Path
    find_extension: Callable[[], Path]
    environ: Mapping[str, str]


def diagnose(place: Place) -> list[Finding]:
    """A finding on each subject. A probe that fails is a finding too, and so is a damaged file.

    What makes several probes fail is broken under the first subject alone.
    """
    findings = []
    first: dict[str, str] = {}  # the subject of each failure
    for subject, probe in _PROBES.items():
        try:
            state, text, hint = probe(place)
        except BuildError as error:
            state, text, hint = "broken", error.problem, error.hint
        except (SettingsError, SpecError, TreeError, OSError) as error:
            state, text, hint = "broken", str(error), ""
        if state == "broken" and first.setdefault(text, subject) != subject:
            state, text, hint = "note", f"not examined: {first[text]} is broken", ""
        findings.append(Finding(subject, state, text, hint))
    return findings


Result = tuple[Literal["ok", "note", "broken"], str, str]


def _ok(text: str) -> Result:
    return "ok", text, ""


def _torch(place: Place) -> Result:
    folder, version = find_torch()
    cuda = torch_cuda(folder)
    return _ok(f"torch {version}, {f'with CUDA {cuda}' if cuda else 'without CUDA'}, in {folder}")


def _python(place: Place) -> Result:
    return _ok(f"headers in {find_headers()}")


def _compiler(place: Place) -> Result:
    cxx = find_compiler(place.environ)
    said = subprocess.run([cxx, "--version"], capture_output=True, text=True, check=False).stdout
    version = said.partition("\n")[0]
    _compile([cxx, "-std=c++20", "-fopenmp", "-c"], "probe.cpp", f"{cxx} compiles no C++20")
    return _ok(f"{version} compiles C++20")


def _ninja(place: Place) -> Result:
    return _ok(find_ninja())


def _nvcc(place: Place) -> Result:
    nvcc, missing = find_nvcc(place.environ)
    if nvcc is None:
        wished = place.environ.get("FUSEWISE_CUDA") == "0"
        return "note", f"{missing}: builds have CPU kernels only", "" if wished else NO_NVCC
    archs = find_architectures(place.environ)
    names = ", ".join(map(code_name, archs))
    compiler = find_compiler(place.environ)
    command = [nvcc, "-std=c++20", "-ccbin", compiler, *map(gencode, archs), "-c"]
    _compile(command, "probe.cu", f"{nvcc} compiles nothing for {names}")
    version, driver = nvcc_version(nvcc), driver_cuda()
    if driver and driver.major < version.major:
        hint = f"update the driver, or name a toolkit of CUDA {driver.major} in CUDA_HOME"
        return "broken", f"{nvcc} is of CUDA {version}, but the driver runs CUDA {driver}", hint
    return _ok(f"{nvcc}, CUDA {version}, compiles for {names}")


def _gpus(place: Place) -> Result:
    gpus = gpu_architectures()
    if not gpus:
        return _ok("none is seen")
    names = ", ".join(f"sm_{arch}" for arch in gpus)
    if torch_cuda(find_torch()[0]) is None:
        return "note", f"{names}, but this torch has no CUDA", "install a torch with CUDA"
    return _ok(names)


def _cache(place: Place) -> Result:
    folder = cache_dir()
    size = f"{folder_size(folder) / 1e6:.1f} MB" if folder.is_dir() else "nothing"
    above = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=above) as file:
            file.write(b"x" * 4096)
    except OSError as error:
        text = f"{folder} holds {size} and cannot be written: {error.strerror}"
        return "broken", text, cache_hint(error)
    free = shutil.disk_usage(above).free
    if free < LEAST_FREE:
        text = f"{folder} holds {size}, and its disk has {free / 1e6:.0f} MB left"
        return "note", text, "`fusewise clean` removes builds that this version cannot use"
    return _ok(f"{folder} holds {size}")


def _generated(place: Place) -> Result:
    manifest = Manifest.read(place.tree)
    if manifest is None:
        return "note", f"no generated files in {place.tree}", "`fusewise generate` writes them"
    problems = staleness(place.tree)
    if problems:
        first, *others = problems
        more = f" and {len(others)} more" if others else ""
        return "broken", f"{place.tree} is stale: {first}{more}", "run `fusewise generate`"
    return _ok(f"{place.tree} is fresh, {len(manifest.outputs)} files")


def _extension(place: Place) -> Result:
    build = "run `fusewise build`"
    extension = place.find_extension()
    if not extension.exists():
        return "note", f"{extension} is not built", build
    target = built_for(extension)
    if target is None:
        text = f"{extension} is damaged, or of an older fusewise"
        return "broken", text, build
    version = find_torch()[1]
    if torch_release(target.torch) != torch_release(version):
        text = f"{extension} is built for torch {target.torch}, but this is torch {version}"
        return "broken", text, build
    gpus = gpu_architectures()
    missing = [arch for arch in gpus if not target.runs_on(arch)]
    if missing and torch_cuda(find_torch()[0]):
        names = ", ".join(f"sm_{arch}" for arch in missing)
        hint = f'FUSEWISE_ARCHS="{" ".join(gpus)}" fusewise build'
        return "broken", f"{extension} is built for {target}, and not for {names}", hint
    return _ok(f"{extension} is built for {target}")


_PROBES: Mapping[str, Callable[[Place], Result]] = {
    "torch": _torch,
    "python": _python,
    "compiler": _compiler,
    "ninja": _ninja,
    "nvcc": _nvcc,
    "gpu": _gpus,
    "cache": _cache,
    "generated": _generated,
    "extension": _extension,
}


def _compile(command: Sequence[str], name: str, failure: str) -> None:
    """Compiles an empty file.

    Raises:
        BuildError: it does not compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, name)
        source.write_text("#include <concepts>\n")
        arguments = [*command, str(source), "-o", str(source.with_suffix(".o"))]
        run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if run.returncode:
        said = (run.stderr + run.stdout).strip()
        raise BuildError(f"{failure}:\n{said}", compiler_hint(said))
