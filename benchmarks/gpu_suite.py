"""Runs all that is tested on a GPU, and writes the receipt: gpu_suite.py [COMMAND...]

checks    the kernels' self checks, tests/runtime/*_cuda_check.cu, what their kernels spill, and the
          stacks of the package's kernels
tests     the generated tests and those of tests/ that have cases on a GPU, on all processors
large     of the generated tests, those of tensors beyond 32 bits: one at a time
compile   of the generated tests, those that compile with Inductor

The package must be built. All commands are run if none is named. A test that crashes or does not
run is no success, and neither is one that is skipped. Logs go to build/gpu.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import receipt
import torch
from fusewise.build.toolchain import NEWEST_ARCH
from fusewise.measure.ptxas import demangle, kernels_of

ROOT = receipt.ROOT
LOGS = ROOT / "build" / "gpu"
LIMIT = 540  # seconds of a command
CHECKS = sorted(path.stem for path in ROOT.glob("tests/runtime/*_cuda_check.cu"))
CHECKED = sorted(
    str(path.relative_to(ROOT))
    for folder, suffix in (("core", "cpp"), ("cuda", "cu"))
    for path in ROOT.glob(f"runtime/fusewise/{folder}/*.{suffix}")
)
TUNED = f"sm_{NEWEST_ARCH}"
# Bytes of local memory of a thread, of a kernel of the package. Losses of long formulas take 264;
# a kernel that took 680 was five times as slow as without.
STACK_LIMIT = 400
Result = dict[str, Any]


def main() -> None:
    wanted = sys.argv[1:] or list(receipt.COMMANDS)
    if unknown := set(wanted) - set(receipt.COMMANDS):
        sys.exit(
            f"no command {', '.join(sorted(unknown))}: there are {', '.join(receipt.COMMANDS)}"
        )
    if not torch.cuda.is_available():
        sys.exit("no CUDA device here")
    LOGS.mkdir(parents=True, exist_ok=True)
    before = receipt.digests(ROOT)
    results: dict[str, Result] = {}
    with ThreadPoolExecutor() as pool:
        has_memory = threading.Event()
        beside: dict[str, Future[Result]] = {}
        if "checks" in wanted:
            beside["checks"] = pool.submit(run_checks, has_memory)
        try:
            if "large" in wanted:  # with the memory of the GPU to itself
                results["large"] = run_tests("large", 0)
        finally:
            has_memory.set()
        for name in ("tests", "compile"):  # each keeps all processors busy
            if name in wanted:
                results[name] = run_tests(name, os.cpu_count() or 1)
        results |= {name: future.result() for name, future in beside.items()}
    if receipt.digests(ROOT) != before:
        sys.exit("the tree changed meanwhile: no receipt")
    write_receipt(before, results)
    for name in sorted(results):
        print(summary(name, results[name]))
    print(receipt.line(ROOT))
    if any(result["failed"] or result["not_run"] for result in results.values()):
        sys.exit(1)


def run_tests(name: str, workers: int) -> Result:
    """One run of pytest; `workers` processes with a CUDA context each, which take tests in turn."""
    counts = LOGS / f"{name}.json"
    counts.unlink(missing_ok=True)
    files = ["generated/tests", *(receipt.written(ROOT) if name == "tests" else ())]
    options = [
        "-p",
        "gpu_cases",
        "--cases",
        name,
        "--counts",
        str(counts),
        "-p",
        "no:cacheprovider",
    ]
    if workers:
        options += ["-p", "xdist", "-n", str(workers), "--dist", "worksteal"]
    status, seconds = run([sys.executable, "-m", "pytest", *options, *files], name, LIMIT)
    found: Result = json.loads(counts.read_text()) if counts.exists() else {}
    result = {
        "failed": found.get("failed", 0),
        "failures": found.get("failures", []),
        "not_run": found.get("not_run", 0),
        "passed": found.get("passed", 0),
        "seconds": seconds,
        "skipped": found.get("skipped", 0),
        "skips": found.get("skips", {}),
    }
    if status not in (0, 1) or not found:
        result["failed"] += 1
        result["failures"].append(f"pytest ended with status {status}: see {name}.log")
    return result


def run_checks(has_memory: threading.Event) -> Result:
    """Compiles the self checks, each beside the others, and runs them when the GPU has memory."""
    start = time.monotonic()
    with ThreadPoolExecutor() as pool:
        stacks = pool.submit(check_stacks)
        results = list(pool.map(lambda name: run_check(name, has_memory), CHECKS))
        results.append(stacks.result())
    counts: Counter[str] = Counter()
    for result in results:
        counts.update({name: result[name] for name in ("failed", "passed")})
    return {
        "failed": counts["failed"],
        "failures": [failure for result in results for failure in result["failures"]],
        "not_run": 0,
        "passed": counts["passed"],
        "seconds": round(time.monotonic() - start),
        "skipped": 0,
        "skips": {},
    }


def run_check(name: str, has_memory: threading.Event) -> Result:
    program = ROOT / "build" / name
    compiler = ["nvcc", "-std=c++20", f"-arch={arch()}", "-lineinfo", "-Xptxas=-v", "-Iruntime"]
    source = f"tests/runtime/{name}.cu"
    status, _ = run([*compiler, source, *CHECKED, "-o", str(program)], f"{name}-nvcc", LIMIT)
    if status != 0:
        return {"passed": 0, "failed": 1, "failures": [f"{name} does not compile"]}
    spills = spills_of(name, (LOGS / f"{name}-nvcc.log").read_text()) if arch() == TUNED else []
    has_memory.wait()
    status, _ = run([str(program)], name, LIMIT)
    log = (LOGS / f"{name}.log").read_text()
    groups = re.findall(r"^(?:PASS|FAIL) (\w+): (\d+) of (\d+) checks$", log, re.MULTILINE)
    failures = [f"{name} {group}" for group, passed, count in groups if passed != count]
    failed = sum(int(count) - int(passed) for _, passed, count in groups) + len(spills)
    if (status != 0) != bool(failures) or not groups:
        failures.append(f"{name} ended with status {status}")
        failed += 1
    return {
        "passed": sum(int(passed) for _, passed, _ in groups),
        "failed": failed,
        "failures": failures + spills,
    }


def arch() -> str:
    return "sm_{}{}".format(*torch.cuda.get_device_capability())


def spills_of(name: str, log: str) -> list[str]:
    """The kernels of a check that spill more than is good, from what nvcc printed."""
    kernels = kernels_of(log, {})
    if not kernels:
        return [f"{name}: nvcc tells of no kernel"]
    return [f"{name}: {kernel}: {kernel.fails}" for kernel in kernels if kernel.fails]


def check_stacks() -> Result:
    """Judges the stacks of the package's kernels, as spills: on the architecture of TUNED alone."""
    if arch() != TUNED:
        return {"passed": 0, "failed": 0, "failures": []}
    modules = map(str, ROOT.glob("generated/fusewise_ops/_C.*.so"))
    run(["cuobjdump", "--dump-resource-usage", *modules], "stacks", LIMIT)
    deep = deep_stacks((LOGS / "stacks.log").read_text())
    return {"passed": int(not deep), "failed": len(deep), "failures": deep}


