"""The generated tree on disk: written atomically, never over a person's work.

`MANIFEST.json` at its root holds the hash of everything that the text depends on and of every file
written, so that a stale tree is told from a fresh one without generating anything.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from fusewise.build.settings import Settings
from fusewise.folders import runtime_dir, templates_dir
from fusewise.generate import spec_files
from fusewise.layers import GENERATING

MANIFEST = "MANIFEST.json"
# The suffixes of generated files that a build or pytest takes.
SOURCES = (".h", ".cpp", ".cu", ".py")
# How such a file begins.
_GENERATED = re.compile(
    r'(//|#|"""Fused PyTorch ops\.) Generated (from .+ )?by `fusewise generate`\. Do not edit\.'
)


class TreeError(Exception):
    """A generated tree that may not be written or used; str() says why and what to do."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a tree was made from and what was written, as SHA-256 by file."""

    package: str
    folder: str  # of the specs; relative, as they are, to the folder that holds the tree
    specs: Mapping[str, str]
    generator: Mapping[str, str]
    templates: Mapping[str, str]
    runtime: Mapping[str, str]
    outputs: Mapping[str, str]  # relative to the tree
    version: str = ""  # of the project, if its pyproject.toml has settings of the tool

    @classmethod
    def read(cls, root: Path) -> Manifest | None:
        """The manifest of the tree at `root`, None if there is none.

        Raises:
            TreeError: it is damaged.
        """
        try:
            return cls(**json.loads((root / MANIFEST).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, RecursionError) as error:
            raise TreeError(
                f"{root / MANIFEST} is damaged ({error}): restore it, or delete it"
                " and run `fusewise generate`"
            ) from None

    @classmethod
    def of(cls, root: Path, package: str, folder: Path, files: Mapping[str, str]) -> Manifest:
        """The manifest of a tree at `root` with these files, made now from a folder of specs.

        Raises:
            SettingsError: the pyproject.toml beside the tree cannot be used.
            SpecError: two specs are of the same op.
        """
        return cls(
            package=package,
            folder=shown_path(folder, root),
            specs={shown_path(path, root): _digest(path) for path in spec_files(folder)},
            outputs={name: _hash(text.encode()) for name, text in sorted(files.items())},
            version=Settings.read(root).version,
            **_tool_hashes(),
        )

    def __post_init__(self) -> None:
        """Checks the fields, which come from a file.

        Raises:
            TypeError: a field has another type than its own.
            ValueError: a path is none of a file system, or an output is outside of the tree.
        """
        for name, value in asdict(self).items():
            expected = str if name in ("package", "folder", "version") else dict
            if not isinstance(value, expected):
                raise TypeError(f"{name} is {value!r}")
        for path in (self.folder, *self.outputs):
            if b"\0" in os.fsencode(path):
                raise ValueError(f"{path!r} is no path")
        for output in map(Path, self.outputs):
            if output.is_absolute() or ".." in output.parts or not output.parts:
                raise ValueError(f"the output {output} is outside of the tree")

    def specs_folder(self, root: Path) -> Path:
        """The folder of the specs of the tree at `root`, relative to the current one."""
        return Path(os.path.relpath(root.resolve().parent)) / self.folder

    def text(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class Changes:
    """What writing a tree does: files by what happens to them."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def __str__(self) -> str:
        marks = {"+": self.added, "~": self.changed, "-": self.removed}
        lines = [f"{mark} {name}" for mark, names in marks.items() for name in names]
        total = sum(map(len, marks.values()))
        return "\n".join([*lines, f"{total} files written or removed, {self.unchanged} unchanged"])


def compare(root: Path, files: Mapping[str, str]) -> Changes:
    """What `write` would do.

    Raises:
        TreeError: the manifest of the tree is damaged.
    """
    manifest = Manifest.read(root)
    known = {*files, *(manifest.outputs if manifest else {})}
    old = {name for name in known.difference(files) if (root / name).exists()}
    current = {name: _read(root / name) for name in files}
    return Changes(
        added=tuple(sorted(name for name, text in current.items() if text is None)),
        changed=tuple(
            sorted(name for name, text in current.items() if text not in (None, files[name]))
        ),
        removed=tuple(sorted(old | _generated_beside(root, known))),
        unchanged=sum(text == files[name] for name, text in current.items()),
    )


def unified_diff(root: Path, manifest: Manifest, files: Mapping[str, str]) -> Iterator[str]:
    """The lines of a diff from the tree at `root` to what `write` would make of it.

    Raises:
        TreeError: the manifest of the tree is damaged.
    """
    changes = compare(root, files)
    new = {**files, MANIFEST: manifest.text()}
    names = sorted((*changes.added, *changes.changed, *changes.removed))
    for name in (*names, MANIFEST):  # last, since its hashes tell a reader nothing
        before, after = _read(root / name), new.get(name)
        shown = (root / name).as_posix()
        for line in difflib.unified_diff(
            (before or "").splitlines(keepends=True),
            (after or "").splitlines(keepends=True),
            "/dev/null" if before is None else shown,
            "/dev/null" if after is None else shown,
        ):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def write(
    root: Path, manifest: Manifest, files: Mapping[str, str], *, force: bool = False
) -> Changes:
    """Brings the tree at `root` to hold exactly `files`, and says what changed.

    Each file is replaced as a whole. Nothing at all is written if some file there is a person's:
    edited by hand since it was generated, or never generated. `force` overwrites those too.

    Raises:
        TreeError: files there are a person's, or the manifest of the tree is damaged.
    """
    changes = compare(root, files)
    if not force:
        _refuse_hand_written(root, changes)
    for name in (*changes.added, *changes.changed):
        write_text(root / name, files[name])
    for name in changes.removed:
        (root / name).unlink()
        _remove_empty_folders(root, (root / name).parent)
    if _read(root / MANIFEST) != manifest.text():
        write_text(root / MANIFEST, manifest.text())
    return changes


def check_fresh(root: Path) -> None:
    """Compares the tree at `root` with what its specs give, by the hashes alone.

    Raises:
        TreeError: it is stale, or its manifest is damaged.
        SettingsError, SpecError: as `staleness`.
    """
    if problems := staleness(root):
        shown = [f"  {problem}" for problem in problems[:10]]
        if len(problems) > len(shown):
            shown.append(f"  ... and {len(problems) - len(shown)} more")
        raise TreeError("\n".join([f"{root} is stale; run `fusewise generate`:", *shown]))


def staleness(root: Path) -> tuple[str, ...]:
    """Every reason why the tree at `root` is not what its specs give now; none if it is fresh.

    Raises:
        TreeError: the manifest of the tree is damaged.
        SettingsError: the pyproject.toml beside the tree cannot be used.
        SpecError: two specs are of the same op.
    """
    manifest = Manifest.read(root)
    if manifest is None:
        return (f"{root / MANIFEST} is missing",)
    specs = spec_files(manifest.specs_folder(root))
    now = {shown_path(path, root): _digest(path) for path in specs}
    problems = list(_differences("", manifest.specs, now))
    settings = Settings.read(root)
    if settings.package not in ("", manifest.package):
        problems.append("pyproject.toml: package changed")
    if settings.version != manifest.version:
        problems.append("pyproject.toml: version changed")
    for group, hashes in _tool_hashes().items():
        problems += _differences(f"{group}: ", getattr(manifest, group), hashes)
    for name, digest in manifest.outputs.items():
        found = _digest(root / name)
        if found != digest:
            what = "edited by hand" if found else "missing"
            problems.append(f"{root / name} is {what}")
    leftovers = sorted(_generated_beside(root, manifest.outputs))
    problems += (f"{root / name} is left over" for name in leftovers)
    return tuple(problems)


def shown_path(path: Path, root: Path) -> str:
    """A path as text in the tree at `root` names it: the same wherever the command was started."""
    place = path.parent.resolve() / path.name  # a link to a spec has the name of the op
    return Path(os.path.relpath(place, root.resolve().parent)).as_posix()


def write_text(path: Path, text: str) -> None:
    """Replaces a file as a whole: readers see the old text or the new one, never a part.

    A file that has this text is left alone: what was made of it is as new as it was.
    """
    if _read(path) == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes it private
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def tool_files() -> dict[str, dict[str, Path]]:
    """Everything besides the specs that shapes the generated text, by group and name."""
    package = Path(__file__).resolve().parents[1]
    modules = [
        path
        for layer in GENERATING
        for path in (package / f"{layer}.py", *sorted((package / layer).rglob("*.py")))
        if path.is_file()
    ]
    python = runtime_dir() / "python"
    return {
        "generator": {path.relative_to(package).as_posix(): path for path in modules},
        "templates": {path.name: path for path in sorted(templates_dir().glob("*.j2"))},
        "runtime": {path.name: path for path in sorted(python.glob("*.py"))},
    }


def _tool_hashes() -> dict[str, dict[str, str]]:
    return {
        group: {name: _digest(path) for name, path in files.items()}
        for group, files in tool_files().items()
    }


def _refuse_hand_written(root: Path, changes: Changes) -> None:
    manifest = Manifest.read(root)
    known = manifest.outputs if manifest else {}
    problems: list[str] = []
    for name in (*changes.changed, *changes.removed):
        text = _read(root / name) or ""
        if name in known:
            if known[name] != _digest(root / name):
                problems.append(f"{root / name} was edited by hand")
        elif text and not _says_generated(text):
            problems.append(f"{root / name} was not made by fusewise")
    if problems:
        advice = "nothing was written; move your changes to the spec, or overwrite with --force"
        raise TreeError("\n".join([*problems, advice]))


def _generated_beside(root: Path, known: Collection[str]) -> set[str]:
    """The other files that say that they are generated, in the folders of the known ones.

    A merge of two branches leaves such files without an entry in the manifest. A folder with a
    manifest of its own is another tree.
    """
    others: set[str] = set()
    for top in {name.split("/")[0] for name in known}:
        for place, folders, names in os.walk(root / top):
            if MANIFEST in names:
                folders.clear()
                continue
            paths = (Path(place, name) for name in names if name.endswith(SOURCES))
            others.update(path.relative_to(root).as_posix() for path in paths if path.is_file())
    return {name for name in others.difference(known) if _says_generated(_read(root / name) or "")}


def _says_generated(text: str) -> bool:
    head = "\n".join(text.split("\n", 3)[:3]).replace("\n//", "")  # a long line is wrapped
    return bool(_GENERATED.match(" ".join(head.split())))


def _differences(prefix: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterable[str]:
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            what = "is new" if name not in old else "changed" if name in new else "is gone"
            yield f"{prefix}{name} {what}"


def _remove_empty_folders(root: Path, folder: Path) -> None:
    while folder != root and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None


def _digest(path: Path) -> str:
    """Of a file's bytes; empty if there is no such file."""
    return _hash(path.read_bytes()) if path.is_file() else ""


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
