"""Times that follow contents, over files of a line: an object is newer than its source, or not."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from fusewise.build.contents import record_times, restore_times

BUILT = 1_000_000_000 * 10**9  # the time of the build, long ago
EDITED = BUILT - 100 * 10**9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of objects after a build of one source."""
    folder = tmp_path / "build" / "tag"
    folder.mkdir(parents=True)
    write(tmp_path / "a.cpp", "int a;", EDITED)
    write(folder / "a.o", "object", BUILT)
    write(folder / ".ninja_log", "built once", BUILT)
    record_times(folder, restore_times(folder, [tmp_path / "a.cpp"]), ["a.o"])
    os.utime(folder / "contents.json", ns=(BUILT, BUILT))
    return folder


def write(path: Path, text: str, time: int) -> None:
    path.write_text(text)
    os.utime(path, ns=(time, time))


def is_fresh(folder: Path) -> bool:
    """Whether ninja would leave the object as it is."""
    source = folder.parents[1] / "a.cpp"
    restore_times(folder, [source])
    built = folder / "a.o"
    return built.exists() and built.stat().st_mtime_ns >= source.stat().st_mtime_ns


def test_a_copy_is_as_fresh_as_the_original(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path.with_name(f"{tmp_path.name}-copy")
    shutil.copytree(tmp_path, copy, copy_function=shutil.copyfile)
    os.utime(copy / "a.cpp", ns=(BUILT + 200, BUILT + 200))
    os.utime(copy / "build/tag/a.o", ns=(BUILT + 100, BUILT + 100))
    assert is_fresh(copy / "build/tag")
    assert (copy / "a.cpp").stat().st_mtime_ns == EDITED
    assert (copy / "build/tag/a.o").stat().st_mtime_ns == BUILT


def test_a_file_that_was_written_anew_is_fresh(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.cpp", "int a;", BUILT + 5)
    assert is_fresh(folder)


def test_an_edit_is_stale(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.cpp", "int b;", BUILT + 5)
    assert not is_fresh(folder)


def test_other_content_with_a_time_from_the_past_is_stale(folder: Path, tmp_path: Path) -> None:
    """A copied build folder meets sources of another commit, which were checked out before."""
    write(tmp_path / "a.cpp", "int b;", EDITED - 1)
    os.utime(folder / "a.o", ns=(EDITED, EDITED))
    assert not is_fresh(folder)


def test_what_was_built_by_other_means_is_left_to_ninja(folder: Path, tmp_path: Path) -> None:
    """An object was made of an edit, which was taken back: its source is as recorded again."""
    write(folder / "a.o", "object of the edit", BUILT + 5)
    write(folder / ".ninja_log", "built twice", BUILT + 5)
    write(tmp_path / "a.cpp", "int a;", BUILT + 9)
    assert not is_fresh(folder)


def test_half_an_object_is_removed(folder: Path) -> None:
    write(folder / "a.o", "obj", BUILT + 5)
    assert not is_fresh(folder)
    assert not (folder / "a.o").exists()


def test_a_build_that_failed_leaves_no_record(folder: Path, tmp_path: Path) -> None:
    """`record_times` does not run then: the next build sees an edit that came in between."""
    write(tmp_path / "a.cpp", "int b;", BUILT + 5)
    restore_times(folder, [tmp_path / "a.cpp"])
    write(tmp_path / "a.cpp", "int a;", BUILT + 9)
    write(folder / ".ninja_log", "another step", BUILT + 7)
    assert not is_fresh(folder)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"log": 1}', "\0"])
def test_a_damaged_record_counts_as_none(folder: Path, tmp_path: Path, damage: str) -> None:
    (folder / "contents.json").write_text(damage)
    write(tmp_path / "a.cpp", "int a;", BUILT + 5)
    assert not is_fresh(folder)


def test_files_that_are_gone_are_forgotten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").unlink()
    record_times(folder, restore_times(folder, []), ["a.o", "of_another_package.o"])
    assert [*json.loads((folder / "contents.json").read_text())["files"]] == ["a.o"]
