"""Builds go by the contents of files: their times and the folder of the checkout do not matter."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.build import steps
from fusewise.build.contents import Contents
from fusewise.build.extension import SUFFIX, Built, build_extension
from fusewise.build.ninja import BuildError, Report
from fusewise.build.steps import plan_build
from fusewise.build.toolchain import Toolchain

Answer = Callable[[Path], int]
HEADER = "constexpr int kAnswer = {};\n"


def quiet(done: int, total: int, what: str) -> None:
    pass


@pytest.fixture
def make(sources: Path, cpu: Toolchain) -> Callable[..., Built]:
    def build(root: Path = sources.parent, report: Report = quiet) -> Built:
        target = root / "my_ops" / f"_C{SUFFIX}"
        return build_extension(
            "my_ops", root / "csrc", target, work=root / "build", toolchain=cpu, report=report
        )

    return build


def compiled(built: Built) -> set[str]:
    return {name for name, _ in built.compiled}


def objects(root: Path) -> list[str]:
    return [path.name for path in root.glob("build/**/*.o")]


def checkout(root: Path) -> list[Path]:
    return [path for name in ("csrc", "runtime") for path in (root / name).rglob("*.*")]


@pytest.mark.parametrize("folders", [("csrc", "runtime", "build"), ("build", "csrc", "runtime")])
@pytest.mark.parametrize("copy", [shutil.copy, shutil.copy2])
def test_a_copy_compiles_nothing(
    sources: Path,
    make: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
    folders: tuple[str, ...],
    copy: Callable[[str, str], object],
) -> None:
    root, there = sources.parent, sources.parent / "a copy"
    make()
    for name in folders:
        shutil.copytree(root / name, there / name, copy_function=copy)
        shutil.rmtree(root / name)
    monkeypatch.setattr(steps, "runtime_dir", lambda: there / "runtime")
    built = make(there)
    assert built.compiled == ()
    assert answer(built.path) == 42
    (there / "runtime/answer.h").write_text(HEADER.format(50))
    assert compiled(make(there)) == {"module.cpp", "_C"}
    (there / "csrc/module.cpp").write_text("wrong\n")
    with pytest.raises(BuildError, match=r"a copy/csrc/module\.cpp:1:1: error: 'wrong'"):
        make(there)


def test_times_do_not_matter(sources: Path, make: Callable[..., Built], answer: Answer) -> None:
    make()
    for time in (1, 4_000_000_000):
        for path in checkout(sources.parent):
            os.utime(path, (time, time))
        assert make().compiled == ()
        header = sources.parent / "runtime/answer.h"
        header.write_text(HEADER.format(time % 100))
        os.utime(header, (time, time))
        built = make()
        assert compiled(built) == {"module.cpp", "_C"}
        assert answer(built.path) == time % 100 + 2


def test_there_and_back(sources: Path, make: Callable[..., Built], answer: Answer) -> None:
    make()
    kept = objects(sources.parent)
    for number, expected in ((50, 52), (40, 42)):
        (sources.parent / "runtime/answer.h").write_text(HEADER.format(number))
        built = make()
        assert compiled(built) == {"module.cpp", "_C"}
        assert answer(built.path) == expected
    assert objects(sources.parent) == kept, "objects of former contents are removed"


def test_back_after_a_build_that_failed(
    sources: Path, make: Callable[..., Built], answer: Answer
) -> None:
    make()
    header = sources.parent / "runtime/answer.h"
    header.write_text("constexpr int kAnswer =;\n")
    with pytest.raises(BuildError, match="does not compile"):
        make()
    header.write_text(HEADER.format(40))
    built = make()
    assert built.compiled == ()
    assert answer(built.path) == 42


@pytest.mark.parametrize("ends", [True, False])
def test_an_edit_during_the_build(
    sources: Path, make: Callable[..., Built], answer: Answer, ends: bool
) -> None:
    """A compiler may have read the old text or the new one, whichever is there afterwards."""
    header = sources.parent / "runtime/answer.h"

    def edit(done: int, total: int, what: str) -> None:
        header.write_text(HEADER.format(50))
        if what == "module.cpp" and not ends:
            raise KeyboardInterrupt

    if ends:
        make(report=edit)
    else:
        with pytest.raises(KeyboardInterrupt):
            make(report=edit)
    header.write_text(HEADER.format(40))
    built = make()
    assert "module.cpp" in compiled(built)
    assert answer(built.path) == 42


def test_a_source_that_is_gone(sources: Path, make: Callable[..., Built]) -> None:
    (sources / "more.cpp").write_text("int more() { return 1; }\n")
    assert compiled(make()) == {"module.cpp", "more.cpp", "runtime.cpp", "_C"}
    (sources / "more.cpp").unlink()
    assert compiled(make()) == {"_C"}


def test_an_output_that_is_gone(sources: Path, make: Callable[..., Built]) -> None:
    make()
    for path in sources.parent.glob("build/*/my_ops/module*.o"):
        path.unlink()
    assert "module.cpp" in compiled(make())
    for path in sources.parent.glob("build/*/.ninja_log"):
        path.unlink()
    assert make().compiled == ()


def test_an_environment_at_another_place(sources: Path, tmp_path: Path, cpu: Toolchain) -> None:
    moved = replace(cpu, torch=tmp_path / "venv/torch")
    moved.torch.parent.mkdir()
    moved.torch.symlink_to(cpu.torch)
    here, there = (plan_build("my_ops", sources, tmp_path, each) for each in (cpu, moved))
    assert here.outputs == there.outputs
    assert here.text != there.text
    moved.torch.unlink()
    shutil.copytree(cpu.torch / "lib", moved.torch / "lib", copy_function=os.symlink)
    (moved.torch / "version.py").write_text("git_version = 'of another build'\n")
    assert not set(here.outputs) & set(plan_build("my_ops", sources, tmp_path, moved).outputs)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["cpu.cpp", "torch.cpp", "cuda.cu"])
def test_headers_that_a_compiler_reads_are_found(suffix: str) -> None:
    repository = Path(__file__).resolve().parents[2]
    folders = repository / "runtime", repository / "generated/csrc"
    toolchain = Toolchain.find()
    compiler, flags = toolchain.cxx, toolchain.cxxflags
    if suffix == "cuda.cu":
        if not toolchain.nvcc:
            pytest.skip(toolchain.no_cuda)
        compiler, flags = toolchain.nvcc, toolchain.nvccflags
    for source in sorted(folders[1].glob(f"swiglu*/*_{suffix}")):
        contents = Contents(*folders)
        contents.of(source)
        command = [compiler, *shlex.split(flags), *(f"-I{folder}" for folder in folders), "-MM"]
        told = subprocess.run([*command, source], capture_output=True, text=True, check=True).stdout
        read = {Path(word) for word in told.replace("\\\n", " ").split()[1:]}
        ours = {path for path in read if any(map(path.is_relative_to, folders))}
        assert len(ours) > 2
        assert ours <= set(contents._read)


def test_another_compiler_at_the_same_place(sources: Path, tmp_path: Path, cpu: Toolchain) -> None:
    compiler = tmp_path / "c++"
    there = replace(cpu, cxx=str(compiler))
    outputs = []
    for version in (12, 13, 12):
        compiler.write_text(f"#!/bin/sh\necho compiler {version}\n")
        compiler.chmod(0o755)
        outputs.append(plan_build("my_ops", sources, tmp_path, there).outputs)
    compiler.unlink()
    outputs.append(plan_build("my_ops", sources, tmp_path, there).outputs)
    assert outputs[0] == outputs[2]
    assert not {*outputs[0]} & {*outputs[1]}
    assert not {*outputs[0]} & {*outputs[3]}


def test_flags_that_nvcc_takes_from_the_environment(
    sources: Path, tmp_path: Path, cpu: Toolchain
) -> None:
    (sources / "kernel.cu").write_text("__global__ void kernel() {}\n")
    outputs = [
        {*plan_build("my_ops", sources, tmp_path, replace(cpu, **found)).outputs}
        for found in ({"nvcc": "nvcc"}, {"nvcc": "nvcc", "nvcc_environ": "-lineinfo"})
    ]
    names = {name.split("/")[-1].split(".")[0] for name in outputs[0] ^ outputs[1]}
    assert names == {"kernel", "_C"}, "the other file is for g++"
