"""Rows in other dimensions than the last one: fake and nested tensors, vmap, compile, export."""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import pytest
import torch
from row_dims_ops import (
    Op,
    as_tuple,
    calls,
    draw,
    each_layout,
    first_derivatives,
    load,
)
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ops(op_cache: Path) -> dict[str, Op]:
    return load(op_cache)


def of_floats(function: Op, inputs: list[Tensor]) -> Op:
    """The function of the floating-point inputs alone."""

    def bound(*floats: Tensor) -> tuple[Tensor, ...]:
        left = iter(floats)
        return as_tuple(function(*[next(left) if t.is_floating_point() else t for t in inputs]))

    return bound


@each_layout
def test_fake_tensors(ops: dict[str, Op], layout: Op) -> None:
    for op, _, inputs in calls(ops):
        given = [layout(t) for t in inputs]
        real = as_tuple(op(*given))
        with FakeTensorMode() as mode:
            fake = as_tuple(op(*map(mode.from_tensor, given)))
        for a, b in zip(real, fake, strict=True):
            assert (a.shape, a.stride(), a.dtype) == (b.shape, b.stride(), b.dtype)
        meta = as_tuple(op(*[t.to("meta") for t in given]))
        assert [t.shape for t in meta] == [t.shape for t in real]


def test_vmap(ops: dict[str, Op]) -> None:
    """A dimension is counted in the example, not in the batch."""
    for op, _, inputs in calls(ops):
        for in_dim in (0, 2, -1):
            batch = [torch.stack([t, t.flip(0), t + 1], in_dim % (t.dim() + 1)) for t in inputs]
            dims = tuple(in_dim % (t.dim() + 1) for t in inputs)

            def pulled(*args: Tensor, op: Op = op) -> Any:
                floats = [a for a in args if a.is_floating_point()]
                outputs, back, *_ = torch.func.vjp(of_floats(op, list(args)), *floats)
                return outputs, back(tuple(t.sin() for t in outputs))

            found = torch.func.vmap(pulled, dims)(*batch)
            each = [
                pulled(*[t.select(d, k) for t, d in zip(batch, dims, strict=True)])
                for k in range(3)
            ]
            for place in (0, 1):
                want = tuple(torch.stack(t) for t in zip(*[e[place] for e in each], strict=True))
                torch.testing.assert_close(found[place], want)


def test_forward_mode(ops: dict[str, Op]) -> None:
    for op, reference, inputs in calls(ops):
        floats = tuple(t for t in inputs if t.is_floating_point())
        tangents = tuple(map(torch.cos, floats))
        found, expected = (
            torch.func.jvp(of_floats(function, inputs), floats, tangents)
            for function in (op, reference)
        )
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("opaque", [False, True])
def test_compile(ops: dict[str, Op], opaque: bool) -> None:
    """Decomposed and as one kernel, with shapes that a graph does not know."""
    for op, reference, inputs in calls(ops):
        name = getattr(op, "func", op).__name__
        library = _library(getattr(op, "func", op))
        packet = getattr(library, name)
        form: Any = packet.default if opaque else packet.decomposition
        function = functools.partial(form, **getattr(op, "keywords", {}))
        torch.compiler.reset()
        compiled = torch.compile(function, fullgraph=True, dynamic=True, backend="aot_eager")
        other = [torch.cat([t, t]) if t.dim() in (2, 4) and len(t) == 5 else t for t in inputs]
        for given in (inputs, other):
            found, expected = (first_derivatives(f, given) for f in (compiled, reference))
            torch.testing.assert_close(found, expected)


def _library(op: Op) -> Any:
    """The ops of the dispatcher among which a loaded op is."""
    names = [n for n in dir(torch.ops) if n.startswith("fusewise")]
    return next(lib for n in names if hasattr(lib := getattr(torch.ops, n), op.__name__))


def test_opcheck(ops: dict[str, Op]) -> None:
    tests = ("test_schema", "test_autograd_registration", "test_faketensor")
    for op, _, inputs in calls(ops):
        plain = getattr(op, "func", op)
        overload = getattr(_library(plain), plain.__name__).default
        keywords = getattr(op, "keywords", {})
        torch.library.opcheck(overload, tuple(inputs), keywords, test_utils=tests)


def test_export(ops: dict[str, Op]) -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return ops["channel_norm"](ops["any_softmax"](x, dim=1))

    batch = torch.export.Dim("batch", min=2)
    program = torch.export.export(Model(), (draw(3, 4, 5),), dynamic_shapes=({0: batch},))
    x = draw(6, 4, 5)
    torch.testing.assert_close(program.module()(x), Model()(x))


def test_copies(ops: dict[str, Op]) -> None:
    x = draw(3, 4)
    assert torch.equal(copy.deepcopy(ops["any_softmax"])(x, dim=0), ops["any_softmax"](x, dim=0))


def test_nested_tensors(ops: dict[str, Op]) -> None:
    parts = [torch.rand(n, 4) for n in (2, 5)]
    x = torch.nested.nested_tensor(parts, layout=torch.jagged)
    found = ops["any_softmax"](x)
    for part, given in zip(found.unbind(), parts, strict=True):
        torch.testing.assert_close(part, torch.softmax(given, -1))
    with pytest.raises(NotImplementedError, match="any_softmax: rows of nested tensors"):
        ops["any_softmax"](x, dim=1)
