"""`fusewise clean`, over a cache with builds of this version and of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fusewise.build import cache as builds
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import write_text

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of two toolchains and two versions, and a file that is none of ours."""
    monkeypatch.setenv("FUSEWISE_CUDA", "0")
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(tmp_path / "cache"))
    toolchain = Toolchain.find_native()
    tag, key = toolchain.tag, builds.tool_key(toolchain)
    sizes = {
        f"{tag}/.ninja_log": 0,
        f"{tag}/ops_1.ninja": 10,
        f"{tag}/ops_1.log": 10,
        f"{tag}/ops_1/gate/gate_cpu.cpp.o": 300_000,
        f"{tag}/runtime/torch.cpp.o": 900_000,
        "old-toolchain/.ninja_log": 0,
        "old-toolchain/runtime/torch.cpp.o": 2_000_000,
        f"loaded/{key}/ops_1/ops_1/_C.so": 100_000,
        "loaded/0123456789ab/ops_2/ops_2/_C.so": 400_000,
        "notes/mine.txt": 5,
    }
    for name, size in sizes.items():
        write_text(tmp_path / "cache" / name, "x" * size)
    return tmp_path / "cache"


def files(cache: Path) -> set[str]:
    found = {path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file()}
    return {name for name in found if not name.endswith("/lock")}


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
    assert files(cache) == {
        f"{tag}/.ninja_log",
        f"{tag}/runtime/torch.cpp.o",
        f"loaded/{key}/ops_1/ops_1/_C.so",
        "notes/mine.txt",
    }
    assert command("clean")[1] == f"0.0 MB removed from {cache}\n"


def test_all_builds(command: Command, cache: Path) -> None:
    code, out, _ = command("clean", "--all")
    assert code == 0
    assert out.endswith(f"3.7 MB removed from {cache}\n")
    assert files(cache) == {"notes/mine.txt"}


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
