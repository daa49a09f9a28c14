"""A pytest plugin of `gpu_suite.py`: runs the tests of one of its commands, and counts.

A test is on a GPU if it has an argument that names one. Those that compile with Inductor, and those
that take most of a GPU's memory, are commands of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", choices=("compile", "large", "tests"), required=True)
    parser.addoption("--counts", type=Path, required=True, help="JSON of what came out")


def command(item: pytest.Item) -> str | None:
    """The command that runs a test; None if it is not on a GPU."""
    callspec = getattr(item, "callspec", None)
    values = list(callspec.params.values()) if callspec else []
    if not any(isinstance(value, str) and value.startswith("cuda") for value in values):
        return None
    if "inductor" in values:
        return "compile"
    return "large" if "span" in callspec.params else "tests"  # type: ignore[union-attr]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("cases")
    chosen = [item for item in items if command(item) == wanted]
    config.hook.pytest_deselected(items=[item for item in items if command(item) != wanted])
    items[:] = chosen


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # one process counts
        config.pluginmanager.register(Counts(Path(config.option.counts)))


class Counts:
    """What came out of each test, whichever process ran it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.collected: set[str] = set()
        self.outcomes: dict[str, str] = {}
        self.reasons: dict[str, int] = {}
        self.seconds: dict[str, float] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected |= {item.nodeid for item in session.items}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self.collected |= set(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = report.nodeid
        self.seconds[test] = self.seconds.get(test, 0) + getattr(report, "duration", 0)
        if report.failed or self.outcomes.get(test) == "failed":
            self.outcomes[test] = "failed"
        elif report.skipped:
            self.outcomes[test] = "skipped"
            longrepr = report.longrepr
            text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
            reason = text.removeprefix("Skipped: ")
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
        elif report.when == "call":
            self.outcomes[test] = "passed"

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        outcomes = list(self.outcomes.values())
        counts = {
            "failed": outcomes.count("failed"),
            "failures": sorted(t for t, outcome in self.outcomes.items() if outcome == "failed"),
            "not_run": len(self.collected - self.outcomes.keys()),
            "passed": outcomes.count("passed"),
            "seconds_of_tests": {test: round(s, 3) for test, s in self.seconds.items()},
            "skipped": outcomes.count("skipped"),
            "skips": self.reasons,
            "status": int(exitstatus),
        }
        self.path.write_text(json.dumps(counts))
