"""The tests of an op: a generated file derives its class from those that apply.

Each is one check of this package; `parametrise` gives the arguments their values.
"""

from __future__ import annotations

import torch

from .case import OpCase
from .gpu import check_cuda, check_cuda_values
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
from .pytorch import check_compile, check_func, check_mode, check_opcheck
from .sizes import check_beyond_32_bits, check_beyond_caches
from .ties import check_ties
from .values import (
    check_forward,
    check_lengths,
    check_out,
    check_promotion,
    check_special_values,
    check_strides,
)


class Values:
    """What every op must do."""

    def test_forward(self, case: OpCase, device: str, dtype: torch.dtype, layout: str) -> None:
        check_forward(case, device, dtype, layout)

    def test_lengths(self, case: OpCase, device: str, dtype: torch.dtype) -> None:
        check_lengths(case, device, dtype)

    def test_broadcast(self, case: OpCase, device: str, dtype: torch.dtype, broadcast: str) -> None:
        check_broadcast(case, device, dtype, broadcast)

    def test_special_values(self, case: OpCase, device: str, dtype: torch.dtype) -> None:
        check_special_values(case, device, dtype)

    def test_promotion(self, case: OpCase, device: str, dtypes: str) -> None:
        check_promotion(case, device, dtypes)

    def test_strides(self, case: OpCase, device: str, layout: str) -> None:
        check_strides(case, device, layout)

    def test_out(self, case: OpCase, device: str) -> None:
        check_out(case, device)

    def test_opcheck(self, case: OpCase, device: str) -> None:
        check_opcheck(case, device)

    def test_compile(self, case: OpCase, device: str, form: str) -> None:
        check_compile(case, device, form)

    def test_mode(self, case: OpCase, device: str, mode: str) -> None:
        check_mode(case, device, mode)

    def test_cuda_values(self, case: OpCase, gpu: str, dtype: torch.dtype) -> None:
        check_cuda_values(case, gpu, dtype)

    def test_cuda(self, case: OpCase, gpu: str, feature: str) -> None:
        check_cuda(case, gpu, feature)

    def test_beyond_32_bits(self, case: OpCase, gpu: str, span: str) -> None:
        check_beyond_32_bits(case, gpu, span)


class Gradients:
    """What an op with gradients must do."""

    def test_gradient(self, case: OpCase, device: str, dtype: torch.dtype, layout: str) -> None:
        check_gradient(case, device, dtype, layout)

    def test_incoming(
        self, case: OpCase, device: str, dtype: torch.dtype, grad_layout: str
    ) -> None:
        check_incoming(case, device, dtype, grad_layout)

    def test_gradient_lengths(self, case: OpCase, device: str, dtype: torch.dtype) -> None:
        check_gradient_lengths(case, device, dtype)

    def test_gradcheck(self, case: OpCase, device: str) -> None:
        check_gradcheck(case, device)

    def test_gradgradcheck(self, case: OpCase, device: str) -> None:
        check_gradgradcheck(case, device)

    def test_third_order(self, case: OpCase, device: str) -> None:
        check_third_order(case, device)

    def test_kinks(self, case: OpCase, device: str) -> None:
        check_kinks(case, device)

    def test_subsets(self, case: OpCase, device: str) -> None:
        check_subsets(case, device)

    def test_saved(self, case: OpCase, device: str) -> None:
        check_saved(case, device)

    def test_second_backward(self, case: OpCase, device: str) -> None:
        check_second_backward(case, device)

    def test_reproducible(self, case: OpCase, device: str) -> None:
        check_reproducible(case, device)

    def test_func(self, case: OpCase, device: str, transform: str) -> None:
        check_func(case, device, transform)


class Caches:
    """Of an op that stands for the others of its kind, which write large tensors as it does."""

    def test_beyond_caches(self, case: OpCase, device: str, stored: torch.dtype) -> None:
        check_beyond_caches(case, device, stored)


class Ties:
    """Of an op whose results are exact where its inputs have few digits."""

    def test_ties(self, case: OpCase, device: str, half: torch.dtype) -> None:
        check_ties(case, device, half)
