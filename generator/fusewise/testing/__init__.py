"""Test classes that the tests of generated ops inherit.

A generated test file states the facts about one op (`OpCase`), and its class derives from the
classes of tests that apply. `parametrise` gives the arguments of the tests their values:

    CASE = OpCase(op=my_ops.swiglu, ...)
    pytest_generate_tests = testing.parametrise(CASE)

    class TestSwiglu(testing.Values, testing.Gradients):
        ...

`compare` defines the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

from .case import Call, Choice, OpCase, Output, promoted
from .gradients import GradientTests
from .inputs import Input
from .layouts import GRAD_LAYOUTS, LAYOUTS, broadcasts
from .pytorch.gpu import FEATURES, GpuTests
from .pytorch.module import ModuleCase, ModuleTests
from .pytorch.op import COMPILED, MODES, TRANSFORMS, PyTorchTests, TransformTests
from .references import (
    for_each_row,
    op_of_rows,
    round_to,
    row_of,
    rows,
    rows_last,
    straight_through,
    to_float8,
    where,
)
from .sizes import SPANS, Caches, LargeTests
from .values import Ties, ValueTests

__all__ = [
    "Caches",
    "Call",
    "Choice",
    "Gradients",
    "Input",
    "ModuleCase",
    "ModuleTests",
    "OpCase",
    "Output",
    "Ties",
    "Values",
    "arguments",
    "for_each_row",
    "op_of_rows",
    "parametrise",
    "promoted",
    "round_to",
    "row_of",
    "rows",
    "rows_last",
    "straight_through",
    "to_float8",
    "where",
]


class Values(ValueTests, PyTorchTests, GpuTests, LargeTests):
    """Tests that apply to every op."""


class Gradients(GradientTests, TransformTests):
    """Tests that apply to an op with gradients."""


def arguments(case: OpCase) -> dict[str, list[Any]]:
    """The values of each argument of a test. Values that do not apply to the op skip with a
    reason."""
    no_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
    return {
        "case": [pytest.param(chosen, id=chosen.name) for chosen in case.chosen],
        "device": ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"],
        "gpu": [pytest.param("cuda", marks=no_gpu)],
        "dtype": _named(case.dtypes),
        "stored": _named(case.stored_dtypes),
        "half": _named((torch.float16, torch.bfloat16)),
        "dtypes": ["float32_float64", "bfloat16_float32", "float16_bfloat16"],
        "layout": list(_layouts(case)),
        "grad_layout": list(GRAD_LAYOUTS),
        "broadcast": list(_broadcasts(case)),
        "transform": list(TRANSFORMS),
        "form": list(COMPILED),
        "mode": list(MODES),
        "feature": list(FEATURES),
        "span": list(SPANS),
    }


def parametrise(
    case: OpCase, module: ModuleCase | None = None
) -> Callable[[pytest.Metafunc], None]:
    """A `pytest_generate_tests` for a file about one op and its module: see `arguments`."""
    values = arguments(case)
    if module is not None:
        values["module"] = [pytest.param(module, id=module.create.__name__)]

    def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
        for name in metafunc.fixturenames:
            if name in values:
                metafunc.parametrize(name, values[name])

    return pytest_generate_tests


def _named(dtypes: Iterable[torch.dtype]) -> list[Any]:
    return [pytest.param(dtype, id=str(dtype).removeprefix("torch.")) for dtype in dtypes]


def _layouts(case: OpCase) -> Iterable[Any]:
    for layout in LAYOUTS:
        if layout == "scalar" and case.packed:
            yield _skipped(layout, "a packed tensor has a last dimension")
        elif layout in ("scalar", "empty", "expanded", "channels_last") and case.composed:
            yield _skipped(layout, "composed of other ops: its shapes are fixed")
        else:
            yield layout


def _broadcasts(case: OpCase) -> Iterable[Any]:
    for name in broadcasts(case):
        if len(case.inputs) == 1:
            yield _skipped(name, "one input: nothing to broadcast against")
        elif case.composed:
            yield _skipped(name, "composed of other ops: its inputs do not broadcast")
        else:
            yield name


def _skipped(value: str, reason: str) -> Any:
    return pytest.param(value, marks=pytest.mark.skip(reason=reason))
