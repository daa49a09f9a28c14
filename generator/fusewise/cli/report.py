"""The verb `report`: all about an op in one HTML file."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from fusewise.build.tree import staleness, write_text
from fusewise.cli.measurement import (
    ROUNDS,
    check_timed,
    silence_profiler,
    usual_device,
    usual_dtype,
)
from fusewise.cli.options import DEFAULT_TREE, Op, Tree
from fusewise.cli.output import progress
from fusewise.cli.project import Project, UsageError
from fusewise.cli.specs import callable_specs

if TYPE_CHECKING:
    from fusewise.language.model import Spec
    from fusewise.measure.accuracy.report import Page
    from fusewise.measure.bench.report import Results


def report(
    op: Op,
    tree: Tree = DEFAULT_TREE,
    output: Annotated[
        Path | None, typer.Option(help="File to write.", show_default="OP.html")
    ] = None,
    bench: Annotated[
        bool, typer.Option("--bench", help="Time the op beside PyTorch; it must be built.")
    ] = False,
) -> None:
    """Write an HTML file about an op: mathematics, plots, memory, accuracy, speed and code.

    The accuracy of a built op is measured. That of others, and the speed without --bench, come
    from benchmarks/results of the project.

    Example: [cyan]fusewise report swiglu[/]

    Example: [cyan]fusewise report drafts/soft_clip.yaml --output soft_clip.html[/]
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("a report needs matplotlib: pip install matplotlib")
    silence_profiler()
    from fusewise.language.spec import load_spec
    from fusewise.measure.accuracy.run import is_measured
    from fusewise.pipeline import compile_spec
    from fusewise.report.content import page_of
    from fusewise.report.measured import Measured
    from fusewise.report.pages import html_page

    project = Project.find(tree)
    path = project.spec(op)
    spec = load_spec(path)
    others = callable_specs(spec, project.root(path))
    compiled = compile_spec(spec, others)
    try:
        measured = Measured.read(tree.parent / "benchmarks" / "results")
    except ValueError as error:
        raise UsageError(str(error)) from None
    module = _built(project, path)
    if module and is_measured(spec):
        measured = replace(measured, pages=[_accuracy(spec, module)])
    if bench:
        measured = replace(measured, results=[_timed(spec, module), *measured.results])
    output = output or Path(f"{spec.name}.html")
    write_text(output, html_page(page_of(compiled, others, measured)))
    typer.echo(f"wrote {output}")


def _built(project: Project, spec: Path) -> ModuleType | None:
    """The package of a project, if it is built from the specs as they are and this is one."""
    is_own = spec.resolve().is_relative_to(project.specs.resolve())
    if not is_own or not project.extension.exists() or staleness(project.tree):
        return None
    return project.load_package()


def _accuracy(spec: Spec, module: ModuleType) -> Page:
    from fusewise.measure.accuracy.run import run

    with progress("measuring") as show:
        return run([spec], module, usual_device(), show).page


def _timed(spec: Spec, module: ModuleType | None) -> Results:
    import torch

    from fusewise.measure.bench.cases import Setting
    from fusewise.measure.bench.run import run

    check_timed([spec])
    if module is None:
        raise UsageError(f"{spec.name} is not built: run `fusewise build`")
    device = usual_device()
    setting = Setting(device, usual_dtype(device), torch.get_num_threads(), ROUNDS)
    with progress("timing") as show:
        *_, results = run([spec], module, setting, show)
    return results
