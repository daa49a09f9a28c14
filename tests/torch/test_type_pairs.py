"""A product of every pair of dtypes and shapes has the dtype and values of eager PyTorch.

All values have few digits, so every product and sum is exact before it is stored. Results are
equal to the last bit.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

import fusewise_ops
import pytest
import torch
from torch import Tensor

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
SHAPES = ((), (1,), (57,), (3, 1), (3, 57))
# (device of a tensor with dimensions, device of a 0-dim tensor)
PLACES = {"cpu": ("cpu", "cpu"), "cuda": ("cuda", "cuda"), "cuda_beside_cpu": ("cuda", "cpu")}


@functools.cache
def make_tensor(shape: tuple[int, ...], dtype: torch.dtype, place: str, step: int) -> Tensor:
    """Multiples of 1/2 from -3.5 to 3.5; integers from -3 to 3, or 0 to 3 for unsigned dtypes."""
    count = int(torch.Size(shape).numel())
    values = (torch.arange(count, dtype=torch.double) * step + step) % 15 - 7
    if not dtype.is_floating_point:
        values = (values / 2).trunc().abs() if dtype == torch.uint8 else (values / 2).trunc()
        values = values % 2 if dtype == torch.bool else values
    else:
        values = values / 2
    tensor = values.to(dtype).reshape(shape)
    return tensor.to(PLACES[place][tensor.dim() == 0])


def every_call(first: torch.dtype, place: str) -> Iterator[tuple[str, Tensor, Tensor]]:
    """(description, a, b): `a` of one dtype, `b` of each dtype, in all pairs of shapes."""
    for second, shapes in itertools.product(
        (*INTEGERS, *FLOATS), itertools.product(SHAPES, SHAPES)
    ):
        a, b = (
            make_tensor(shape, dtype, place, step)
            for shape, dtype, step in zip(shapes, (first, second), (4, 7), strict=True)
        )
        name = f"{first} {list(shapes[0])} and {second} {list(shapes[1])}"
        yield name.replace("torch.", ""), a, b


def results(a: Tensor, b: Tensor) -> list[Tensor]:
    """The product and the gradients of its floating operands."""
    leaves = [t.detach().requires_grad_(t.is_floating_point()) for t in (a, b)]
    out = fusewise_ops.elementwise_mult(*leaves)
    floating = [leaf for leaf in leaves if leaf.requires_grad]
    if not floating:
        return [out]
    return [out.detach(), *torch.autograd.grad(out, floating, incoming(out))]


def incoming(out: Tensor) -> Tensor:
    values = torch.arange(out.numel(), device=out.device) % 3 - 1
    return values.reshape(out.shape).to(out.dtype)


def expected(a: Tensor, b: Tensor) -> list[Tensor]:
    """The product and gradients of eager PyTorch. Two integers are multiplied in the default dtype.

    These gradients are rounded once. Those of eager PyTorch are also rounded to the dtype of the
    product.
    """
    promoted = torch.result_type(a, b)
    dtype = promoted if promoted.is_floating_point else torch.get_default_dtype()
    out = torch.mul(a, b) if dtype == promoted else torch.mul(a.to(dtype), b.to(dtype))
    leaves = [t.double().requires_grad_(t.is_floating_point()) for t in (a, b)]
    floating = [leaf for leaf in leaves if leaf.requires_grad]
    if not floating:
        return [out]
    exact = torch.autograd.grad(torch.mul(*leaves), floating, incoming(out).double())
    kept = [t.dtype for t in (a, b) if t.is_floating_point()]
    return [out, *(grad.to(kind) for grad, kind in zip(exact, kept, strict=True))]


def facts(tensor: Tensor) -> str:
    return f"{tensor.dtype} {list(tensor.shape)} on {tensor.device.type}"


def totals(counts: Sequence[Tensor]) -> Iterator[int]:
    """The values of 0-dim tensors. Those on a GPU are copied to the CPU together."""
    on_gpu = [count for count in counts if count.is_cuda]
    brought = iter(torch.stack(on_gpu).tolist() if on_gpu else ())
    return (next(brought) if count.is_cuda else int(count) for count in counts)


@pytest.mark.parametrize(
    "first", [*INTEGERS, *FLOATS], ids=lambda dtype: str(dtype).removeprefix("torch.")
)
@pytest.mark.parametrize("device", PLACES)
def test_pairs_of_types_and_shapes(first: torch.dtype, device: str) -> None:
    if "cuda" in device and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    wrong, names, counts = [], [], []
    for name, a, b in every_call(first, device):
        whats = ["product", *(f"gradient of {t.dtype}" for t in (a, b) if t.is_floating_point())]
        for what, got, want in zip(whats, results(a, b), expected(a, b), strict=True):
            if facts(got) == facts(want):
                names.append(f"{name}: {what}")
                counts.append((got != want).sum())
            else:
                wrong.append(f"{name}: {what} is {facts(got)}, expected {facts(want)}")
    for name, count in zip(names, totals(counts), strict=True):
        if count:
            wrong.append(f"{name}: {count} values are wrong")
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong[:20])
