"""Times formulas that the repository has no op of, as ops without typical shapes.

The formulas are drawn with a seed, beside a few fixed ones. They are built together, compared with
eager PyTorch in float64, and timed beside eager and torch.compile: max-autotune on a GPU, the
default on a CPU. A formula that any of them cannot run is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import fusewise
import measure
import torch
from formulas import FIXED, Formula, draw_formulas
from fusewise.language.spec import parse_spec
from fusewise.measure.bench.actions import forget
from fusewise.measure.bench.cases import Case, Setting, reduced
from fusewise.measure.bench.report import DIRECTIONS, OURS, Results
from fusewise.measure.bench.run import CPU_ELEMENTS, run_cases
from fusewise.measure.contenders import eager_function
from torch import Tensor

LEAST = 0.9  # a lower ratio of a row is listed
# Mean error over mean value: far above that of correct kernels, far below that of wrong ones.
TOLERANCES = {"float32": 1e-4, "bfloat16": 1e-2}


def main() -> None:
    parser = _parser()
    options = parser.parse_args()
    dtypes = options.dtype or list(TOLERANCES)
    if options.device == "cpu" and len(dtypes) > 1:
        parser.error("name one --dtype on a CPU: after the first, the process keeps freed memory")
    formulas = [*FIXED, *draw_formulas(options.count, options.seed)]
    module = _build(formulas, options.device)
    elements = options.elements or (CPU_ELEMENTS if options.device == "cpu" else None)
    cases = [_case(formula, elements) for formula in formulas]
    print(measure.headline(options.device))
    print("\n".join(map(_described, formulas)))
    against = ("eager", "max-autotune" if options.device == "cuda" else "compile")
    settings = [
        Setting(options.device, dtype, torch.get_num_threads(), options.rounds, against)
        for dtype in dtypes
    ]
    for setting in settings:
        setting.prepare()
        for case in cases:
            check(case, module, setting)
            forget()
    found = []
    for setting in settings:
        *_, results = run_cases(cases, module, setting, _report, jobs=options.jobs)
        found.append(results)
        print("\n" + summary(results, against))
        if options.json:
            record = {"seed": options.seed, "formulas": {f.name: str(f) for f in formulas}}
            record |= {"results": [asdict(each) for each in found]}
            options.json.write_text(json.dumps(record, indent=1) + "\n")
    absent = [f"{m.contender}: {m.op}: {m.reason}" for each in found for m in each.missing]
    if absent:
        sys.exit("\n".join(absent))


def check(case: Case, module: ModuleType, setting: Setting) -> None:
    """Compares the outputs and gradients of an op with those of eager PyTorch in float64.

    Raises:
        ValueError: one of them differs.
    """
    inputs = case.inputs(setting)
    exact = {name: x.detach().double().requires_grad_() for name, x in inputs.items()}
    outputs = _tuple(getattr(module, case.spec.name)(**inputs))
    wanted = _tuple(eager_function(case.spec, module, {})(**exact))
    gradients = [torch.randn_like(output) for output in outputs]
    found = (*outputs, *torch.autograd.grad(outputs, list(inputs.values()), gradients))
    doubles = [gradient.double() for gradient in gradients]
    wanted = (*wanted, *torch.autograd.grad(wanted, list(exact.values()), doubles))
    names = [output.name for output in case.spec.outputs] + [f"grad_{name}" for name in inputs]
    for name, got, want in zip(names, found, wanted, strict=True):
        error = (got.double() - want).abs().mean() / want.abs().mean()
        if not error <= TOLERANCES[setting.dtype]:
            raise ValueError(f"{case.spec.name}, {setting.dtype}: {name} has an error of {error}")


def summary(results: Results, against: Sequence[str]) -> str:
    """A line for each formula, the geometric means, and the rows that are slow."""
    return "\n".join(
        line for memory in results.memories for line in _summary(results, against, memory)
    )


def _summary(results: Results, against: Sequence[str], memory: str) -> Iterator[str]:
    rows = {(row.op, row.direction): row for row in results.rows if row.memory == memory}
    lines = []
    for op in dict.fromkeys(op for op, _ in rows):
        found = [rows[op, direction] for direction in DIRECTIONS]
        times = " / ".join(f"{row.times.get(OURS, 0):.1f}" for row in found)
        shares = " / ".join(_ratio(row.share(OURS)) for row in found)
        ratios = [" / ".join(_ratio(row.ratio(name)) for row in found) for name in against]
        lines.append((op, times, shares, *ratios))
    title = f"{results.dtype} {memory}".strip()
    header = (f"{title}, {' / '.join(DIRECTIONS)}", "us", "of copy", *against)
    yield measure.table(header, lines)
    for name in against:
        ratios = [results.ratios(direction, name, memory) for direction in DIRECTIONS]
        means = " / ".join(map(_mean, ratios))
        yield f"{title}, geometric mean over {name}: {means}"
    for direction in DIRECTIONS:
        for ratio, label in results.ratios(direction, against[-1], memory):
            if ratio < LEAST:
                yield f"under {LEAST}: {title} {direction} {ratio:.2f} {label}"


def _mean(found: Sequence[tuple[float, str]]) -> str:
    return _ratio(statistics.geometric_mean(ratio for ratio, _ in found) if found else None)


def _parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found.add_argument("--device", choices=("cpu", "cuda"), default=device)
    found.add_argument("--dtype", choices=tuple(TOLERANCES), action="append", help="default: all")
    found.add_argument("--count", type=int, default=30, help="formulas to draw")
    found.add_argument("--seed", type=int, default=0)
    found.add_argument("--rounds", type=int, default=5, help="measurements of each number")
    found.add_argument("--elements", type=int, help="of the largest tensor, at most")
    jobs = len(os.sched_getaffinity(0))
    found.add_argument("--jobs", type=int, default=jobs, help="processes that compile first")
    found.add_argument("--json", type=Path, help="write the results here too")
    return found


def _build(formulas: Sequence[Formula], device: str) -> ModuleType:
    """The formulas as ops of one extension, which the processes that compile can import."""
    if device == "cpu":
        os.environ["FUSEWISE_CUDA"] = "0"
    module = fusewise.load([formula.text for formula in formulas], name="held_out")
    sys.path.insert(0, str(Path(module.__path__[0]).parent))
    return module


def _case(formula: Formula, elements: int | None) -> Case:
    spec = parse_spec(formula.text)
    shapes = tuple(formula.shapes.items())
    return Case(spec, reduced(spec, shapes, elements) if elements else shapes)


def _described(formula: Formula) -> str:
    shapes = ", ".join(f"{name} {list(shape)}" for name, shape in formula.shapes.items())
    return f"{formula.name}: {formula}  with {shapes}"


def _tuple(outputs: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _report(done: int, total: int, what: str) -> None:
    if done == total or done % 10 == 0:
        print(f"[{done}/{total}] {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
