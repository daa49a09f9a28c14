"""How verbs report: progress, warnings, seconds, and the message of a failure."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

import typer

from fusewise.build.ninja import Report
from fusewise.language.errors import Problem


def warn(warnings: Sequence[Problem]) -> None:
    for warning in warnings:
        typer.secho(str(warning), fg="yellow", err=True)


@contextlib.contextmanager
def progress(what: str) -> Iterator[Report]:
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


def elapsed(start: float) -> str:
    return f"{time.perf_counter() - start:.2f} s"


def fail(message: str, code: int = 2) -> NoReturn:
    typer.secho(message, fg="red", err=True)
    raise typer.Exit(code)
