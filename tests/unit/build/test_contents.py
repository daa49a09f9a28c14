"""Times that follow contents, over files of a line: an object is newer than its source, or not."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from fusewise.build.contents import Files, record_times, restore_times

EDITED = 1_000_000_000 * 10**9  # long ago
LATER = EDITED + 100 * 10**9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of objects after a build of one source."""
    return built(tmp_path, "tag")


def built(root: Path, name: str) -> Path:
    folder = root / "build" / name
    folder.mkdir(parents=True)
    write(root / "a.cpp", "int a;", EDITED)
    files = begin(folder)
    end(folder, files, "a.o")
    return folder


def write(path: Path, text: str, time: int) -> None:
    path.write_text(text)
    os.utime(path, ns=(time, time))


def begin(folder: Path) -> Files:
    """A build begins, as ninja does then."""
    source = folder.parents[1] / "a.cpp"
    files = restore_times(folder, [source] if source.exists() else [], "log", "log_before")
    (folder / "log_before").write_bytes(
        (folder / "log").read_bytes() if (folder / "log").exists() else b""
    )
    return files


def end(folder: Path, files: Files, *outputs: str) -> None:
    """Its object is compiled."""
    compile_source(folder)
    (folder / "log_before").unlink()
    record_times(folder, files, outputs, "log")


def compile_source(folder: Path) -> None:
    """The object of the source as it is, at once."""
    source = folder.parents[1] / "a.cpp"
    time = source.stat().st_mtime_ns + 1
    write(folder / "a.o", f"object of {source.read_text()}", time)
    with (folder / "log").open("a") as log:
        log.write(f"{time}\n")


def is_fresh(folder: Path) -> bool:
    """Whether ninja would leave the object as it is when a build begins now."""
    begin(folder)
    source, built = folder.parents[1] / "a.cpp", folder / "a.o"
    return built.exists() and built.stat().st_mtime_ns >= source.stat().st_mtime_ns


def test_a_copy_is_as_fresh_as_the_original(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path.with_name(f"{tmp_path.name}-copy")
    shutil.copytree(tmp_path, copy, copy_function=shutil.copyfile)
    os.utime(copy / "a.cpp", ns=(LATER, LATER))
    os.utime(copy / "build/tag/a.o", ns=(LATER - 1, LATER - 1))
    assert is_fresh(copy / "build/tag")
    assert (copy / "a.cpp").stat().st_mtime_ns == EDITED
    assert (copy / "build/tag/a.o").stat().st_mtime_ns == EDITED + 1


def test_a_file_that_was_written_anew_is_fresh(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.cpp", "int a;", LATER)
    assert is_fresh(folder)


def test_an_edit_is_stale(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.cpp", "int b;", LATER)
    assert not is_fresh(folder)


def test_other_content_with_a_time_from_the_past_is_stale(folder: Path, tmp_path: Path) -> None:
    """A copied build folder meets sources of another commit, which were checked out before."""
    write(tmp_path / "a.cpp", "int b;", EDITED - 1)
    assert not is_fresh(folder)


def test_after_a_build_by_other_means_all_is_stale(folder: Path, tmp_path: Path) -> None:
    """An object was made of an edit, which was taken back: its source is as recorded again."""
    write(tmp_path / "a.cpp", "int b;", LATER)
    compile_source(folder)
    write(tmp_path / "a.cpp", "int a;", EDITED)
    assert not is_fresh(folder)


def test_a_stopped_build_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "build/tag"
    folder.mkdir(parents=True)
    write(tmp_path / "a.cpp", "int a;", EDITED)
    begin(folder)
    compile_source(folder)
    assert is_fresh(folder)
    write(tmp_path / "a.cpp", "int b;", LATER)
    begin(folder)
    compile_source(folder)
    assert is_fresh(folder)


def test_a_build_that_was_stopped_before_its_first_step(folder: Path, tmp_path: Path) -> None:
    begin(folder)
    (folder / "log_before").unlink()
    assert is_fresh(folder)


@pytest.mark.parametrize("compiled", [False, True])
def test_an_edit_that_is_taken_back_after_a_stopped_build(
    folder: Path, tmp_path: Path, compiled: bool
) -> None:
    write(tmp_path / "a.cpp", "int b;", LATER)
    begin(folder)
    if compiled:
        compile_source(folder)
    write(tmp_path / "a.cpp", "int a;", EDITED)
    assert not is_fresh(folder)


def test_two_folders_of_objects_have_times_of_their_own(folder: Path, tmp_path: Path) -> None:
    """One of them knows the source from before an edit that the other one has compiled."""
    other = built(tmp_path, "other")
    write(tmp_path / "a.cpp", "int b;", LATER)
    end(folder, begin(folder), "a.o")
    write(tmp_path / "a.cpp", "int a;", LATER + 10**10)
    begin(folder)  # and is stopped at once
    assert is_fresh(other)
    assert (tmp_path / "a.cpp").stat().st_mtime_ns == EDITED
    assert not is_fresh(folder)


def test_half_an_object_is_removed(folder: Path) -> None:
    write(folder / "a.o", "obj", LATER)
    assert not is_fresh(folder)
    assert not (folder / "a.o").exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"log": 1}', "\0"])
def test_after_a_damaged_record_all_is_stale(folder: Path, damage: str) -> None:
    (folder / "contents.json").write_text(damage)
    assert not is_fresh(folder)


def test_files_that_are_gone_are_forgotten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").unlink()
    record_times(folder, begin(folder), ["a.o", "of_another_package.o"], "log")
    assert [*json.loads((folder / "contents.json").read_text())["files"]] == ["a.o"]
