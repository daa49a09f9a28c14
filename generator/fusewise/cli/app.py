"""The parser of the command line, its verbs in the order of a project, and errors of the user."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from fusewise import __version__
from fusewise.build.ninja import BuildError
from fusewise.build.settings import SettingsError
from fusewise.build.tree import TreeError
from fusewise.cli.doctor import doctor
from fusewise.cli.init import init
from fusewise.cli.measurement import accuracy, bench, kernels
from fusewise.cli.package import build, clean, diff, generate, test
from fusewise.cli.project import UsageError
from fusewise.cli.report import report
from fusewise.cli.specs import check, explain, new, schema
from fusewise.language.errors import SpecError

app = typer.Typer(
    name="fusewise",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

for verb in (init, new, check, generate, diff, build):
    app.command()(verb)
app.command(context_settings={"ignore_unknown_options": True})(test)  # they are options of pytest
for verb in (explain, report, bench, accuracy, kernels, schema, doctor, clean):
    app.command()(verb)


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
    [cyan]fusewise init my_ops[/] starts a project of your own.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point. Errors of the user end with a message and exit code 2, not a traceback."""
    # of torch, in an environment without numpy, which only the tests need
    warnings.filterwarnings("ignore", "Failed to initialize NumPy")
    try:
        app(arguments, prog_name="fusewise")
    except SpecError as error:
        typer.secho(str(error), fg="red", err=True)
    except (BuildError, SettingsError, TreeError, UsageError) as error:
        typer.secho(f"error: {error}", fg="red", err=True)
    except OSError as error:
        text = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        typer.secho(f"error: {text}", fg="red", err=True)
    sys.exit(2)
