"""Ops of many steps that share values: stages take time linear in the steps, and have no depth."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import pytest
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec

SECONDS = 20  # of a test; those whose time doubles with each step would take hours


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    def stop(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def text_of(first: str, step: str, count: int, result: str, more: str = "") -> str:
    """A spec of `count` steps after the first; `a` stands for the one before, `k` for the place."""
    steps = [f"  a0: {first}"]
    for k in range(1, count + 1):
        steps.append(f"  a{k}: {step.replace('a', f'a{k - 1}').replace('k', str(k))}")
    names = [name for name in "xy" if any(name in text for text in (first, step, result, more))]
    return "\n".join(
        [
            "op: f",
            f"inputs: {{{', '.join(f'{name}: tensor' for name in names)}}}",
            "let:",
            *steps,
            f"outputs: {{out: '{result.replace('a', f'a{count}')}'}}",
            more,
        ]
    )


def compiled(first: str, step: str, count: int, result: str) -> Compiled:
    return compile_spec(parse_spec(text_of(first, step, count, result), "f.yaml"))


@pytest.mark.parametrize(
    ("first", "step", "count", "result"),
    [
        ("x * y", "-(a * y) - k", 300, "sum(a) + x"),
        ("log_softmax(x)", "a * y * a", 40, "sum(a) + x"),
        ("log_softmax(x)", "(a if x > k else 0) * y", 40, "sum(a) + x"),
        ("exp(x - amax(x))", "a * a", 40, "sum(0 if a == 0 else a) + x"),
        ("exp(x - amax(x))", "a * y", 300, "sum(a) + x"),
    ],
)
def test_a_spec_of_many_steps_compiles(first: str, step: str, count: int, result: str) -> None:
    assert compiled(first, step, count, result).view.passes
