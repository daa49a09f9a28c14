"""Verbs for the package (`generate`, `diff`, `build`, `test`) and `clean` for cached loads."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from typing import Annotated

import typer

from fusewise.build import cache
from fusewise.build.extension import build_extension
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import (
    Changes,
    Manifest,
    check_fresh,
    compare,
    shown_path,
    staleness,
    unified_diff,
    write,
)
from fusewise.cli.options import DEFAULT_TREE, Package, SpecsFolder, Tree, complete_op
from fusewise.cli.output import elapsed, fail, progress, warn
from fusewise.cli.project import Project
from fusewise.generate import read_texts, render_specs

TEST_LIBRARIES = ("pytest", "numpy", "expecttest")


def generate(
    specs: SpecsFolder = None,
    tree: Tree = DEFAULT_TREE,
    package: Package = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if a file is stale.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files edited by hand.")] = False,
) -> None:
    """Write C++, CUDA, Python and tests for all specs of a package.

    Files that were edited by hand are not overwritten; files without a spec are removed.

    Example: [cyan]fusewise generate[/]

    Example: [cyan]fusewise generate specs/ --package my_ops[/]
    """
    project = Project.find(tree, specs, package)
    if check:
        _check_generated(project)
    else:
        _generate(project, force=force)


def diff(specs: SpecsFolder = None, tree: Tree = DEFAULT_TREE, package: Package = None) -> None:
    """Show what `fusewise generate` would change, as a unified diff. Writes nothing.

    Exit code 1 if there is a difference.

    Example: [cyan]fusewise diff[/]

    Example: [cyan]fusewise diff | less[/]
    """
    project = Project.find(tree, specs, package)
    files, manifest = _render(project)
    different = False
    for line in unified_diff(project.tree, manifest, files):
        different = True
        typer.echo(line, nl=False)
    if different:
        raise typer.Exit(1)


def build(
    specs: SpecsFolder = None,
    tree: Tree = DEFAULT_TREE,
    package: Package = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show seconds for each file.")
    ] = False,
) -> None:
    """Compile a package. With SPECS, generate it first; without SPECS, its tree must be fresh.

    CPU kernels are compiled for this processor. On x86-64 they are compiled for any other too, and
    are slow there.
    CUDA kernels are compiled for the GPUs of this machine, for sm_80 if there are none, or for
    FUSEWISE_ARCHS. A wheel has fast kernels for all processors.

    Environment: FUSEWISE_CUDA=0|1|auto, FUSEWISE_ARCHS, FUSEWISE_WERROR=1, MAX_JOBS, CXX.

    Example: [cyan]fusewise build[/]

    Example: [cyan]fusewise build specs/ --package my_ops[/]
    """
    project = Project.find(tree, specs, package)
    if specs is not None or package is not None:
        _generate(project)
    else:
        check_fresh(tree)
    _build(project, verbose=verbose)


def test(
    ops: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OP... PYTEST-OPTIONS",
            help="Ops to test.",
            show_default="all",
            autocompletion=complete_op,
        ),
    ] = None,
    tree: Tree = DEFAULT_TREE,
) -> None:
    """Generate and build what is stale, then run the generated tests with pytest, in parallel.

    Needs pytest, numpy and expecttest. Several processes run if pytest-xdist is installed; `-n 0`
    runs one.

    Example: [cyan]fusewise test[/]

    Example: [cyan]fusewise test swiglu bias_gelu -x -k layout[/]
    """
    words = ops or []
    split = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    if any(importlib.util.find_spec(name) is None for name in TEST_LIBRARIES):
        names = ", ".join(TEST_LIBRARIES)
        raise BuildError(f"tests need {names}", f"pip install {' '.join(TEST_LIBRARIES)}")
    project = Project.find(tree)
    files = [str(tree / "tests" / f"test_{project.spec(op).stem}.py") for op in words[:split]]
    if staleness(tree):
        _generate(project)
    _build(project)
    paths = [str(tree.resolve()), os.environ.get("PYTHONPATH", "")]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "pytest", *(files or [str(tree / "tests")])]
    if importlib.util.find_spec("xdist") and "no:xdist" not in words:
        command += ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]
        environ.setdefault("OMP_WAIT_POLICY", "passive")  # idle threads leave cores to the others
    raise typer.Exit(
        subprocess.run([*command, *words[split:]], env=environ, check=False).returncode
    )


def clean(
    everything: Annotated[
        bool, typer.Option("--all", help="Remove also what this version can use.")
    ] = False,
) -> None:
    """Remove cached builds of `fusewise.load` that this version cannot use.

    Ops that this version has built for this machine stay, and so do the object files of the
    runtime. Those of ops, which the ops do not need once they are built, go.
    The cache is FUSEWISE_CACHE_DIR, or else the user's cache folder.

    Example: [cyan]fusewise clean[/]

    Example: [cyan]fusewise clean --all[/]
    """
    folder = cache.cache_dir()
    total = 0
    for path, size in cache.clean(folder, None if everything else Toolchain.find_native()):
        typer.echo(f"removed {path.relative_to(folder)} ({_megabytes(size)})")
        total += size
    typer.echo(f"{_megabytes(total)} removed from {folder}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _render(project: Project) -> tuple[dict[str, str], Manifest]:
    files = {shown_path(path, project.tree): path for path in project.require_specs()}
    texts = read_texts(files)
    with progress("generating") as report:
        files = render_specs(texts, project.package, report, warn, version=project.version)
    return files, Manifest.of(project.tree, project.package, project.specs, files)


def write_tree(project: Project, *, force: bool = False) -> Changes:
    """Generates the files of a project."""
    files, manifest = _render(project)
    return write(project.tree, manifest, files, force=force)


def _generate(project: Project, *, force: bool = False) -> None:
    start = time.perf_counter()
    changes = write_tree(project, force=force)
    typer.echo(f"{changes} in {project.tree} ({elapsed(start)})")


def _check_generated(project: Project) -> None:
    files, manifest = _render(project)
    changes = compare(project.tree, files)
    if changes:
        typer.echo(f"{changes}".rsplit("\n", 1)[0])
    if changes or Manifest.read(project.tree) != manifest:
        fail(f"{project.tree} is stale: run `fusewise generate`")
    typer.echo(f"{project.tree} is fresh")


def _build(project: Project, *, verbose: bool = False) -> None:
    """Compiles the package of a fresh tree."""
    toolchain = Toolchain.find_in_place()
    typer.echo(f"building {project.package}: {toolchain}")
    with progress("building") as report:
        built = build_extension(
            project.package,
            project.tree / "csrc",
            project.extension,
            work=project.tree.resolve().parent / "build",
            toolchain=toolchain,
            report=report,
        )
    if built.warnings:
        typer.echo(built.warnings, err=True)
    if verbose:
        for name, seconds in built.compiled:
            typer.echo(f"{seconds:7.1f} s  {name}")
    count = len(built.compiled)
    work = f"{count} step{'s' * (count != 1)}" if count else "nothing to do"
    typer.echo(f"built {built.path} ({work}, {built.seconds:.1f} s)")
