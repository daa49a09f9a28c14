"""Sample ops that reduce rows (tests/torch/ops): shapes, `out=`, dtypes, and what autograd sees."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
import torch
from sample_ops import OPS, C, positive, row_scale, row_total, same_bits
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

pytestmark = pytest.mark.usefixtures("sample_ops")

# The shapes of an element input and of a row input.
SHAPES = [
    ((4,), ()),
    ((4,), (1,)),
    ((3, 4), (3,)),
    ((3, 4), ()),
    ((3, 4), (1,)),
    ((4,), (3,)),
    ((1,), (3,)),
    ((), ()),
    ((), (3,)),
    ((3, 1), (3,)),
    ((2, 3, 1, 4), (2, 3, 1)),
    ((2, 1, 5, 4), (3, 1)),
    ((3, 1, 4), (2, 1, 5)),
    ((0, 4), (0,)),
    ((0, 4), (1,)),
    ((4,), (0,)),
    ((3, 0), (3,)),
    ((0,), ()),
    ((3, 0), (2, 1)),
    ((0, 0), (0,)),
]
each_shape = pytest.mark.parametrize("shapes", SHAPES)


def draw(shapes: tuple[tuple[int, ...], ...]) -> list[Tensor]:
    torch.manual_seed(0)
    return [positive(*shape) for shape in shapes]


def as_tuple(outputs: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else outputs


def weighed(outputs: Sequence[Tensor]) -> Tensor:
    return sum(((k + 1) * t).sin().sum() for k, t in enumerate(outputs))  # type: ignore[return-value]


@each_shape
def test_values_and_gradients(shapes):
    x, s = draw(shapes)
    ours, theirs = C.row_scale(x, s), row_scale(x, s)
    torch.testing.assert_close(ours, theirs)
    assert [t.stride() for t in ours] == [t.contiguous().stride() for t in theirs]
    first = [torch.autograd.grad(weighed(t), (x, s), create_graph=True) for t in (ours, theirs)]
    torch.testing.assert_close(*first)
    second = [torch.autograd.grad(weighed(t), (x, s), create_graph=True) for t in first]
    torch.testing.assert_close(*second)
    if ours[0].numel() == 0:
        return  # 0 / 0 in the formulas of a row, which the reference has for no element
    third = [torch.autograd.grad(weighed(t), (x, s)) for t in second]
    torch.testing.assert_close(*third)


@each_shape
@pytest.mark.parametrize("used", [0, 1])
def test_gradients_of_one_output(shapes, used):
    x, s = draw(shapes)
    for wanted in ((x,), (s,), (x, s)):
        grads = [
            torch.autograd.grad(
                weighed(op(x, s)[used : used + 1]),
                wanted,
                create_graph=True,
                materialize_grads=True,
            )
            for op in (C.row_scale, row_scale)
        ]
        torch.testing.assert_close(*grads)


@each_shape
def test_each_gradient_alone_has_its_shape(shapes):
    values = [t.detach() for t in draw(shapes)]
    for wanted in ((0,), (1,), (0, 1)):
        args = [t.clone().requires_grad_(i in wanted) for i, t in enumerate(values)]
        inputs = [args[i] for i in wanted]
        grads = [
            torch.autograd.grad(weighed(op(*args)), inputs, create_graph=True)
            for op in (C.row_scale, row_scale)
        ]
        torch.testing.assert_close(*grads)
        for ours, model in zip(grads[0], inputs, strict=True):
            assert ours.shape == model.shape
        torch.testing.assert_close(*(torch.autograd.grad(weighed(g), inputs) for g in grads))


LAYOUTS = {
    "transposed": (lambda: positive(4, 3).detach().t(), lambda: positive(3).detach()),
    "row_stride": (
        lambda: positive(6, 10).detach()[::2, 1::3],
        lambda: positive(6).detach()[::2],
    ),
    "expanded_rows": (
        lambda: positive(4).detach().expand(3, 4),
        lambda: positive(1).detach().expand(3),
    ),
    "expanded_columns": (
        lambda: positive(3, 1).detach().expand(3, 4),
        lambda: positive(3).detach(),
    ),
    "permuted": (
        lambda: positive(2, 3, 4, 5).detach().permute(2, 0, 3, 1),
        lambda: positive(5, 4, 2).detach().permute(1, 2, 0),
    ),
    "channels_last": (
        lambda: positive(2, 3, 4, 5).detach().to(memory_format=torch.channels_last),
        lambda: positive(2, 3, 4).detach(),
    ),
    "many": (
        lambda: positive(*(2,) * 8).detach().permute(7, 1, 3, 5, 0, 2, 4, 6),
        lambda: positive(*(2,) * 7).detach().permute(6, 0, 5, 1, 4, 2, 3),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    torch.manual_seed(0)
    x, s = (make() for make in LAYOUTS[layout])
    out, total = C.row_scale(x, s)
    torch.testing.assert_close((out, total), row_scale(x, s))
    # An element output has the strides of x * x, and a row output has its order of dimensions.
    assert out.stride() == (x * x).stride()
    order = sorted(range(total.dim()), key=out.stride().__getitem__, reverse=True)
    assert total.permute(order).is_contiguous()
    grad_out = torch.randn(out.shape[::-1], dtype=out.dtype).permute(tuple(range(out.dim()))[::-1])
    for grads in (
        (grad_out, torch.randn(total.shape, dtype=total.dtype)),
        (torch.randn((), dtype=out.dtype).expand(out.shape), grad_out[..., 0]),
        (grad_out[..., :1].expand(out.shape), torch.randn((), dtype=out.dtype).expand(total.shape)),
    ):
        leaves = [t.clone(memory_format=torch.preserve_format).requires_grad_() for t in (x, s)]
        expected = torch.autograd.grad(row_scale(*leaves), leaves, grads, create_graph=True)
        found = torch.autograd.grad(C.row_scale(*leaves), leaves, grads, create_graph=True)
        torch.testing.assert_close(found, expected)
        second = [torch.autograd.grad(weighed(t), leaves) for t in (found, expected)]
        torch.testing.assert_close(*second)
        for grad, leaf in zip(found, leaves, strict=True):
            assert grad.stride() == leaf.stride()


def test_out():
    x, s = (t.detach() for t in draw(((3, 4), (3,))))
    expected = row_scale(x, s)
    out, total = torch.empty(4, 3, dtype=torch.double).t(), torch.empty(6, dtype=torch.double)[::2]
    version = total._version
    results = C.row_scale(x, s, out=(out, total))
    assert results[0] is out
    assert results[1] is total
    assert total._version > version
    torch.testing.assert_close((out, total), expected)
    empty = [torch.empty(0, dtype=torch.double) for _ in range(2)]
    C.row_scale(x, s, out=tuple(empty))
    torch.testing.assert_close(tuple(empty), expected)
    meta = [t.to("meta") for t in (x, s, *expected)]
    C.row_scale(*meta[:2], out=tuple(meta[2:]))
    y = x.clone()
    C.row_scale(y, s, out=(y, total))
    torch.testing.assert_close((y, total), expected)


def test_out_errors():
    x, s = torch.rand(3, 4), torch.rand(3)
    out, total = torch.empty(3, 4), torch.empty(3)
    for given, text in (
        ((out, torch.empty(3, 1)), r"row_scale: out must have shape \[3\], got \[3, 1\]"),
        ((torch.empty(3), total), r"row_scale: out must have shape \[3, 4\], got \[3\]"),
        ((out, s), "row_scale: out may share memory with s; clone one of them"),
        ((out, out[:, 0]), "two tensors of out may share memory"),
        ((out, torch.empty(1).expand(3)), "single memory location"),
    ):
        with pytest.raises(RuntimeError, match=text):
            C.row_scale(x, s, out=given)


def test_errors():
    for x, s, text in (
        (
            torch.rand(3, 4),
            torch.rand(3, 4),
            r"s of shape \[3, 4\], which has one number for each row, does not broadcast ",
        ),
        (torch.rand(3, 4), torch.rand(2), r"s of shape \[2\], which has one number for each"),
        (torch.rand(3), torch.rand((), device="meta"), "s must be on device cpu like x, got meta"),
        (torch.rand(3, device="meta"), torch.rand(()), "s must be on device meta like x, got cpu"),
    ):
        with pytest.raises(RuntimeError, match="row_scale: " + text):
            C.row_scale(x, s)


@pytest.mark.parametrize(
    "dtypes",
    list(itertools.product((torch.half, torch.bfloat16, torch.float, torch.double), repeat=2)),
)
@pytest.mark.parametrize("shapes", [((3, 4), (3,)), ((4,), ()), ((), (2,))])
def test_dtypes(dtypes, shapes):
    x, s = (t.detach().to(dtype) for t, dtype in zip(draw(shapes), dtypes, strict=True))
    ours, theirs = C.row_scale(x, s), row_scale(x.double(), s.double())
    # A row tensor without dimensions, the number of a single row, promotes as one with dimensions.
    assert {t.dtype for t in ours} == {torch.result_type(x, s.unsqueeze(-1))}
    torch.testing.assert_close(ours, theirs, check_dtype=False, rtol=1e-2, atol=1e-2)
    leaves = [t.requires_grad_() for t in (x, s)]
    grads = torch.autograd.grad(weighed(C.row_scale(*leaves)), leaves)
    assert [(g.dtype, g.shape) for g in grads] == [(t.dtype, t.shape) for t in leaves]


def test_integers_become_floats():
    x, s = torch.arange(12).view(3, 4), torch.arange(3)
    torch.testing.assert_close(C.row_scale(x, s), row_scale(x.float(), s.float()))


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
        grads = [torch.autograd.grad(weighed(t), (x, s)) for t in (ours, theirs)]
        torch.testing.assert_close(*grads)


def test_nested():
    rows = [(torch.rand(n, 4), torch.rand(n)) for n in (2, 5, 3)]
    offsets = torch.tensor([0, 2, 7, 10])
    x, s = (
        torch.nested.nested_tensor_from_jagged(torch.cat(parts), offsets)
        for parts in zip(*rows, strict=True)
    )
    out, total = C.row_scale(x, s)
    for part, given in zip(zip(out.unbind(), total.unbind(), strict=True), rows, strict=True):
        torch.testing.assert_close(part, row_scale(*given))


def test_bits_of_saved_stand_ins():
    """A gradient that reads nothing of an input has its shape all the same."""
    x, s = draw(((4,), (3,)))
    everything = torch.autograd.grad(weighed(C.row_scale(x, s)), (x, s))
    alone = torch.autograd.grad(weighed(C.row_scale(x, s.detach())), x)
    assert same_bits(alone[0], everything[0])
    (total,) = torch.autograd.grad(C.row_scale(x, s)[1].sum(), x)
    torch.testing.assert_close(total, torch.full_like(x, 3))


def test_tags():
    assert torch.Tag.pointwise not in OPS.row_scale.default.tags
    assert torch.Tag.pointwise in OPS.swiglu.default.tags


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
        outputs, pull = torch.func.vjp(C.row_scale, x, s)
        return (*outputs, *pull(tuple(t.cos() for t in outputs)))

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


@each_shape
def test_row_totals(shapes):
    """Gradients that equal the incoming one, but differ from it in shape."""
    x, s = draw(shapes)
    for args in ((x, s), (x,)):
        ours, theirs = C.row_total(*args), row_total(*args)
        torch.testing.assert_close(ours, theirs)
        for wanted in (args, args[:1], args[1:]):
            if not wanted:
                continue
            first = [
                torch.autograd.grad(t.sin().sum(), wanted, create_graph=True)
                for t in (ours, theirs)
            ]
            torch.testing.assert_close(*first)
            assert [g.shape for g in first[0]] == [t.shape for t in wanted]
            second = [torch.autograd.grad(weighed(t), args) for t in first]
            torch.testing.assert_close(*second)


def test_an_equal_gradient_is_forwarded_to_rows_alone():
    x, s = positive(3), positive(3)
    grad = torch.rand(3, dtype=torch.double)
    grad_x, grad_s = torch.autograd.grad(C.row_total(x, s), (x, s), grad)
    assert grad_s is grad
    torch.testing.assert_close(grad_x, grad.sum().expand(3))


def row_pick(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    x = torch.broadcast_tensors(x, target.unsqueeze(-1))[0]
    index = torch.arange(x.shape[-1] if x.dim() > 0 else 1)
    return x.where(index == target.unsqueeze(-1), 0).sum(-1), x.amax(-1, keepdim=True)


PICKED = [s for s in SHAPES if 0 not in s[0][-1:]]


@pytest.mark.parametrize("shapes", PICKED)
def test_int_rows_and_kept_dimensions(shapes):
    torch.manual_seed(0)
    x = torch.randn(shapes[0], dtype=torch.double, requires_grad=True)
    target = torch.randint(-1, 5, shapes[1])
    ours, theirs = C.row_pick(x, target), row_pick(x, target)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(OPS.row_pick.decomposition(x, target), theirs)
    for used in ([0], [1], [0, 1]):
        first = [
            torch.autograd.grad(weighed([op(x, target)[k] for k in used]), x, create_graph=True)
            for op in (C.row_pick, row_pick)
        ]
        torch.testing.assert_close(*first)
        torch.testing.assert_close(*(torch.autograd.grad(weighed(t), x) for t in first))
    function = torch.func.jacrev(lambda x: C.row_pick(x, target))
    torch.testing.assert_close(function(x), torch.func.jacrev(lambda x: row_pick(x, target))(x))
    torch.testing.assert_close(
        torch.func.vmap(C.row_pick)(torch.stack([x, -x]), torch.stack([target, target + 1])),
        tuple(
            torch.stack(t) for t in zip(row_pick(x, target), row_pick(-x, target + 1), strict=True)
        ),
    )


def test_a_kept_dimension_has_size_one():
    x, target = torch.rand(3, 4), torch.tensor([0, 1, 2])
    with pytest.raises(RuntimeError, match="grad_peak: last dimension is 4, expected 1"):
        OPS.row_pick_backward(None, x, x, target, [True])


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 0)])
def test_a_maximum_needs_an_element(shape):
    x, target = torch.rand(shape), torch.zeros(shape[:-1], dtype=torch.long)
    text = "row_pick: the last dimension has size 0, but a maximum needs an element"
    for call in (C.row_pick, OPS.row_pick.decomposition):
        for device in ("cpu", "meta"):
            with pytest.raises(IndexError, match=text):
                call(x.to(device), target.to(device))
    picked, peak = C.row_pick(torch.rand(0, 4), torch.zeros(0, dtype=torch.long))
    assert (picked.shape, peak.shape) == ((0,), (0, 1))


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
        out, total = OPS.row_scale(x * 2, s)
        picked, peak = OPS.row_pick(out, target)
        return weighed((out - peak, total, picked))

    torch._dynamo.reset()
    compiled = torch.compile(function, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows, length in ((3, 4), (5, 6)):
        x, s = positive(rows, length), positive(rows)
        target = torch.arange(rows) % length
        found = torch.autograd.grad(compiled(x, s, target), (x, s))
        torch.testing.assert_close(found, torch.autograd.grad(function(x, s, target), (x, s)))
