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


def headline(found: Mapping[str, Any]) -> str:
    count = found.get("threads")
    threads = f", {count} thread{'s' * (count != 1)}" if found["device"] == found["cpu"] else ""
    return f"{found['device']}{threads}, torch {found['torch']}, {found['date']}"


def _processor() -> str:
    try:
        match = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        match = None
    return match[1] if match else platform.machine()
