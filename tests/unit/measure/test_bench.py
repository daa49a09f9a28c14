"""What `fusewise bench` makes of its measurements; how long anything takes is not asserted."""

from __future__ import annotations

import importlib.util
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from fusewise.build.tree import spec_files
from fusewise.cli import main
from fusewise.cli.measurement import Against
from fusewise.cli.project import Project
from fusewise.language.spec import load_spec, parse_spec
from fusewise.measure import bench, bench_report, timing
from fusewise.measure.bench_report import Missing, Results, Row
from fusewise.measure.contenders import CONTENDERS, contender
from torch import Tensor

SPECS = spec_files(Path(__file__).resolve().parents[3] / "specs")
GATE = """\
op: gate
inputs: {x: tensor, y: tensor}
outputs: {out: x * sigmoid(x) * y}
test: {domain: {x: [1, 2]}, reference: x * torch.sigmoid(x) * y}
shapes:
  - {x: [64, 32], y: [32]}
"""


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "SAMPLE_SECONDS", 0)  # one call of an action in a round


def setting(*against: str) -> bench.Setting:
    return bench.Setting("cpu", "float32", torch.get_num_threads(), 1, against)


def measured(text: str, op: Any, *against: str, elements: tuple[int, ...] = ()) -> Results:
    """The last of what a run yields, of an op that is a function of PyTorch."""
    spec = parse_spec(text)
    module: Any = SimpleNamespace(**{spec.name: op})
    silent = lambda *_: None  # noqa: E731
    *_, found = bench.run([spec], module, setting(*against), silent, elements=elements)
    return found


def gate(x: Tensor, y: Tensor) -> Tensor:
    return torch.nn.functional.silu(x) * y


def row(op: str, direction: str, copy: float, **times: float) -> Row:
    return Row(op, {"x": (8, 4)}, direction, 100, copy, times, {"fusewise": 0, "eager": 4_000_000})


ENVIRONMENT = {"device": "a GPU", "cpu": "a CPU", "torch": "2.13.0", "date": "2026-11-21"}
RESULTS = Results(
    ENVIRONMENT,
    "bfloat16",
    9,
    (
        row("gate", "forward", 10, fusewise=10, eager=40, compile=20),
        row("gate", "backward", 15, fusewise=20, eager=60, compile=10),
        row("gate", "step", 25, fusewise=30, eager=100, compile=45),
        row("pass_on", "forward", 10, fusewise=10, eager=10, compile=5),
        row("pass_on", "backward", 10, fusewise=12.5, eager=0, compile=25),
    ),
    (Missing("liger", "gate", "no Triton"), Missing("liger", "pass_on", "no Triton")),
)


def test_a_run_times_both_passes_and_a_step_of_all_contenders() -> None:
    found = measured(GATE, gate, "eager")
    assert [(r.op, r.direction, r.shapes) for r in found.rows] == [
        ("gate", direction, {"x": (64, 32), "y": (32,)}) for direction in bench_report.DIRECTIONS
    ]
    for each in found.rows:
        assert list(each.times) == ["fusewise", "eager"]
        assert min(each.copy, *each.times.values()) > 0
    assert found.missing == ()
    assert found.environment["torch"] == torch.__version__


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
    case = bench.Case(parse_spec(GATE), parse_spec(GATE).shapes[0])
    again = case.inputs(setting())["x"]
    assert seen[0].data_ptr() != again.data_ptr()


@pytest.mark.parametrize(
    ("layout", "strides"),
    [
        ("contiguous", [(60, 20, 5, 1), (20, 5, 1), (5, 1), (1,)]),
        ("channels_last", [(60, 1, 15, 3), (20, 1, 4), (5, 1), (1,)]),
        ("transposed", [(60, 20, 1, 4), (20, 1, 4), (1, 4), (1,)]),
        ("mixed", [(60, 20, 1, 4), (20, 5, 1), (1, 4), (1,)]),
        ("sliced", [(120, 40, 10, 1), (40, 10, 1), (10, 1), (1,)]),
    ],
)
def test_inputs_lie_as_the_layout_says(layout: Any, strides: list[tuple[int, ...]]) -> None:
    text = "op: sum\ninputs: {a: tensor, b: tensor, c: tensor, d: tensor}\n"
    text += "outputs: {out: a + b + c + d}\ntest: {reference: a + b + c + d}\n"
    shapes = {"a": (2, 3, 4, 5), "b": (3, 4, 5), "c": (4, 5), "d": (5,)}
    case = bench.Case(parse_spec(text), tuple(shapes.items()))
    found = case.inputs(replace(setting(), layout=layout))
    assert [value.stride() for value in found.values()] == strides
    assert {name: tuple(value.shape) for name, value in found.items()} == shapes
    assert all(value.is_leaf and value.requires_grad for value in found.values())


