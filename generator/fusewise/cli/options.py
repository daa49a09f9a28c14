"""Arguments and options that several verbs share."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Literal

import typer

from fusewise.build.settings import SettingsError
from fusewise.build.tree import TreeError
from fusewise.cli.project import Project, UsageError
from fusewise.generate import spec_files
from fusewise.language.errors import SpecError

DEFAULT_TREE = Path("generated")


def complete_op(incomplete: str) -> list[str]:
    """The names of ops that a shell offers."""
    with contextlib.suppress(SettingsError, SpecError, TreeError, UsageError, OSError):
        specs = spec_files(Project.find(DEFAULT_TREE).specs)
        return [path.stem for path in specs if path.stem.startswith(incomplete)]
    return []


SpecsFolder = Annotated[
    Path | None,
    typer.Argument(
        metavar="SPECS",
        help="Folder of the package's specs, with its subfolders.",
        show_default="specs",
    ),
]
Op = Annotated[
    str, typer.Argument(help="Name of an op, or path of a spec.", autocompletion=complete_op)
]
Ops = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[OP...]", help="Names of ops.", show_default="all", autocompletion=complete_op
    ),
]
Tree = Annotated[Path, typer.Option("--tree", "-t", help="Folder of the generated tree.")]
Package = Annotated[
    str | None,
    typer.Option(help="Name of the Python package.", show_default="fusewise_ops"),
]
Output = Annotated[Path | None, typer.Option(help="Also write the page to this file, in Markdown.")]
STDOUT = Path("-")
Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Also write the results to this file, as JSON. With - they are printed as JSON only.",
    ),
]
Device = Literal["cpu", "cuda"]
Where = Annotated[
    Device | None,
    typer.Option("--device", help="Device to run on.", show_default="cuda if there is one"),
]
