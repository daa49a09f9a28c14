"""What a run of `fusewise bench` measures; how long anything takes is not asserted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from fusewise.cli.measurement import Against
from fusewise.cli.project import Project
from fusewise.language.spec import parse_spec
from fusewise.measure import timing
from fusewise.measure.bench.cases import Case, Setting
from fusewise.measure.bench.report import DIRECTIONS, Missing, Results
from fusewise.measure.bench.run import run
from fusewise.measure.contenders import CONTENDERS
from torch import Tensor

GATE = """\
op: gate
inputs: {x: tensor, y: tensor}
outputs: {out: x * sigmoid(x) * y}
test: {domain: {x: [1, 2]}, reference: x * torch.sigmoid(x) * y}
shapes:
  - {x: [64, 32], y: [32]}
"""
CLIP = """\
op: clip
inputs: {x: tensor}
outputs: {out: x * 2}
backward: {is: surrogate, grad_x: 'clamp(grad_out, -1, 1)'}
test: {reference: x * 2}
shapes:
  - {x: [8]}
"""
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "SAMPLE_SECONDS", 0)  # one call of an action in a round


def setting(*against: str) -> Setting:
    return Setting("cpu", "float32", torch.get_num_threads(), 1, against)


def measured(text: str, op: Any, *against: str, elements: tuple[int, ...] = ()) -> Results:
    """What a run yields in a plain process, of an op that is a function of PyTorch."""
    spec = parse_spec(text)
    module: Any = SimpleNamespace(**{spec.name: op})
    *_, found = run([spec], module, setting(*against), lambda *_: None, elements=elements)
    return replace(found, rows=tuple(row for row in found.rows if row.memory == "plain"))


def gate(x: Tensor, y: Tensor) -> Tensor:
    return torch.nn.functional.silu(x) * y


def test_a_run_times_both_passes_and_a_step_of_all_contenders() -> None:
    found = measured(GATE, gate, "eager")
    assert [(r.op, r.direction, r.shapes) for r in found.rows] == [
        ("gate", direction, {"x": (64, 32), "y": (32,)}) for direction in DIRECTIONS
    ]
    for each in found.rows:
        assert list(each.times) == ["fusewise", "eager"]
        assert min(each.copy, *each.times.values()) > 0
    assert found.missing == ()
    assert found.environment["torch"] == torch.__version__


def test_on_a_cpu_all_is_timed_in_a_plain_process_and_then_with_memory_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    monkeypatch.setattr("fusewise.measure.bench.run.keep_memory", lambda: calls.append("kept"))

    def op(x: Tensor, y: Tensor) -> Tensor:
        calls.append("called")
        return gate(x, y)

    spec = parse_spec(GATE)
    module: Any = SimpleNamespace(gate=op)
    *_, found = run([spec, spec], module, setting("eager"), lambda *_: None)
    assert [row.memory for row in found.rows] == 6 * ["plain"] + 6 * ["kept"]
    assert calls.index("kept") == calls.count("called") // 2


def test_bytes_are_those_that_the_pass_must_move() -> None:
    forward, backward, step = measured(GATE, gate).rows
    x, y = 64 * 32 * 4, 32 * 4
    assert forward.bytes == x + y + x  # x, y, out
    assert backward.bytes == x + y + x + x + y  # x, y, grad_out, grad_x, grad_y
    assert step.bytes == forward.bytes + backward.bytes


def test_memory_held_is_what_is_neither_input_nor_output() -> None:
    forward, *others = measured(GATE, gate, "eager").rows
    tensor = 64 * 32 * 4
    # silu keeps its input and the product that output; the reference also keeps the sigmoid
    assert forward.held == {"fusewise": tensor, "eager": 2 * tensor}
    assert [each.held for each in others] == [{}, {}]


def test_inputs_are_of_the_spec_s_domain_and_each_contender_has_its_own() -> None:
    seen: list[Tensor] = []

    def op(x: Tensor, y: Tensor) -> Tensor:
        assert x.min() >= 1
        assert x.max() <= 2
        seen.append(x)
        return gate(x, y)

    found = measured(GATE, op, "eager")
    assert found.missing == ()
    case = Case(parse_spec(GATE), parse_spec(GATE).shapes[0])
    again = case.inputs(setting())["x"]
    assert seen[0].data_ptr() != again.data_ptr()


def test_an_optional_tensor_may_be_left_out() -> None:
    text = (
        "op: plus\ninputs: {x: tensor, y: tensor = 0}\noutputs: {out: x + y}\n"
        "test: {reference: x + y}\nshapes:\n  - {x: [8]}\n"
    )
    found = measured(text, lambda x, y=None: x + 0, "eager")
    assert list(found.rows[0].times) == ["fusewise", "eager"]
    assert found.rows[0].bytes == 2 * 8 * 4


def test_who_fails_is_named_with_the_reason_and_not_counted() -> None:
    def broken(x: Tensor, y: Tensor) -> Tensor:
        raise RuntimeError("backend='inductor' raised:\n  InvalidCxxCompiler: no compiler\nmore")

    found = measured(GATE, broken, "eager")
    assert set(found.missing) == {Missing("fusewise", "gate", "InvalidCxxCompiler: no compiler")}
    assert [list(r.times) for r in found.rows] == [["eager"]] * 3
    assert found.ratios("forward", "eager", "kept") == []
    assert "- fusewise: gate: InvalidCxxCompiler: no compiler\n" in str(found)


def test_a_gradient_that_is_forwarded_is_no_contest() -> None:
    text = "op: plus\ninputs: {x: tensor}\noutputs: {out: x + 1}\n"
    text += "test: {reference: x + 1}\nshapes:\n  - {x: [8]}\n"
    forward, backward, step = measured(text, lambda x: 1 - -x, "eager").rows
    assert backward.bytes == backward.copy == backward.times["eager"] == 0
    assert backward.times["fusewise"] > 0
    assert backward.share("fusewise") is None
    assert backward.ratio("eager") is None
    assert step.bytes == forward.bytes
    assert step.times["eager"] > 0


def test_a_backward_that_pytorch_does_not_have_has_no_contender() -> None:
    clip = parse_spec(CLIP)
    twice = SimpleNamespace(decomposition=lambda x: x * 2)
    module: Any = SimpleNamespace(clip=lambda x: x * 2, _ops=SimpleNamespace(clip=twice))
    *_, found = run([clip], module, setting("eager"), lambda *_: None)
    assert [list(r.times) for r in found.rows[:3]] == [
        ["fusewise", "eager"],
        ["fusewise"],
        ["fusewise"],
    ]
    assert set(found.missing) == {Missing("eager", "clip", "PyTorch has no such backward pass")}


def test_a_case_that_cannot_be_timed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory\nmore")

    monkeypatch.setattr("fusewise.measure.bench.run.wall_times", fail)
    found = measured(GATE, gate)
    assert found.rows == ()
    assert set(found.missing) == {Missing("fusewise", "gate", "out of memory")}


def test_an_op_without_gradients_has_one_row() -> None:
    text = "op: over\ninputs: {x: tensor}\noutputs: {out: {formula: x > 0, dtype: bool}}\n"
    text += "test: {reference: x > 0}\nshapes:\n  - {x: [8]}\n"
    found = measured(text, lambda x: x > 0, "eager")
    assert [(r.direction, r.bytes, r.held) for r in found.rows] == [("forward", 8 * 4 + 8, {})]


def test_several_limits_give_several_cases() -> None:
    found = measured(GATE, gate, elements=(2048, 512, 4096))
    assert [dict(r.shapes)["x"] for r in found.rows[::3]] == [(64, 32), (16, 32)]


def test_several_shapes_of_an_op_are_rows_of_their_own() -> None:
    text = GATE + "  - {x: [4, 32], y: [32]}\n  - {x: [4, 32], y: [4, 32]}\n"
    found = measured(text, gate)
    labels = [found.label(r) for r in found.rows[::3]]
    assert labels == ["gate 64x32", "gate 4x32, 32", "gate 4x32, 4x32"]
    pytest.importorskip("matplotlib")
    from fusewise.measure.bench.plot import plot

    assert plot(replace(found, rows=())) != plot(found)


def test_a_choice_without_a_default_is_timed_by_its_first_value() -> None:
    spec = parse_spec(
        "op: f\ninputs: {x: tensor}\nparams: {n: {type: int, choices: [2, 3]}}\n"
        "outputs: {out: x ** n}\nshapes:\n  - {x: [8]}\n"
    )
    variant = SimpleNamespace(decomposition=lambda x: x**2)
    module: Any = SimpleNamespace(f=lambda x, n: x**n, _ops=SimpleNamespace(f__n_2=variant))
    *_, found = run([spec], module, setting("eager"), lambda *_: None)
    assert [row.direction for row in found.rows] == 2 * ["forward", "backward", "step"]


def test_the_command_measures_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    module = SimpleNamespace(gate=gate, __name__="none")
    monkeypatch.setattr(Project, "load_package", lambda _: module)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    spec, record = tmp_path / "gate.yaml", tmp_path / "gate.json"
    spec.write_text(GATE)
    options = ("--against", "eager", "--rounds", "1", "--json", record.name)
    code, out, _ = command("bench", spec.name, *options)
    assert code == 0
    assert out.startswith("[1/2] gate\n[2/2] gate\n")
    assert out.endswith(str(Results.parse(record.read_text())))
    assert command("bench", spec.name, "--device", "cuda") == (
        2,
        "",
        "error: no CUDA device here\n",
    )
    spec.write_text("op: gate\ninputs: {x: tensor}\ncompose: {h: 'add(x, x)'}\noutputs: [h]\n")
    message = "error: nothing to time: composed ops have no kernels of their own\n"
    assert command("bench", spec.name) == (2, "", message)


def test_the_contenders_that_a_user_may_name() -> None:
    assert tuple(name.value for name in Against) == CONTENDERS
