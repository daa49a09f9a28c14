"""The toolchain: compilers, architectures and flags."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.build import toolchain, tree
from fusewise.build.contents import without_key
from fusewise.build.ninja import BuildError
from fusewise.build.steps import plan_build
from fusewise.build.toolchain import Toolchain


def test_the_ninja_file_is_the_same_every_time(sources: Path, cpu: Toolchain) -> None:
    for name in ("b/b.cpp", "a/a.cpp", "a/a.cu", "a/a.h"):
        tree.write_text(sources / name, "")
    folder = sources.parent / "build"
    plan = plan_build("my_ops", sources, folder, cpu)
    assert plan == plan_build("my_ops", sources, folder, cpu)
    outputs = [
        "my_ops/a/a.cpp.o",
        "my_ops/b/b.cpp.o",
        "my_ops/module.cpp.o",
        "runtime/runtime.cpp.o",
        "my_ops/_C.so",
    ]
    assert list(map(without_key, plan.outputs)) == outputs
    built = [line.split(":")[0] for line in plan.text.splitlines() if line.startswith("build ")]
    assert built == [f"build {output}" for output in plan.outputs]
    with_kernels = plan_build("my_ops", sources, folder, with_cuda(cpu)).outputs
    assert "my_ops/a/a.cu.o" in map(without_key, with_kernels)


def with_cuda(toolchain: Toolchain) -> Toolchain:
    return replace(toolchain, nvcc="/cuda/bin/nvcc", archs=("80", "90"))


def test_architectures(cpu: Toolchain) -> None:
    flags = with_cuda(cpu).nvccflags
    assert "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90" in flags
    assert flags.count("code=compute_") == 1
    assert "code=compute_90" in flags
    only = replace(with_cuda(cpu), archs=("80", "90a")).nvccflags
    assert "code=sm_90a -gencode=arch=compute_80,code=compute_80" in only
    ptx = replace(with_cuda(cpu), archs=("80", "90-virtual")).nvccflags
    assert "code=sm_80 -gencode=arch=compute_90,code=compute_90 -Xcompiler" in ptx
    assert str(replace(with_cuda(cpu), archs=("80", "90-virtual"))).count("sm_80, compute_90") == 1
    assert toolchain.find_architectures({"FUSEWISE_ARCHS": "8.0;9.0+PTX"}) == ("80", "90")
    assert toolchain.find_architectures({"FUSEWISE_ARCHS": "80;9.0-virtual"}) == (
        "80",
        "90-virtual",
    )
    assert toolchain.find_architectures({"FUSEWISE_ARCHS": "90a, 100"}) == ("90a", "100")
    with pytest.raises(BuildError, match="'native'"):
        toolchain.find_architectures({"FUSEWISE_ARCHS": "native"})


def test_without_nvcc_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda name, path=None: None)
    found, why = toolchain.find_nvcc({})
    assert found is None
    assert why == "no nvcc in CUDA_HOME, on PATH or in /usr/local/cuda"
    with pytest.raises(BuildError, match="FUSEWISE_CUDA=1, but no nvcc"):
        toolchain.find_nvcc({"FUSEWISE_CUDA": "1"})


def test_what_the_toolchain_says(cpu: Toolchain) -> None:
    assert str(cpu) == f"torch {cpu.torch_version}, CPU kernels only (FUSEWISE_CUDA=0)"
    assert "CPU and CUDA kernels for sm_80, sm_90 with /cuda/bin/nvcc" in str(with_cuda(cpu))
    with pytest.raises(BuildError, match="expected 0, 1 or auto"):
        Toolchain.find({"FUSEWISE_CUDA": "yes"})
    with pytest.raises(BuildError, match="no-such-compiler is not on PATH"):
        Toolchain.find({"FUSEWISE_CUDA": "0", "CXX": "no-such-compiler"})


def test_torch_is_found_without_importing_it() -> None:
    code = (
        "from fusewise.build.toolchain import Toolchain; Toolchain.find(); "
        "import sys; print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    environ = os.environ | {"PYTHONPATH": str(Path(toolchain.__file__).parents[2])}
    loaded = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "torch" not in loaded.stdout.split()
