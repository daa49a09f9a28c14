"""Starts of kernels, with stubs in place of the CUDA runtime."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from loops import CPP, INCLUDE, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc"),
]
NO_IMAGE, OLD_DRIVER, OTHER = "209", "222", "700"  # errors of CUDA
BUILT = "what CUDA says. This package is built for sm_80, sm_90, and not for"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("start") / "start_check"
    archs = [f"-gencode=arch=compute_{arch},code=sm_{arch}" for arch in (80, 90)]
    sources = [ROOT / "runtime/fusewise/cuda/start.cu", CPP / "start_check.cpp"]
    command = ["nvcc", "-std=c++20", "-O0", *archs, "-gencode=arch=compute_90,code=compute_90"]
    command += ["-cudart", "none", f"-I{INCLUDE}", *map(str, sources), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


@pytest.mark.parametrize(
    ("error", "capability", "message"),
    [
        ("0", "9 0 0", "started"),
        ("0", "9 0 65536", "started"),  # more shared memory than a kernel has unasked
        ("0", "9 0 100352", "started"),  # all that the kernel's own variables leave
        ("0", "9 0 101376", "what CUDA says"),  # more than they leave
        (OTHER, "9 0 0", "what CUDA says"),
        (
            NO_IMAGE,
            "7 5 0",
            f"{BUILT} sm_75 (NVIDIA GPU of a test, compute capability 7.5)\n"
            '  hint: FUSEWISE_ARCHS="75" fusewise build, or `pip wheel` with this setting',
        ),
        (
            OLD_DRIVER,
            "12 0 0",
            f"{BUILT} sm_120 (NVIDIA GPU of a test, compute capability 12.0)\n"
            "  hint: update the driver, or build for this GPU: "
            'FUSEWISE_ARCHS="120" fusewise build, or `pip wheel` with this setting',
        ),
    ],
)
def test_a_gpu_without_kernels_is_named(
    program: Path, error: str, capability: str, message: str
) -> None:
    command = [str(program), error, *capability.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{message}\n"


def test_each_block_of_a_large_cluster_needs_a_multiprocessor(program: Path) -> None:
    done = subprocess.run([program, "clusters"], capture_output=True, text=True, check=True)
    assert done.stdout == "1 0\n"
