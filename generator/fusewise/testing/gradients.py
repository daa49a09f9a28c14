"""Tests of the gradients of an op, and of the tensors that it saves for them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from .case import SEED, Call, OpCase, is_differentiable, skip_composed, stored
from .compare import are_equal, assert_close, check_gradients, gradients, recorded
from .inputs import Shape
from .kept import check_parts, check_second_order_of_parts
from .layouts import LENGTHS, arrange_grad, layout_call

# Formulas usually have their kinks and ties at these numbers.
_ROUND_NUMBERS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
# Sums of products of multiples of this are exact in float64, in any order.
_ROW_STEP = 2.0**-10


def incoming(case: OpCase, call: Call, layout: str = "contiguous") -> list[Tensor | None]:
    """Reproducible incoming gradients for the floating outputs of a call, in a memory layout."""
    generator = torch.Generator().manual_seed(SEED + 1)
    with torch.no_grad():
        outputs = [out for out in call.run(case.op) if is_differentiable(out)]
    return [
        arrange_grad(torch.randn(out.shape, generator=generator).to(out), layout) for out in outputs
    ]


def _and_each_alone(grads: list[Tensor | None]) -> list[list[Tensor | None]]:
    """The gradients, and if these are several, each with the others missing."""
    if len(grads) == 1:
        return [grads]
    alone = [[g if i == j else None for j, g in enumerate(grads)] for i in range(len(grads))]
    return [grads, *alone]


class GradientTests:
    def test_gradient(self, case: OpCase, device: str, dtype: torch.dtype, layout: str) -> None:
        """The gradients in every dtype and layout agree with the reference in float64."""
        _skip_integers(dtype)
        for variant in case.variants():
            call = layout_call(case, layout, dtype, device, variant=variant, wide=True)
            check_gradients(case, call, incoming(case, call))

    def test_incoming(
        self, case: OpCase, device: str, dtype: torch.dtype, grad_layout: str
    ) -> None:
        """The incoming gradient may have any memory layout, and may be missing."""
        _skip_integers(dtype)
        call = case.call((5, 37), dtype, device)
        for grads in _and_each_alone(incoming(case, call, grad_layout)):
            check_gradients(case, call, grads)

    def test_gradient_lengths(self, case: OpCase, device: str, dtype: torch.dtype) -> None:
        """The gradients agree at every length, with whole vectors and a tail."""
        _skip_integers(dtype)
        skip_composed(case, "its shapes are fixed")
        for length in LENGTHS:
            call = case.call((3, length), dtype, device)
            check_gradients(case, call, incoming(case, call))

    def test_gradcheck(self, case: OpCase, device: str) -> None:
        """`gradcheck` passes, also with batched and undefined gradients and in forward mode."""
        _skip_without_finite_differences(case)
        for call in _small_calls(case, device):
            assert torch.autograd.gradcheck(
                _bound(case, call),
                call.leaves().floats,
                check_batched_grad=True,
                check_undefined_grad=True,
                check_forward_ad=True,
                check_batched_forward_grad=True,
            )

    def test_gradgradcheck(self, case: OpCase, device: str) -> None:
        """`gradgradcheck` passes, also with forward over reverse mode."""
        _skip_without_finite_differences(case)
        for call in _small_calls(case, device):
            assert torch.autograd.gradgradcheck(
                call.bind(case.op),
                call.leaves().floats,
                check_batched_grad=True,
                check_fwd_over_rev=True,
            )

    def test_kinks(self, case: OpCase, device: str) -> None:
        """At ties and kinks the gradient follows the convention of PyTorch's native ops.

        So does that of each output alone, where the derivative of another may be infinite.
        The inputs are round numbers and the values of the params, in all pairs. Points where the
        gradient of the reference is NaN are ignored. In rows the numbers have few digits, since a
        sum of all pairs may be at a kink too (that of x * y is 0): rounding, which depends on the
        order of a sum, would decide on which side it is.
        """
        for variant in case.variants():
            params = [
                v for v in variant[0].values() if isinstance(v, (int, float)) and abs(v) < 1e4
            ]
            grid = torch.tensor(sorted({*_ROUND_NUMBERS, *params, *(-v for v in params)}))
            if case.reduces:
                grid = (grid / _ROW_STEP).round() * _ROW_STEP
            n = len(grid)
            call = case.call((n * n,), torch.float64, device, variant=variant)
            for i, (operand, tensor) in enumerate(zip(case.inputs, call.tensors, strict=True)):
                if tensor is None or not tensor.is_floating_point():
                    continue
                index = torch.arange(tensor.numel())
                index = (index // n if i % 2 else index) % n
                values = stored(grid[index], tensor.dtype).view(tensor.shape)
                inside = values.clamp(*operand.bounds(tensor.shape)).to(tensor)
                call = call.with_tensor(i, inside)
            for grads in _and_each_alone(incoming(case, call)):
                pair = (gradients(function, call, grads) for function in (case.op, case.expected))
                for got, want in zip(*pair, strict=True):
                    defined = want.isfinite()
                    assert_close(case, got[defined], want[defined])
                    assert not got[want.isinf()].isfinite().any(), (
                        "finite where the gradient is infinite"
                    )

    def test_third_order(self, case: OpCase, device: str) -> None:
        """The gradients of second and third order agree with the reference."""
        for call in _small_calls(case, device):
            for order in (2, 3):
                got, want = (
                    _derivative(function, call, order) for function in (case.op, case.expected)
                )
                assert_close(case, got, want)

    def test_subsets(self, case: OpCase, device: str) -> None:
        """For every subset of inputs that require a gradient, exactly this subset gets one.

        A detached input gets none, and no output requires a gradient because of it. An input is
        detached if its gradient in the reference is None for all params.
        """
        calls = [
            case.call((3, 5), torch.float64, device, variant=(params, omitted))
            for params, omitted in case.variants()
            if not omitted
        ]
        call, count = calls[0], len(calls[0].floats)
        grads = incoming(case, call)
        found = [_accumulated(case.expected, each, range(count), grads)[0] for each in calls]
        attached = {i for i in range(count) if any(leaves[i] is not None for leaves in found)}
        for subset in range(1, 2**count):
            wanted = {i for i in range(count) if subset >> i & 1}
            actual, records = _accumulated(case.op, call, wanted, grads)
            expected, _ = _accumulated(case.expected, call, wanted, grads)
            assert records == bool(wanted & attached), "a graph is recorded where it goes nowhere"
            for i, (got, want) in enumerate(zip(actual, expected, strict=True)):
                assert (got is not None) == (i in wanted & attached), f"gradient {i} is {got}"
                if got is not None:
                    assert_close(case, got, torch.zeros_like(got) if want is None else want)

    def test_saved(self, case: OpCase, device: str) -> None:
        """A saved tensor may not be changed before the backward; any other tensor may.

        If only some inputs require a gradient, less is saved, and their gradients are the same.
        """
        skip_composed(case, "what is saved is theirs to say")
        usual = case.call((3, 5), torch.float64, device)
        grads = incoming(case, usual)
        expected = gradients(case.expected, usual, grads)
        names = [entry.name for entry in (*case.inputs, *case.outputs)]
        for name in names:
            leaves = usual.map(torch.clone).leaves()
            results = leaves.run(case.op)
            tensor = (*leaves.tensors, *results)[names.index(name)]
            assert tensor is not None
            with torch.no_grad():
                tensor.zero_()
            roots, arriving = recorded(results, grads)
            backward = functools.partial(
                torch.autograd.grad, roots, leaves.floats, arriving, materialize_grads=True
            )
            if name in case.saves:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    backward()
            elif roots:
                assert_close(case, backward(), expected)
        check_parts(case, usual)
        check_second_order_of_parts(case, usual)

    def test_second_backward(self, case: OpCase, device: str) -> None:
        """The first backward frees the graph, so a second one fails without `retain_graph`."""
        if not case.saves:
            pytest.skip("the op saves nothing, so there is nothing to free")
        leaves = case.call((3, 5), torch.float64, device).leaves()
        total = torch.stack(
            [out.sum() for out in leaves.run(case.op) if is_differentiable(out)]
        ).sum()
        total.backward(retain_graph=True)
        total.backward()
        with pytest.raises(RuntimeError, match="second time"):
            total.backward()

    def test_reproducible(self, case: OpCase, device: str) -> None:
        """Reduced gradients have the same bits every time."""
        shapes: list[Shape] = [(257, 33)] * len(case.inputs)
        if len(shapes) > 1:
            shapes[-1] = (33,)
        call = case.call(shapes, torch.float32, device)
        grads = incoming(case, call)
        first = gradients(case.op, call, grads)
        for _ in range(5):
            again = gradients(case.op, call, grads)
            assert all(are_equal(a, b) for a, b in zip(first, again, strict=True))


def _bound(case: OpCase, call: Call) -> Callable[..., Any]:
    """The op as a function of its floating tensors; it returns the outputs that require a gradient.

    In forward mode, gradcheck would take other outputs for differentiable ones.
    """
    bound = call.bind(case.op)
    outputs = bound(*call.leaves().floats)
    if isinstance(outputs, Tensor):
        return bound
    recorded = [out.requires_grad for out in outputs]
    return lambda *floats: tuple(itertools.compress(bound(*floats), recorded))


def _derivative(function: Callable[..., Any], call: Call, order: int) -> tuple[Tensor, ...]:
    leaves = call.leaves()
    weights = torch.Generator().manual_seed(SEED)
    values: Sequence[Tensor] = [out for out in leaves.run(function) if is_differentiable(out)]
    for _ in range(order):
        total = _weighted_sum(values, weights)
        if not total.requires_grad:
            return tuple(torch.zeros_like(leaf) for leaf in leaves.floats)
        values = torch.autograd.grad(
            total, leaves.floats, create_graph=True, allow_unused=True, materialize_grads=True
        )
    return tuple(value.detach() for value in values)


def _weighted_sum(values: Sequence[Tensor], weights: torch.Generator) -> Tensor:
    """The sum of all elements with random weights."""
    sums = [(v * torch.rand(v.shape, generator=weights).to(v)).sum() for v in values]
    return torch.stack(sums).sum()


def _accumulated(
    function: Callable[..., Any],
    call: Call,
    wanted: Collection[int],
    grads: Sequence[Tensor | None],
) -> tuple[list[Tensor | None], bool]:
    """(the `.grad` of each floating input, True if any output requires a gradient), if the inputs
    in `wanted` require a gradient."""
    leaves = call.leaves()
    for i, leaf in enumerate(leaves.floats):
        leaf.requires_grad_(i in wanted)
    outputs, arriving = recorded(leaves.run(function), grads)
    if outputs:
        torch.autograd.backward(outputs, arriving)
    return [leaf.grad for leaf in leaves.floats], bool(outputs)


def _small_calls(case: OpCase, device: str) -> list[Call]:
    """Calls that are small enough for finite differences: every variant, then a broadcast one."""
    calls = [case.call((2, 2), device=device, variant=variant) for variant in case.variants()]
    if len(case.inputs) > 1 and not case.composed:
        calls.append(case.call([(2, 2), *[(2,)] * (len(case.inputs) - 1)], device=device))
    return calls


def _skip_integers(dtype: torch.dtype) -> None:
    if not dtype.is_floating_point:
        pytest.skip("integers have no gradient")


def _skip_without_finite_differences(case: OpCase) -> None:
    if case.no_finite_differences:
        pytest.skip(case.no_finite_differences)
