"""The receipt of the GPU tests identifies the tree and contains the results."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import receipt

FILES = {
    "docs/architecture.md": "text",
    "examples/lltm.py": "layer",
    "generated/csrc/a/a_cuda.cu": "kernel",
    "generated/fusewise_ops/__init__.py": "function",
    "generated/tests/test_a.py": "test",
    "generator/fusewise/build/ninja.py": "flags",
    "generator/fusewise/build/steps.py": "commands",
    "generator/fusewise/cli/app.py": "command",
    "generator/fusewise/testing/case.py": "case",
    "runtime/fusewise/cuda/vectorized.cuh": "header",
    "templates/op_cuda.cu.j2": "template",
    "tests/runtime/sum_cuda_check.cu": "check",
    "tests/torch/test_gpu.py": "cuda." + "is_available()",
    "tests/unit/language/test_spec.py": "no GPU is asked for",
}


def make_tree(root: Path) -> Path:
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "tree")


def changed(root: Path, name: str) -> list[str]:
    before = receipt.digests(root)
    (root / name).write_text("changed")
    after = receipt.digests(root)
    return [part for part in after if after[part] != before[part]]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("runtime/fusewise/cuda/vectorized.cuh", ["runtime"]),
        ("runtime/fusewise/new.cuh", ["runtime"]),
        ("generated/csrc/a/a_cuda.cu", ["generated kernels"]),
        ("generated/fusewise_ops/__init__.py", ["generated package"]),
        ("generated/tests/test_a.py", ["generated tests"]),
        ("templates/op_cuda.cu.j2", ["templates"]),
        ("generator/fusewise/testing/case.py", ["testing"]),
        ("generator/fusewise/build/ninja.py", ["build"]),
        ("generator/fusewise/build/steps.py", ["build"]),
        ("tests/runtime/sum_cuda_check.cu", ["written tests"]),
        ("tests/torch/test_gpu.py", ["written tests"]),
        ("tests/unit/language/test_spec.py", []),
        ("docs/architecture.md", []),
        ("generator/fusewise/cli/app.py", []),
        ("runtime/README.md", []),
        ("generated/fusewise_ops/_C.so", []),
        ("generated/fusewise_ops/.hidden", []),
    ],
)
def test_what_changes_a_digest(root: Path, name: str, parts: list[str]) -> None:
    assert changed(root, name) == parts


def test_a_renamed_file_changes_the_digest(root: Path) -> None:
    before = receipt.digests(root)
    (root / "generated/csrc/a/a_cuda.cu").rename(root / "generated/csrc/a/b_cuda.cu")
    assert receipt.digests(root)["generated kernels"] != before["generated kernels"]


def test_place_and_time_do_not_matter(root: Path, tmp_path: Path) -> None:
    other = make_tree(tmp_path / "somewhere" / "else")
    for path in other.rglob("*"):
        os.utime(path, (1, 1))
    cache = other / "runtime" / "__pycache__"
    cache.mkdir()
    (cache / "x.py").write_text("left by a run")
    assert receipt.digests(other) == receipt.digests(root)


def test_every_part_of_this_tree_has_files() -> None:
    for paths in receipt.PARTS.values():
        assert any(any(receipt._sources(receipt.ROOT / path)) for path in paths), paths


def counts(**changes: int) -> dict[str, int]:
    return {"failed": 0, "not_run": 0, "passed": 10, "skipped": 1, **changes}


def write(root: Path, **commands: dict[str, int]) -> None:
    (root / "benchmarks/results").mkdir(parents=True, exist_ok=True)
    facts = {"device": "NVIDIA H200", "torch": "2.11.0", "date": "2026-11-23"}
    receipt.write(root, {**facts, "digests": receipt.digests(root), "commands": commands})


ALL = {name: counts() for name in receipt.COMMANDS}


def test_the_line(root: Path) -> None:
    assert receipt.line(root) == ("receipt: NONE; `make gpu` writes it on a machine with a GPU")
    write(root, **ALL)
    end = "NVIDIA H200, torch 2.11.0, 2026-11-23"
    assert receipt.line(root) == f"receipt: of this tree; 40 passed, 4 skipped; {end}"
    (root / "templates/op_cuda.cu.j2").write_text("changed")
    (root / "generator/fusewise/build/ninja.py").write_text("changed")
    assert receipt.line(root) == (
        f"receipt: NOT of this tree: build, templates changed; 40 passed, 4 skipped; {end}"
    )


def test_failures_are_in_the_line(root: Path) -> None:
    write(root, **{**ALL, "tests": counts(failed=2), "large": counts(not_run=3)})
    assert "of this tree; 2 FAILED, 3 DID NOT RUN, 40 passed, 4 skipped;" in receipt.line(root)


def test_a_missing_command_is_in_the_line(root: Path) -> None:
    write(root, tests=counts())
    assert "10 passed, 1 skipped, WITHOUT checks, compile, large;" in receipt.line(root)


def test_what_is_written_is_readable(root: Path) -> None:
    write(root, **ALL)
    text = (root / receipt.RECEIPT).read_text()
    assert text.index('"commands"') < text.index('"date"') < text.index('"torch"')
    assert text.endswith("}\n")
