"""Times ops that reduce rows of 128 to 262,144 elements, beside eager PyTorch and max-autotune.

The shapes of a table move about as many bytes each, but for a few with so few rows that the start
of the kernels counts. The package must be built.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import fusewise_ops
import measure
import torch
from fusewise.language.spec import parse_spec
from fusewise.measure.bench.cases import Case, Setting
from fusewise.measure.bench.plot import plot
from fusewise.measure.bench.report import OURS, Results
from fusewise.measure.bench.run import run_cases

ELEMENTS = 2**26
LENGTHS = (128, 768, 1000, 1024, 4095, 4096, 5120, 8192, 16384, 32768, 131072, 262144)
FEW_ROWS = ((64, 8192), (8, 131072))
NORMS = ("rms_norm", "layer_norm", "scaled_softmax")
SHAPES = {
    **{op: [*((ELEMENTS // n, n) for n in LENGTHS), *FEW_ROWS] for op in NORMS},
    "add_rms_norm": [(16384, 4096), (4096, 16384)],
    "gated_rms_norm": [(16384, 4096)],
    "causal_softmax": [(16384, 4096)],
    "l2_normalize": [(65536, 1024), (16384, 4096)],
    "cosine_similarity": [(65536, 1024), (16384, 4096)],
    "cross_entropy": [(8192, 32000), (4096, 131072)],
    "token_logprob": [(8192, 32000), (4096, 131072)],
    "kl_divergence": [(8192, 32000)],
    "quantise_rows_int8": [(16384, 4096), (4096, 16384)],
}
FLOAT32 = {op: [(16384, 4096)] for op in NORMS}  # in float32 too
AGAINST = ("eager", "max-autotune")
DIRECTIONS = ("forward", "backward")


def main() -> None:
    options = _options()
    print(measure.headline(options.device))
    found = []
    for dtype, shapes in (("bfloat16", SHAPES), ("float32", FLOAT32)):
        chosen = {op: shapes[op] for op in shapes if not options.op or op in options.op}
        setting = Setting(
            options.device, dtype, torch.get_num_threads(), options.rounds, options.against
        )
        cases = [_case(op, shape) for op, each in chosen.items() for shape in each]
        print(_line(f"{dtype}, forward / backward", "us", "of copy", setting.contenders))
        results = None
        for results in run_cases(cases, fusewise_ops, setting, _report, jobs=options.jobs):
            print(_line(*_cells(results, setting.contenders)), flush=True)
        if results is None:
            continue
        found.append(results)
        print("\n".join(_means(results, setting.contenders)))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n")
    if options.plot and found:
        options.plot.write_bytes(plot(found[0]))
    absent = [f"{m.contender}: {m.op}: {m.reason}" for each in found for m in each.missing]
    print("\n".join(sorted(set(absent))))


def _line(what: str, time: str, share: str, ratios: Sequence[str]) -> str:
    return f"{what:<36}{time:>18}{share:>13}" + "".join(f"{ratio:>15}" for ratio in ratios)


def _cells(results: Results, against: Sequence[str]) -> tuple[str, str, str, list[str]]:
    """What the table says of the case that was measured last."""
    last = results.rows[-1]
    rows = {
        row.direction: row
        for row in results.rows
        if row.op == last.op and row.shapes == last.shapes
    }
    both = [rows.get(direction) for direction in DIRECTIONS]

    def joined(values: Iterable[float | None], digits: int) -> str:
        return " / ".join("-" if value is None else f"{value:.{digits}f}" for value in values)

    times = joined((row and row.times.get(OURS) for row in both), 1)
    shares = joined((row and row.share(OURS) for row in both), 2)
    ratios = [joined((row and row.ratio(name) for row in both), 2) for name in against]
    return f"{last.op} {list(last.largest)}", times, shares, ratios


def _means(results: Results, against: Sequence[str]) -> Iterator[str]:
    memory = results.memories[-1]  # on a CPU, that of the table: where freed memory is kept
    for name in against:
        found = [[ratio for ratio, _ in results.ratios(d, name, memory)] for d in DIRECTIONS]
        means = " / ".join(
            f"{statistics.geometric_mean(each):.2f}" if each else "-" for each in found
        )
        yield f"{results.dtype}, geometric mean over {name}: {means}"


def _case(op: str, shape: tuple[int, int]) -> Case:
    path = next((measure.ROOT / "specs").glob(f"*/{op}.yaml"))
    spec = parse_spec(path.read_text(), str(path))
    (typical, *_) = spec.shapes
    sizes = dict(zip(dict(typical)[spec.inputs[0].name], shape, strict=True))
    shapes = tuple((name, tuple(sizes[size] for size in sized)) for name, sized in typical)
    return Case(spec, shapes)


def _options() -> argparse.Namespace:
    found = argparse.ArgumentParser(description=__doc__)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found.add_argument("op", nargs="*", help="default: all")
    found.add_argument("--device", choices=("cpu", "cuda"), default=device)
    found.add_argument("--against", choices=AGAINST, nargs="*", default=AGAINST)
    found.add_argument("--rounds", type=int, default=5, help="measurements of each number")
    jobs = len(os.sched_getaffinity(0))
    found.add_argument("--jobs", type=int, default=jobs, help="processes that compile first")
    found.add_argument("--json", type=Path, help="write the results here too")
    found.add_argument("--plot", type=Path, help="draw the bfloat16 results here, as PNG")
    return found.parse_args()


def _report(done: int, total: int, what: str) -> None:
    if done == total or done % 10 == 0:
        print(f"[{done}/{total}] {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
