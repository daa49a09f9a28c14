"""The kernels of which ptxas tells, and the limits of what they may spill."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SPILL_LIMIT = 0
# Bytes: a kernel that reduces may spill values that its inner loop does not use.
REDUCE_SPILL_LIMIT = 8
MAY_SPILL = ("cluster_row", "long_row", "reduction", "relative_totals", "row", "row_sums", "totals")
COLUMNS = ("pass", "form", "vector", "registers", "stack", "spilled", "shared", "code")

# A demangled kernel name: form, pass and further template arguments.
_TEMPLATE = re.compile(r"fusewise::cuda::(\w+)_kernel<(?:\w+::)*(\w+)(?:, (.*?))? ?>\(")
# The passes of a row kernel, of which the name of the first tells the pass.
_ROW_PASSES = re.compile(
    r"fusewise::cuda::RowPasses<(?:\w+, ){6}(?:fusewise::cuda::NoPass, )?"
    r"([\w:]+?)(?:Elements|Rows)?, .*>(?=, fusewise::cuda::Float)"
)
# The phases of a relative totals kernel, of which its pass is one.
_PHASES = re.compile(r", fusewise::cuda::Phase<.*")
_ENTRY = re.compile(
    r"Compiling entry function '(?P<name>\w+)'.*?Function properties for (?P=name)\n"
    r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
    r".*?Used (\d+) registers(.*?)\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: `op_pass` and `vector` are its template arguments; sizes are in bytes."""

    op_pass: str
    form: str  # pointwise, specialized, short, transposed, two_axis, or one of MAY_SPILL
    vector: str
    registers: int  # per thread
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int
    code: int

    def __str__(self) -> str:
        return f"{self.op_pass} {self.form} {self.vector}"

    @property
    def fails(self) -> str:
        """The limit that the kernel exceeds, or empty."""
        limit = REDUCE_SPILL_LIMIT if self.form in MAY_SPILL else SPILL_LIMIT
        if self.spill_stores <= limit:
            return ""
        return (
            f"{self.spill_stores} bytes spilled, {f'at most {limit}' if limit else 'none'} are good"
        )

    @property
    def cells(self) -> list[str]:
        """The cells of COLUMNS; spills as bytes stored/loaded."""
        spilled = f"{self.spill_stores}/{self.spill_loads}" if self.spill_stores else "0"
        numbers = (self.registers, self.stack, spilled, self.shared, self.code)
        return [self.op_pass, self.form, self.vector, *map(str, numbers)]


def kernels_of(text: str, sections: Mapping[str, int]) -> list[Kernel]:
    """The kernels in what nvcc prints with `-Xptxas=-v`, and c++filt names.

    sections: the bytes of each section of the machine code; the code of a kernel is 0 without them.
    """
    entries = list(_ENTRY.finditer(text))
    shown = demangle([entry["name"] for entry in entries])
    kernels = [
        _kernel(name, entry, sections.get(f".text.{entry['name']}", 0))
        for name, entry in zip(shown, entries, strict=True)
    ]
    return sorted(kernels, key=lambda kernel: (kernel.op_pass, kernel.form, kernel.vector))


def demangle(names: Sequence[str]) -> list[str]:
    """The names of C++ functions from their symbols, by c++filt."""
    told = subprocess.run(
        ["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True
    )
    return told.stdout.splitlines()


def template_of(name: str) -> tuple[str, str, str]:
    """The form, the pass and the further template arguments in a kernel's demangled name."""
    head, called, _ = name.replace("(anonymous namespace)::", "").partition(">(")
    template = _TEMPLATE.search(_PHASES.sub("", _ROW_PASSES.sub(r"\1", head)) + called)
    if not template:
        return name.split("(")[0], "", ""
    form, op_pass, vector = template.groups()
    return form, op_pass, vector or ""


def _kernel(name: str, entry: re.Match[str], code: int) -> Kernel:
    """One kernel from its demangled name and its entry."""
    form, op_pass, vector = template_of(name)
    stack, stores, loads, registers = map(int, entry.groups()[1:5])
    shared = re.search(r"(\d+) bytes smem", entry[6])
    return Kernel(
        op_pass=re.sub(r"(?<!^)(?=[A-Z])", "_", op_pass).lower(),
        form=form,
        vector=re.sub(r"fusewise::(cuda::|rt::)?|, false\b", "", vector),
        registers=registers,
        stack=stack,
        spill_stores=stores,
        spill_loads=loads,
        shared=int(shared[1]) if shared else 0,
        code=code,
    )
