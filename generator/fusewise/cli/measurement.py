"""Verbs that measure built ops: `bench`, `accuracy` and `kernels`."""

from __future__ import annotations

import dataclasses
import enum
import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fusewise.build.toolchain import NEWEST_ARCH, Toolchain, gpu_architectures
from fusewise.build.tree import check_fresh, write_text
from fusewise.cli.options import (
    DEFAULT_TREE,
    STDOUT,
    Device,
    Json,
    Ops,
    Output,
    Tree,
    Where,
)
from fusewise.cli.output import as_json, deliver, fail, progress
from fusewise.cli.project import Project, UsageError
from fusewise.measure.layouts import Layout

if TYPE_CHECKING:
    from fusewise.language.model import Spec
    from fusewise.measure import resources
    from fusewise.measure.accuracy import report as accuracy_report
    from fusewise.measure.bench.report import Results


ROUNDS = 9


class Against(str, enum.Enum):  # typer does not support lists of literals
    """The contenders of `fusewise bench`."""

    EAGER = "eager"
    COMPILE = "compile"
    MAX_AUTOTUNE = "max-autotune"
    LIGER = "liger"


Dtype = Annotated[
    Literal["float32", "bfloat16", "float16"] | None,
    typer.Option(help="Type of the tensors.", show_default="float32, on cuda bfloat16"),
]
Contenders = Annotated[
    list[Against] | None,
    typer.Option(help="Contender to time; may be repeated.", show_default="all there are"),
]
Elements = Annotated[
    list[int] | None,
    typer.Option(
        min=1,
        help="Reduce shapes until the largest tensor has at most this many elements; "
        "may be repeated.",
        show_default="8388608, on cuda the shapes of the specs",
    ),
]
InputLayout = Annotated[
    Layout, typer.Option(help="Memory layout of the inputs, if their shapes allow it.")
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads on a CPU.", show_default="PyTorch's number")
]
Rounds = Annotated[int, typer.Option(min=1, help="Rounds of measurement.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Processes that compile first.", show_default="one for each core"),
]
Picture = Annotated[Path | None, typer.Option(help="Draw the results to this PNG file.")]
Shown = Annotated[
    Path | None, typer.Option(help="Show the results of such a JSON file; measure nothing.")
]


def bench(
    ops: Ops = None,
    tree: Tree = DEFAULT_TREE,
    device: Where = None,
    dtype: Dtype = None,
    against: Contenders = None,
    elements: Elements = None,
    layout: InputLayout = "contiguous",
    threads: Threads = None,
    rounds: Rounds = ROUNDS,
    jobs: Jobs = None,
    json: Json = None,
    plot: Picture = None,
    show: Shown = None,
) -> None:
    """Compare the speed of ops with PyTorch eager, torch.compile and a plain copy.

    On a GPU: the time of kernels, also compared with max-autotune and Liger. On a CPU: wall time.
    benchmarks/README.md describes the method.

    Example: [cyan]fusewise bench swiglu --against eager[/]

    Example: [cyan]fusewise bench --device cpu --threads 1 --json cpu.json --plot cpu.png[/]

    Example: [cyan]fusewise bench --show cpu.json --plot cpu.png[/]
    """
    if plot and importlib.util.find_spec("matplotlib") is None:
        raise UsageError("--plot needs matplotlib: pip install matplotlib")
    if show:
        results = _recorded(show)
    else:
        silence_profiler()
        specs, module, device = _built(ops, tree, device)
        check_timed(specs)
        import torch

        from fusewise.measure.bench.cases import Setting
        from fusewise.measure.bench.run import run
        from fusewise.measure.contenders import CONTENDERS

        dtype = dtype or usual_dtype(device)
        threads = threads or torch.get_num_threads()
        names = [name.value for name in against] if against else CONTENDERS
        setting = Setting(device, dtype, threads, rounds, names, layout)
        jobs = jobs or os.cpu_count() or 1
        with progress("timing", err=json == STDOUT) as report:
            for found in run(specs, module, setting, report, elements=elements or (), jobs=jobs):
                results = found
                if json and json != STDOUT:
                    write_text(json, found.json())
    deliver(str(results), results.json(), json)
    if plot:
        from fusewise.measure.bench.plot import plot as draw

        plot.parent.mkdir(parents=True, exist_ok=True)
        plot.write_bytes(draw(results))


