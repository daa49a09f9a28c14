"""The command `fusewise`: the only module that prints and writes; the stages compute."""

from __future__ import annotations

import contextlib
import enum
import functools
import importlib
import importlib.util
import keyword
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from fusewise import __version__
from fusewise.build.extension import SUFFIX, build_extension
from fusewise.build.ninja import BuildError, Report
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import (
    Manifest,
    TreeError,
    check_fresh,
    compare,
    render_specs,
    shown_path,
    spec_files,
    write,
    write_text,
)
from fusewise.language.errors import Problem, SpecError, did_you_mean
from fusewise.measure.layouts import Layout

if TYPE_CHECKING:
    from fusewise.language.spec import Spec
    from fusewise.pipeline import Compiled

app = typer.Typer(
    name="fusewise",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


# Names of libraries in torch.ops, and of modules that a generated package imports.
TAKEN_PACKAGES = {"aten", "fusewise", "prim", "prims", "quantized", "torch"}


class UsageError(Exception):
    """A command names something that does not exist."""


@dataclass(frozen=True, slots=True)
class Project:
    """The folder of a package's specs, its generated tree and its name."""

    specs: Path
    tree: Path
    package: str

    @classmethod
    def find(cls, tree: Path, specs: Path | None = None, package: str | None = None) -> Project:
        """An argument that is None comes from the tree's manifest, or else is the default."""
        manifest = Manifest.read(tree)
        if specs is None:
            known = (
                Path(os.path.relpath(tree.resolve().parent)) / manifest.folder if manifest else None
            )
            specs = known or Path("specs")
        package = package or (manifest.package if manifest else "fusewise_ops")
        if not package.isidentifier() or not package.islower():
            raise UsageError(f"package is {package!r}: expected lower-case letters, digits, _")
        if keyword.iskeyword(package) or package in TAKEN_PACKAGES:
            raise UsageError(f"package is {package!r}: that name is taken")
        return cls(specs, tree, package)

    @property
    def extension(self) -> Path:
        return self.tree / self.package / f"_C{SUFFIX}"

    def spec(self, op: str) -> Path:
        """The spec of an op, given by name or as a path."""
        if Path(op).is_file():
            return Path(op)
        paths = {path.stem: path for path in spec_files(self.specs)}
        if op not in paths:
            raise UsageError(f"no spec {op!r} in {self.specs}{did_you_mean(op, paths)}")
        return paths[op]

    def root(self, path: Path) -> Path:
        """The folder of the specs that are built together with a file or folder of specs."""
        if path.resolve().is_relative_to(self.specs.resolve()):
            return self.specs
        return path if path.is_dir() else path.parent

    def require_specs(self) -> list[Path]:
        files = spec_files(self.specs)
        if not files:
            raise UsageError(f"no specs (*.yaml) in {self.specs}; `fusewise new OP` writes one")
        return files

    def load_package(self) -> ModuleType:
        if not self.extension.exists():
            raise UsageError(f"{self.package} is not built: run `fusewise build`")
        sys.path.insert(0, str(self.tree.resolve()))
        return importlib.import_module(self.package)


SpecsFolder = Annotated[
    Path | None,
    typer.Argument(
        metavar="SPECS",
        help="Folder of the package's specs, with its subfolders.",
        show_default="specs",
    ),
]
Tree = Annotated[Path, typer.Option("--tree", "-t", help="Folder of the generated tree.")]
Package = Annotated[
    str | None,
    typer.Option(help="Name of the Python package.", show_default="fusewise_ops"),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show seconds for each file.")]
Output = Annotated[Path | None, typer.Option(help="Also write the table to a file (.md, .json).")]
Device = Literal["cpu", "cuda"]
Where = Annotated[
    Device | None,
    typer.Option("--device", help="Device to run on.", show_default="cuda if there is one"),
]
DEFAULT_TREE = Path("generated")


class Against(str, enum.Enum):  # typer does not support lists of literals
    """The contenders of `fusewise bench`."""

    EAGER = "eager"
    COMPILE = "compile"
    MAX_AUTOTUNE = "max-autotune"
    LIGER = "liger"


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fusewise {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show version.")
    ] = False,
) -> None:
    """Turn a YAML formula into a fused, differentiable PyTorch op.

    Start with [cyan]fusewise new my_op[/], edit specs/my_op.yaml, then [cyan]fusewise check[/],
    [cyan]generate[/], [cyan]build[/] and [cyan]test my_op[/].
    """


STARTER = """\
# `fusewise check` checks this file, and `fusewise explain {op}` shows the derived op.
op: {op}
doc: One line that describes the op.

inputs:                 # in call order; they broadcast together
  x: tensor
  # bias: tensor = 0            # optional: the caller may pass None
  # mask: bool tensor
  # gates: {{split: [a, b], layout: chunked}}     # parts packed along the last dimension

# params:               # plain numbers, keyword-only, never differentiated
#   limit: float = inf

# let:                  # named steps
#   s: sigmoid(x)

outputs:                # the gradients are derived from these formulas
  out: x * sigmoid(x)

# test:
#   domain: {{x: [-20, 20]}}
#   reference: torch.nn.functional.silu(x)

# bench:                # shapes worth timing
#   - {{x: [8192, 8192]}}
"""


@app.command()
def new(
    op: Annotated[str, typer.Argument(help="Name of the op.")],
    specs: Annotated[Path, typer.Option(help="Folder for the spec.")] = Path("specs"),
) -> None:
    """Write a starter spec for an op, with comments.

    Example: [cyan]fusewise new soft_clip[/]

    Example: [cyan]fusewise new soft_clip --specs specs/activations[/]
    """
    from fusewise.language.spec import parse_spec

    path = specs / f"{op}.yaml"
    text = STARTER.format(op=op)
    parse_spec(text, str(path))  # refuses a reserved name before anything is written
    known = {found.stem: found for found in spec_files(Project.find(DEFAULT_TREE).root(specs))}
    if op in known:
        raise UsageError(f"{known[op]} exists")
    write_text(path, text)
    typer.echo(f"wrote {path}")
    typer.echo(f"next: edit it, then `fusewise check {path}`")


@app.command()
def check(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC...",
            help="Names of ops, specs, or folders of specs.",
            show_default="specs",
        ),
    ] = None,
) -> None:
    """Check specs and the backward passes that they contain. Writes nothing.

    Exit code 2 if a spec is wrong; the other specs are checked too.

    Example: [cyan]fusewise check[/]

    Example: [cyan]fusewise check swiglu drafts/gate.yaml more_specs/[/]
    """
    project = Project.find(DEFAULT_TREE)
    roots: dict[Path, Path] = {}
    if not specs:
        roots = dict.fromkeys(project.require_specs(), project.specs)
    for name in specs or ():
        path = Path(name) if Path(name).is_dir() else project.spec(name)
        found = spec_files(path) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"no specs (*.yaml) in {path}")
        roots |= dict.fromkeys(found, project.root(path))
    start = time.perf_counter()
    neighbours = functools.cache(_neighbours)  # read once for all composed ops
    bad = 0
    for path, root in roots.items():
        try:
            compiled = _compile(path, root, neighbours)
        except SpecError as error:
            bad += 1
            typer.secho(str(error), fg="red", err=True)
        else:
            _warn(compiled.warnings)
            compared = f", its backward is {compiled.verdict}" if compiled.verdict else ""
            typer.echo(f"{path}: ok{compared}")
    count = len(roots)
    verdict = f"{bad} with errors" if bad else "all good"
    typer.echo(f"{count} spec{'s' * (count != 1)}, {verdict} ({_seconds(start)})")
    if bad:
        raise typer.Exit(2)


