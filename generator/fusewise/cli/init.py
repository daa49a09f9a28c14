"""The verb `init`: a new project, written as a whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from fusewise.build.tree import write_text
from fusewise.cli.package import write_tree
from fusewise.cli.project import Project, UsageError, check_package


def init(
    folder: Annotated[
        Path,
        typer.Argument(metavar="NAME", help="Folder to create; its name is that of the package."),
    ],
) -> None:
    """Start a project: a package of ops with an example, tests, CI and wheels.

    The package is a Python module of that name, with a namespace of its own in torch.ops.

    Example: [cyan]fusewise init my_ops[/]
    """
    from fusewise.emit.render import render_project

    if folder.name in ("", ".."):
        raise UsageError(f"'{folder}' has no name; `fusewise init my_ops` creates my_ops here")
    check_package(folder.name)
    if folder.is_file():
        raise UsageError(f"{folder} is a file")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # beside the folder, whose name it gets when all is written
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as temporary:
        root = Path(temporary, folder.name)
        for name, text in render_project(folder.name).items():
            write_text(root / name, text)
        write_tree(Project.find(root / "generated", root / "specs"))
        root.rename(folder)
    typer.echo(f"wrote {folder}, with one op in {folder / 'specs'}")
    typer.echo(f"next: `cd {folder}`, then `fusewise test`; README.md has the other commands")
