"""Times of files that follow their contents: ninja compares times, a copied checkout has others.

A record beside the objects holds the hash and the time of each source as the last build met it, and
of each output that it left. Before the next build, a file with the same content gets that time
back, and a source with other content the time of now. Thus a source is newer than every object
that was compiled from another content of it, even if builds were killed in between.
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


def restore_times(folder: Path, sources: Iterable[Path], log: str, log_before: str) -> Files:
    """Makes the times of sources and outputs agree with their contents, and notes a build begins.

    `log` is the name of ninja's log, `log_before` that of its copy from the start of a build that
    did not succeed. Returns what is known of the files, for `record_times`.
    """
    names = {os.path.relpath(path, folder) for path in sources}
    files: Files = {}
    stopped = False
    if (folder / _RECORD).exists():
        found = _read(folder / _RECORD)
        stopped = found is not None and found[1]
        last = log_before if stopped and (folder / log_before).exists() else log
        # else somebody else has built here, maybe from contents that are not known
        if found and found[0] == _digest(folder / last):
            files = found[2]
        else:
            files = dict.fromkeys(names, ("", 0))
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
        if known and digest == known[0]:
            _set_time(path, known[1])
        elif known and (name in names or name.startswith("..")):
            _set_time(path, None)
        elif known and not stopped:  # a copy of half an output
            path.unlink()
            del files[name]
            continue
        files[name] = (digest, path.stat().st_mtime_ns)
    _write(folder, log, files, stopped=True)
    return files


def record_times(folder: Path, files: Files, outputs: Iterable[str], log: str) -> None:
    """Records the outputs of a build that succeeded beside the files that it began with."""
    for name in outputs:
        with contextlib.suppress(FileNotFoundError):  # of a package that was removed since
            time = (folder / name).stat().st_mtime_ns
            if name not in files or files[name][1] != time:
                files[name] = (_digest(folder / name), time)
    _write(folder, log, files, stopped=False)


def _set_time(path: Path, time: int | None) -> None:
    """Sets the time of a file, to now if it is None."""
    with contextlib.suppress(PermissionError):  # of an installed runtime, which nobody edits
        os.utime(path) if time is None else os.utime(path, ns=(time, time))


def _read(record: Path) -> tuple[str, bool, Files] | None:
    """The hash of the log, whether a build has begun and not ended, and the files."""
    try:
        found = json.loads(record.read_text())
        files = {name: (digest, time) for name, (digest, time) in found["files"].items()}
        return found["log"], found["stopped"], files
    except (ValueError, TypeError, KeyError):  # damaged
        return None


def _write(folder: Path, log: str, files: Files, *, stopped: bool) -> None:
    content = {"log": _digest(folder / log), "stopped": stopped, "files": files}
    fresh = folder / f"{_RECORD}.new"
    fresh.write_text(json.dumps(content))
    fresh.replace(folder / _RECORD)


def _digest(path: Path) -> str:
    """Of a file's bytes; of none if there is no such file."""
    digest = hashlib.sha256()
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