@app.command()
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


@app.command()
def build(
    specs: SpecsFolder = None,
    tree: Tree = DEFAULT_TREE,
    package: Package = None,
    verbose: Verbose = False,
) -> None:
    """Compile a package. With SPECS, generate it first; without SPECS, its tree must be fresh.

    Environment: FUSEWISE_CUDA=0|1|auto, FUSEWISE_ARCHS="80 90", FUSEWISE_WERROR=1, MAX_JOBS, CXX.

    Example: [cyan]fusewise build[/]

    Example: [cyan]fusewise build specs/ --package my_ops[/]
    """
    project = Project.find(tree, specs, package)
    if specs is not None or package is not None:
        _generate(project)
    _build(project, verbose=verbose)


@app.command(context_settings={"ignore_unknown_options": True})
def test(
    ops: Annotated[
        list[str] | None,
        typer.Argument(metavar="OP... PYTEST-OPTIONS", help="Ops to test.", show_default="all"),
    ] = None,
    tree: Tree = DEFAULT_TREE,
) -> None:
    """Build, then run the generated tests with pytest.

    Example: [cyan]fusewise test[/]

    Example: [cyan]fusewise test swiglu bias_gelu -x -k layout[/]
    """
    words = ops or []
    split = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    project = Project.find(tree)
    files = [str(tree / "tests" / f"test_{project.spec(op).stem}.py") for op in words[:split]]
    _build(project)
    paths = [str(tree.resolve()), os.environ.get("PYTHONPATH", "")]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "pytest", *(files or [str(tree / "tests")]), *words[split:]]
    raise typer.Exit(subprocess.run(command, env=environ, check=False).returncode)


