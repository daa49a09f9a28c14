"""Ops that reduce rows: rows of any length, special rows, and bits that depend on the row alone."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch.nn import functional

DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]
LENGTHS = (1, 2, 3, 7, 8, 9, 63, 64, 65, 1023, 1025, 4095, 65537, 262144)
DTYPES = (torch.float32, torch.bfloat16, torch.float64)
ONE_ELEMENT = ("layer_norm", 1)  # its gradient of x is 0, of terms that cancel

pytestmark = pytest.mark.parametrize("device", DEVICES)

Op = Callable[..., Tensor]
# For each op, the inputs beside x of (rows, length), and the formula in PyTorch.
OPS: dict[str, tuple[Callable[[Tensor], tuple[Tensor, ...]], Op]] = {
    "rms_norm": (lambda x: (weight(x),), lambda x, w: functional.rms_norm(x, w.shape, w, 1e-6)),
    "layer_norm": (
        lambda x: (weight(x), weight(x).flip(0)),
        lambda x, w, b: functional.layer_norm(x, w.shape, w, b),
    ),
    "scaled_softmax": (lambda x: (), lambda x: torch.softmax(x, -1)),
    "masked_softmax": (
        lambda x: (torch.arange(x.shape[1], device=x.device) % 3 != 1,),
        lambda x, mask: torch.softmax(x.masked_fill(~mask, -torch.inf), -1),
    ),
    "cross_entropy": (
        lambda x: (torch.arange(len(x), device=x.device) % x.shape[1],),
        lambda x, target: functional.cross_entropy(x, target, reduction="none"),
    ),
}


def weight(x: Tensor) -> Tensor:
    return torch.linspace(0.5, 1.5, x.shape[1], dtype=x.dtype, device=x.device)


def rows(count: int, length: int, device: str, dtype: torch.dtype = torch.float32) -> Tensor:
    generator = torch.Generator().manual_seed(length)
    return torch.randn(count, length, generator=generator).to(device, dtype)


@pytest.mark.parametrize(
    ("name", "length"), [(name, n) for name in OPS for n in LENGTHS if (name, n) != ONE_ELEMENT]
)
def test_lengths(name: str, length: int, device: str, package: ModuleType) -> None:
    """Values and gradients in float32 have at most twice the error of PyTorch's in float32.

    Beyond it they may have the most that two to four units in the last place of the inputs and of
    the incoming gradient change, in one of some directions. Of short rows there are many, as the
    greatest error of few elements is a matter of luck.
    """
    others, formula = OPS[name]
    x = rows(max(5, min(300, 2**16 // length)), length, device)
    inputs = [x, *others(x)]
    # Not a ramp: its sum over rows cancels, so that the bound would be less than its rounding.
    grad = torch.randn(x.shape, generator=torch.Generator().manual_seed(length + 1)).to(device)
    found = _with_gradients(getattr(package, name), inputs, grad)
    native = _with_gradients(formula, inputs, grad)
    doubles = [t.double() if t.is_floating_point() else t for t in inputs]
    exact = _with_gradients(formula, doubles, grad.double())
    directions = [torch.Generator().manual_seed(seed) for seed in range(4)]
    moved = [
        _with_gradients(formula, [_moved(t, to) for t in doubles], _moved(grad.double(), to))
        for to in directions
    ]
    for one, other, want, *near in zip(found, native, exact, *moved, strict=True):
        scale = want.abs().max().clamp_min(1e-30)
        change = max(_distance(each, want) for each in near)
        assert _distance(one, want) <= 2 * _distance(other, want) + change + 4e-7 * scale


def test_a_row_of_one_element(device: str, package: ModuleType) -> None:
    """layer_norm gives the bias, and the terms of the gradient of x cancel but for one rounding."""
    eps = 1e-5
    x = rows(300, 1, device)
    grad = torch.randn(x.shape, generator=torch.Generator().manual_seed(2)).to(device)
    for factor in (0.5, 0.7):
        others = [torch.full((1,), factor, device=device), torch.full((1,), 0.3, device=device)]
        out, grad_x, grad_weight, grad_bias = _with_gradients(
            lambda *leaves: package.layer_norm(*leaves, eps=eps), [x, *others], grad
        )
        assert (out == 0.3).all()
        term = (grad * factor).abs() / eps**0.5
        assert (grad_x.abs() <= 2.0**-23 * term).all()
        assert (grad_weight == 0).all()
        exact = grad.double().sum(0)
        assert (grad_bias - exact).abs() <= 1e-6 * grad.abs().sum()


def _distance(found: Tensor, exact: Tensor) -> Tensor:
    return (found.double() - exact).abs().max()


def _moved(t: Tensor, direction: torch.Generator) -> Tensor:
    """Numbers by two to four units in the last place of float32 greater or smaller, at random."""
    if not t.is_floating_point():
        return t
    signs = 1 - 2 * torch.randint(0, 2, t.shape, generator=direction).to(t.device)
    return t * (1 + 2.0**-22 * signs)


def _with_gradients(function: Op, inputs: list[Tensor], grad: Tensor) -> list[Tensor]:
    leaves = [t.detach().requires_grad_(t.is_floating_point()) for t in inputs]
    out = function(*leaves)
    learning = [t for t in leaves if t.requires_grad]
    incoming = grad if out.shape == grad.shape else grad[:, 0]  # a loss has one number a row
    return [out, *torch.autograd.grad(out, learning, incoming)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [3, 64, 200, 1025, 40000])
@pytest.mark.parametrize("name", OPS)
def test_bits_of_a_row_depend_on_the_row_alone(
    name: str, length: int, dtype: torch.dtype, device: str, package: ModuleType
) -> None:
    """Not on the number of rows, their place, strides, alignment or the number of threads."""
    others, _ = OPS[name]
    many = rows(300 if length < 2000 else 40, length, device, dtype)
    more = others(many)
    whole = getattr(package, name)(many, *more)

    def of(x: Tensor, first: int, last: int) -> Tensor:
        cut = [t[first:last] if name == "cross_entropy" else t for t in more]
        return getattr(package, name)(x, *cut)

    for first, last in ((0, 1), (7, 8), (len(many) - 3, len(many))):
        part = many[first:last]
        shifted = torch.empty(part.numel() + 1, device=device, dtype=dtype)[1:].view(part.shape)
        layouts = (part.clone(), part.t().contiguous().t(), shifted.copy_(part))
        for x in layouts:
            assert torch.equal(of(x, first, last), whole[first:last])
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1 if threads > 1 else 2)
        assert torch.equal(of(many, 0, len(many)), whole)
    finally:
        torch.set_num_threads(threads)


def test_special_rows(device: str, package: ModuleType) -> None:
    constant = torch.full((2, 50), 3.25, device=device)
    bias = torch.linspace(-1, 1, 50, device=device)
    assert torch.equal(package.layer_norm(constant, None, bias), bias.expand(2, 50))
    infinite = torch.full((2, 50), -torch.inf, device=device)
    assert package.scaled_softmax(infinite).isnan().all()
    infinite[:, 7] = 0
    assert torch.equal(package.scaled_softmax(infinite), (infinite == 0).float())
    x = rows(3, 50, device)
    x[1, 4] = torch.nan
    for out in (package.scaled_softmax(x), package.rms_norm(x), package.layer_norm(x)):
        assert torch.equal(out.isnan().any(1), out.isnan().all(1))
        assert out.isnan().any(1).tolist() == [False, True, False]
    huge = x.nan_to_num() * 1e4
    torch.testing.assert_close(package.scaled_softmax(huge), torch.softmax(huge, -1))
    logits = rows(3, 50, device).requires_grad_()
    loss = package.cross_entropy(logits, torch.tensor([3, -100, 49], device=device))
    (grad,) = torch.autograd.grad(loss.sum(), logits)
    assert loss[1] == 0
    assert (grad == 0).all(1).tolist() == [False, True, False]


def test_rows_without_elements(device: str, package: ModuleType) -> None:
    """PyTorch's results; a maximum of nothing is its error."""
    x = torch.empty(3, 0, device=device)
    assert package.rms_norm(x).shape == (3, 0)
    assert package.scaled_softmax(x).shape == (3, 0)
    assert package.cosine_similarity(x, x).tolist() == [0, 0, 0]
    with pytest.raises(IndexError, match="quantise_rows_int8"):
        package.quantise_rows_int8(x)
    none = torch.empty(0, 5, device=device)
    q, scale = package.quantise_rows_int8(none)
    assert (q.shape, scale.shape) == ((0, 5), (0,))
    w = torch.ones(5, device=device, requires_grad=True)
    (grad,) = torch.autograd.grad(package.rms_norm(none, w).sum(), w)
    assert grad.tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("length", [40, 700, 40000])
@pytest.mark.parametrize("kept", [(3, 1), (1, 5), (3, 5), (1, 1)], ids=str)
def test_weights_of_some_rows(
    kept: tuple[int, int], length: int, device: str, package: ModuleType
) -> None:
    """The gradient of a weight is summed over the rows that share it, adjacent or not."""
    generator = torch.Generator().manual_seed(length)
    sizes = ((6, 3, 5), (6, 3, 5), kept)
    x, grad, w = (torch.randn(*n, length, generator=generator).to(device) for n in sizes)

    def norm(x: Tensor, w: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * w

    found = _with_gradients(package.rms_norm, [x, w], grad)
    exact = _with_gradients(norm, [x.double(), w.double()], grad.double())
    for one, want in zip(found, exact, strict=True):
        torch.testing.assert_close(one.double(), want, rtol=2e-5, atol=2e-5)