def accuracy(
    ops: Ops = None,
    tree: Tree = DEFAULT_TREE,
    device: Where = None,
    output: Output = None,
    json: Json = None,
) -> None:
    """Measure the errors of ops and of PyTorch eager in units in the last place.

    Composed ops are left out.

    Exit code 1 if an op exceeds the bound of its spec, or is not finite where it must be.

    Example: [cyan]fusewise accuracy swiglu[/]

    Example: [cyan]fusewise accuracy --device cpu --output accuracy.md --json accuracy.json[/]
    """
    specs, module, device = _built(ops, tree, device)
    from fusewise.measure.accuracy.run import is_measured, run

    if not any(map(is_measured, specs)):
        names = ", ".join(spec.name for spec in specs)
        raise UsageError(f"no errors are measured of composed ops: {names}")
    with progress("measuring", err=json == STDOUT) as report:
        results = run(specs, module, device, report)
    _report(results, output, json)


def kernels(
    ops: Ops = None,
    tree: Tree = DEFAULT_TREE,
    arch: Annotated[
        str | None,
        typer.Option(
            help="GPU architecture.",
            show_default=f"the last of FUSEWISE_ARCHS, else of the GPUs here, else {NEWEST_ARCH}",
        ),
    ] = None,
    output: Output = None,
    json: Json = None,
) -> None:
    """Show registers, spills and code size of ops' CUDA kernels. Needs nvcc, but no GPU.

    Exit code 1 if a kernel spills registers, or a variant of an op adds more than 300 KiB.

    Example: [cyan]fusewise kernels swiglu[/]

    Example: [cyan]fusewise kernels --arch 90 --output kernels.md --json kernels.json[/]
    """
    from fusewise.measure.resources import run

    project = Project.find(tree)
    paths = project.chosen_specs(ops)
    check_fresh(tree)
    csrc = tree / "csrc"
    found = {path.stem: csrc / path.stem / f"{path.stem}_cuda.cu" for path in paths}
    sources = {op: path for op, path in found.items() if path.exists()}
    if not sources:
        raise UsageError(f"no kernels in {', '.join(found)}: composed ops run those of others")
    wish = arch or os.environ.get("FUSEWISE_ARCHS") or " ".join(gpu_architectures()) or NEWEST_ARCH
    environ = os.environ | {"FUSEWISE_ARCHS": wish}
    with progress("compiling", err=json == STDOUT) as report:
        results = run(sources, csrc, Toolchain.find(environ), report)
    _report(results, output, json)


def silence_profiler() -> None:
    """Silences the messages of PyTorch's profiler, which reads this when torch is imported."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")


def check_timed(specs: Iterable[Spec]) -> None:
    """Checks that there is an op to time.

    Raises:
        UsageError: all ops are composed.
    """
    if all(spec.compose for spec in specs):
        raise UsageError("nothing to time: composed ops have no kernels of their own")


def usual_device() -> Device:
    """The device that is measured if the user names none."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def usual_dtype(device: Device) -> Literal["bfloat16", "float32"]:
    """The dtype that is timed if the user names none."""
    return "bfloat16" if device == "cuda" else "float32"


def _recorded(record: Path) -> Results:
    from fusewise.measure.bench.report import Results

    try:
        return Results.parse(record.read_text())
    except ValueError as error:
        raise UsageError(f"{record}: {error}") from None


def _report(
    results: accuracy_report.Results | resources.Results, output: Path | None, json: Path | None
) -> None:
    """Prints the results; exit code 1 if some of them fail."""
    record = as_json(**dataclasses.asdict(results), failures=results.failures)
    deliver(str(results), record, json)
    if output:
        write_text(output, str(results))
    if results.failures:
        fail("\n".join(results.failures))


def _built(
    ops: list[str] | None, tree: Path, device: Device | None
) -> tuple[list[Spec], ModuleType, Device]:
    """The specs of the given ops, or of all; their built package; the device to run on."""
    from fusewise.language.spec import load_spec

    project = Project.find(tree)
    specs = [load_spec(path) for path in project.chosen_specs(ops)]
    module = project.load_package()

    import torch  # last, so that errors above do not wait for it

    if device == "cuda" and not torch.cuda.is_available():
        raise UsageError("no CUDA device here")
    return specs, module, device or usual_device()