@app.command()
def explain(
    op: Annotated[str, typer.Argument(help="Name of an op, or path of a spec.")],
    tree: Tree = DEFAULT_TREE,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print only the formula and the gradients, as LaTeX.")
    ] = False,
) -> None:
    """Show the op that a spec gives: gradients, kinks, memory, cost, and the result of each stage.

    Example: [cyan]fusewise explain swiglu[/]

    Example: [cyan]fusewise explain drafts/soft_clip.yaml --latex[/]
    """
    from fusewise.emit.render import render
    from fusewise.explain import page

    project = Project.find(tree)
    path = project.spec(op)
    compiled = _compile(path, project.root(path))
    if latex:
        typer.echo(page.explain_latex(compiled), nl=False)
        return
    files = render([compiled.view], project.package)
    own = {name: text for name, text in files.items() if name.startswith(("csrc/", "tests/"))}
    typer.echo(page.explain(compiled, own), nl=False)


@app.command()
def bench(
    ops: Annotated[
        list[str] | None, typer.Argument(metavar="[OP...]", help="Ops to time.", show_default="all")
    ] = None,
    tree: Tree = DEFAULT_TREE,
    device: Where = None,
    dtype: Annotated[
        Literal["float32", "bfloat16", "float16"] | None,
        typer.Option(help="Type of the tensors.", show_default="float32, on cuda bfloat16"),
    ] = None,
    against: Annotated[
        list[Against] | None,
        typer.Option(help="Contender to time; may be repeated.", show_default="all there are"),
    ] = None,
    elements: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            help="Reduce shapes until the largest tensor has at most this many elements; "
            "may be repeated.",
            show_default="8388608, on cuda the shapes of the specs",
        ),
    ] = None,
    layout: Annotated[
        Layout, typer.Option(help="Memory layout of the inputs, if their shapes allow it.")
    ] = "contiguous",
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Threads on a CPU.", show_default="PyTorch's number"),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of measurement.")] = 9,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that compile first.", show_default="one for each core"),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", help="Write the results to this file, after each op.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the results to this PNG file.")] = None,
    show: Annotated[
        Path | None, typer.Option(help="Show the results of such a JSON file; measure nothing.")
    ] = None,
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
        from fusewise.measure.bench_report import Results

        try:
            results = Results.parse(show.read_text())
        except ValueError as error:
            raise UsageError(f"{show}: {error}") from None
    else:
        os.environ.setdefault("KINETO_LOG_LEVEL", "6")  # read on import of torch: no messages
        specs, module, device = _built(ops, tree, device)
        if all(spec.compose for spec in specs):
            raise UsageError("nothing to time: composed ops have no kernels of their own")
        import torch

        from fusewise.measure.bench import Setting, run
        from fusewise.measure.contenders import CONTENDERS

        dtype = dtype or ("bfloat16" if device == "cuda" else "float32")
        threads = threads or torch.get_num_threads()
        names = [name.value for name in against] if against else CONTENDERS
        setting = Setting(device, dtype, threads, rounds, names, layout)
        jobs = jobs or os.cpu_count() or 1
        with _progress("timing") as report:
            for found in run(specs, module, setting, report, elements=elements or (), jobs=jobs):
                results = found
                if json:
                    write_text(json, found.json())
    typer.echo(str(results), nl=False)
    if plot:
        from fusewise.measure.bench_plot import plot as draw

        plot.parent.mkdir(parents=True, exist_ok=True)
        plot.write_bytes(draw(results))


@app.command()
def accuracy(
    ops: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OP...]", help="Ops to measure.", show_default="all"),
    ] = None,
    tree: Tree = DEFAULT_TREE,
    device: Where = None,
    output: Output = None,
) -> None:
    """Measure the errors of ops and of PyTorch eager in units in the last place.

    Exit code 1 if an op exceeds the bound of its spec, or is not finite where it must be.

    Example: [cyan]fusewise accuracy swiglu[/]

    Example: [cyan]fusewise accuracy --device cpu --output accuracy.md[/]
    """
    specs, module, device = _built(ops, tree, device)
    from fusewise.measure.accuracy import run

    with _progress("measuring") as report:
        results = run(specs, module, device, report)
    typer.echo(str(results), nl=False)
    if output:
        text = results.json() if output.suffix == ".json" else results.markdown()
        write_text(output, text)
    if results.failures:
        _fail("\n".join(results.failures), code=1)


