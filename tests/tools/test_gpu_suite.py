"""The selection and the counts of the GPU tests. These tests need no GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gpu_cases
import gpu_suite
import receipt

KERNEL = "_ZN8fusewise4cuda16pointwise_kernelI4GateNS0_10VectorizedIfEEEEviT_T0_"
TESTS = """
import os
import pytest

@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("form", ["static", "inductor"])
def test_forms(device, form):
    assert (device, form) != ("cpu", "inductor")

@pytest.mark.parametrize("gpu", ["cuda"])
@pytest.mark.parametrize("span", ["elements"])
def test_spans(gpu, span):
    pytest.skip("needs 200 GiB of GPU memory")

@pytest.mark.parametrize("gpu", ["cuda"])
@pytest.mark.parametrize("what", ["passes", "skips", "fails", "crashes"])
def test_outcomes(gpu, what):
    if what == "skips":
        pytest.skip("needs two GPUs")
    if what == "crashes":
        os._exit(3)
    assert what == "passes"

def test_without_a_device():
    pass
"""


def run(folder: Path, cases: str, *options: str) -> dict[str, Any]:
    (folder / "test_some.py").write_text(TESTS)
    counts = folder / "counts.json"
    plugin = ["-p", "gpu_cases", "--cases", cases, "--counts", str(counts)]
    paths = [str(Path(gpu_cases.__file__).parent), os.environ.get("PYTHONPATH", "")]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *options, "."],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        check=False,
    )
    return json.loads(counts.read_text())


def test_what_is_no_success_is_told(tmp_path: Path) -> None:
    counts = run(tmp_path, "tests", "-n", "2", "--dist", "worksteal")
    assert counts["passed"] == 2  # the outcomes `static` and `passes`
    assert counts["skips"] == {"needs two GPUs": 1}
    assert counts["failed"] == 2
    named = " ".join(counts["failures"])
    assert "test_outcomes[fails-cuda]" in named
    assert "test_outcomes[crashes-cuda]" in named
    assert counts["not_run"] == 0


def test_commands_have_their_own_tests(tmp_path: Path) -> None:
    assert run(tmp_path, "compile")["passed"] == 1
    assert run(tmp_path, "large")["skips"] == {"needs 200 GiB of GPU memory": 1}


def test_what_did_not_run_is_counted(tmp_path: Path) -> None:
    counts = run(tmp_path, "tests", "--maxfail=1", "--deselect", "test_some.py::test_forms")
    assert (counts["passed"], counts["failed"], counts["not_run"]) == (1, 1, 1)


def test_written_tests_that_ask_for_a_gpu_are_run() -> None:
    found = receipt.written(receipt.ROOT)
    assert {"tests/tools/test_examples.py", "tests/torch/test_type_pairs.py"} <= set(found)
    assert "tests/unit/measure/bench/test_run.py" not in found


def test_what_the_self_checks_are_compiled_from_is_there() -> None:
    checks = [f"tests/runtime/{name}.cu" for name in gpu_suite.CHECKS]
    assert all((receipt.ROOT / file).is_file() for file in [*checks, *gpu_suite.CHECKED])


def test_spills_are_failures() -> None:
    def told(name: str, spilled: int) -> str:
        return (
            f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
            f"ptxas info    : Function properties for {name}\n"
            f"    8 bytes stack frame, {spilled} bytes spill stores, 0 bytes spill loads\n"
            "ptxas info    : Used 32 registers, used 0 barriers, 8 bytes smem\n"
        )

    assert gpu_suite.spills_of("sum_cuda_check", told(KERNEL, 0)) == []
    assert gpu_suite.spills_of("sum_cuda_check", told(KERNEL, 4)) == [
        "sum_cuda_check: gate pointwise Vectorized<float>: 4 bytes spilled, none are good"
    ]
    assert gpu_suite.spills_of("sum_cuda_check", "") == ["sum_cuda_check: nvcc tells of no kernel"]


def test_kernels_that_keep_much_in_local_memory_fail() -> None:
    def told(stack: int) -> str:
        usage = f"  REG:32 STACK:{stack} SHARED:0 LOCAL:0 TEXTURE:0\n"
        return f"Resource usage:\n Common:\n  GLOBAL:0\n Function {KERNEL}:\n{usage}"

    assert gpu_suite.deep_stacks(told(0) + told(400)) == []
    assert gpu_suite.deep_stacks(told(0) + told(680)) == [
        "void fusewise::cuda::pointwise_kernel<Gate, fusewise::cuda::Vectorized<float> >(int, Gate,"
        " fusewise::cuda::Vectorized<float>): a stack of 680 bytes, at most 400 are good"
    ]
    assert gpu_suite.deep_stacks("") == ["cuobjdump tells of no kernel of the package"]
