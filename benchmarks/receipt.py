"""Says whether the tests on a GPU were run of the tree as it stands: python3 benchmarks/receipt.py

`gpu_suite.py` writes the receipt: the digests of all that decides a result on a GPU, what ran and
what came out of it. Only Python's own library is needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECEIPT = "benchmarks/results/gpu-receipt.json"
PARTS: Mapping[str, tuple[str, ...]] = {
    "build": (
        "generator/fusewise/build/contents.py",
        "generator/fusewise/build/extension.py",
        "generator/fusewise/build/ninja.py",
        "generator/fusewise/build/steps.py",
        "generator/fusewise/build/toolchain.py",
    ),
    "generated kernels": ("generated/csrc",),
    "generated package": ("generated/fusewise_ops",),
    "generated tests": ("generated/tests",),
    "runtime": ("runtime",),
    "templates": ("templates",),
    "testing": ("generator/fusewise/testing", "benchmarks/gpu_suite.py", "benchmarks/gpu_cases.py"),
    "written tests": (
        "tests/runtime",
        "tests/torch/ops",
        "tests/torch/sample_ops.py",
        "examples/lltm.py",
    ),
}
COMMANDS = ("checks", "compile", "large", "tests")
_NO_SOURCES = (".md", ".o", ".pyc", ".so")


def digests(root: Path) -> dict[str, str]:
    """The digest of each part, from the names and contents of its files."""
    parts = {**PARTS, "written tests": (*PARTS["written tests"], *written(root))}
    return {name: _digest(root, paths) for name, paths in parts.items()}


def written(root: Path) -> list[str]:
    """The tests in tests/ that have cases on a GPU: those that ask for one."""
    files = sorted((root / "tests").rglob("test_*.py"))
    return [
        str(file.relative_to(root)) for file in files if "cuda.is_available()" in file.read_text()
    ]


def _digest(root: Path, paths: Sequence[str]) -> str:
    files = {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for path in paths
        for file in _sources(root / path)
    }
    text = "".join(f"{name} {digest}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _sources(path: Path) -> Iterator[Path]:
    """The files at or below a path, but for what a run or a build leaves there."""
    if path.is_file():
        yield path
    for file in path.rglob("*"):
        left = "__pycache__" in file.parts or file.suffix in _NO_SOURCES
        if file.is_file() and not left and not file.name.startswith("."):
            yield file


def read(root: Path) -> dict[str, Any] | None:
    path = root / RECEIPT
    return json.loads(path.read_text()) if path.exists() else None


def write(root: Path, receipt: Mapping[str, Any]) -> None:
    (root / RECEIPT).write_text(json.dumps(receipt, indent=2, sort_keys=True) + "\n")


def line(root: Path) -> str:
    """One line about the receipt."""
    receipt = read(root)
    if receipt is None:
        return "receipt: NONE; `make gpu` writes it on a machine with a GPU"
    now = digests(root)
    differ = [name for name in now if receipt["digests"].get(name) != now[name]]
    whose = f"NOT of this tree: {', '.join(differ)} changed" if differ else "of this tree"
    where = f"{receipt['device']}, torch {receipt['torch']}, {receipt['date']}"
    return f"receipt: {whose}; {_outcome(receipt['commands'])}; {where}"


def _outcome(commands: Mapping[str, Any]) -> str:
    counts = {
        name: sum(command[name] for command in commands.values())
        for name in ("failed", "not_run", "passed", "skipped")
    }
    told = [f"{counts['passed']} passed", f"{counts['skipped']} skipped"]
    if counts["not_run"]:
        told.insert(0, f"{counts['not_run']} DID NOT RUN")
    if counts["failed"]:
        told.insert(0, f"{counts['failed']} FAILED")
    if missing := [name for name in COMMANDS if name not in commands]:
        told.append(f"WITHOUT {', '.join(missing)}")
    return ", ".join(told)


if __name__ == "__main__":
    print(line(ROOT))
