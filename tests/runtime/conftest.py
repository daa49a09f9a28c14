from __future__ import annotations

import ctypes
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from fusewise.build.toolchain import FLOAT_FLAGS, capability_defines
from loops import CAPABILITY_FLAGS, CAPABILITY_NAMES, CPP, INCLUDE, ROOT, load_library


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of tests/runtime and the runtime that make a library, by a name for each build."""
    base = tmp_path_factory.getbasetemp()
    # of pytest-xdist, whose processes share what the first of them compiles
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "loops"
    folder.mkdir(exist_ok=True)
    flags = f"-std=c++20 -O2 -Wall -Wextra -Werror -fPIC -pthread {FLOAT_FLAGS}"
    flags += f" {capability_defines(CAPABILITY_FLAGS)}"
    runtime = [
        path
        for folder in ("core", "cpu")
        for path in sorted((ROOT / "runtime/fusewise" / folder).glob("*.cpp"))
        if not path.stem.endswith("_cpu")
    ]
    builds = {path.stem: (path, "") for path in runtime}
    builds["loop_ops"] = (CPP / "loop_ops.cpp", "")
    for name in CAPABILITY_NAMES:
        own = f"{CAPABILITY_FLAGS[name]} -DFUSEWISE_CAPABILITY={name}" if name != "default" else ""
        builds[name] = (CPP / "loop_ops_cpu.cpp", own)
        builds[f"{name}_elementary"] = (CPP / "loop_elementary_cpu.cpp", own)
        for part in ("conversions", "lanes"):
            builds[f"{name}_{part}"] = (ROOT / f"runtime/fusewise/cpu/{part}_cpu.cpp", own)

    def compiled(name: str) -> Path:
        source, own = builds[name]
        target = folder / f"{name}.o"
        command = ["g++", *flags.split(), *own.split(), f"-I{INCLUDE}", "-c", str(source)]
        with FileLock(f"{target}.lock"):
            if not target.exists():
                subprocess.run([*command, "-o", str(target)], check=True)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(builds, pool.map(compiled, builds), strict=True))


@pytest.fixture(scope="session", params=CAPABILITY_NAMES)
def library(request: pytest.FixtureRequest, objects: dict[str, Path]) -> ctypes.CDLL:
    return load_library(objects, request.param)
