"""The cache of `fusewise.load`: where builds are kept, and which of them this version can use.

`loaded/KEY/` holds the packages that the tool and the toolchain of KEY have built; the other
folders hold object files, one folder for each toolchain.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from fusewise.build.contents import content_key
from fusewise.build.ninja import LOCK, LOG, locked
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import tool_files
from fusewise.folders import runtime_dir

LOADED = "loaded"
_KEY = re.compile(r"[0-9a-f]{12}")


def cache_dir(wish: str | os.PathLike[str] | None = None) -> Path:
    """The folder that is wished for, else FUSEWISE_CACHE_DIR, else the user's cache folder."""
    if named := wish or os.environ.get("FUSEWISE_CACHE_DIR"):
        return Path(named).resolve()
    from platformdirs import user_cache_path

    return user_cache_path("fusewise", appauthor=False)


def tool_key(toolchain: Toolchain) -> str:
    """A hash of everything but the specs that decides what is built."""
    runtime = runtime_dir()
    files = {str(path.relative_to(runtime)): path for path in runtime.rglob("*.*")}
    files["build/steps.py"] = Path(__file__).with_name("steps.py")
    files |= {f"{group}/{name}": p for group, fs in tool_files().items() for name, p in fs.items()}
    parts = [toolchain.tag, toolchain.cxx, toolchain.nvcc or ""]
    parts += [toolchain.cxxflags, toolchain.libraries]
    if toolchain.nvcc:
        parts += [toolchain.nvccflags, toolchain.nvcc_environ]
    texts = (path.read_bytes() for _, path in sorted(files.items()) if path.is_file())
    return content_key(*map(str.encode, parts), *texts)


def clean(cache: Path, toolchain: Toolchain | None) -> Iterator[tuple[Path, int]]:
    """Removes what `toolchain` and this version of the tool do not use, or all if it is None.

    That is every package of another key, the object files of other toolchains, and those of
    packages, which are linked already; objects of the runtime stay for ops to come. Gives each
    folder that it has removed, with the bytes that were in it. Files that are no build stay.
    Removes nothing while ops are built in the cache.
    """
    if cache.is_dir():
        with locked(cache / LOADED, lambda done, total, what: None):
            yield from _clean(cache, toolchain)


def _clean(cache: Path, toolchain: Toolchain | None) -> Iterator[tuple[Path, int]]:
    key = tool_key(toolchain) if toolchain else ""
    tag = toolchain.tag if toolchain else ""
    for log in sorted(cache.glob(f"*/{LOG}")):
        folder = log.parent
        if not (folder / LOCK).is_file():  # of a project of the user's
            continue
        with locked(folder, lambda done, total, what: None):
            if folder.name != tag:
                yield _remove(folder)
                continue
            for package in sorted(path.stem for path in folder.glob("*.ninja")):
                (folder / f"{package}.ninja").unlink()
                (folder / f"{package}.log").unlink(missing_ok=True)
                if (folder / package).is_dir():
                    yield _remove(folder / package)
    for folder in sorted((cache / LOADED).glob("*")):
        if folder.name != key and _KEY.fullmatch(folder.name) and folder.is_dir():
            yield _remove(folder)


def folder_size(folder: Path) -> int:
    """The bytes of the files in a folder and below it."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _remove(folder: Path) -> tuple[Path, int]:
    size = folder_size(folder)
    shutil.rmtree(folder)
    return folder, size