@app.command()
def kernels(
    ops: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OP...]", help="Ops to compile.", show_default="all"),
    ] = None,
    tree: Tree = DEFAULT_TREE,
    arch: Annotated[
        str | None,
        typer.Option(help="GPU architecture.", show_default="the last that a build compiles for"),
    ] = None,
    output: Output = None,
) -> None:
    """Show registers, spills and code size of ops' CUDA kernels. Needs nvcc, but no GPU.

    Exit code 1 if a kernel spills registers, or a variant of an op adds more than 300 KiB.

    Example: [cyan]fusewise kernels swiglu[/]

    Example: [cyan]fusewise kernels --arch 90 --output kernels.md[/]
    """
    from fusewise.measure.resources import run

    project = Project.find(tree)
    paths = [project.spec(op) for op in ops] if ops else project.require_specs()
    check_fresh(tree)
    csrc = tree / "csrc"
    found = {path.stem: csrc / path.stem / f"{path.stem}_cuda.cu" for path in paths}
    sources = {op: path for op, path in found.items() if path.exists()}
    if not sources:
        raise UsageError(f"no kernels in {', '.join(found)}: composed ops run those of others")
    environ = os.environ | ({"FUSEWISE_ARCHS": arch} if arch else {})
    with _progress("compiling") as report:
        results = run(sources, csrc, Toolchain.find(environ), report)
    typer.echo(str(results), nl=False)
    if output:
        write_text(output, results.json() if output.suffix == ".json" else results.markdown())
    if results.failures:
        _fail("\n".join(results.failures), code=1)


def _built(
    ops: list[str] | None, tree: Path, device: Device | None
) -> tuple[list[Spec], ModuleType, Device]:
    """The specs of the given ops, or of all; their built package; the device to run on."""
    from fusewise.language.spec import load_spec

    project = Project.find(tree)
    paths = [project.spec(op) for op in ops] if ops else project.require_specs()
    specs = [load_spec(path) for path in paths]
    module = project.load_package()

    import torch  # last, so that errors above do not wait for it

    if device == "cuda" and not torch.cuda.is_available():
        raise UsageError("no CUDA device here")
    return specs, module, device or ("cuda" if torch.cuda.is_available() else "cpu")


def _neighbours(root: Path) -> list[Spec]:
    """The valid specs of a folder, which a composed op may call; others are reported elsewhere."""
    from fusewise.language.spec import load_spec

    specs = []
    for other in spec_files(root):
        with contextlib.suppress(SpecError):
            specs.append(load_spec(other))
    return specs


def _compile(
    path: Path, root: Path, neighbours: Callable[[Path], Sequence[Spec]] = _neighbours
) -> Compiled:
    from fusewise.language.spec import load_spec
    from fusewise.pipeline import compile_spec

    spec = load_spec(path)
    return compile_spec(spec, neighbours(root) if spec.compose else ())


def _warn(warnings: Sequence[Problem]) -> None:
    for warning in warnings:
        typer.secho(str(warning), fg="yellow", err=True)


def _render(project: Project) -> dict[str, str]:
    from fusewise.language.document import decode

    names = {shown_path(path, project.tree): path for path in project.require_specs()}
    texts = {name: decode(path.read_bytes(), name) for name, path in names.items()}
    with _progress("generating") as report:
        return render_specs(texts, project.package, report, _warn)


def _generate(project: Project, *, force: bool = False) -> None:
    start = time.perf_counter()
    files = _render(project)
    manifest = Manifest.of(project.tree, project.package, project.specs, files)
    changes = write(project.tree, manifest, files, force=force)
    typer.echo(f"{changes} in {project.tree} ({_seconds(start)})")


def _check_generated(project: Project) -> None:
    files = _render(project)
    manifest = Manifest.of(project.tree, project.package, project.specs, files)
    changes = compare(project.tree, files)
    if changes:
        typer.echo(f"{changes}".rsplit("\n", 1)[0])
    if changes or Manifest.read(project.tree) != manifest:
        _fail(f"{project.tree} is stale: run `fusewise generate`", code=1)
    typer.echo(f"{project.tree} is fresh")


def _build(project: Project, *, verbose: bool = False) -> None:
    check_fresh(project.tree)
    toolchain = Toolchain.find()
    typer.echo(f"building {project.package}: {toolchain}")
    with _progress("building") as report:
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


@contextlib.contextmanager
def _progress(what: str) -> Iterator[Report]:
    """A progress bar on a terminal; else a line for each step, except for the short generation."""
    if not sys.stderr.isatty():
        plain = what != "generating"
        yield lambda done, total, name: typer.echo(f"[{done}/{total}] {name}") if plain else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[name]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None, name="")
        yield lambda done, total, name: progress.update(
            task, completed=done, total=total, name=name
        )


def _seconds(start: float) -> str:
    return f"{time.perf_counter() - start:.2f} s"


def _fail(message: str, code: int = 2) -> NoReturn:
    typer.secho(message, fg="red", err=True)
    raise typer.Exit(code)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point. Errors of the user end with a message and exit code 2, not a traceback."""
    try:
        app(arguments, prog_name="fusewise")
    except SpecError as error:
        typer.secho(str(error), fg="red", err=True)
    except (BuildError, TreeError, UsageError, OSError) as error:
        typer.secho(f"error: {error}", fg="red", err=True)
    sys.exit(2)
