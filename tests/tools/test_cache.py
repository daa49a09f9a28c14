"""`fusewise clean`, over a cache with builds of this version and of others."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.build import cache as builds
from fusewise.build.ninja import LOCK, locked
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import write_text

Command = Callable[..., tuple[int, str, str]]
MINE = {
    "notes/mine.txt",
    "my_project/.ninja_log",
    "my_project/build.ninja",
    "my_project/main.cpp",
    "loaded/my_data/mine.txt",
    "loaded/ba9876543210",
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of two toolchains and two versions, and files that are none of ours."""
    monkeypatch.setenv("FUSEWISE_CUDA", "0")
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    toolchain = Toolchain.find_native()
    tag, key = toolchain.tag, builds.tool_key(toolchain)
    sizes = {
        f"{tag}/.ninja_log": 0,
        f"{tag}/{LOCK}": 0,
        f"{tag}/ops_1.ninja": 10,
        f"{tag}/ops_1.log": 10,
        f"{tag}/ops_1/gate/gate_cpu.cpp.o": 300_000,
        f"{tag}/runtime/torch.cpp.o": 900_000,
        "old-toolchain/.ninja_log": 0,
        f"old-toolchain/{LOCK}": 0,
        "old-toolchain/runtime/torch.cpp.o": 2_000_000,
        f"loaded/{key}/ops_1/ops_1/_C.so": 100_000,
        "loaded/0123456789ab/ops_2/ops_2/_C.so": 400_000,
    } | dict.fromkeys(MINE, 5)
    for name, size in sizes.items():
        write_text(tmp_path / "cache" / name, "x" * size)
    return tmp_path / "cache"


def files(cache: Path) -> set[str]:
    found = {path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file()}
    return {name for name in found if Path(name).name != LOCK}


def test_what_this_version_can_use_stays(command: Command, cache: Path) -> None:
    toolchain = Toolchain.find_native()
    tag, key = toolchain.tag, builds.tool_key(toolchain)
    code, out, err = command("clean")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"removed {tag}/ops_1 (0.3 MB)",
        "removed old-toolchain (2.0 MB)",
        "removed loaded/0123456789ab (0.4 MB)",
        f"2.7 MB removed from {cache}",
    ]
    assert (
        files(cache)
        == {
            f"{tag}/.ninja_log",
            f"{tag}/runtime/torch.cpp.o",
            f"loaded/{key}/ops_1/ops_1/_C.so",
        }
        | MINE
    )
    assert command("clean")[1] == f"0.0 MB removed from {cache}\n"


def test_all_builds(command: Command, cache: Path) -> None:
    code, out, _ = command("clean", "--all")
    assert code == 0
    assert out.endswith(f"3.7 MB removed from {cache}\n")
    assert files(cache) == MINE
    assert not list(cache.glob("old-toolchain"))


def test_no_cache(command: Command, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(cache / "none"))
    assert command("clean") == (0, f"0.0 MB removed from {cache / 'none'}\n", "")


def test_another_version_has_another_key(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchain = Toolchain.find_native()
    before = builds.tool_key(toolchain)
    assert builds.tool_key(Toolchain.find_native()) == before
    write_text(tmp_path / "runtime/op.h", "// another runtime\n")
    monkeypatch.setattr(builds, "runtime_dir", lambda: tmp_path / "runtime")
    assert builds.tool_key(toolchain) != before


def test_another_compiler_has_another_key(cache: Path) -> None:
    gcc = replace(Toolchain.find_native(), cxx="g++")
    nvccs = [replace(gcc, nvcc=f"/cuda-{version}/bin/nvcc") for version in (12, 13)]
    assert len({builds.tool_key(t) for t in (gcc, replace(gcc, cxx="clang++"), *nvccs)}) == 4


def test_other_commands_have_another_key(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolchain = Toolchain.find_native()
    monkeypatch.setattr(builds, "__file__", str(tmp_path / "cache.py"))
    keys: set[str] = set()
    for text in ("-O2", "-O3"):
        write_text(tmp_path / "steps.py", text)
        keys.add(builds.tool_key(toolchain))
    assert len(keys) == 2


def test_ops_that_are_being_built_stay(cache: Path) -> None:
    """Until they are built: a second thread cleans, and waits for this one."""
    before = files(cache)
    cleaning = threading.Thread(target=lambda: list(builds.clean(cache, None)))
    loaded = cache / "loaded"
    with locked(loaded, fail, shared=True), locked(loaded, fail, shared=True):
        cleaning.start()
        cleaning.join(0.2)
        assert files(cache) == before
    cleaning.join(20)
    assert files(cache) == MINE


def test_a_build_that_waited_while_its_folder_was_removed(cache: Path) -> None:
    folder = cache / "old-toolchain"
    waits, holds, ends = threading.Event(), threading.Event(), threading.Event()

    def build() -> None:
        with locked(folder, lambda done, total, what: waits.set()):
            holds.set()
            ends.wait(20)

    building = threading.Thread(target=build)
    with locked(folder, fail):
        building.start()
        assert waits.wait(20)
        builds._remove(folder)
    assert holds.wait(20)
    with (folder / LOCK).open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    ends.set()
    building.join(20)


def fail(done: int, total: int, what: str) -> None:
    raise AssertionError(what)
