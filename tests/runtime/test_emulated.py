"""The checks of CUDA kernels on a CPU, by the emulation of emulated/emulation.h."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from loops import CPP, INCLUDE, ROOT

CUDA = ROOT / "runtime/fusewise/cuda"
CORE = ROOT / "runtime/fusewise/core"
EMULATION = CPP / "emulated"
# The groups of each program that take seconds; the others take minutes.
GROUPS = {
    "bits": ("hoisted",),
    "cluster": ("lengths", "many"),
    "layout": ("layouts", "transposed", "pairs", "repeated", "cuts"),
    "mixed": ("mixed",),
    "loss": ("relative",),
    "norm": ("sums", "given", "late"),
    "row": ("lengths", "layouts", "clusters", "special"),
    "sum": ("many_sums", "broadcast_reductions", "sums"),
    "totals": ("layouts", "masked", "special", "zeros"),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc, so no headers of CUDA"),
]


def cuda_headers() -> list[str]:
    """The options that name the folders of CUDA's headers."""
    command = ["nvcc", "--dryrun", "-c", "none.cu"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return re.findall(r'-I[^"\s]+', shown)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The program of each kind of checks."""
    folder = tmp_path_factory.mktemp("emulated")
    checks = {kind: CPP / f"{kind}_cuda_check.cu" for kind in GROUPS}
    kernels = [path for path in CUDA.glob("*.cu") if path.stem != "start"]
    shared = [*kernels, *CORE.glob("*.cpp"), CPP / "loop_cuda.cu", EMULATION / "emulation.cpp"]
    options = ["-std=c++20", "-O1", "-w", "-fno-extern-tls-init", "-x", "c++"]
    options += ["-include", str(EMULATION / "emulation.h"), f"-I{EMULATION}", f"-I{INCLUDE}"]
    options += [f"-I{CPP}", *cuda_headers()]

    def compiled(source: Path) -> Path:
        target = folder / f"{source.name}.o"
        subprocess.run(["g++", *options, "-c", str(source), "-o", str(target)], check=True)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, [*checks.values(), *shared]))
    common = objects[len(checks) :]
    for kind, own in zip(checks, objects, strict=False):
        subprocess.run(["g++", *map(str, [own, *common]), "-o", str(folder / kind)], check=True)
    return {kind: folder / kind for kind in checks}


@pytest.mark.parametrize(
    ("kind", "group"), [(kind, group) for kind, groups in GROUPS.items() for group in groups]
)
def test_kernels_pass_their_checks(programs: dict[str, Path], kind: str, group: str) -> None:
    done = subprocess.run([programs[kind], group], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert re.fullmatch(rf"PASS {group}: (\d+) of \1 checks\n", done.stdout)
