"""Ops of many steps that share values: stages take time linear in the steps, and have no depth."""

from __future__ import annotations

import cProfile
import re
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
import torch
from fusewise.derive.autodiff import differentiate
from fusewise.explain.equations import pass_equations
from fusewise.explain.page import explain
from fusewise.graph.dag import lower
from fusewise.graph.passes import build_graph
from fusewise.language.errors import SpecError
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec

SECONDS = 120  # a test takes three at most, and hours if its time doubled with each step


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
    formulas = [first]
    for k in range(1, count + 1):
        formulas.append(re.sub(r"\bk\b", str(k), re.sub(r"\ba\b", f"a{k - 1}", step)))
    steps = "".join(f"  a{k}: {formula}\n" for k, formula in enumerate(formulas))
    output = re.sub(r"\ba\b", f"a{count}", result)
    inputs = [name for name in "xy" if re.search(rf"\b{name}\b", " ".join([*formulas, result]))]
    shown = ", ".join(f"{name}: tensor" for name in inputs)
    return f"op: f\ninputs: {{{shown}}}\nlet:\n{steps}outputs: {{out: '{output}'}}\n{more}"


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
        ("x", "relu(a - k + amax(x))", 400, "sum(a) * x"),
        ("x", "k * y if x > k else a", 100, "a"),
        ("x * y", "clamp(a, -k, y)", 600, "a"),
        ("x", "relu6(a - y)", 600, "a"),
    ],
)
def test_a_spec_of_many_steps_compiles(first: str, step: str, count: int, result: str) -> None:
    assert compiled(first, step, count, result).view.passes


@pytest.mark.parametrize(
    ("stage", "step"),
    [
        ("graph", "tanh(a + k * x)"),
        ("kernel", "tanh(a + k * x)"),
        ("equations", "minimum(a, k * x)"),
    ],
)
def test_work_of_a_stage_grows_linearly_with_the_steps(stage: str, step: str) -> None:
    def calls(count: int) -> int:
        spec = parse_spec(text_of("x", step, count, "a"), "f.yaml")
        forward = build_graph(spec)
        backward = differentiate(forward)
        stages: dict[str, Callable[[], object]] = {
            "graph": lambda: build_graph(spec),
            "kernel": lambda: lower(backward.dag.copy(), backward.roots),
            "equations": lambda: pass_equations(backward),
        }
        profile = cProfile.Profile(builtins=False)
        profile.runcall(stages[stage])
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(100) < 2.13 * calls(50)


SURROGATE = "backward: {is: surrogate, grad_x: grad_out * a%s}"


def surrogate_lines(count: int) -> list[str]:
    more = SURROGATE % count
    text = text_of("x * x / 9 + x / 3", "a * a + a / k", count, "round(x)", more)
    return list(compile_spec(parse_spec(text, "f.yaml")).view.test.definition_lines)


def test_the_surrogate_of_a_test_names_shared_values() -> None:
    lines = {count: surrogate_lines(count) for count in (5, 100, 200)}
    assert len("".join(lines[200])) < 2.2 * len("".join(lines[100]))
    scope: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines[5]), scope)
    x = torch.linspace(-1, 1, 9).double()
    value = x * x / 9 + x / 3
    for k in range(1, 6):
        value = value * value + value / k
    (gradient,) = scope["surrogate"](2 * torch.ones_like(x), x)
    torch.testing.assert_close(gradient, 2 * value)


@pytest.mark.parametrize(
    ("first", "step", "count"),
    [
        ("x", "(k * x if x > k else a)", 60),
        ("x", "a * y + x", 200),
        ("x", "minimum(a, k * y)", 100),
    ],
)
def test_the_page_of_many_steps_is_made(first: str, step: str, count: int) -> None:
    assert "Gradients\n" in explain(compiled(first, step, count, "a"))


def test_the_page_of_a_formula_of_nested_choices_is_made() -> None:
    formula = "x"
    for k in range(60):
        formula = f"({k} * x if x > {k} else {formula})"
    text = f"op: f\ninputs: {{x: tensor}}\noutputs: {{out: '{formula}'}}\n"
    assert "Gradients\n" in explain(compile_spec(parse_spec(text, "f.yaml")))


def test_choices_that_are_nested_too_deep_are_an_error() -> None:
    text = text_of("x", "k * y if x > k else a", 201, "a")
    with pytest.raises(SpecError) as error:
        compile_spec(parse_spec(text, "f.yaml"))
    message = "f.yaml:1:5: error: choices are nested 201 deep, at most 200 compile"
    assert str(error.value).startswith(message)
    assert str(error.value).endswith("hint: split the op in two")
