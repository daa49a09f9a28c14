"""The generated text of an op follows from its spec, whatever else was built before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import fusewise.pipeline as pipeline
import pytest
from fusewise.derive.autodiff import differentiate
from fusewise.derive.simplify import simplify
from fusewise.derive.verify import verify_backward
from fusewise.generate import render_specs, spec_files
from fusewise.graph.passes import Pass, build_graph
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from fusewise.plan.kernels import plan_kernels
from fusewise.plan.memory import plan_memory

FOLDER = Path(__file__).parents[2] / "specs"
# With choices, values of a row, a surrogate, and backwards that are verified.
NAMES = {"bias_act", "clip_gradient", "dyt", "lsq_quantise", "quick_geglu", "sapo_loss", "situ_glu"}
TEXTS = {path.as_posix(): path.read_text() for path in spec_files(FOLDER) if path.stem in NAMES}


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return render_specs(TEXTS, "ops")


def test_the_order_of_specs_does_not_matter(files: dict[str, str]) -> None:
    assert render_specs(dict(reversed(TEXTS.items())), "ops") == files


def build_everything(source: Pass) -> None:
    """Everything that a stage makes of a pass."""
    simplify(source)
    plan_kernels([source])
    if source.order < 2 and any(tensor.differentiable for tensor in source.reads):
        derived = differentiate(source)
        plan_kernels([plan_memory(source, simplify(derived)).derivative])


@pytest.mark.parametrize("stage", ["simplify", "differentiate", "plan_memory", "plan_kernels"])
def test_what_is_built_beside_leaves_no_trace(
    files: dict[str, str], stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Callable[..., object] = getattr(pipeline, stage)

    def after_others(source: Pass | Sequence[Pass], *further: object, **options: object) -> object:
        for each in [source] if isinstance(source, Pass) else source:
            build_everything(each)
        run(source, *further, **options)
        return run(source, *further, **options)

    monkeypatch.setattr(pipeline, stage, after_others)
    assert render_specs(TEXTS, "ops") == files


def test_verifying_again_leaves_no_trace(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(*args: Any) -> object:
        verify_backward(*args)
        return verify_backward(*args)

    monkeypatch.setattr(pipeline, "verify_backward", twice)
    assert render_specs(TEXTS, "ops") == files


@pytest.mark.parametrize("dtypes", [("float16", "bfloat16"), ("bfloat16", "float16")])
def test_a_test_names_the_first_of_the_coarse_outputs(dtypes: tuple[str, str]) -> None:
    first, second = dtypes
    outputs = f"  a: {{formula: 2 * x, dtype: {first}}}\n  b: {{formula: x, dtype: {second}}}\n"
    text = f"op: f\ninputs: {{x: tensor}}\noutputs:\n{outputs}"
    lines = "\n".join(compile_spec(parse_spec(text)).view.test.field_lines)
    assert f"an output is {first}: its steps are too coarse" in lines


@pytest.mark.parametrize(
    "inputs", ["i: int tensor, n: number tensor", "n: number tensor, i: int tensor"]
)
def test_an_integer_beside_a_number_gives_a_number(inputs: str) -> None:
    text = f"op: f\ninputs: {{{inputs}}}\noutputs: {{out: i + n}}\n"
    (root,) = build_graph(parse_spec(text)).roots
    assert root.type == "number"
