"""Registers, spills and bytes of code of kernels, as ptxas reports them.

Those of the hand-written checks are looked at where these run, by benchmarks/gpu_suite.py.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from formulas import draw_formulas
from fusewise.build.toolchain import PTX_ONLY, Toolchain
from fusewise.build.tree import write_text
from fusewise.cli import main
from fusewise.folders import runtime_dir
from fusewise.generate import render_specs
from fusewise.measure.resources import measure

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("tests/runtime/*.cu"), runtime_dir() / "fusewise/cuda/finalize.cu"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc"),
]


def strict_toolchain() -> Toolchain:
    return replace(Toolchain.find({"FUSEWISE_CUDA": "1"}), strict=True)


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    page = tmp_path / "page.md"
    with pytest.raises(SystemExit) as stop:
        main(["kernels", "swiglu", "--arch", "90", "--output", str(page)])
    assert (stop.value.code or 0, capsys.readouterr().err) == (0, "")
    rows = [re.split(r" *\| *", line.strip("| ")) for line in page.read_text().splitlines()]
    assert {
        ("forward", "pointwise"),
        ("backward", "pointwise"),
        ("backward", "reduction"),
    } <= {tuple(row[:2]) for row in rows}
    assert ["forward", "reduction"] not in [row[:2] for row in rows]
    (overview,) = (row for row in rows if row[0] == "swiglu")
    kernels = [row for row in rows if row[0].endswith("ward")]
    assert len(kernels) == int(overview[2])
    for _, form, _, registers, _, spilled, _, code in kernels:
        assert form == "reduction" or spilled == "0"
        assert 16 <= int(registers) <= 255
        assert int(code) % 16 == 0
        assert int(code) > 1000
    # the code is compressed
    assert 0 < 1024 * int(overview[6]) < sum(int(code) for *_, code in kernels)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_hand_written_kernels_compile_without_warnings(source: Path, tmp_path: Path) -> None:
    """By the front end of the compiler, which gives all warnings."""
    toolchain = strict_toolchain()
    flags = toolchain.cuda_flags([f"80{PTX_ONLY}", f"90{PTX_ONLY}"]).split()
    command = [str(toolchain.nvcc), *flags, "-fdevice-syntax-only", f"-I{runtime_dir()}"]
    run = subprocess.run(
        [*command, "-c", str(source), "-o", str(tmp_path / "check.o")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout + run.stderr) == (0, "")


def test_hoisted_values_of_possible_row_scalars_do_not_spill(tmp_path: Path) -> None:
    formula = draw_formulas(14, 0)[13]  # its gradients are three sums, and hoist three values
    files = render_specs({f"{formula.name}.yaml": formula.text}, "drawn")
    for name, text in files.items():
        write_text(tmp_path / name, text)
    source = tmp_path / f"csrc/{formula.name}/{formula.name}_cuda.cu"
    toolchain = strict_toolchain()
    assert toolchain.nvcc
    flags = [*toolchain.cuda_flags(["90"]).split(), f"-I{runtime_dir()}", f"-I{tmp_path / 'csrc'}"]
    kernels = measure(source.stem, source, toolchain.nvcc, flags).kernels
    sums = [k for k in kernels if k.form == "reduction" and k.vector.startswith("Vectorized")]
    assert len(sums) == 3
    assert [f"{kernel}: {kernel.fails}" for kernel in sums if kernel.fails] == []