def test_the_title_names_a_layout_that_is_not_the_usual_one() -> None:
    assert RESULTS.title.endswith(", bfloat16")
    sliced = Results.parse(replace(RESULTS, layout="sliced").json())
    assert sliced.title.endswith(", bfloat16, sliced")


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
    assert found.missing == (Missing("fusewise", "gate", "InvalidCxxCompiler: no compiler"),)
    assert [list(r.times) for r in found.rows] == [["eager"]] * 3
    assert found.ratios("forward", "eager") == []
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


STRAIGHT = """\
op: level
inputs: {x: tensor}
outputs: {out: 'straight_through(round(x), x)'}
test: {reference: torch.round(x)}
shapes:
  - {x: [8]}
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


def test_a_reference_with_other_gradients_gives_way_to_the_formula() -> None:
    def formula(x: Tensor) -> Tensor:
        return x * 3

    module: Any = SimpleNamespace(
        _ops=SimpleNamespace(level=SimpleNamespace(decomposition=formula))
    )
    function = contender("eager", parse_spec(STRAIGHT), module, {})
    assert function is not None
    assert function(torch.ones(1)).item() == 3
    function = contender("eager", parse_spec(GATE), module, {})
    assert function is not None
    assert function(torch.zeros(1), torch.ones(1)).item() == 0


def test_a_backward_that_pytorch_does_not_have_has_no_contender() -> None:
    clip = parse_spec(CLIP)
    twice = SimpleNamespace(decomposition=lambda x: x * 2)
    module: Any = SimpleNamespace(clip=lambda x: x * 2, _ops=SimpleNamespace(clip=twice))
    *_, found = bench.run([clip], module, setting("eager"), lambda *_: None)
    assert [list(r.times) for r in found.rows] == [
        ["fusewise", "eager"],
        ["fusewise"],
        ["fusewise"],
    ]
    assert found.missing == (Missing("eager", "clip", "PyTorch has no such backward pass"),)


def test_a_case_that_cannot_be_timed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory\nmore")

    monkeypatch.setattr(bench, "wall_times", fail)
    found = measured(GATE, gate)
    assert found.rows == ()
    assert found.missing == (Missing("fusewise", "gate", "out of memory"),)


def test_an_op_without_gradients_has_one_row() -> None:
    text = "op: over\ninputs: {x: tensor}\noutputs: {out: {formula: x > 0, dtype: bool}}\n"
    text += "test: {reference: x > 0}\nshapes:\n  - {x: [8]}\n"
    found = measured(text, lambda x: x > 0, "eager")
    assert [(r.direction, r.bytes, r.held) for r in found.rows] == [("forward", 8 * 4 + 8, {})]


@pytest.mark.parametrize(
    ("op", "most", "shapes"),
    [
        ("swiglu", 2**23, {"x": (512, 14336), "y": (512, 14336)}),
        ("swiglu", 4096, {"x": (4, 896), "y": (4, 896)}),
        ("bias_act", 2**23, {"x": (4, 512, 64, 64), "bias": (512, 1, 1)}),
        ("lstm_cell", 2**23, {"gates": (512, 16384), "c": (512, 4096)}),
        ("lstm_cell", 4096, {"gates": (4, 1024), "c": (4, 256)}),
        ("quick_geglu", 2**20, {"x": (128, 5760), "weight": (128, 1)}),
        (
            "rope",
            2**23,
            {"x": (4, 512, 32, 128), "cosine": (512, 1, 64), "sine": (512, 1, 64)},
        ),
    ],
)
def test_shapes_are_reduced_from_the_front(op: str, most: int, shapes: Any) -> None:
    spec = load_spec(next(path for path in SPECS if path.stem == op))
    assert dict(bench.reduced(spec, spec.shapes[0], most)) == shapes


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_op_has_shapes_that_fill_a_gpu_and_can_be_made_small(path: Path) -> None:
    spec = load_spec(path)
    if spec.compose:
        return
    loops = [math.prod(spec.loop_shape(dict(shapes))) for shapes in spec.shapes]
    assert max(loops) >= 2**24
    for most in (2**23, 4096):
        shapes = dict(bench.reduced(spec, spec.shapes[0], most))
        sizes = [math.prod(spec.loop_shape(shapes)), *map(math.prod, shapes.values())]
        assert most / 4 < max(sizes) <= most


def test_several_limits_give_several_cases() -> None:
    found = measured(GATE, gate, elements=(2048, 512, 4096))
    assert [dict(r.shapes)["x"] for r in found.rows[::3]] == [(64, 32), (16, 32)]


def test_kernels_are_summed_between_marks() -> None:
    kernels = [
        (5.0, "copy", 2.0),
        (1.0, "early", 9.0),
        (2.0, "spin_kernel(long)", 1.0),
        (3.0, "a", 0.5),
        (4.0, "void spin_kernel", 1.0),
        (6.0, "spin_kernel", 1.0),
        (7.0, "b", 3.0),
        (8.0, "c", 4.0),
    ]
    assert timing.sums_between(kernels, "spin_kernel") == [0.5, 2.0, 7.0]


class Profiler:
    """What the profiler of a GPU gives: a stream on which each kernel starts after the last."""

    def __init__(self) -> None:
        self.kernels: list[Any] = []

    def __call__(self, **_: Any) -> Profiler:
        return self

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, name: str, duration: float, device: str = "CUDA") -> None:
        start = SimpleNamespace(start=float(len(self.kernels)))
        kind = SimpleNamespace(name=device)
        kernel = {"name": name, "device_time": duration, "time_range": start, "device_type": kind}
        self.kernels.append(SimpleNamespace(**kernel, is_user_annotation=name == "annotation"))

    def events(self) -> list[Any]:
        return list(reversed(self.kernels))


def test_time_on_a_gpu_is_that_of_the_kernels_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    profiler = Profiler()
    rounds = iter([3.0] * 10 + [5.0] * 10 + [4.0] * 10)
    monkeypatch.setattr(timing, "profile", profiler)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "_sleep", lambda _: profiler.run("at::spin_kernel(long)", 7))

    def eager() -> None:
        profiler.run("add", next(rounds))
        profiler.run("launch", 100, "CPU")
        profiler.run("annotation", 100)
        profiler.run("mul", 1)

    actions = {"ours": lambda: profiler.run("ours", 2.5), "eager": eager, "nothing": lambda: None}
    found = timing.device_times(actions, 3)
    assert found == {"ours": 2.5, "eager": 5.0, "nothing": 0.0}
    monkeypatch.setattr(torch.cuda, "_sleep", lambda _: None)
    profiler.kernels.clear()
    with pytest.raises(RuntimeError) as lost:
        timing.device_times({"ours": actions["ours"]}, 1)
    assert str(lost.value) == "the profiler has lost kernels; try fewer --rounds"


def test_shares_and_ratios() -> None:
    forward, backward, _, _, passed = RESULTS.rows
    assert (forward.share("fusewise"), forward.share("eager")) == (1.0, 0.25)
    assert (forward.ratio("eager"), forward.ratio("compile"), forward.ratio("best")) == (4, 2, 2)
    assert backward.ratio("best") == 0.5
    # no kernel ran: eager handed the gradient on, which is no contest
    assert passed.share("eager") is None
    assert passed.ratio("eager") is None
    assert passed.ratio("best") == 2
    assert RESULTS.label(forward) == "gate 8x4"


@pytest.mark.parametrize(("threads", "said"), [(1, "1 thread"), (2, "2 threads")])
def test_the_title_of_a_cpu_counts_its_threads(threads: int, said: str) -> None:
    environment = {**ENVIRONMENT, "device": "a CPU", "threads": threads}
    title = replace(RESULTS, environment=environment).title
    assert title == f"a CPU, {said}, torch 2.13.0, 2026-11-21, bfloat16"


def test_the_summary_has_geometric_means_and_the_lowest_rows() -> None:
    assert RESULTS.ratios("forward", "best") == [(0.5, "pass_on 8x4"), (2.0, "gate 8x4")]
    assert cells(str(RESULTS))[-9:] == [
        ["forward", "eager", "2", "2.00", "pass_on 8x4 1.00, gate 8x4 4.00"],
        ["forward", "compile", "2", "1.00", "pass_on 8x4 0.50, gate 8x4 2.00"],
        ["forward", "best", "2", "1.00", "pass_on 8x4 0.50, gate 8x4 2.00"],
        ["backward", "eager", "1", "3.00", "gate 8x4 3.00"],
        ["backward", "compile", "2", "1.00", "gate 8x4 0.50, pass_on 8x4 2.00"],
        ["backward", "best", "2", "1.00", "gate 8x4 0.50, pass_on 8x4 2.00"],
        ["step", "eager", "1", "3.33", "gate 8x4 3.33"],
        ["step", "compile", "1", "1.50", "gate 8x4 1.50"],
        ["step", "best", "1", "1.50", "gate 8x4 1.50"],
    ]


def test_the_table() -> None:
    text = str(RESULTS)
    assert max(map(len, text.splitlines())) <= 120
    title, what, head, _, *rows = cells(text)
    assert title == ["a GPU, torch 2.13.0, 2026-11-21, bfloat16"]
    assert what[0].endswith(", MB held by fusewise / eager / compile")
    assert head == ["op", "fusewise, us", "of copy", "eager", "compile", "MB held"]
    assert rows[:5] == [
        ["gate 8x4", "forward", "10.0", "100%", "4.00", "2.00", "0 / 4 / -"],
        ["gate 8x4", "backward", "20.0", "75%", "3.00", "0.50", "0 / 4 / -"],
        ["gate 8x4", "step", "30.0", "83%", "3.33", "1.50", "0 / 4 / -"],
        ["pass_on 8x4", "forward", "10.0", "100%", "1.00", "0.50", "0 / 4 / -"],
        ["pass_on 8x4", "backward", "12.5", "80%", "-", "2.00", "0 / 4 / -"],
    ]
    assert rows[5] == ["- liger: gate, pass_on: no Triton"]


def cells(text: str) -> list[list[str]]:
    """Of a printed table, line by line."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]


