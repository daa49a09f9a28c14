"""Ops that `fusewise.load` and `fusewise.op` build."""

from __future__ import annotations

import copy
import importlib
import inspect
import os
import pickle
import pydoc
import shutil
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fusewise
import pytest
import torch
from fusewise.load import Op
from torch.fx.experimental.proxy_tensor import make_fx

BUILD = Path(__file__).resolve().parents[2] / "build"
SPEC = "op: gate\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmoid(x)\n"


def remove_builds(*names: str) -> None:
    for name in names:
        for folder in (*BUILD.glob(f"*/{name}"), *BUILD.glob(f"loaded/*/{name}")):
            shutil.rmtree(folder)


@pytest.mark.slow
def test_an_op_at_run_time() -> None:
    fresh = f"{SPEC}# {uuid.uuid4()}\n"  # never in the cache, which only shares the runtime
    ops = fusewise.load(fresh, cache_dir=BUILD)
    twice = fresh.replace("gate", "silu").replace("x * s", "2 * x * s")  # the name of a function
    changed = fusewise.load(twice, cache_dir=BUILD)
    try:
        x = torch.randn(5, 7, dtype=torch.double, requires_grad=True)
        torch.testing.assert_close(ops.gate(x), torch.nn.functional.silu(x))
        torch.testing.assert_close(changed.silu(x), 2 * ops.gate(x))
        torch.autograd.gradcheck(ops.gate, (x,))

        # If torch is compiling, the op is decomposed in the graph that a backend traces.
        def backend(module: torch.fx.GraphModule, inputs: Sequence[torch.Tensor]) -> Any:
            traced = make_fx(lambda x: ops.gate(x))(*inputs)
            stays = any("gate" in str(node.target) for node in traced.graph.nodes)
            assert stays != torch.compiler.is_compiling()
            return module

        torch.compile(lambda x: 2 * x, backend=backend)(x.detach())
    finally:
        remove_builds(ops.__name__, changed.__name__)


def test_help_of_an_op_shows_its_arguments() -> None:
    def gate(x: str, bias: str | None = None, *, beta: float = 1.0, out: str | None = None) -> str:
        """The gate of x."""
        return f"{x}{bias}{beta}{out}"

    shown = "gate = <op gate(x, bias=None, *, beta=1.0, out=None)>\n    The gate of x.\n"
    assert pydoc.plain(pydoc.render_doc(Op.of(gate, {}, None))).endswith(shown)


@pytest.mark.slow
def test_more_outputs_than_letters() -> None:
    outputs = "".join(f"  above{k}: x > {k}\n" for k in range(28))
    spec = f"op: thermometer\ninputs:\n  x: tensor\noutputs:\n{outputs}"
    ops = fusewise.load(spec, cache_dir=BUILD)
    try:
        x = 28 * torch.rand(5)
        expected = tuple(x > k for k in range(28))
        torch.testing.assert_close(ops.thermometer(x), expected)
        out = tuple(map(torch.empty_like, expected))
        written = ops.thermometer(x, out=out)
        assert [a is b for a, b in zip(written, out, strict=True)] == [True] * 28
        torch.testing.assert_close(out, expected)
    finally:
        remove_builds(ops.__name__)


@pytest.mark.slow
def test_an_op_of_a_function_goes_to_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(BUILD))

    @fusewise.op
    def scaled(x, bias=0, *, scale: float = 1.0):
        """The square of x, scaled."""
        return scale * x * x + bias

    try:
        assert str(inspect.signature(scaled)) == (
            "(x: 'Tensor', bias: 'Tensor | None' = None, *, scale: 'float' = 1,"
            " out: 'Tensor | None' = None) -> 'Tensor'"
        )
        assert scaled.__doc__ is not None
        assert scaled.__doc__.startswith("The square of x, scaled.\n")
        x = torch.tensor([3.0], requires_grad=True)
        compiled = torch.compile(lambda x: scaled(x, scale=2.0), fullgraph=True, backend="eager")
        compiled(x).backward()
        assert x.grad == 12
        layer = torch.nn.Module()
        vars(layer)["function"] = scaled
        assert copy.deepcopy(layer).function is scaled
        torch.save(layer, tmp_path / "layer.pt")
        code = (
            "import torch\n"
            "layer = torch.load('layer.pt', weights_only=False)\n"
            "print(layer.function(torch.tensor(3.0), scale=2.0))"
        )
        path = str(Path(fusewise.__file__).parents[1])
        loaded = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert (loaded.stdout, loaded.stderr) == ("tensor(18.)\n", "")
    finally:
        remove_builds(scaled.__module__)


SCALED = """op: scaled
inputs: {x: tensor, weight: tensor}
outputs:
  out: x * weight
module:
  parameters:
    weight: {shape: [features], init: ones}
"""


@pytest.mark.slow
def test_the_class_of_a_module_stays_a_class() -> None:
    ops = fusewise.load(f"{SCALED}# {uuid.uuid4()}\n", cache_dir=BUILD)
    try:
        assert issubclass(ops.Scaled, torch.nn.Module)
        assert isinstance(ops.scaled, Op)
        x = torch.randn(5, 3)
        torch.testing.assert_close(ops.Scaled(3)(x), x)
    finally:
        remove_builds(ops.__name__)


READER = """
import copy, pickle, torch
layer = torch.load('layer.pt', weights_only=False)
first, second = layer
print(type(first).__name__, first, type(first) is type(second), first(torch.ones(2)).tolist())
print(first.weight.requires_grad, second.training, list(layer.state_dict()))
assert type(copy.deepcopy(first)) is type(first)
with open('mine.pkl', 'rb') as file:
    print(pickle.load(file)(torch.ones(1)).item())
"""


@pytest.mark.slow
def test_instances_of_classes_go_to_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUSEWISE_CACHE_DIR", str(BUILD))
    (tmp_path / "scaled.yaml").write_text(f"{SCALED}# {uuid.uuid4()}\n")
    code = "import fusewise\nclass Mine(fusewise.load('scaled.yaml').Scaled):\n    pass\n"
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    mine = importlib.import_module("mine").Mine(1)
    scaled = type(mine).__bases__[0]
    try:
        first = scaled(2)
        torch.nn.init.constant_(first.weight, 2.0)
        torch.save(torch.nn.Sequential(first, scaled(3).eval()), "layer.pt")
        Path("mine.pkl").write_bytes(pickle.dumps(mine))  # a class that has a name there
        dumps = [pickle.dumps(first, n) for n in range(pickle.HIGHEST_PROTOCOL + 1)]
        for made in (copy.deepcopy(first), copy.copy(first), *map(pickle.loads, dumps)):
            assert type(made) is scaled
            assert torch.equal(made.weight, first.weight)
        path = str(Path(fusewise.__file__).parents[1])
        read = subprocess.run(
            [sys.executable, "-c", READER],
            env={**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{tmp_path}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (read.stdout, read.stderr) == (
            "Scaled Scaled(features=2) True [2.0, 2.0]\nTrue False ['0.weight', '1.weight']\n1.0\n",
            "",
        )
    finally:
        sys.modules.pop("mine")
        remove_builds(scaled.__module__)
