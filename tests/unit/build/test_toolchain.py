"""A toolchain for one machine alone: its processor, its torch, its GPUs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fusewise.build import toolchain
from fusewise.build.toolchain import CAPABILITIES, DEFAULT_ARCHS, Toolchain

AVX2 = {"avx", "avx2", "fma", "f16c"}
AVX512 = AVX2 | {"avx512f", "avx512dq", "avx512vl", "avx512bw"}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """x86-64 with AVX-512, nvcc, a torch with CUDA, and no GPU."""
    monkeypatch.setattr(toolchain.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(toolchain, "find_nvcc", lambda environ: ("/cuda/bin/nvcc", ""))
    monkeypatch.setattr(toolchain, "gpu_architectures", lambda: ())
    monkeypatch.setattr(toolchain, "_processor_features", lambda: AVX512)
    monkeypatch.setattr(toolchain, "torch_cuda", lambda torch: "13.0")
    return monkeypatch


@pytest.mark.parametrize(
    ("features", "wish", "expected"),
    [
        (AVX512, None, ("avx512",)),
        (AVX512, "avx2", ("avx2",)),
        (AVX512, "default", ("avx512",)),
        (AVX512 - {"avx512bw"}, None, ("avx2",)),
        (AVX2, "avx512", ("avx2",)),
        (AVX2 - {"fma"}, None, ()),
    ],
)
def test_the_best_capability_of_the_processor(
    machine: pytest.MonkeyPatch, features: set[str], wish: str | None, expected: tuple[str, ...]
) -> None:
    machine.setattr(toolchain, "_processor_features", lambda: features)
    environ = {} if wish is None else {"ATEN_CPU_CAPABILITY": wish}
    assert Toolchain.find_native(environ).capabilities == expected
    assert Toolchain.find_in_place(environ).capabilities == expected
    assert Toolchain.find(environ).capabilities == tuple(CAPABILITIES)


def test_the_gpus_that_are_present(machine: pytest.MonkeyPatch) -> None:
    assert Toolchain.find({}).archs == Toolchain.find_native({}).archs == DEFAULT_ARCHS == ("80",)
    machine.setattr(toolchain, "gpu_architectures", lambda: ("89", "90"))
    assert Toolchain.find({}).archs == Toolchain.find_native({}).archs == ("89", "90")
    assert Toolchain.find_native({"FUSEWISE_ARCHS": "100"}).archs == ("100",)


def test_the_flags_that_nvcc_takes_from_the_environment(machine: pytest.MonkeyPatch) -> None:
    flags = {"NVCC_PREPEND_FLAGS": "-G", "NVCC_APPEND_FLAGS": "-lineinfo"}
    assert Toolchain.find(flags).nvcc_environ == "-G -lineinfo"
    assert Toolchain.find({}).nvcc_environ == ""


@pytest.mark.parametrize(
    ("told", "flag"),
    [
        ("Cuda compilation tools, release 12.9, V12.9.86", "-Xfatbin=-compress-all"),
        ("Cuda compilation tools, release 13.0, V13.0.48", "-compress-mode=size"),
        ("Segmentation fault", "-Xfatbin=-compress-all"),
    ],
)
def test_drivers_of_the_same_cuda_can_read_device_code(
    machine: pytest.MonkeyPatch, tmp_path: Path, told: str, flag: str
) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\necho {told}\n")
    nvcc.chmod(0o755)
    machine.setattr(toolchain, "find_nvcc", lambda environ: (str(nvcc), ""))
    assert f" {flag} " in Toolchain.find({}).nvccflags


def test_a_torch_without_cuda_takes_no_cuda_kernels(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(toolchain, "torch_cuda", lambda torch: None)
    native = Toolchain.find_native({})
    assert (native.nvcc, native.archs) == (None, ())
    assert str(native).endswith("CPU kernels only (this torch has no CUDA)")
    assert Toolchain.find_native({"FUSEWISE_CUDA": "1"}).nvcc == "/cuda/bin/nvcc"
    assert Toolchain.find({}).nvcc == "/cuda/bin/nvcc", "a package may go to another machine"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cuda: Optional[str] = '13.0'", "13.0"),
        ("cuda = '13.0'", "13.0"),
        ("cuda: Optional[str] = None", None),
        ("__all__ = ['cuda']", None),
    ],
)
def test_the_cuda_of_a_torch(tmp_path: Path, line: str, expected: str | None) -> None:
    (tmp_path / "version.py").write_text(f"__version__ = '2.13.0'\n{line}\nhip = '7.0'\n")
    assert toolchain.torch_cuda(tmp_path) == expected


def test_object_files_of_other_machines_are_kept_apart(machine: pytest.MonkeyPatch) -> None:
    native = Toolchain.find_native({})
    assert native.tag.endswith("-cuda-native-avx512-sm_80")
    assert Toolchain.find({}).tag.endswith("-cuda")


NVML = """\
extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 4; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(0x100000000 + index);
  return index == 2;  // a GPU that the process may not use
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  const auto index = reinterpret_cast<unsigned long>(device) - 0x100000000;
  *major = index == 3 ? 8 : 10;
  *minor = index == 3 ? 9 : 0;
  return 0;
}
}
"""


def test_a_library_without_the_functions_lists_no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(nvmlInit_v2=lambda: 0)
    monkeypatch.setattr(toolchain.ctypes, "CDLL", lambda name: library)
    assert toolchain.gpu_architectures.__wrapped__() == ()


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++ for the stand-in of the library")
def test_the_library_of_the_driver_lists_the_gpus(tmp_path: Path) -> None:
    (tmp_path / "nvml.cpp").write_text(NVML)
    target = tmp_path / "libnvidia-ml.so.1"
    command = ["g++", "-shared", "-fPIC", str(tmp_path / "nvml.cpp"), "-o", str(target)]
    subprocess.run(command, check=True)
    code = "from fusewise.build import toolchain; print(toolchain.gpu_architectures())"
    paths = {
        "LD_LIBRARY_PATH": str(tmp_path),
        "PYTHONPATH": str(Path(toolchain.__file__).parents[2]),
    }
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | paths,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "('89', '100')\n"
