"""The verb `doctor`: what is wrong with the machine and the project, and what to do."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import typer

from fusewise.build.settings import SettingsError
from fusewise.cli.options import DEFAULT_TREE, Json, Tree
from fusewise.cli.output import as_json, deliver
from fusewise.cli.project import Project, UsageError

COLORS = {"ok": "green", "note": "yellow", "broken": "red"}


def doctor(tree: Tree = DEFAULT_TREE, json: Json = None) -> None:
    """Look for what is missing, broken or stale, and say what to do about it.

    It looks at torch, compilers, GPUs, the cache, the generated files and their extension.

    Exit code 1 if something is broken.

    Example: [cyan]fusewise doctor[/]

    Example: [cyan]fusewise doctor --json -[/]
    """
    from fusewise.build.doctor import Place, diagnose

    findings = diagnose(Place(tree, lambda: _find_extension(tree), os.environ))
    page = "".join(typer.style(str(found), fg=COLORS[found.state]) + "\n" for found in findings)
    deliver(page, as_json(findings=list(map(asdict, findings))), json)
    if any(finding.state == "broken" for finding in findings):
        raise typer.Exit(1)


def _find_extension(tree: Path) -> Path:
    """The extension of a project.

    Raises:
        SettingsError, TreeError: its name cannot be told, or no package may have it.
    """
    try:
        return Project.find(tree).extension
    except UsageError as error:
        raise SettingsError(str(error)) from None
