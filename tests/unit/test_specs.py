"""The specs of this repository: each is complete, and the table in specs/README.md lists all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fusewise.generate import spec_files
from repository import SPECS

FOLDER = Path(__file__).resolve().parents[2] / "specs"
PATHS = spec_files(FOLDER)

each_spec = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def test_the_table_lists_every_spec() -> None:
    rows = re.findall(
        r"^\| \[(\w+)\]\((\S+)\) \|", (FOLDER / "README.md").read_text(), re.MULTILINE
    )
    assert sorted(rows) == sorted(
        (path.stem, path.relative_to(FOLDER).as_posix()) for path in PATHS
    )


@each_spec
def test_a_spec_lies_in_the_folder_of_a_group(path: Path) -> None:
    assert path.parent.parent == FOLDER


@each_spec
def test_the_doc_is_a_line_and_then_some_sentences(path: Path) -> None:
    first, blank, *rest = SPECS[path.stem].doc.splitlines()
    assert first.endswith(".")
    assert not blank
    assert len(re.findall(r"[.!?](?=\s|$)", " ".join([first, *rest]))) >= 3


@each_spec
def test_what_can_be_is_compared_with_plain_pytorch(path: Path) -> None:
    spec = SPECS[path.stem]
    several_forms = spec.compose or any(param.choices for param in spec.params)
    rounds = "round_to(" in str(spec) or any(
        out.dtype not in (None, "bool") for out in spec.outputs
    )
    picks = any(entry.extent == "row" for entry in spec.inputs)  # elements of rows of any length
    assert spec.test.reference or several_forms or rounds or picks


@each_spec
def test_a_spec_has_typical_shapes(path: Path) -> None:
    assert SPECS[path.stem].shapes
