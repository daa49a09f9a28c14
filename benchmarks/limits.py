"""What every pass of the package asks of a GPU: instructions and bytes, and the time of each alone.

Nsight Compute counts, each pass once, at the shapes of `fusewise bench`. `limits.py run [OP...]` is
what it profiles, `limits.py table FILE` makes a table of what that has printed; benchmarks/gpu.sh
has the whole command, stage limits. Bytes take the time that torch.neg takes for as many, which is
that of a copy.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import importlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import measure
import torch
from fusewise.generate import spec_files
from fusewise.language.spec import load_spec
from fusewise.measure.bench.actions import Contender
from fusewise.measure.bench.cases import Setting, cases_of
from fusewise.measure.timing import Action
from fusewise.pipeline import compile_spec

DTYPES = ("bfloat16", "float32")
NEG_BYTES = 2**30
MARK = "spin_kernel"  # begins a pass
HEADER = (
    "op", "shape", "dtype", "pass", "us", "TB/s", "bytes an element", "DRAM bytes, of these",
    "instructions an element", "of all issue slots", "us of instructions", "us of bytes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """One pass that was run; `bytes` are those that it must move, as for `fusewise bench`."""

    op: str
    shape: tuple[int, ...]  # of the loop
    dtype: str
    direction: str
    bytes: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Counts:
    """What Nsight Compute has counted, of one kernel or of several that follow each other."""

    nanoseconds: float
    instructions: float  # of warps
    slots: float  # in which one might have been issued
    dram_bytes: float

    @classmethod
    def of(cls, row: dict[str, str]) -> Counts:
        def number(metric: str) -> float:
            return float(row[metric].replace(",", ""))

        return cls(
            number("gpu__time_duration.sum"),
            number("smsp__inst_executed.sum"),
            number("smsp__cycles_elapsed.sum"),
            number("dram__bytes.sum"),
        )

    @classmethod
    def total(cls, parts: Sequence[Counts]) -> Counts:
        return cls(
            sum(part.nanoseconds for part in parts),
            sum(part.instructions for part in parts),
            sum(part.slots for part in parts),
            sum(part.dram_bytes for part in parts),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="run every pass once, for Nsight Compute to count")
    runs.add_argument("ops", nargs="*", metavar="OP", help="all if none is named")
    shows = commands.add_parser("table", help="make a table of what such a run has printed")
    shows.add_argument("file", type=Path)
    options = parser.parse_args()
    if options.command == "table":
        print(f"{measure.headline('cuda')}\n\n{table(options.file.read_text())}")
        return
    for done, action in all_runs(options.ops):
        print(json.dumps(asdict(done)), flush=True)
        with _profiled():
            torch.cuda._sleep(1)  # MARK
            action()


@contextlib.contextmanager
def _profiled() -> Iterator[None]:
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    yield
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def all_runs(ops: Sequence[str]) -> Iterator[tuple[Run, Action]]:
    """Every pass of the ops that has something to do, ready to be run."""
    module = importlib.import_module("fusewise_ops")
    specs = [load_spec(path) for path in spec_files(measure.ROOT / "specs")]
    for dtype in DTYPES:
        setting = Setting("cuda", dtype, torch.get_num_threads(), 1, ())
        setting.prepare()
        itemsize = getattr(torch, dtype).itemsize
        source = torch.ones(NEG_BYTES // itemsize, dtype=getattr(torch, dtype), device="cuda")
        target = torch.empty_like(source)
        neg = Run("torch.neg", tuple(source.shape), dtype, "forward", 2 * NEG_BYTES)
        yield neg, lambda source=source, target=target: torch.neg(source, out=target)
        del source, target
        for case in cases_of([spec for spec in specs if not ops or spec.name in ops]):
            actions = Contender(case, getattr(module, case.spec.name), setting).actions()
            variant = compile_spec(case.spec).variants[0]
            shape = tuple(case.spec.loop_shape(dict(case.shapes)))
            for direction, size in case.bytes(variant, itemsize).items():
                if size and direction != "step":
                    yield Run(case.spec.name, shape, dtype, direction, size), actions[direction]


def table(text: str) -> str:
    """Markdown, of what Nsight Compute and `run` have printed."""
    found = measured(text)
    rates = {
        run.dtype: run.bytes / counts.nanoseconds for run, counts in found if run.op == "torch.neg"
    }
    lines = [HEADER, ("---",) * 4 + ("---:",) * (len(HEADER) - 4)]
    for run, counts in found:
        issued = counts.instructions / counts.slots
        us = counts.nanoseconds / 1e3
        lines.append(
            (
                run.op,
                "x".join(map(str, run.shape)),
                run.dtype,
                run.direction,
                f"{us:.1f}",
                f"{run.bytes / us / 1e6:.2f}",
                f"{run.bytes / run.elements:.1f}",
                f"{counts.dram_bytes / run.bytes:.2f}",
                f"{counts.instructions * 32 / run.elements:.1f}",
                f"{issued:.0%}",
                f"{issued * us:.1f}",
                f"{run.bytes / rates[run.dtype] / 1e3:.1f}",
            )
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def measured(text: str) -> list[tuple[Run, Counts]]:
    """Each pass and what its kernels took together.

    Raises:
        ValueError: there are not as many passes as marks.
    """
    lines = text.splitlines()
    runs = [
        Run(**{**fields, "shape": tuple(fields["shape"])})
        for fields in (json.loads(line) for line in lines if line.startswith("{"))
    ]
    kernels: list[list[Counts]] = []
    for row in csv.DictReader(line for line in lines if line.startswith('"')):
        if not row["ID"]:  # the line of the units
            continue
        if MARK in row["Kernel Name"]:
            kernels.append([])
        elif kernels:
            kernels[-1].append(Counts.of(row))
    if len(kernels) != len(runs):
        raise ValueError(f"{len(runs)} passes were run, and {len(kernels)} were counted")
    return [(run, Counts.total(parts)) for run, parts in zip(runs, kernels, strict=True)]


if __name__ == "__main__":
    main()
