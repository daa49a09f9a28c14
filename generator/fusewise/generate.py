"""The specs of a package: found in a folder, read, and rendered together as files in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from fusewise.language.errors import Location, Problem, SpecError

if TYPE_CHECKING:
    from fusewise.language.document import Table


def spec_files(folder: Path) -> list[Path]:
    """The specs of a folder and of all below it but hidden ones, in the order of their ops' names.

    Raises:
        SpecError: two of them are of the same op, or a folder cannot be read.
    """
    from fusewise.language.document import SUFFIXES

    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(place, name)
            for name in names
            if name.endswith(SUFFIXES) and not name.startswith(".")
        ]
    found.sort(key=lambda path: (path.stem, path))
    problems = [
        _second_spec(path.stem, str(first), Location(path.as_posix(), 1, 1, 1))
        for first, path in pairwise(found)
        if first.stem == path.stem
    ]
    if problems:
        raise SpecError(*problems)
    return found


def read_texts(files: Mapping[str, Path]) -> dict[str, str]:
    """The texts of specs by the path to show.

    Raises:
        SpecError: it has the problems of all files that cannot be read.
    """
    from fusewise.language.document import read_file

    texts: dict[str, str] = {}
    problems: list[Problem] = []
    for path, file in files.items():
        try:
            texts[path] = read_file(file, path)
        except SpecError as error:
            problems += error.problems
    if problems:
        raise SpecError(*problems)
    return texts


def render_specs(
    texts: Mapping[str, str | Table],
    package: str,
    report: Callable[[int, int, str], None] = lambda done, total, what: None,
    warn: Callable[[Sequence[Problem]], None] = lambda warnings: None,
    *,
    version: str = "",
) -> dict[str, str]:
    """The files of a package by path in its tree, from the texts of its specs by path to show.

    A spec that was no YAML comes as a tree.

    Raises:
        SpecError: it has the problems of all the specs.
    """
    from fusewise.emit.render import render
    from fusewise.language.document import read_document
    from fusewise.language.model import Spec
    from fusewise.language.sections.compose import check_compose
    from fusewise.language.sections.module import check_modules
    from fusewise.language.spec import read_spec
    from fusewise.pipeline import compile_spec

    specs: list[Spec] = []
    problems: list[Problem] = []
    for path, text in texts.items():
        try:
            document = read_document(text, path) if isinstance(text, str) else text
            specs.append(read_spec(document, path))
        except SpecError as error:
            problems += error.problems
    first: dict[str, Spec] = {}
    for spec in specs:
        if first.setdefault(spec.name, spec) is not spec:
            problems.append(_second_spec(spec.name, first[spec.name].path, spec.location))
    if problems:
        raise SpecError(*problems)
    check_compose(specs)
    check_modules(specs)
    views = []
    for done, spec in enumerate(specs, start=1):
        try:
            compiled = compile_spec(spec, specs if spec.compose else ())
        except SpecError as error:
            problems += error.problems
        else:
            warn(compiled.warnings)
            views.append(compiled.view)
        report(done, len(specs), spec.path)
    if problems:
        raise SpecError(*problems)
    return render(views, package, version)


def _refuse_folder(error: OSError) -> None:
    """Raises SpecError for a folder that is there, but cannot be read."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        place = Location(Path(error.filename).as_posix(), 1, 1, 1)
        raise SpecError(Problem(f"cannot read the folder: {error.strerror}", place)) from None


def _second_spec(op: str, first: str, location: Location) -> Problem:
    hint = "a package has one op of a name: rename one of the two"
    return Problem(f"'{op}' is the op of {first} already", location, hint)
