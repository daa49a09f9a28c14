"""Type checkers know the types of a package: pyright accepts right calls and refuses wrong ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
# pyright: strict
import fusewise_ops as ops
import torch
from torch import Tensor

def right(x: Tensor, index: Tensor) -> None:
"""
PAIR = "tuple[Tensor, Tensor]"
RIGHT = [
    ("ops.swiglu(x, x)", "Tensor"),
    ("ops.swiglu(x, y=x, out=x)", "Tensor"),
    ("ops.bias_gelu(x)", "Tensor"),  # an optional input
    ("ops.bias_gelu(x, None)", "Tensor"),
    ("ops.softcap(x, cap=30)", "Tensor"),  # a param
    ("ops.bias_act(x, act=1, alpha=0.1)", "Tensor"),  # choices
    ("ops.cross_entropy(x, index, ignore_index=-1)", "Tensor"),  # rows
    ("ops.silu_and_mul(x)", "Tensor"),  # packed
    ("ops.lstm_cell(x, x)", PAIR),
    ("ops.add_rms_norm(x, x, x, eps=1e-5, out=(x, x))", PAIR),
    ("ops.lltm(x, x, x, x, x)", PAIR),  # composed
    ('ops.set_opaque(True, "swiglu")', "None"),
    ("ops.QuickGELU()(x)", "Tensor"),
    ("ops.RMSNorm(4, eps=1e-5, device=0, dtype=torch.half)(x)", "Tensor"),
    ('ops.RMSNorm(4, weight=False, device="cuda").weight', "Parameter | None"),
    ("ops.AddRMSNorm(4)(x, residual=x)", PAIR),
    ("ops.AddRMSNorm(4).weight", "Parameter"),
    ("ops.AddRMSNorm(4).eps", "float"),
    ("ops.LayerScale(4).forward(x, x, x)", "Tensor"),
    ("torch.nn.Sequential(ops.DyT(4), ops.SquaredReLU())", "Sequential"),
]
WRONG = [
    ("ops.rms_nrom(x)", "reportAttributeAccessIssue"),
    ("ops.swiglu(x)", "reportCallIssue"),
    ("ops.swiglu(x, 1)", "reportArgumentType"),
    ("ops.rms_norm(x, x, 1e-5)", "reportCallIssue"),  # params are keywords
    ("ops.rms_norm(x, epsilon=1e-5)", "reportCallIssue"),
    ('ops.bias_act(x, act="relu")', "reportArgumentType"),
    ("ops.lstm_cell(x, x, out=x)", "reportArgumentType"),
    ("ops.lltm(x, x, x, x, x, out=(x, x))", "reportCallIssue"),
    ("ops.lstm_cell(x, x).sum()", "reportAttributeAccessIssue"),
    ("ops.RMSNorm()", "reportCallIssue"),
    ("ops.RMSNorm(4, 1e-5)", "reportCallIssue"),
    ("ops.AddRMSNorm(4, weight=False)", "reportCallIssue"),  # it is not optional there
    ("ops.RMSNorm(4)(x, x)", "reportCallIssue"),
    ("ops.RMSNorm(4).weight.grad", "reportOptionalMemberAccess"),
]


@pytest.fixture(scope="module")
def diagnostics(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What pyright says about the two files of a user who has the package installed."""
    folder = tmp_path_factory.mktemp("user")
    lines = [f'    reveal_type({call}, expected_text="{type_}")' for call, type_ in RIGHT]
    (folder / "right.py").write_text("\n".join([HEAD.rstrip(), *lines, ""]))
    lines = [f"    print({call})" for call, _ in WRONG]
    (folder / "wrong.py").write_text("\n".join([HEAD.rstrip(), *lines, ""]))
    (folder / "pyrightconfig.json").write_text("{}")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "generated")}
    found = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
    return json.loads(found.stdout)["generalDiagnostics"]


def errors(diagnostics: list[dict[str, Any]], file: str) -> list[tuple[int, str]]:
    """The line below the head and the rule of each error."""
    found = [entry for entry in diagnostics if entry["severity"] != "information"]
    of_file = [entry for entry in found if Path(entry["file"]).name == file]
    start = HEAD.count("\n")
    return [(entry["range"]["start"]["line"] - start, entry["rule"]) for entry in of_file]


def test_right_calls_have_their_types(diagnostics: list[dict[str, Any]]) -> None:
    assert errors(diagnostics, "right.py") == []
    revealed = [entry for entry in diagnostics if Path(entry["file"]).name == "right.py"]
    assert len(revealed) == len(RIGHT)


@pytest.mark.parametrize("line", range(len(WRONG)), ids=[call for call, _ in WRONG])
def test_a_wrong_call_is_refused(diagnostics: list[dict[str, Any]], line: int) -> None:
    rules = [rule for place, rule in errors(diagnostics, "wrong.py") if place == line]
    assert WRONG[line][1] in rules
