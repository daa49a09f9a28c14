"""Sample ops that reduce rows: fake and nested tensors, vmap, export, compile."""

from __future__ import annotations

import pytest
import torch
from sample_ops import OPS, C, positive, row_scale, total
from sample_rows import SHAPES, as_tuple, draw, each_shape
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

pytestmark = pytest.mark.usefixtures("sample_ops")


@each_shape
def test_fake_tensors(shapes):
    x, s = draw(shapes)

    def transposed(t: Tensor) -> Tensor:
        order = tuple(range(t.dim()))[::-1]
        return t.permute(order).contiguous().permute(order)

    for view in (Tensor.contiguous, transposed):
        args = [view(t.detach()) for t in (x, s)]
        real = C.row_scale(*args)
        grads = OPS.row_scale_backward(*real, *args, [True, True])
        with FakeTensorMode() as mode:
            fake_args = [mode.from_tensor(t) for t in args]
            fake = OPS.row_scale(*fake_args)
            fake_grads = OPS.row_scale_backward(*fake, *fake_args, [True, True])
        for one, other in zip((*real, *grads), (*fake, *fake_grads), strict=True):
            assert (one.shape, one.stride()) == (other.shape, other.stride())


def test_decomposition_is_the_op():
    for shapes in SHAPES:
        x, s = draw(shapes)
        ours, theirs = OPS.row_scale.decomposition(x, s), C.row_scale(x, s)
        torch.testing.assert_close(ours, theirs)
        grads = [torch.autograd.grad(total(t), (x, s)) for t in (ours, theirs)]
        torch.testing.assert_close(*grads)


def test_nested():
    rows = [(torch.rand(n, 4), torch.rand(n)) for n in (2, 5, 3)]
    offsets = torch.tensor([0, 2, 7, 10])
    x, s = (
        torch.nested.nested_tensor_from_jagged(torch.cat(parts), offsets)
        for parts in zip(*rows, strict=True)
    )
    out, sums = C.row_scale(x, s)
    for part, given in zip(zip(out.unbind(), sums.unbind(), strict=True), rows, strict=True):
        torch.testing.assert_close(part, row_scale(*given))


def stacked(example: tuple[int, ...], dim: int | None) -> Tensor:
    batch = positive(5, *example).detach()
    return batch[0] if dim is None else batch.movedim(0, dim)


@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 0), (-1, -1), (-1, 0)])
@pytest.mark.parametrize("shapes", SHAPES)
def test_vmap(shapes, in_dims):
    torch.manual_seed(0)
    args = [stacked(shape, dim) for shape, dim in zip(shapes, in_dims, strict=True)]
    examples = [
        [a if d is None else a.select(d, i) for a, d in zip(args, in_dims, strict=True)]
        for i in range(5)
    ]

    def derivatives(x: Tensor, s: Tensor) -> tuple[Tensor, ...]:
        pulled = torch.func.vjp(C.row_scale, x, s)
        return (*pulled[0], *pulled[1](tuple(t.cos() for t in pulled[0])))

    for function in (C.row_scale, OPS.row_scale.decomposition, derivatives):
        found = torch.func.vmap(function, in_dims)(*args)
        each = [function(*example) for example in examples]
        torch.testing.assert_close(found, tuple(torch.stack(t) for t in zip(*each, strict=True)))


def test_vmap_promotes_as_each_example():
    x, s = torch.rand(5, 4), torch.rand(5, dtype=torch.double)
    for op in (C.row_scale, C.row_total):
        found = torch.func.vmap(op)(x, s)
        one = op(x[0], s[0])
        for batch, example in zip(as_tuple(found), as_tuple(one), strict=True):
            assert batch.dtype == example.dtype == torch.double


@pytest.mark.parametrize("overload", ["default", "decomposition"])
def test_export(overload):
    class Model(torch.nn.Module):
        def forward(self, x: Tensor, s: Tensor, target: Tensor) -> tuple[Tensor, ...]:
            scaled = getattr(OPS.row_scale, overload)(x, s)
            return *scaled, *getattr(OPS.row_pick, overload)(scaled[0], target)

    def draw_rows(rows: int, length: int) -> tuple[Tensor, ...]:
        return torch.rand(rows, length), torch.rand(rows), torch.zeros(rows, dtype=torch.long)

    n, length = torch.export.Dim("n"), torch.export.Dim("length", min=2)
    dims = {"x": {0: n, 1: length}, "s": {0: n}, "target": {0: n}}
    program = torch.export.export(Model(), draw_rows(3, 4), dynamic_shapes=dims)
    args = draw_rows(5, 7)
    torch.testing.assert_close(program.module()(*args), Model()(*args))


def test_compile_through_rows():
    def function(x: Tensor, s: Tensor, target: Tensor) -> Tensor:
        out, sums = OPS.row_scale(x * 2, s)
        picked, peak = OPS.row_pick(out, target)
        return total((out - peak, sums, picked))

    torch._dynamo.reset()
    compiled = torch.compile(function, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows, length in ((3, 4), (5, 6)):
        x, s = positive(rows, length), positive(rows)
        target = torch.arange(rows) % length
        found = torch.autograd.grad(compiled(x, s, target), (x, s))
        torch.testing.assert_close(found, torch.autograd.grad(function(x, s, target), (x, s)))
