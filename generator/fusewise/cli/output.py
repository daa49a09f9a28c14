"""How verbs report: progress, warnings, seconds, and the message of a failure."""

from __future__ import annotations

import contextlib
import json as json_text
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import typer

from fusewise.build.ninja import Report
from fusewise.build.tree import write_text
from fusewise.cli.options import STDOUT
from fusewise.language.errors import Problem


def warn(warnings: Sequence[Problem]) -> None:
    for warning in warnings:
        typer.secho(str(warning), fg="yellow", err=True)


@contextlib.contextmanager
def progress(what: str, *, err: bool = False) -> Iterator[Report]:
    """A progress bar on a terminal; else a line for each step, except for the short generation.

    err: the lines go to standard error.
    """
    if not sys.stderr.isatty():
        if what == "generating":
            yield lambda done, total, name: None
        else:
            yield lambda done, total, name: typer.echo(f"[{done}/{total}] {name}", err=err)
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


def deliver(page: str, record: str, json: Path | None) -> None:
    """Prints the page of a result, and writes its record as `--json` wishes."""
    if json == STDOUT:
        typer.echo(record, nl=False)
        return
    typer.echo(page, nl=False)
    if json:
        write_text(json, record)


def as_json(**fields: object) -> str:
    return json_text.dumps(fields, indent=1, default=str) + "\n"


def elapsed(start: float) -> str:
    return f"{time.perf_counter() - start:.2f} s"


def fail(message: str) -> NoReturn:
    """Ends a verb whose check has failed, with exit code 1."""
    typer.secho(message, fg="red", err=True)
    raise typer.Exit(1)
