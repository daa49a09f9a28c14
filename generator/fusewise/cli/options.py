"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

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
DEFAULT_TREE = Path("generated")
