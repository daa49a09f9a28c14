"""The verbs that measure built ops, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fusewise.build import toolchain, tree
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import Toolchain
from fusewise.cli import measurement
from fusewise.measure import ptxas, resources
from fusewise.measure.accuracy import report as accuracy_report

Command = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("specs")
def test_bench_wants_a_build(command: Command) -> None:
    code, _, err = command("bench", "gate")
    assert code == 2
    assert err == "error: fusewise_ops is not built: run `fusewise build`\n"


@pytest.mark.usefixtures("generator", "specs")
@pytest.mark.parametrize(
    ("arguments", "wish", "gpus", "expected"),
    [
        ((), None, (), ("90",)),
        ((), "", (), ("90",)),
        ((), None, ("80", "89"), ("80", "89")),
        ((), "80 100", ("89",), ("80", "100")),
        (("--arch", "80"), "90", ("89",), ("80",)),
    ],
)
def test_the_architecture_of_kernels(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    wish: str | None,
    gpus: tuple[str, ...],
    expected: tuple[str, ...],
) -> None:
    found: list[tuple[str, ...]] = []

    def run(
        sources: object, csrc: object, found_here: Toolchain, report: object
    ) -> resources.Results:
        found.append(found_here.archs)
        raise BuildError("nothing is compiled here")

    command("generate")
    tree.write_text(tmp_path / "generated/csrc/gate/gate_cuda.cu", "")
    monkeypatch.setattr(resources, "run", run)
    monkeypatch.setattr(measurement, "gpu_architectures", lambda: gpus)
    monkeypatch.setattr(toolchain, "find_nvcc", lambda environ: ("/cuda/bin/nvcc", ""))
    monkeypatch.delenv("FUSEWISE_ARCHS", raising=False)
    if wish is not None:
        monkeypatch.setenv("FUSEWISE_ARCHS", wish)
    code, _, err = command("kernels", "gate", *arguments)
    assert (code, err) == (2, "error: nothing is compiled here\n")
    assert found == [expected]


@pytest.mark.usefixtures("generator", "specs")
def test_kernels_writes_json(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("generate")
    tree.write_text(tmp_path / "generated/csrc/gate/gate_cuda.cu", "")
    kernel = ptxas.Kernel("forward", "short", "half", 32, 0, 8, 8, 0, 4096)
    results = resources.Results("90", "nvcc 13.0", (resources.Op("gate", 1.5, 2048, (kernel,)),))

    def run(*arguments: Any) -> resources.Results:
        arguments[-1](1, 1, "gate")
        return results

    monkeypatch.setattr(resources, "run", run)
    failure = "gate: forward short half: 8 bytes spilled, none are good\n"
    code, out, err = command("kernels", "gate", "--json", "-")
    assert (code, err) == (1, f"[1/1] gate\n{failure}")
    record = json.loads(out)
    assert record["failures"] == [failure.strip()]
    assert record["ops"][0]["kernels"][0]["registers"] == 32
    code, out, err = command("kernels", "gate", "--json", "kernels.json")
    assert (code, out, err) == (1, f"[1/1] gate\n{results}", failure)
    assert json.loads((tmp_path / "kernels.json").read_text()) == record


def test_accuracy_writes_json(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    error = accuracy_report.Error(2.5, "x = 1", 0)
    row = accuracy_report.Row("gate", "out", "float32", 100, 2.0, error, None)
    results = accuracy_report.Results("a processor", (row,))
    gate = SimpleNamespace(name="gate", compose=None, reduces=False)
    monkeypatch.setattr(measurement, "_built", lambda *_: ([gate], None, "cpu"))
    monkeypatch.setattr("fusewise.measure.accuracy.run.run", lambda *_: results)
    failure = "gate: out in float32: 2.5 ulp, stated are 2"
    code, out, err = command("accuracy", "--json", "-")
    assert (code, err) == (1, f"{failure}\n")
    record = json.loads(out)
    assert record["failures"] == [failure]
    assert record["rows"][0]["fused"] == {"ulp": 2.5, "at": "x = 1", "not_finite": 0}
    assert record["rows"][0]["eager"] is None


def test_accuracy_of_composed_ops(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    norm = SimpleNamespace(name="norm", compose=object())
    monkeypatch.setattr(measurement, "_built", lambda *_: ([norm], None, "cpu"))
    message = "no errors are measured of composed ops: norm"
    assert command("accuracy") == (2, "", f"error: {message}\n")


def test_kernels_of_what_is_not_there(
    command: Command, specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def message(*arguments: str) -> str:
        code, _, err = command("kernels", *arguments)
        assert code == 2
        return err

    monkeypatch.setenv("FUSEWISE_CUDA", "0")
    pair = "op: pair\ninputs: {x: tensor}\ncompose: {h: gate(x)}\noutputs: [h]\n"
    tree.write_text(specs / "pair.yaml", pair)
    assert message("gate").startswith("error: generated is stale; run `fusewise generate`:")
    command("generate")
    assert message("gat") == "error: no spec 'gat' in specs; did you mean 'gate'?\n"
    assert message("pair") == "error: no kernels in pair: composed ops run those of others\n"
    assert message("gate") == "error: no kernels can be compiled: FUSEWISE_CUDA=0\n"
