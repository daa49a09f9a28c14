"""Tests of tensors larger than the caches, and of tensors with sizes beyond 32 bits.

A large call repeats a small one along one dimension. The small call is compared with the reference.
Each repetition must have the bits of the small call, and a sum over n repetitions must be n times
the sum of the small call.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor

from .case import Call, OpCase, is_differentiable, skip_composed
from .compare import (
    check_gradients,
    check_values,
    compare,
    compute_dtype,
    gradient_noise_dtype,
    gradients,
    magnitudes,
)
from .gradients import incoming
from .inputs import Shape
from .noise import Values, noisy

SPANS = ("elements", "outer", "rows")
_APART = 8
_MOST_SECONDS = 0.5  # a GPU moves gigabytes in milliseconds, unless it needs thousands of launches
_PIECE = 1 << 28  # elements that are compared at once
# A bound of the number of terms that are added in sequence: 1024 by a thread of a GPU (kMaxTerms),
# the others by trees and in short loops. Each addition rounds, and for equal terms in the same
# direction: the error is up to this many roundings of the sum of magnitudes.
_CHAIN = 1280
_CACHES = "/sys/devices/system/cpu/cpu0/cache"


class LargeTests:
    def test_beyond_32_bits(self, case: OpCase, gpu: str, span: str) -> None:
        """Element counts and byte offsets may exceed 32 bits.

        `elements`: more than 2^31 elements in one dimension. `outer`: more than 4 GiB; the short
        first dimension has the largest stride, and the last input is broadcast along the second.
        `rows`: the rows of the first input are short, but far apart in a wider buffer.
        """
        skip_composed(case, "its shapes are fixed")
        try:
            _check_span(case, gpu, span)
        finally:
            torch.cuda.empty_cache()  # other tests share the GPU


class Caches:
    """Tests of large tensors for a few representative ops; the others write in the same way."""

    def test_beyond_caches(self, case: OpCase, device: str, stored: torch.dtype) -> None:
        """Tensors larger than the caches have the same values as small ones.

        A CPU writes them with stores that bypass the caches. The last input has the full shape
        first, then one row.
        """
        skip_composed(case, "its shapes are fixed")
        times = -(-_cache_bytes(device) // (8 * 1024 * stored.itemsize)) + 1
        shapes: list[Shape] = [(8, 1024)] * len(case.inputs)
        _check_repeated(case, case.call(shapes, stored, device), 0, times)
        if len(shapes) > 1:
            shapes[-1] = (1024,)
            _check_repeated(case, case.call(shapes, stored, device), 0, times)


def _check_span(case: OpCase, gpu: str, span: str) -> None:
    dtype = torch.bfloat16 if case.takes_floats else torch.int16
    if span == "elements":
        _check_repeated(case, case.call((16, 1024), dtype, gpu), 0, (1 << 17) + 1)
        return
    if span == "outer":
        shapes: list[Shape] = [(16, 2, 512)] * len(case.inputs)
        if len(shapes) > 1:
            shapes[-1] = (16, 1, 512)
        _check_repeated(case, case.call(shapes, dtype, gpu), 1, 163_840)
        return
    _check_repeated(case, case.call((64, 1, 1000), dtype, gpu), 1, 8000, _APART)


def _check_repeated(case: OpCase, small: Call, dim: int, times: int, apart: int = 1) -> None:
    """Checks the values and gradients of a call that repeats a small one along a dimension.

    apart: the distance of the rows of the first tensor, in row lengths.
    """
    broadcast = {
        id(tensor)
        for tensor, missing in zip(small.present, case.missing_dims(small), strict=True)
        if missing
    }

    def repeat(tensor: Tensor) -> Tensor:
        if id(tensor) in broadcast or tensor.shape[dim] == 1 < _size(small, dim):
            return tensor  # all repetitions read the same elements
        shape = [*tensor.shape[:dim], times, *tensor.shape[dim:]]
        return tensor.unsqueeze(dim).expand(shape).flatten(dim, dim + 1)

    outputs = check_values(case, small)
    _skip_where_too_large([*small.present, *[small.present[0]] * (apart - 1)], outputs, times)
    large = small.map(repeat)
    if apart > 1:
        large = large.with_tensor(0, _far_apart(large.present[0], apart))
    results = _run(case, large)
    for result, want in zip(results, outputs, strict=True):
        _assert_repeats(result, want, dim, f"{case.name}: output")
    del results, result
    if not small.floats or not case.differentiable:
        return
    grads = incoming(case, small)
    wanted = check_gradients(case, small, grads)
    actual = gradients(case.op, large, [None if grad is None else repeat(grad) for grad in grads])
    summed = [tensor is repeat(tensor) for tensor in small.floats]
    for grad, want, is_sum in zip(actual, wanted, summed, strict=True):
        if not is_sum:
            _assert_repeats(grad, want, dim, f"{case.name}: gradient")
    if any(summed):
        _compare_sums(case, small, grads, actual, summed, times)


def _far_apart(tensor: Tensor, apart: int) -> Tensor:
    row = tensor[0].numel()
    buffer = tensor.new_empty((tensor.shape[0], apart * row))
    return buffer[:, :row].unflatten(1, tensor.shape[1:]).copy_(tensor)


def _run(case: OpCase, call: Call) -> Values:
    """The outputs of a call. Fails if a GPU takes more than `_MOST_SECONDS`."""
    on_gpu = call.present[0].is_cuda
    if on_gpu:
        torch.cuda.synchronize()
    start = time.monotonic()
    with torch.no_grad():
        outputs = call.run(case.op)
    if on_gpu:
        torch.cuda.synchronize()
        seconds = time.monotonic() - start
        assert seconds < _MOST_SECONDS, (
            f"{case.name}: a call of large tensors takes {seconds:.1f} s"
        )
    return outputs


def _size(call: Call, dim: int) -> int:
    rank = max(tensor.dim() for tensor in call.present)
    return max(tensor.shape[dim] for tensor in call.present if tensor.dim() == rank)


def _assert_repeats(large: Tensor, small: Tensor, dim: int, what: str) -> None:
    """Fail unless every repetition has the bits of the small tensor."""
    size = small.shape[dim]
    assert large.shape[dim] % size == 0, f"{what}: shape {large.shape}"
    pieces = large.unflatten(dim, (-1, size))
    step = max(1, _PIECE // small.numel())
    for first in range(0, pieces.shape[dim], step):
        piece = pieces.narrow(dim, first, min(step, pieces.shape[dim] - first))
        want = small.unsqueeze(dim).expand(piece.shape)
        if torch.equal(piece, want):
            continue
        at = tuple(int(i) for i in (piece != want).nonzero()[0])
        got, expected = float(piece[at]), float(want[at])
        at = (*at[:dim], (first + at[dim]) * size + at[dim + 1], *at[dim + 2 :])
        raise AssertionError(
            f"{what} of a large tensor at {list(at)}: {got:.9g}, not {expected:.9g}"
        )


def _compare_sums(
    case: OpCase,
    small: Call,
    grads: Sequence[Tensor | None],
    actual: Values,
    summed: Sequence[bool],
    times: int,
) -> None:
    """Compares the gradients that are sums over the repetitions."""
    grads = [None if grad is None else grad.cpu() for grad in grads]
    dtype = gradient_noise_dtype(case, small)
    expected, moved = noisy(case, lambda near: gradients(case.expected, near, grads), small, dtype)

    def noise() -> list[Values]:
        eps = torch.finfo(compute_dtype(small)).eps
        chain = _CHAIN / 2 * eps / 2 * times  # `compare` doubles the noise
        sums = [
            value * times + chain * size
            for value, size in zip(expected, magnitudes(case, small, grads), strict=True)
        ]
        return [*(chosen([value * times for value in values]) for values in moved()), chosen(sums)]

    def chosen(values: Sequence[Tensor]) -> Values:
        return tuple(v for v, is_sum in zip(values, summed, strict=True) if is_sum)

    compare(
        chosen(actual),
        chosen([value * times for value in expected]),
        noise,
        f"{case.name}: summed gradient",
    )


def _skip_where_too_large(inputs: Sequence[Tensor], outputs: Sequence[Tensor], times: int) -> None:
    device = outputs[0].device
    if device.type != "cuda":
        return
    each = sum(tensor.numel() * tensor.itemsize for tensor in (*inputs, *outputs))
    grads = any(is_differentiable(tensor) for tensor in outputs)
    # the tensors, as much again for the gradients, and room for the comparison
    need = each * times * (2 if grads else 1) + 9 * _PIECE + (9 << 30)
    total = torch.cuda.get_device_properties(device).total_memory
    if need > total:
        pytest.skip(f"needs {math.ceil(need / 2**30)} GiB of GPU memory")


def _cache_bytes(device: str) -> int:
    """The size of the largest cache in bytes.

    Of a CPU at least 32 MiB, and at most 96 MiB, as the runtime has it (`cpu/capability.h`).
    """
    if torch.device(device).type == "cuda":
        return torch.cuda.get_device_properties(device).L2_cache_size
    unit = {"K": 1 << 10, "M": 1 << 20}
    sizes = [path.read_text().strip() for path in Path(_CACHES).glob("index*/size")]
    largest = max([32 << 20, *(int(size[:-1]) * unit[size[-1]] for size in sizes)])
    return min(largest, 96 << 20)
