"""Compilation of contenders ahead of their turn, in several processes."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from filelock import FileLock

from fusewise.build.ninja import Report
from fusewise.measure.bench.actions import Contender, forget
from fusewise.measure.bench.cases import Case, Setting


def compile_ahead(
    cases: Sequence[Case],
    package: str,
    setting: Setting,
    jobs: int,
    report: Report,
) -> None:
    """Runs what is to be compiled once in processes of their own, for the caches on disk."""
    tasks = [(case, name, package, setting) for case in cases for name in setting.compiled]
    context = multiprocessing.get_context("spawn")
    with (
        contextlib.suppress(BrokenProcessPool),  # then this process compiles the rest itself
        ProcessPoolExecutor(jobs, context, _start_worker, (setting,)) as pool,
    ):
        futures = {pool.submit(_compile_one, *task): task for task in tasks}
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            case, name, *_ = futures[future]
            report(done, len(tasks), f"{name} of {case.spec.name}")


def _start_worker(setting: Setting) -> None:
    import torch._inductor.config as inductor_config
    from torch._inductor.runtime.benchmarking import benchmarker
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    setting.prepare()
    inductor_config.compile_threads = 1
    # max-autotune chooses kernels by timing them: one process at a time
    lock = FileLock(Path(cache_dir()) / "gpu.lock")
    benchmarker.benchmark_gpu = lock(benchmarker.benchmark_gpu)


def _compile_one(case: Case, name: str, package: str, setting: Setting) -> None:
    with contextlib.suppress(Exception):  # told when it is the op's turn
        contender = Contender.of(case, name, importlib.import_module(package), setting)
        for action in contender.actions().values() if contender else ():
            action()
    forget()
