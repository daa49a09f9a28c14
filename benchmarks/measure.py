"""What the benchmarks share: interleaved medians, plain tables, records with machine and date."""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from fusewise.measure import environment

ROOT = Path(__file__).resolve().parents[1]

Action = Callable[[], object]


def parser(description: str | None, *, rounds: int) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    found = argparse.ArgumentParser(description=description)
    default = "cuda" if torch.cuda.is_available() else "cpu"
    found.add_argument("--device", choices=("cpu", "cuda"), default=default)
    found.add_argument("--rounds", type=int, default=rounds, help="measurements of each number")
    found.add_argument("--output", type=Path, help="write the numbers here too, as JSON")
    return found


def interleaved(
    samples: Mapping[str, Callable[[], Sequence[float]]], rounds: int
) -> dict[str, tuple[float, ...]]:
    """Medians over the rounds of what each function measures.

    The functions take turns, so that a drift of the machine meets all alike; each is called once
    before the first round, to warm up.
    """
    for sample in samples.values():
        sample()
    found: dict[str, list[Sequence[float]]] = {name: [] for name in samples}
    for _ in range(rounds):
        for name, sample in samples.items():
            found[name].append(sample())
    return {
        name: tuple(map(statistics.median, zip(*values, strict=True)))
        for name, values in found.items()
    }


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be; the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def headline(device: str) -> str:
    return environment.headline(environment.environment(device))


def write(path: Path | None, device: str, numbers: Mapping[str, Any]) -> None:
    """The record of a run, if it is wanted."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"environment": environment.environment(device), **numbers}
    path.write_text(json.dumps(record, indent=2) + "\n")
    print(f"wrote {path}")


def compiled(function: Any, warm_up: Callable[[Any], object], **options: Any) -> Any:
    """torch.compile of a function that `warm_up` has run once, or None where it does not work."""
    made = torch.compile(function, **options)
    try:
        warm_up(made)
    except Exception as error:  # no compiler, no Triton, no support for this Python
        print(f"torch.compile left out: {type(error).__name__}: {str(error).splitlines()[0]}")
        return None
    return made


def load_file(path: Path, name: str) -> ModuleType:
    """A script as a module."""
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # its dataclasses look there
    found.loader.exec_module(module)
    return module


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
