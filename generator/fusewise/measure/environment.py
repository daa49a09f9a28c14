"""The machine, versions and date of measurements: a record for results of benchmarks."""

from __future__ import annotations

import datetime
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from fusewise import __version__


def environment(device: str) -> dict[str, Any]:
    """The record of machine, versions and date, for measurements on `cpu` or `cuda`."""
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else _processor(),
        "cpu": _processor(),
        "cpus": len(os.sched_getaffinity(0)),
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "fusewise": __version__,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }


def is_cpu(found: Mapping[str, Any]) -> bool:
    """Whether measurements with this record are of a processor."""
    return found["device"] == found["cpu"]


def machine(found: Mapping[str, Any]) -> str:
    """The device of a record; of a processor with the number of threads."""
    count = found.get("threads")
    threads = f", {count} thread{'s' * (count != 1)}" if is_cpu(found) else ""
    return f"{found['device']}{threads}"


def headline(found: Mapping[str, Any]) -> str:
    return f"{machine(found)}, torch {found['torch']}, {found['date']}"


def _processor() -> str:
    try:
        match = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        match = None
    return match[1] if match else platform.machine()
