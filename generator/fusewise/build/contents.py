"""Keys of outputs: hashes of the command and of all text that a compiler reads.

An output is named after its key, so that it is up to date if it is there. Times of files do not
matter, nor does the folder of the checkout.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_KEY = re.compile(r"\.[0-9a-f]{12}(?=\.\w+$)")


def content_key(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:12]


def without_key(output: str) -> str:
    """The name of an output whatever its contents are."""
    return _KEY.sub("", output)


class Contents:
    """The text of sources and of the headers in `folders` that they include, each read once.

    A header counts whatever the conditions around its `#include` are.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._read: dict[Path, tuple[bytes, list[Path]]] = {}

    def of(self, source: Path) -> list[bytes]:
        """What tells a source and all that it includes from others: their names and texts."""
        seen, todo = {source}, [source]
        found: list[bytes] = []
        while todo:
            file, included = self._file(todo.pop())
            found.append(file)
            todo += [header for header in included if header not in seen]
            seen.update(included)
        return sorted(found)

    def _file(self, path: Path) -> tuple[bytes, list[Path]]:
        """The hash of a file's name and text, and the headers that it names itself."""
        if path not in self._read:
            text = path.read_bytes()
            headers = [
                header
                for kind, name in _INCLUDE.findall(text)
                if (header := self._find(os.fsdecode(name), path if kind == b'"' else None))
            ]
            key = content_key(self._name(path).encode(), text).encode()
            self._read[path] = key, headers
        return self._read[path]

    def _find(self, name: str, includer: Path | None) -> Path | None:
        """The header that a compiler finds, None if it is of a library."""
        for folder in (*((includer.parent,) if includer else ()), *self._folders):
            path = Path(os.path.normpath(folder / name))
            if path.is_file():
                return path
        return None

    def _name(self, path: Path) -> str:
        for place, folder in enumerate(self._folders):
            if path.is_relative_to(folder):
                return f"{place}/{path.relative_to(folder)}"
        return path.name
