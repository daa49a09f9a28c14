"""Verbs for specs: `new`, `check`, `explain` and `schema`."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fusewise.build.tree import write_text
from fusewise.cli.options import DEFAULT_TREE, STDOUT, Json, Op, Tree, complete_op
from fusewise.cli.output import as_json, deliver, elapsed, warn
from fusewise.cli.project import Project, UsageError
from fusewise.generate import spec_files
from fusewise.language.errors import Problem, SpecError

if TYPE_CHECKING:
    from fusewise.language.model import Spec
    from fusewise.pipeline import Compiled

STARTER = """\
# `fusewise check` checks this file, and `fusewise explain {op}` shows the derived op.
op: {op}
doc: One line that describes the op.

inputs:                 # in call order; they broadcast together
  x: tensor
  # bias: tensor = 0            # optional: the caller may pass None
  # mask: bool tensor
  # target: int row tensor      # one number for each row, by default the last dimension
  # gates: {{split: [a, b], layout: chunked}}     # parts packed along the last dimension

# params:               # plain numbers, keyword-only, never differentiated
#   limit: float = inf

# let:                  # named steps
#   s: sigmoid(x)

outputs:                # the gradients are derived from these formulas
  out: x * sigmoid(x)

# module:               # a class of torch.nn.Module that holds inputs as parameters
#   parameters:
#     bias: {{shape: [features], init: zeros}}

# test:
#   domain: {{x: [-20, 20]}}
#   reference: torch.nn.functional.silu(x)

# shapes:               # typical ones: kernels are specialized for them
#   - {{x: [8192, 8192]}}
"""


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
    if op in known or path.exists():
        raise UsageError(f"{known.get(op, path)} exists")
    write_text(path, text)
    typer.echo(f"wrote {path}")
    typer.echo(f"next: edit it, then `fusewise check {path}`")


def check(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC...",
            help="Names of ops, specs, or folders of specs.",
            show_default="specs",
            autocompletion=complete_op,
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Check specs, the backward passes and the references that they contain. Writes nothing.

    Exit code 2 if a spec is wrong; the other specs are checked too.

    Example: [cyan]fusewise check[/]

    Example: [cyan]fusewise check swiglu drafts/gate.yaml more_specs/[/]

    Example: [cyan]fusewise check --json -[/]
    """
    project = Project.find(DEFAULT_TREE)
    roots: dict[Path, Path] = {}
    if not specs:
        roots = dict.fromkeys(project.require_specs(), project.specs)
    for name in specs or ():
        path = Path(name) if name and Path(name).is_dir() else project.spec(name)
        found = spec_files(path) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"no specs (*.yaml) in {path}")
        roots |= dict.fromkeys(found, project.root(path))
    start = time.perf_counter()
    read = functools.cache(Folder.read)  # once for all composed ops
    checked = []
    shown: set[str] = set()  # an error of an op stands with those that call it too
    for path, root in roots.items():
        found = _checked(path, root, read)
        checked.append(found)
        errors = [text for text in map(str, found.errors) if text not in shown]
        shown.update(errors)
        for error in errors:
            typer.secho(error, fg="red", err=True)
        warn(found.warnings)
        if found.line and json != STDOUT:
            typer.echo(found.line)
    bad = sum(bool(found.errors) for found in checked)
    verdict = f"{bad} with errors" if bad else "all good"
    summary = f"{len(checked)} spec{'s' * (len(checked) != 1)}, {verdict} ({elapsed(start)})\n"
    deliver(summary, as_json(specs=list(map(asdict, checked))), json)
    if bad:
        raise typer.Exit(2)


def explain(
    op: Op,
    tree: Tree = DEFAULT_TREE,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print only the formula and the gradients, as LaTeX.")
    ] = False,
) -> None:
    """Show the op that a spec gives: gradients, kinks, memory, cost, and the result of each stage.

    Example: [cyan]fusewise explain swiglu[/]

    Example: [cyan]fusewise explain drafts/soft_clip.yaml --latex[/]
    """
    from fusewise.explain import page

    project = Project.find(tree)
    path = project.spec(op)
    compiled = _compile(path, project.root(path))
    typer.echo(page.explain_latex(compiled) if latex else page.explain(compiled), nl=False)


def schema(
    output: Annotated[
        Path | None, typer.Option(help="Write the schema to this file instead.")
    ] = None,
) -> None:
    """Print the JSON Schema of specs, for editors: completion, the meaning of keys, errors.

    Example: [cyan]fusewise schema --output spec.schema.json[/]
    """
    from fusewise.schema import spec_schema

    if output is None:
        typer.echo(spec_schema(), nl=False)
    else:
        write_text(output, spec_schema())
        typer.echo(f"wrote {output}")


@dataclass(frozen=True, slots=True)
class _Checked:
    """What `fusewise check` found about one spec."""

    path: str
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...] = ()
    backward: str = ""  # the verdict on a backward that the user wrote
    reference_points: int = 0  # the number of points at which the reference agrees

    @property
    def line(self) -> str:
        """The line about a good spec."""
        compared = f", its backward is {self.backward}" if self.backward else ""
        points = self.reference_points
        agreed = f", its reference agrees at {points} points" if points else ""
        return "" if self.errors else f"{self.path}: ok{compared}{agreed}"


def _checked(path: Path, root: Path, read: Callable[[Path], Folder]) -> _Checked:
    try:
        compiled = _compile(path, root, read)
        points = _compare_reference(compiled.spec)
    except SpecError as error:
        return _Checked(str(path), error.problems)
    verdict = str(compiled.verdict) if compiled.verdict else ""
    return _Checked(str(path), (), tuple(compiled.warnings), verdict, points)


def _compare_reference(spec: Spec) -> int:
    """The number of points at which the reference equals the formula; 0 without a reference."""
    if spec.test.reference is None:
        return 0
    # it imports torch, which takes seconds
    from fusewise.measure.reference.agreement import compare_reference

    return compare_reference(spec)


@dataclass(frozen=True, slots=True)
class Folder:
    """The specs of a folder, which composed ops there may call."""

    valid: list[Spec]
    errors: dict[str, SpecError]  # of the others, by the names of their files

    @classmethod
    def read(cls, root: Path) -> Folder:
        from fusewise.language.spec import load_spec

        found = cls([], {})
        for path in spec_files(root):
            try:
                found.valid.append(load_spec(path))
            except SpecError as error:
                found.errors[path.stem] = error
        return found


def callable_specs(
    spec: Spec, root: Path, read: Callable[[Path], Folder] = Folder.read
) -> list[Spec]:
    """The specs of a folder that an op may call: none, unless it is composed.

    Raises:
        SpecError: ops that it reaches have errors; these are the problems.
    """
    from fusewise.language.sections.compose import reached_ops

    if not spec.compose:
        return []
    folder = read(root)
    reached = reached_ops(spec, {other.name: other for other in folder.valid})
    wrong = [folder.errors[name] for name in reached if name in folder.errors]
    if wrong:
        raise SpecError(*(problem for error in wrong for problem in error.problems))
    return folder.valid


def _compile(path: Path, root: Path, read: Callable[[Path], Folder] = Folder.read) -> Compiled:
    from fusewise.language.spec import load_spec
    from fusewise.pipeline import compile_spec

    spec = load_spec(path)
    return compile_spec(spec, callable_specs(spec, root, read))
