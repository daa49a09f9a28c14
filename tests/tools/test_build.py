"""Builds of an extension: a source is compiled again when it or a header of its changes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.build import steps, tree
from fusewise.build.contents import without_key
from fusewise.build.extension import SUFFIX, Built, build_extension
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import Toolchain

Answer = Callable[[Path], int]


def make(sources: Path, toolchain: Toolchain, package: str = "my_ops") -> Built:
    root = sources.parent
    target = root / package / f"_C{SUFFIX}"
    return build_extension(package, sources, target, work=root / "build", toolchain=toolchain)


def text_of(sources: Path, toolchain: Toolchain) -> str:
    """The ninja file, with the names of outputs that any contents have."""
    plan = steps.plan_build("my_ops", sources, sources.parent / "build", toolchain)
    return re.sub(r"\S+\.\w+(?=[:\s])", lambda name: without_key(name[0]), plan.text)


def test_a_build_gives_a_module(sources: Path, cpu: Toolchain, answer: Answer) -> None:
    built = make(sources, cpu)
    assert built.path.name == f"_C{SUFFIX}"
    assert {name for name, _ in built.compiled} == {"module.cpp", "runtime.cpp", "_C"}
    assert answer(built.path) == 42


def test_what_did_not_change_is_not_built_again(sources: Path, cpu: Toolchain) -> None:
    first = make(sources, cpu)
    stamp = first.path.stat().st_mtime_ns
    again = make(sources, cpu)
    assert again.compiled == ()
    assert again.path.stat().st_mtime_ns == stamp


def test_a_changed_header_rebuilds_what_includes_it(
    sources: Path, cpu: Toolchain, answer: Answer
) -> None:
    make(sources, cpu)
    (sources.parent / "runtime/answer.h").write_text("constexpr int kAnswer = 50;\n")
    built = make(sources, cpu)
    assert {name for name, _ in built.compiled} == {"module.cpp", "_C"}
    assert answer(built.path) == 52


def test_files_of_the_runtime_on_aten_are_compiled_as_two(sources: Path, cpu: Toolchain) -> None:
    folder = sources.parent / "runtime/fusewise/torch"
    for name in ("first", "second", "module"):
        tree.write_text(folder / f"{name}.cpp", f"int {name}() {{ return 1; }}\n")
    ours = {"module.cpp", "runtime.cpp", "python.cpp", "torch.cpp", "_C"}
    assert {name for name, _ in make(sources, cpu).compiled} == ours
    assert not list(sources.parent.glob("build/*/runtime/fusewise/torch/*.o"))
    (folder / "second.cpp").rename(folder / "third.cpp")
    assert {name for name, _ in make(sources, cpu).compiled} == {"torch.cpp", "_C"}


def test_what_takes_long_is_compiled_first(sources: Path, cpu: Toolchain) -> None:
    for name in ("a/a_cpu.cpp", "a/a_cuda.cu", "b/b_cuda.cu"):
        tree.write_text(sources / name, "")
    runtime = sources.parent / "runtime/fusewise"
    for name in ("torch/run.cpp", "cuda/one.cu", "cuda/two.cu"):
        tree.write_text(runtime / name, "")
    toolchain = replace(cpu, nvcc="/cuda/bin/nvcc", archs=("90",), capabilities=())
    plan = steps.plan_build("my_ops", sources, sources.parent / "build", toolchain)
    assert [Path(without_key(output)).stem for output in plan.outputs] == [
        *("torch.cpp", "a_cuda.cu", "b_cuda.cu", "cuda.cu", "a_cpu.cpp", "module.cpp"),
        *("runtime.cpp", "_C"),
    ]
    lines = (sources.parent / "build/cuda.cu").read_text().splitlines()
    assert lines == ["#include <fusewise/cuda/one.cu>", "#include <fusewise/cuda/two.cu>"]


def test_a_runtime_of_other_files_after_a_build_that_failed(
    sources: Path, cpu: Toolchain, answer: Answer
) -> None:
    runtime = sources.parent / "runtime"
    tree.write_text(runtime / "fusewise/torch/first.cpp", "int first() { return 1; }\n")
    make(sources, cpu)
    (runtime / "answer.h").write_text("constexpr int kAnswer =;\n")
    with pytest.raises(BuildError, match="does not compile"):
        make(sources, cpu)
    (runtime / "answer.h").write_text("constexpr int kAnswer = 50;\n")
    tree.write_text(runtime / "fusewise/torch/second.cpp", "int second() { return 2; }\n")
    assert answer(make(sources, cpu).path) == 52


def test_cpu_kernels_are_compiled_for_each_capability(sources: Path, cpu: Toolchain) -> None:
    tree.write_text(sources / "op" / "op_cpu.cpp", "")
    one, two = replace(cpu, capabilities=()), replace(cpu, capabilities=("avx2", "avx512"))
    text = text_of(sources, two)
    for name, flag in (("avx2", "-mavx2 "), ("avx512", "-mavx512f ")):
        assert f"build my_ops/op/op_cpu.cpp.{name}.o: cxx\n" in text
        assert f"-DFUSEWISE_CAPABILITY={name} {flag}" in text
    assert text.count("/op_cpu.cpp.avx2.o") == 3  # compiled, waited for, and linked
    assert "-DFUSEWISE_WITH_AVX" in text
    assert "avx" not in text_of(sources, one).lower()


def test_packages_share_the_objects_of_the_runtime(sources: Path, cpu: Toolchain) -> None:
    make(sources, cpu)
    other = make(sources, cpu, "other_ops")
    assert {name for name, _ in other.compiled} == {"module.cpp", "_C"}
    assert make(sources, cpu).compiled == ()


def test_toolchains_share_equal_objects_of_the_runtime(sources: Path, cpu: Toolchain) -> None:
    make(sources, cpu)
    native, strict = replace(cpu, native=True), replace(cpu, strict=not cpu.strict)
    assert {name for name, _ in make(sources, native).compiled} == {"module.cpp", "_C"}
    assert "runtime.cpp" in dict(make(sources, strict).compiled)  # by another command
    (sources.parent / "runtime/runtime.cpp").write_text("int from_runtime() { return 3; }\n")
    assert "runtime.cpp" in dict(make(sources, native).compiled)
    assert "runtime.cpp" not in dict(make(sources, cpu).compiled)


def test_two_builds_at_a_time(sources: Path, cpu: Toolchain) -> None:
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda package: make(sources, cpu, package), ["my_ops", "other_ops"]))
    names = sorted(name for built in both for name, _ in built.compiled)
    assert names == ["_C", "_C", "module.cpp", "module.cpp", "runtime.cpp"]


def test_a_compiler_error_is_readable(sources: Path, cpu: Toolchain) -> None:
    tree.write_text(sources / "swiglu/swiglu_cpu.cpp", "int f() { return undeclared; }\n")
    with pytest.raises(BuildError) as error:
        make(sources, cpu)
    lines = str(error.value).splitlines()
    assert lines[0] == "my_ops/swiglu/swiglu_cpu.cpp does not compile:"
    assert "'undeclared' was not declared in this scope" in lines[2]
    assert "-std=" not in str(error.value)
    assert Path(lines[-1].removeprefix("the whole output is in ")).read_text().count("-std=") == 1


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("#error unsupported GNU version! gcc versions later than 15 are not supported", "name an"),
        ("fatal error: error writing to out.o: No space left on device", "the disk is full"),
        ("g++: fatal error: Killed signal terminated program cc1plus", "memory ran out"),
    ],
)
def test_an_error_of_the_machine_has_a_hint(
    sources: Path, cpu: Toolchain, tmp_path: Path, said: str, hint: str
) -> None:
    compiler = tmp_path / "g++"
    compiler.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    compiler.chmod(0o755)
    with pytest.raises(BuildError) as error:
        make(sources, replace(cpu, cxx=str(compiler)))
    assert said in error.value.problem
    assert hint in error.value.hint
    assert str(error.value) == f"{error.value.problem}\n  hint: {error.value.hint}"


def test_warnings_are_handed_on_and_can_be_errors(sources: Path, cpu: Toolchain) -> None:
    tree.write_text(sources / "unused.cpp", "static int unused() { return 1; }\n")
    assert "unused" in make(sources, cpu).warnings
    with pytest.raises(BuildError, match="does not compile"):
        make(sources, replace(cpu, strict=True))


def test_paths_with_odd_characters(sources: Path, cpu: Toolchain, answer: Answer) -> None:
    odd = sources.parent / "a b$c:d"
    sources.rename(odd)
    assert answer(make(odd, cpu).path) == 42


@pytest.mark.parametrize("left", ["a folder", "nothing"])
def test_nothing_to_compile(sources: Path, cpu: Toolchain, left: str) -> None:
    (sources / "module.cpp").unlink()
    if left == "nothing":
        sources.rmdir()
    with pytest.raises(BuildError, match="run `fusewise generate` first"):
        make(sources, cpu)
    assert not list(sources.parent.glob("my_ops/*"))


@pytest.mark.slow
def test_cuda_is_compiled_without_a_gpu(sources: Path, answer: Answer) -> None:
    toolchain = Toolchain.find({**os.environ, "FUSEWISE_CUDA": "auto", "FUSEWISE_ARCHS": "90"})
    if not toolchain.nvcc:
        pytest.skip(toolchain.no_cuda)
    (sources / "kernel.cu").write_text(
        "#include <answer.h>\n"
        "__global__ void kernel(int* out) { *out = 1; }\n"
        "int from_cuda() {\n"
        "  return cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1) == -1 ? kAnswer : 0;\n"
        "}\n"
    )
    strict = replace(toolchain, strict=True)
    built = make(sources, strict)
    assert answer(built.path) == 42
    (sources.parent / "runtime/answer.h").write_text("constexpr int kAnswer = 50;\n")
    assert "kernel.cu" in {name for name, _ in make(sources, strict).compiled}
    exported = subprocess.run(
        ["nm", "-D", "--defined-only", str(built.path)], capture_output=True, text=True, check=True
    )
    assert "cuda" not in exported.stdout.lower()  # torch's own CUDA runtime must not take its place
