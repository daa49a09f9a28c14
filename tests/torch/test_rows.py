"""Sample ops that reduce rows (tests/torch/ops): shapes, `out=`, dtypes, and what autograd sees."""

from __future__ import annotations

import itertools

import pytest
import torch
from sample_ops import OPS, C, positive, row_scale, row_total, same_bits, total
from sample_rows import SHAPES, draw, each_shape, row_pick
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")


@each_shape
def test_values_and_gradients(shapes):
    x, s = draw(shapes)
    ours, theirs = C.row_scale(x, s), row_scale(x, s)
    torch.testing.assert_close(ours, theirs)
    assert [t.stride() for t in ours] == [t.contiguous().stride() for t in theirs]
    first = [torch.autograd.grad(total(t), (x, s), create_graph=True) for t in (ours, theirs)]
    torch.testing.assert_close(*first)
    second = [torch.autograd.grad(total(t), (x, s), create_graph=True) for t in first]
    torch.testing.assert_close(*second)
    if ours[0].numel() == 0:
        return  # 0 / 0 in the formulas of a row, which the reference has for no element
    third = [torch.autograd.grad(total(t), (x, s)) for t in second]
    torch.testing.assert_close(*third)


@each_shape
@pytest.mark.parametrize("used", [0, 1])
def test_gradients_of_one_output(shapes, used):
    x, s = draw(shapes)
    for wanted in ((x,), (s,), (x, s)):
        grads = [
            torch.autograd.grad(
                total(op(x, s)[used : used + 1]),
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
            torch.autograd.grad(total(op(*args)), inputs, create_graph=True)
            for op in (C.row_scale, row_scale)
        ]
        torch.testing.assert_close(*grads)
        for ours, model in zip(grads[0], inputs, strict=True):
            assert ours.shape == model.shape
        torch.testing.assert_close(*(torch.autograd.grad(total(g), inputs) for g in grads))


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
    out, sums = C.row_scale(x, s)
    torch.testing.assert_close((out, sums), row_scale(x, s))
    # An element output has the strides of x * x, and a row output has its order of dimensions.
    assert out.stride() == (x * x).stride()
    order = sorted(range(sums.dim()), key=out.stride().__getitem__, reverse=True)
    assert sums.permute(order).is_contiguous()
    grad_out = torch.randn(out.shape[::-1], dtype=out.dtype).permute(tuple(range(out.dim()))[::-1])
    for grads in (
        (grad_out, torch.randn(sums.shape, dtype=sums.dtype)),
        (torch.randn((), dtype=out.dtype).expand(out.shape), grad_out[..., 0]),
        (grad_out[..., :1].expand(out.shape), torch.randn((), dtype=out.dtype).expand(sums.shape)),
    ):
        leaves = [t.clone(memory_format=torch.preserve_format).requires_grad_() for t in (x, s)]
        expected = torch.autograd.grad(row_scale(*leaves), leaves, grads, create_graph=True)
        found = torch.autograd.grad(C.row_scale(*leaves), leaves, grads, create_graph=True)
        torch.testing.assert_close(found, expected)
        second = [torch.autograd.grad(total(t), leaves) for t in (found, expected)]
        torch.testing.assert_close(*second)
        for grad, leaf in zip(found, leaves, strict=True):
            assert grad.stride() == leaf.stride()


def test_out():
    x, s = (t.detach() for t in draw(((3, 4), (3,))))
    expected = row_scale(x, s)
    out, sums = torch.empty(4, 3, dtype=torch.double).t(), torch.empty(6, dtype=torch.double)[::2]
    version = sums._version
    results = C.row_scale(x, s, out=(out, sums))
    assert results[0] is out
    assert results[1] is sums
    assert sums._version > version
    torch.testing.assert_close((out, sums), expected)
    empty = [torch.empty(0, dtype=torch.double) for _ in range(2)]
    C.row_scale(x, s, out=tuple(empty))
    torch.testing.assert_close(tuple(empty), expected)
    meta = [t.to("meta") for t in (x, s, *expected)]
    C.row_scale(*meta[:2], out=tuple(meta[2:]))
    y = x.clone()
    C.row_scale(y, s, out=(y, sums))
    torch.testing.assert_close((y, sums), expected)


def test_out_errors():
    x, s = torch.rand(3, 4), torch.rand(3)
    out, sums = torch.empty(3, 4), torch.empty(3)
    for given, text in (
        ((out, torch.empty(3, 1)), r"row_scale: out must have shape \[3\], got \[3, 1\]"),
        ((torch.empty(3), sums), r"row_scale: out must have shape \[3, 4\], got \[3\]"),
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
    grads = torch.autograd.grad(total(C.row_scale(*leaves)), leaves)
    assert [(g.dtype, g.shape) for g in grads] == [(t.dtype, t.shape) for t in leaves]


def test_integers_become_floats():
    x, s = torch.arange(12).view(3, 4), torch.arange(3)
    torch.testing.assert_close(C.row_scale(x, s), row_scale(x.float(), s.float()))


def test_bits_of_saved_stand_ins():
    """A gradient that reads nothing of an input has its shape all the same."""
    x, s = draw(((4,), (3,)))
    everything = torch.autograd.grad(total(C.row_scale(x, s)), (x, s))
    alone = torch.autograd.grad(total(C.row_scale(x, s.detach())), x)
    assert same_bits(alone[0], everything[0])
    (sums,) = torch.autograd.grad(C.row_scale(x, s)[1].sum(), x)
    torch.testing.assert_close(sums, torch.full_like(x, 3))


def test_tags():
    assert torch.Tag.pointwise not in OPS.row_scale.default.tags
    assert torch.Tag.pointwise in OPS.swiglu.default.tags


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
            second = [torch.autograd.grad(total(t), args) for t in first]
            torch.testing.assert_close(*second)


def row_twice(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    wide = x + y * 0
    return (2 * wide).sum(-1), x + y


@pytest.mark.parametrize("used", [slice(1), slice(1, 2), slice(2)])
@pytest.mark.parametrize("shapes", [((3, 1), (3, 4)), ((1,), (4,)), ((3, 4), (1,)), ((), (3, 4))])
def test_the_length_of_a_row_is_known_to_every_derivative(shapes, used):
    """Even if the one tensor with this length needs no gradient, or its output is not used."""
    for wanted in ((0,), (1,), (0, 1)):
        args = [t.detach().requires_grad_(i in wanted) for i, t in enumerate(draw(shapes))]
        inputs = [args[i] for i in wanted]
        grads = [
            torch.autograd.grad(
                total(op(*args)[used]), inputs, create_graph=True, materialize_grads=True
            )
            for op in (C.row_twice, row_twice)
        ]
        torch.testing.assert_close(*grads)
        if any(g.requires_grad for g in grads[1]):
            second = [torch.autograd.grad(total(g), inputs, materialize_grads=True) for g in grads]
            torch.testing.assert_close(*second)


def test_an_equal_gradient_is_forwarded_to_rows_alone():
    x, s = positive(3), positive(3)
    grad = torch.rand(3, dtype=torch.double)
    grad_x, grad_s = torch.autograd.grad(C.row_total(x, s), (x, s), grad)
    assert grad_s is grad
    torch.testing.assert_close(grad_x, grad.sum().expand(3))


PICKED = [s for s in SHAPES if 0 not in s[0][-1:]]


@pytest.mark.parametrize("shapes", PICKED)
def test_int_rows_and_kept_dimensions(shapes):
    torch.manual_seed(0)
    x = torch.randn(shapes[0], dtype=torch.double, requires_grad=True)
    target = torch.randint(-1, 5, shapes[1])
    ours, theirs = C.row_pick(x, target), row_pick(x, target)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(OPS.row_pick.decomposition(x, target), theirs)
    for used in (slice(1), slice(1, 2), slice(2)):
        first = [
            torch.autograd.grad(total(op(x, target)[used]), x, create_graph=True)
            for op in (C.row_pick, row_pick)
        ]
        torch.testing.assert_close(*first)
        torch.testing.assert_close(*(torch.autograd.grad(total(t), x) for t in first))
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
    text = "row_pick: a row has no elements, but a maximum needs one"
    for call in (C.row_pick, OPS.row_pick.decomposition):
        for device in ("cpu", "meta"):
            with pytest.raises(IndexError, match=text):
                call(x.to(device), target.to(device))
    picked, peak = C.row_pick(torch.rand(0, 4), torch.zeros(0, dtype=torch.long))
    assert (picked.shape, peak.shape) == ((0,), (0, 1))
