"""Times of files that follow their contents: ninja compares times, a copied checkout has others.

A record beside the objects holds the hash and the time of each source and each output after the
last build. Before the next build, a file with the same content gets that time back. The record
counts only if ninja's log is still the same, that is if nothing was built since.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

_RECORD = "contents.json"

Files = dict[str, tuple[str, int]]  # by path relative to the folder: SHA-256 and time in ns


def restore_times(folder: Path, sources: Iterable[Path]) -> Files:
    """Makes the times of the sources and of the folder's outputs agree with their contents.

    Returns what is known of the files now, for `record_times` after the build.
    """
    record = folder / _RECORD
    files = _read(record)
    names = {os.path.relpath(path, folder) for path in sources}
    for name in sorted(names | set(files)):
        path = folder / name
        try:
            time = path.stat().st_mtime_ns
        except OSError:
            files.pop(name, None)
            continue
        known = files.get(name)
        if known and known[1] == time:
            continue
        digest = _digest(path)
        files[name] = (digest, time)
        if known is None:
            continue
        with contextlib.suppress(PermissionError):  # of an installed runtime
            if digest == known[0]:
                os.utime(path, ns=(known[1], known[1]))
                files[name] = known
            elif name not in names and not name.startswith(".."):  # a copy of half an output
                path.unlink()
                del files[name]
            elif time <= record.stat().st_mtime_ns:  # other content with a time from the past
                os.utime(path)
                files[name] = (digest, path.stat().st_mtime_ns)
    return files


def record_times(folder: Path, files: Files, outputs: Iterable[str]) -> None:
    """Records the files as they were before a build that succeeded, and its outputs."""
    for name in outputs:
        with contextlib.suppress(FileNotFoundError):  # of a package that was removed since
            time = (folder / name).stat().st_mtime_ns
            if name not in files or files[name][1] != time:
                files[name] = (_digest(folder / name), time)
    text = json.dumps({"log": _digest(folder / ".ninja_log"), "files": files})
    record = folder / _RECORD
    if not record.exists() or record.read_text() != text:
        fresh = record.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(record)


def _read(record: Path) -> Files:
    try:
        found = json.loads(record.read_text())
        if found["log"] != _digest(record.with_name(".ninja_log")):
            return {}
        return {name: (digest, time) for name, (digest, time) in found["files"].items()}
    except (OSError, ValueError, TypeError, KeyError):  # none yet, or damaged: times count
        return {}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
