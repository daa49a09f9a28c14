"""Runs the CPU kernels under AddressSanitizer and UndefinedBehaviorSanitizer: `make sanitize`."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "generator"))

from fusewise.build.toolchain import CAPABILITIES, FLOAT_FLAGS, capability_defines  # noqa: E402

CXX = os.environ.get("CXX", "g++")
FLAGS = f"-std=c++20 -O1 -g1 -Wall -Wextra -Werror {FLOAT_FLAGS}"
FLAGS += " -fsanitize=address,undefined -fno-sanitize-recover=all"


def main() -> None:
    capabilities = CAPABILITIES if platform.machine() == "x86_64" else {}
    flags = [*FLAGS.split(), f"-I{ROOT}/runtime"]
    flags += capability_defines(capabilities).split()
    cpp, runtime = ROOT / "tests/runtime", ROOT / "runtime/fusewise"
    builds = [(cpp / "loop_cpu_check.cpp", "")]
    builds += [
        (path, "")
        for folder in ("core", "cpu")
        for path in sorted((runtime / folder).glob("*.cpp"))
        if not path.stem.endswith("_cpu")
    ]
    kernels = [cpp / "loop_ops_cpu.cpp", *sorted((runtime / "cpu").glob("*_cpu.cpp"))]
    builds += [(path, "") for path in kernels]
    for name, own in capabilities.items():
        builds += [(path, f"{own} -DFUSEWISE_CAPABILITY={name}") for path in kernels]
    with tempfile.TemporaryDirectory() as folder:
        objects = [f"{folder}/{place}.o" for place in range(len(builds))]
        for target, (source, own) in zip(objects, builds, strict=True):
            command = [CXX, *flags, *own.split(), "-c", str(source), "-o", target]
            subprocess.run(command, check=True)
        check = f"{folder}/check"
        subprocess.run([CXX, *flags, *objects, "-o", check], check=True)
        for capability in ("default", *capabilities):  # the next best if the processor lacks it
            environ = os.environ | {"ATEN_CPU_CAPABILITY": capability}
            subprocess.run([check], env=environ, check=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {error}")