def test_json_comes_back_as_it_was() -> None:
    again = Results.parse(RESULTS.json())
    assert str(again) == str(RESULTS)
    assert again.json() == RESULTS.json()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rows": [], "missing": [], "other": 1}'])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as refused:
        Results.parse(text)
    assert str(refused.value) == "not what `fusewise bench --json` writes"


def run_cli(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(("bench", *arguments))
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_show_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "found.json").write_text(RESULTS.json())
    picture = tmp_path / "pictures" / "found.png"
    found = run_cli(capsys, "--show", str(tmp_path / "found.json"), "--plot", str(picture))
    assert found == (0, str(RESULTS), "")
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")


def test_show_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"rows": 1}))
    message = f"error: {path}: not what `fusewise bench --json` writes\n"
    assert run_cli(capsys, "--show", str(path)) == (2, "", message)


def test_a_picture_needs_matplotlib(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    message = "error: --plot needs matplotlib: pip install matplotlib\n"
    assert run_cli(capsys, "--plot", "x.png") == (2, "", message)


def test_the_command_measures_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = SimpleNamespace(gate=gate, __name__="none")
    monkeypatch.setattr(Project, "load_package", lambda _: module)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    spec, record = tmp_path / "gate.yaml", tmp_path / "gate.json"
    spec.write_text(GATE)
    options = ("--against", "eager", "--rounds", "1", "--json", str(record))
    code, out, _ = run_cli(capsys, str(spec), *options)
    assert code == 0
    assert out.startswith("[1/1] gate\n")
    assert out.endswith(str(Results.parse(record.read_text())))
    assert run_cli(capsys, str(spec), "--device", "cuda") == (2, "", "error: no CUDA device here\n")
    spec.write_text("op: gate\ninputs: {x: tensor}\ncompose: {h: 'add(x, x)'}\noutputs: [h]\n")
    message = "error: nothing to time: composed ops have no kernels of their own\n"
    assert run_cli(capsys, str(spec)) == (2, "", message)


def test_the_contenders_that_a_user_may_name() -> None:
    assert tuple(name.value for name in Against) == CONTENDERS


def test_several_shapes_of_an_op_are_rows_of_their_own() -> None:
    text = GATE + "  - {x: [4, 32], y: [32]}\n  - {x: [4, 32], y: [4, 32]}\n"
    found = measured(text, gate)
    labels = [found.label(r) for r in found.rows[::3]]
    assert labels == ["gate 64x32", "gate 4x32, 32", "gate 4x32, 4x32"]
    pytest.importorskip("matplotlib")
    from fusewise.measure.bench_plot import plot

    assert plot(replace(found, rows=())) != plot(found)