def deep_stacks(log: str) -> list[str]:
    """The kernels that take more than STACK_LIMIT, from what cuobjdump printed."""
    kernels = re.findall(r"Function (\w+):\s*REG:\d+ STACK:(\d+)", log)
    if not kernels:
        return ["cuobjdump tells of no kernel of the package"]
    deep = {name: stack for name, stack in kernels if int(stack) > STACK_LIMIT}
    return [
        f"{name}: a stack of {stack} bytes, at most {STACK_LIMIT} are good"
        for name, stack in zip(demangle(list(deep)), deep.values(), strict=True)
    ]


def run(command: Sequence[str], name: str, limit: float) -> tuple[int, int]:
    """Runs a command, its output in a log, until it ends or time does; its status and seconds."""
    start = time.monotonic()
    with (LOGS / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=log, stderr=subprocess.STDOUT
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # pytest counts what it has
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()
    return process.returncode, round(time.monotonic() - start)


def environment() -> dict[str, str]:
    """Of a command: this tree's modules, nvcc, no plugins of pytest but those that are named, and
    one thread a process for tensors on the CPU, which are small, and to compile in.

    More threads than processors would wait for each other.
    """
    modules = [str(ROOT / folder) for folder in ("generator", "generated", "benchmarks")]
    compiler = str(Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin")
    return os.environ | {
        "OMP_NUM_THREADS": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PATH": os.pathsep.join([os.environ["PATH"], compiler]),
        "PYTHONPATH": os.pathsep.join(filter(None, [*modules, os.environ.get("PYTHONPATH")])),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


def write_receipt(digests: dict[str, str], results: dict[str, Result]) -> None:
    """What other commands found of the same tree, on the same machine, stays."""
    facts = {
        "device": torch.cuda.get_device_name(),
        "digests": digests,
        "torch": torch.__version__,
    }
    old = receipt.read(ROOT)
    kept = old["commands"] if old and all(old[name] == facts[name] for name in facts) else {}
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    receipt.write(ROOT, facts | {"commands": kept | results, "date": today})


def summary(name: str, result: Result) -> str:
    counts = ", ".join(f"{result[key]} {key}" for key in ("passed", "failed", "skipped", "not_run"))
    lines = [f"{name}: {counts}, {result['seconds']} s"]
    lines += [f"  FAILED {failure}" for failure in result["failures"][:40]]
    lines += [f"  skipped {n}: {reason}" for reason, n in sorted(result["skips"].items())]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
