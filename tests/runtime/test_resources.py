"""Registers, spills and bytes of code of the tree's kernels, as ptxas reports them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from fusewise.build.toolchain import Toolchain
from fusewise.cli import main
from fusewise.folders import runtime_dir
from fusewise.measure.resources import Kernel, measure

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("tests/runtime/*.cu"), runtime_dir() / "fusewise/cuda/finish.cu"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc"),
]


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    page = tmp_path / "page.json"
    with pytest.raises(SystemExit) as stop:
        main(["kernels", "swiglu", "--arch", "90", "--output", str(page)])
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
    assert 0 < op["added"] < sum(kernel.code for kernel in kernels)  # the code is compressed


@pytest.mark.parametrize("arch", ["80", "90"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_hand_written_kernels_compile_without_warnings_or_spills(source: Path, arch: str) -> None:
    toolchain = replace(Toolchain.find({"FUSEWISE_CUDA": "1"}), strict=True)
    assert toolchain.nvcc
    flags = toolchain.cuda_flags([f"arch=compute_{arch},code=sm_{arch}"]).split()
    op = measure(source.stem, source, toolchain.nvcc, [*flags, f"-I{runtime_dir()}"])
    assert op.kernels
    assert [f"{kernel}: {kernel.fails}" for kernel in op.kernels if kernel.fails] == []
