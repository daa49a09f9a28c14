"""Tests of an op that a generated file states in one line each.

A test file says the facts about one op (`OpCase`) and derives its class from those whose tests
apply (`classes`); each test is one `check_` function. `parametrise` gives the arguments of the
tests the values that apply to the op:

    CASE = OpCase(op=my_ops.swiglu, ...)
    pytest_generate_tests = testing.parametrise(CASE)

    class TestSwiglu(testing.Values, testing.Gradients):
        ...

`compare` says how near is near enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

from .case import (
    Call,
    Choice,
    Input,
    OpCase,
    Output,
    promoted,
    round_to,
    straight_through,
    to_float8,
)
from .classes import Caches, Gradients, Ties, Values
from .gpu import FEATURES, check_cuda, check_cuda_values
from .gradients import (
    check_broadcast,
    check_gradcheck,
    check_gradgradcheck,
    check_gradient,
    check_gradient_lengths,
    check_incoming,
    check_kinks,
    check_reproducible,
    check_saved,
    check_second_backward,
    check_subsets,
    check_third_order,
)
from .layouts import GRAD_LAYOUTS, LAYOUTS, broadcasts
from .pytorch import (
    COMPILED,
    MODES,
    TRANSFORMS,
    check_compile,
    check_func,
    check_mode,
    check_opcheck,
)
from .sizes import SPANS, check_beyond_32_bits, check_beyond_caches
from .ties import check_ties
from .values import (
    check_forward,
    check_lengths,
    check_out,
    check_promotion,
    check_special_values,
    check_strides,
)

__all__ = [
    "Caches",
    "Call",
    "Choice",
    "Gradients",
    "Input",
    "OpCase",
    "Output",
    "Ties",
    "Values",
    "arguments",
    "check_beyond_32_bits",
    "check_beyond_caches",
    "check_broadcast",
    "check_compile",
    "check_cuda",
    "check_cuda_values",
    "check_forward",
    "check_func",
    "check_gradcheck",
    "check_gradgradcheck",
    "check_gradient",
    "check_gradient_lengths",
    "check_incoming",
    "check_kinks",
    "check_lengths",
    "check_mode",
    "check_opcheck",
    "check_out",
    "check_promotion",
    "check_reproducible",
    "check_saved",
    "check_second_backward",
    "check_special_values",
    "check_strides",
    "check_subsets",
    "check_third_order",
    "check_ties",
    "parametrise",
    "promoted",
    "round_to",
    "straight_through",
    "to_float8",
]


def arguments(case: OpCase) -> dict[str, list[Any]]:
    """The values that an argument of a test takes, by its name; what does not apply to the op
    skips with a reason."""
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


def parametrise(case: OpCase) -> Callable[[pytest.Metafunc], None]:
    """A `pytest_generate_tests` for a module about one op: see `arguments`."""
    values = arguments(case)

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
