"""Resources of an op's CUDA kernels: registers, spills, bytes of code."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from fusewise.build.hints import compiler_hint
from fusewise.build.ninja import BuildError, Report, compile_jobs
from fusewise.build.toolchain import PTX_ONLY, Toolchain, nvcc_version
from fusewise.folders import runtime_dir
from fusewise.measure.ptxas import COLUMNS, Kernel, kernels_of
from fusewise.measure.tables import markdown

SIZE_LIMIT = 300 << 10  # bytes of a variant
OVERVIEW = (
    "op",
    "variants",
    "kernels",
    "registers",
    "spilled",
    "code",
    "KiB added",
    "s to compile",
)

# The end of the name of a pass, and of a phase of one that reduces.
_PASS = re.compile(r"(forward|(double_)?backward)(_totals\d+|_rows|_elements)?$")


@dataclass(frozen=True, slots=True)
class Op:
    """The kernels of one op, and the cost of its file for one architecture."""

    name: str
    seconds: float  # CPU time to compile the file, host code included
    added: int  # bytes of compressed device code in the object file
    kernels: tuple[Kernel, ...]

    @property
    def variants(self) -> int:
        """The number of variants in the file: one for each combination of choices."""
        return len({_PASS.sub("", kernel.op_pass) for kernel in self.kernels})

    @property
    def added_by_each(self) -> float:
        return self.added / self.variants

    @property
    def seconds_of_each(self) -> float:
        return self.seconds / self.variants

    @property
    def cells(self) -> list[str]:
        """The cells of OVERVIEW; registers and spilled bytes of the worst kernel."""
        registers = max(kernel.registers for kernel in self.kernels)
        spilled = max(kernel.spill_stores for kernel in self.kernels)
        code = sum(kernel.code for kernel in self.kernels)
        added, seconds = f"{self.added / 1024:.0f}", f"{self.seconds:.1f}"
        numbers = (self.variants, len(self.kernels), registers, spilled, code, added, seconds)
        return [self.name, *map(str, numbers)]

    @property
    def failures(self) -> list[str]:
        found = [
            f"{self.name}: {kernel}: {kernel.fails}" for kernel in self.kernels if kernel.fails
        ]
        if self.added_by_each > SIZE_LIMIT:
            size = f"{self.added_by_each / 1024:.0f} KiB"
            found.append(
                f"{self.name}: a variant adds {size}, at most {SIZE_LIMIT >> 10} KiB are good"
            )
        return found


@dataclass(frozen=True, slots=True)
class Results:
    """All ops of one run, and the compiler."""

    arch: str
    nvcc: str
    ops: tuple[Op, ...]

    @property
    def failures(self) -> list[str]:
        return [failure for op in self.ops for failure in op.failures]

    @property
    def worst(self) -> str:
        """A sentence with the largest numbers, and the kernels and ops that have them."""
        kernels = [(f"{op.name}: {kernel}", kernel) for op in self.ops for kernel in op.kernels]
        registers, most = max(kernels, key=lambda item: item[1].registers)
        spills, spiller = max(kernels, key=lambda item: item[1].spill_stores)
        largest = max(self.ops, key=lambda op: op.added_by_each)
        slowest = max(self.ops, key=lambda op: op.seconds_of_each)
        spilled = f"{spiller.spill_stores} bytes spilled ({spills})"
        return (
            f"At most {most.registers} registers ({registers}),"
            f" {spilled if spiller.spill_stores else 'nothing spilled'},"
            f" {largest.added_by_each / 1024:.0f} KiB added by a variant ({largest.name}),"
            f" {slowest.seconds_of_each:.1f} s of CPU time to compile one ({slowest.name})."
        )

    def __str__(self) -> str:
        parts = [
            "# Kernels\n",
            "Registers of a thread and bytes of every CUDA kernel; what is spilled as bytes stored",
            "and loaded. A title says what the op's device code adds to the module, where it is",
            "compressed, and the CPU time to compile its file. An op whose params have choices is",
            "as many variants, which share a file; at most "
            f"{SIZE_LIMIT >> 10} KiB for each are good.\n",
            "Made by `fusewise kernels --output`.\n",
            f"sm_{self.arch}, {self.nvcc}\n",
            self.worst.replace("<", "\\<") + "\n",
            markdown(OVERVIEW, [op.cells for op in self.ops]),
        ]
        for op in self.ops:
            parts.append(f"## {_title(op)}\n")
            parts.append(markdown(COLUMNS, [kernel.cells for kernel in op.kernels]))
        return "\n".join(parts)


def _title(op: Op) -> str:
    code = sum(kernel.code for kernel in op.kernels) / 1024
    adds = f"adds {op.added / 1024:.0f} KiB, {code:.0f} KiB of code"
    return f"{op.name}: {len(op.kernels)} kernels, {adds}, {op.seconds:.1f} s"


def run(sources: Mapping[str, Path], csrc: Path, toolchain: Toolchain, report: Report) -> Results:
    """The resources of each op, after its `.cu` file is compiled for the last architecture.

    The flags are those of a build. The compiled files are deleted.

    Raises:
        BuildError: there is no nvcc or c++filt, or a file does not compile.
    """
    if not toolchain.nvcc:
        raise BuildError(f"no kernels can be compiled: {toolchain.no_cuda}")
    if not shutil.which("c++filt"):
        raise BuildError("no c++filt, which names kernels: apt-get install binutils, or its like")
    arch = toolchain.archs[-1].removesuffix(PTX_ONLY)
    flags = shlex.split(toolchain.cuda_flags([arch]))
    flags += [f"-I{runtime_dir()}", f"-I{csrc}"]
    ops: dict[str, Op] = {}
    with ThreadPoolExecutor(compile_jobs()) as pool:
        tasks = {
            pool.submit(measure, name, path, toolchain.nvcc, flags): name
            for name, path in sources.items()
        }
        try:
            for done, task in enumerate(as_completed(tasks), start=1):
                ops[tasks[task]] = task.result()
                report(done, len(tasks), tasks[task])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    version = f"nvcc {nvcc_version(toolchain.nvcc)}"
    return Results(arch, version, tuple(ops[name] for name in sources))


def measure(name: str, source: Path, nvcc: str, flags: Sequence[str]) -> Op:
    """The resources of one op, after its file is compiled for the architecture in the flags.

    Raises:
        BuildError: it does not compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        target, log = Path(folder, "kernels.o"), Path(folder, "log")
        command = [nvcc, *flags, "-Xptxas=-v", f"--keep-dir={folder}", "--keep"]
        with log.open("wb") as said:
            process = subprocess.Popen(
                [*command, "-c", str(source), "-o", str(target)], stdout=said, stderr=said
            )
            _, status, usage = os.wait4(process.pid, 0)  # `usage` is that of this process alone
            process.returncode = os.waitstatus_to_exitcode(status)
        text = log.read_text()
        if process.returncode:
            message = f"{source.name} does not compile:\n{text.strip()}"
            raise BuildError(message, compiler_hint(text))
        (cubin,) = Path(folder).glob("*.cubin")
        sections = _section_sizes(cubin)
        added = _section_sizes(target)[".nv_fatbin"]
    kernels = tuple(kernels_of(text, sections))
    return Op(name, usage.ru_utime + usage.ru_stime, added, kernels)


def _section_sizes(path: Path) -> dict[str, int]:
    with path.open("rb") as file:
        return {section.name: section["sh_size"] for section in ELFFile(file).iter_sections()}
