"""Stages import only lower layers, and the pipeline is fast and deterministic."""

from __future__ import annotations

import ast
import cProfile
import re
from pathlib import Path

import pytest
from fusewise.generate import render_specs
from fusewise.layers import GENERATING, LAYERS

PACKAGE = Path(__file__).parents[2] / "generator/fusewise"


def modules(layer: str) -> list[Path]:
    """The files of a layer: one module, or all modules of a folder."""
    single = PACKAGE / f"{layer}.py"
    return [single] if single.is_file() else sorted((PACKAGE / layer).rglob("*.py"))


def imported_layers(file: Path) -> set[str]:
    """The layers that a module imports from, at its top and inside functions."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    return {name.split(".")[1] for name in names if name.startswith("fusewise.")}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_lower_layers_only(layer: str) -> None:
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    for file in modules(layer):
        assert imported_layers(file) <= allowed, file


def test_only_the_language_knows_the_names_of_gradients() -> None:
    """Other code reads orders and roles from fields."""
    for file in (file for layer in LAYERS if layer != "language" for file in modules(layer)):
        assert "grad_" not in _texts(file), file


def _texts(file: Path) -> str:
    """The string literals of a module, apart from docstrings."""
    tree = ast.parse(file.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return " ".join(str(node.value) for node in nodes if id(node) not in docs)


def test_tests_of_ops_import_no_layer() -> None:
    for file in modules("testing"):
        assert imported_layers(file) <= {"testing"}, file


def test_every_module_is_in_a_layer() -> None:
    entries = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    others = {"__init__", "__main__", "__pycache__", "testing"}
    assert entries - others == set(LAYERS)


def test_a_folder_has_ten_modules_at_most() -> None:
    for folder in {path.parent for layer in (*LAYERS, "testing") for path in modules(layer)}:
        found = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
        assert len(found) <= 10, (folder, found)


def test_the_architecture_names_the_layers_with_their_docstrings() -> None:
    page = (PACKAGE.parents[1] / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)(?:\.py|/)` \| (.+) \| (`.+`) \|$", page, re.MULTILINE)
    assert [layer for layer, _, _ in rows] == list(LAYERS)
    for layer, sentence, entry_points in rows:
        trees = [ast.parse(file.read_text()) for file in modules(layer)]
        assert sentence == (ast.get_docstring(trees[0]) or "").splitlines()[0], layer
        assert set(re.findall(r"`(\w+)`", entry_points)) <= _defined(trees), layer


def _defined(trees: list[ast.Module]) -> set[str]:
    """The functions, classes and constants that modules define."""
    nodes = [node for tree in trees for node in tree.body]
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = [target for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    assigned += [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
    return names | {target.id for target in assigned if isinstance(target, ast.Name)}


def test_the_architecture_names_the_folders_of_the_runtime() -> None:
    root = PACKAGE.parents[1]
    section = (root / "docs/architecture.md").read_text().split("## The runtime")[1]
    rows = re.findall(r"^\| `(\w+)/` \|", section, re.MULTILINE)
    folders = [path.name for path in (root / "runtime/fusewise").iterdir() if path.is_dir()]
    assert sorted(rows) == sorted(folders)


def test_generating_layers_write_no_files() -> None:
    for file in (file for layer in GENERATING for file in modules(layer)):
        text = file.read_text()
        assert "write_text" not in text, file
        assert ".write(" not in text, file


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
    """The number of function calls to generate, which does not depend on the machine."""
    profile = cProfile.Profile(builtins=False)
    profile.runcall(render_specs, texts, "my_ops")
    return sum(entry.callcount for entry in profile.getstats())
