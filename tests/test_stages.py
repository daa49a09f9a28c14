"""The stages import earlier ones only, and the whole chain is quick and repeatable."""

from __future__ import annotations

import ast
import cProfile
from pathlib import Path

import pytest
from fusewise.pipeline import compile_spec
from fusewise.spec import load_spec
from fusewise.tree import render_specs, spec_files

PACKAGE = Path(__file__).parents[1] / "generator/fusewise"
SPECS = spec_files(PACKAGE.parents[1] / "specs")

# In order: a module may import those before it, and none after.
ORDER = (
    *(
        "errors",
        "characters",
        "formula",
        "primitives",
        "evaluate",
        "model",
        "document",
        "names",
        "scope",
    ),
    *("reading", "reference", "compose", "inputs", "samples", "saved", "spec"),
    *(
        "choices",
        "dag",
        "constants",
        "steps",
        "graph",
        "autodiff",
        "simplify",
        "float32",
        "points",
        "verify",
        "memory",
        "guards",
        "kernels",
        "cost",
        "terms",
        "algebra",
        "maths",
        "notation",
        "typeset",
        "latex",
        "printing",
        "emit_cpp",
        "emit_python",
        "emit_tests",
        "emit",
    ),
    *(
        "ninja",
        "build",
        "render",
        "pipeline",
        "explain",
        "tree",
        "load",
        "resources",
        "environment",
        "timing",
        "contenders",
        "layouts",
        "bench_report",
        "bench_plot",
        "bench",
        "accuracy_report",
        "accuracy",
        "cli",
    ),
)


def imports(module: str) -> set[str]:
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[1] for name in names if name and name.startswith("fusewise.")}


def test_no_module_imports_a_later_one() -> None:
    for index, module in enumerate(ORDER):
        later = imports(module) & set(ORDER[index:])
        assert not later, f"{module} imports {later}"


def test_every_module_has_its_place() -> None:
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert modules == set(ORDER)


def test_only_the_command_line_s_modules_write_files() -> None:
    for module in ORDER[: ORDER.index("ninja")]:
        text = (PACKAGE / f"{module}.py").read_text()
        assert "write_text" not in text, module
        assert ".write(" not in text, module


def test_compiling_twice_gives_the_same_text() -> None:
    specs = [load_spec(path) for path in SPECS]
    for spec in specs:
        assert compile_spec(spec, specs).view == compile_spec(spec, specs).view


@pytest.mark.parametrize(
    "step",
    [
        "sin({last}) + y",
        "{last} + tanh({k} * x + y) * sigmoid(y)",
        "{last} + where(x > {k}, sqrt(x), y)",
        "tanh({last} + y) * sigmoid({k} * x) * exp(-y)",
    ],
)
def test_work_grows_linearly_with_the_formula(step: str) -> None:
    def work(size: int) -> int:
        lets = ["step_0: x * y"]
        for k in range(1, size):
            lets.append(f"step_{k}: {step.format(last=f'step_{k - 1}', k=k + 1)}")
        inside = "".join(f"  {line}\n" for line in lets)
        head = f"op: chain\ninputs: {{x: tensor, y: tensor}}\nlet:\n{inside}"
        return _calls({"chain.yaml": f"{head}outputs: {{out: step_{size - 1}}}\n"})

    assert work(32) < 2.3 * work(16)


def test_work_grows_linearly_with_the_number_of_specs() -> None:
    def work(count: int) -> int:
        texts = {}
        for k in range(count):
            inputs = "inputs: {x: tensor}"
            texts[f"gate_{k}.yaml"] = f"op: gate_{k}\n{inputs}\noutputs: {{out: x * x}}\n"
            steps = f"compose: {{h: gate_{k}(x)}}\noutputs: [h]"
            texts[f"call_{k}.yaml"] = f"op: call_{k}\n{inputs}\n{steps}\n"
        return _calls(texts)

    assert work(32) < 2.2 * work(16)


def _calls(texts: dict[str, str]) -> int:
    """How many functions are called to generate: the same on every machine, as time is not."""
    profile = cProfile.Profile()
    profile.runcall(render_specs, texts, "my_ops")
    return sum(entry.callcount for entry in profile.getstats())
