"""Builds of a copied checkout: the contents of files count, not their times or their folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fusewise.build import extension as build
from fusewise.build.extension import SUFFIX, build_extension, ninja_text
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import Toolchain
from fusewise.build.tree import write_text

MODULE = """\
#include <Python.h>
#include <answer.h>
int first();
int second();
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, nullptr, {}, {}, {}, {}};
PyMODINIT_FUNC PyInit__C() {
  return first() + second() == kAnswer ? PyModule_Create(&module) : nullptr;
}
"""
FILES = {
    "generated/csrc/module.cpp": MODULE,
    "runtime/answer.h": "constexpr int kAnswer = 3;\n",
    "runtime/fusewise/torch/first.cpp": "int first() { return 1; }\n",
    "runtime/fusewise/torch/second.cpp": "int second() { return 2; }\n",
    "runtime/fusewise/torch/module.cpp": "int apart() { return 0; }\n",
}
ALL = {"module.cpp", "torch.cpp", "_C"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        write_text(tmp_path / "checkout" / name, text)
    return tmp_path / "checkout"


@pytest.fixture
def cpu() -> Toolchain:
    return Toolchain.find({"FUSEWISE_CUDA": "0"})


def make(root: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What a build in this checkout compiled."""
    monkeypatch.setattr(build, "runtime_dir", lambda: root / "runtime")
    csrc, target = root / "generated/csrc", root / f"generated/my_ops/_C{SUFFIX}"
    built = build_extension("my_ops", csrc, target, work=root / "build", toolchain=toolchain)
    return {name for name, _ in built.compiled}


def copied(checkout: Path) -> Path:
    """A copy elsewhere, of which all times are those of copying."""
    copy = checkout.with_name("elsewhere")
    shutil.copytree(checkout, copy, copy_function=shutil.copyfile)
    return copy


def test_a_copy_compiles_nothing(
    checkout: Path, cpu: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make(checkout, cpu, monkeypatch) == ALL
    copy = copied(checkout)
    for path in [*copy.rglob("*.h"), *copy.rglob("*.cpp")]:
        path.touch()  # after the objects
    assert make(copy, cpu, monkeypatch) == set()
    assert make(copy, cpu, monkeypatch) == set()


def test_a_copy_compiles_what_differs(
    checkout: Path, cpu: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(checkout, cpu, monkeypatch)
    copy = copied(checkout)
    (copy / "runtime/fusewise/torch/second.cpp").write_text("int second() { return 3; }\n")
    assert make(copy, cpu, monkeypatch) == {"torch.cpp", "_C"}
    (copy / "runtime/answer.h").write_text("constexpr int kAnswer = 4;\n")
    assert make(copy, cpu, monkeypatch) == {"module.cpp", "_C"}
    assert make(checkout, cpu, monkeypatch) == set()


def test_files_of_the_runtime_on_aten_are_compiled_as_one(
    checkout: Path, cpu: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(checkout, cpu, monkeypatch)
    (joined,) = checkout.glob("build/*/runtime/torch.cpp")
    names = ["first", "second"]
    assert joined.read_text() == "".join(f"#include <fusewise/torch/{n}.cpp>\n" for n in names)
    assert [path.parent.name for path in checkout.glob("build/*/runtime/**/*.o")].count(
        "torch"
    ) == 1
    (checkout / "runtime/fusewise/torch/second.cpp").unlink()
    (checkout / "runtime/fusewise/torch/third.cpp").write_text("int second() { return 2; }\n")
    assert make(checkout, cpu, monkeypatch) == {"torch.cpp", "_C"}


def test_messages_name_files_as_the_user_sees_them(
    checkout: Path, cpu: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = checkout / "generated/csrc/gate/gate_cpu.cpp"
    write_text(path, "int f() { return undeclared; }\n")
    with pytest.raises(BuildError, match=f"  {path}:1:18: error: 'undeclared' was not declared"):
        make(checkout, cpu, monkeypatch)


def test_commands_do_not_name_the_checkout(
    checkout: Path, cpu: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "runtime_dir", lambda: checkout / "runtime")
    torch = checkout / ".venv/lib/torch"
    inside = Toolchain(**{**{n: getattr(cpu, n) for n in cpu.__slots__}, "torch": torch})
    text = ninja_text("my_ops", checkout / "generated/csrc", inside, checkout)
    assert str(checkout) not in text
    assert "-isystem ../../.venv/lib/torch/include" in text
    assert "-L../../.venv/lib/torch/lib" in text
