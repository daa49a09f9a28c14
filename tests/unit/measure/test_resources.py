"""What CUDA kernels take: as ptxas says, and that it is little."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise import cli
from fusewise.build.toolchain import Toolchain
from fusewise.folders import runtime_dir
from fusewise.measure.resources import REDUCE_SPILL_LIMIT, SIZE_LIMIT, Kernel, Op, Results, measure

ROOT = Path(__file__).resolve().parents[3]
SOURCES = [*ROOT.glob("tests/runtime/*.cu"), runtime_dir() / "fusewise/cuda/finish.cu"]
GOOD = Kernel("backward", "elementwise", "Packed<half>, 1", 32, 0, 0, 0, 0, 8192)
REDUCING = Kernel(
    "backward", "reduce", "Packed<half>", 64, 16, REDUCE_SPILL_LIMIT, 100, 9216, 30720
)
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")


def test_what_fails() -> None:
    spilling = replace(GOOD, spill_stores=8)
    reducing = replace(REDUCING, spill_stores=REDUCE_SPILL_LIMIT + 4)
    assert Op("gate", 1.0, SIZE_LIMIT, (GOOD, REDUCING)).failures == []
    assert Op("gate", 1.0, SIZE_LIMIT + 1024, (spilling, reducing)).failures == [
        "gate: backward elementwise Packed<half>, 1: 8 bytes spilled, none are good",
        "gate: backward reduce Packed<half>: 12 bytes spilled, at most 8 are good",
        "gate: a variant adds 301 KiB, at most 300 KiB are good",
    ]


def test_the_limit_is_that_of_a_variant() -> None:
    passes = [f"act{n}_{name}" for n in (1, 2) for name in ("forward", "double_backward")]
    kernels = tuple(replace(GOOD, op_pass=name) for name in passes)
    assert Op("gate", 1.0, 2 * SIZE_LIMIT, kernels).failures == []
    assert Op("gate", 1.0, 2 * SIZE_LIMIT + 4096, kernels).failures == [
        "gate: a variant adds 302 KiB, at most 300 KiB are good"
    ]
    assert Op("gate", 1.0, SIZE_LIMIT, kernels[:2]).variants == 1


def test_tables() -> None:
    small = Op("small", 2.0, 1024, (GOOD,))
    results = Results("90", "nvcc 13.0", (small, Op("large", 1.0, 2048, (GOOD, REDUCING))))
    assert results.worst == (
        "At most 64 registers (large: backward reduce Packed<half>), 8 bytes spilled"
        " (large: backward reduce Packed<half>), 2 KiB added by a variant (large),"
        " 2.0 s of CPU time to compile one (small)."
    )
    page = results.markdown().splitlines()
    assert "| large | 1 | 2 | 64 | 8 | 38912 | 2 | 1.0 |" in page
    assert "## large: 2 kernels, adds 2 KiB, 38 KiB of code, 1.0 s" in page
    assert page[-1] == "| backward | reduce | Packed\\<half> | 64 | 16 | 8/100 | 9216 | 30720 |"
    assert "│ backward │ elementwise │ Packed<half>, 1 │" in str(results)
    assert str(results).endswith(f"sm_90, nvcc 13.0. {results.worst}\n")
    assert "nothing spilled" in replace(results, ops=(small,)).worst
    assert json.loads(results.json())["ops"][1]["kernels"][1]["registers"] == 64


@pytest.mark.slow
@needs_nvcc
def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    page = tmp_path / "page.json"
    with pytest.raises(SystemExit) as stop:
        cli.main(["kernels", "swiglu", "--arch", "90", "--output", str(page)])
    assert (stop.value.code or 0, capsys.readouterr().err) == (0, "")
    (op,) = json.loads(page.read_text())["ops"]
    kernels = [Kernel(**kernel) for kernel in op["kernels"]]
    forms = {(kernel.op_pass, kernel.form) for kernel in kernels}
    assert {
        ("forward", "elementwise"),
        ("backward", "elementwise"),
        ("backward", "reduce"),
    } <= forms
    assert ("forward", "reduce") not in forms
    for kernel in kernels:
        assert kernel.form == "reduce" or kernel.spill_stores == kernel.spill_loads == 0
        assert 16 <= kernel.registers <= 255
        assert kernel.code % 16 == 0
        assert kernel.code > 1000
    assert 0 < op["added"] < sum(kernel.code for kernel in kernels)  # it is compressed


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize("arch", ["80", "90"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_hand_written_kernels_compile_without_warnings_or_spills(source: Path, arch: str) -> None:
    toolchain = replace(Toolchain.find({"FUSEWISE_CUDA": "1"}), strict=True)
    assert toolchain.nvcc
    flags = toolchain.cuda_flags([f"arch=compute_{arch},code=sm_{arch}"]).split()
    op = measure(source.stem, source, toolchain.nvcc, [*flags, f"-I{runtime_dir()}"])
    assert op.kernels
    assert [f"{kernel}: {kernel.fails}" for kernel in op.kernels if kernel.fails] == []
