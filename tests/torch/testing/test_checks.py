"""The checks of generated ops: right ops pass them, and messages say what is wrong."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output
from fusewise.testing.case import Call
from fusewise.testing.compare import are_equal, check_gradients, check_values
from standin_ops import (
    ADD_ONE,
    BIAS,
    EVERY,
    FLOAT32,
    GATE,
    LINEAR,
    PACKED,
    ROUND,
    Every,
    fail_in,
    gate,
    make_case,
    make_op,
)
from torch import Tensor
from torch.autograd.gradcheck import GradcheckError

CHECKS = [name for name in dir(Every) if name.startswith("test_") and "cuda" not in name]


def every_call(check: Callable[..., None], case: OpCase) -> Iterator[dict[str, Any]]:
    """The arguments of a check, in all combinations that a generated file would try."""
    values = testing.arguments(case)
    names = [name for name in inspect.signature(check).parameters if name != "case"]
    plain = [
        [
            v.values[0] if isinstance(v, type(pytest.param())) else v
            for v in values[name]
            if not getattr(v, "marks", ())
        ]
        for name in names
    ]
    for combination in itertools.product(*plain):
        yield dict(zip(names, combination, strict=True))


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    "case",
    [GATE, PACKED, BIAS, ADD_ONE, LINEAR, ROUND],
    ids=["gate", "packed", "bias", "add_one", "linear", "round"],
)
def test_right_ops_pass(name: str, case: OpCase) -> None:
    check = getattr(EVERY, name)
    for call in every_call(check, case):
        if call.get("form") == "inductor":
            continue  # as the other forms, and takes half a minute
        try:
            check(case, **call)
        except pytest.skip.Exception:
            continue


def test_equal_tensors_may_have_nan() -> None:
    nan, number = torch.tensor([torch.nan, torch.inf]), torch.tensor([0.0, torch.inf])
    assert are_equal(nan, nan.clone())
    assert are_equal(nan.to(torch.float8_e5m2), nan.to(torch.float8_e5m2))
    assert not are_equal(nan, number)
    assert not are_equal(number, -number)
    assert not are_equal(nan, nan.double())
    assert not are_equal(nan, nan[None])
    assert not are_equal(torch.tensor(2**60), torch.tensor(2**60 + 1))


def test_what_packs_an_input_or_an_output_is_packed() -> None:
    """It has no 0-dim form to test."""
    assert not GATE.packed
    assert dataclasses.replace(GATE, inputs=(Input("x", parts=2),)).packed
    assert dataclasses.replace(GATE, outputs=(Output("out", parts=2),)).packed


def log_softmax(x: Tensor, roundings: int = 0) -> Tensor:
    """With a sum that is off by some units in the last place."""
    shifted = x - x.amax(-1, keepdim=True)
    total = shifted.exp().sum(-1, keepdim=True)
    return shifted - (total * (1 + roundings * torch.finfo(x.dtype).eps)).log()


@pytest.mark.parametrize("reference", [log_softmax, lambda x: torch.log_softmax(x, -1)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_sum_of_a_log_softmax_is_rounded(
    reference: Callable[[Tensor], Tensor], dtype: torch.dtype
) -> None:
    """The logarithm of a sum near 1 has the rounding of the sum, many units of its own."""
    x = torch.tensor([[0.0, -6.0, -7.0], [0.0, -1.0, -2.0]], dtype=dtype)

    def check(roundings: int) -> None:
        case = OpCase(
            op=lambda x: log_softmax(x, roundings),
            dispatcher="standin::log_softmax",
            inputs=(Input("x"),),
            outputs=(Output("out"),),
            saves=("x",),
            reference=reference,
            reduces=True,
        )
        check_values(case, Call((x,), {}))

    for roundings in (-2, 0, 2):
        check(roundings)
    with pytest.raises(AssertionError, match="are wrong"):
        check(40)


def test_a_sum_of_gradients_may_cancel() -> None:
    case = OpCase(
        op=lambda x, y: torch.tanh(x.expand_as(y)) + y,  # sums what it finds for each element
        inputs=(Input("x"), Input("y")),
        outputs=(Output("out"),),
        reference=lambda x, y: torch.tanh(x) + y,  # sums what arrives
        dispatcher="standin::tanh",
    )
    torch.manual_seed(0)
    x, y = torch.tensor(0.3, dtype=torch.float64), torch.ones(5000, dtype=torch.float64)
    grad = torch.randn(5000, dtype=torch.float64)
    grad -= grad.mean() - 1e-6
    check_gradients(case, Call((x, y), {}), [grad])


def test_a_sum_of_gradients_of_a_packed_input_may_cancel() -> None:
    def tanh(x: Tensor, y: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=-1)
        return torch.tanh(a) * b + y

    case = OpCase(
        op=lambda x, y: tanh(x.expand(5000, 2), y),
        inputs=(Input("x", parts=2), Input("y")),
        outputs=(Output("out"),),
        reference=tanh,
        dispatcher="standin::tanh",
    )
    torch.manual_seed(0)
    x, y = torch.tensor([0.3, 0.7], dtype=torch.float64), torch.ones(5000, 1, dtype=torch.float64)
    grad = torch.randn(5000, 1, dtype=torch.float64)
    grad -= grad.mean() - 1e-6
    check_gradients(case, Call((x, y), {}), [grad])


def test_references_hand_infinities_on() -> None:
    x = torch.tensor([torch.inf, -torch.inf, torch.nan, 1.3], requires_grad=True)
    passed = testing.straight_through(x.round(), x)
    torch.testing.assert_close(passed, x.round(), equal_nan=True)
    assert torch.autograd.grad(passed[3], x)[0][3] == 1
    rounded = testing.round_to(x, torch.ones((), dtype=torch.bfloat16))
    torch.testing.assert_close(rounded, x.bfloat16().float(), equal_nan=True)
    assert torch.autograd.grad(rounded[3], x)[0][3] == 1


@pytest.mark.parametrize("interleaved", [False, True])
def test_the_parts_of_a_packed_input_have_domains_of_their_own(interleaved: bool) -> None:
    operand = Input("x", domain=((-8.0, -0.5), (0.25, 2.0)), parts=2, interleaved=interleaved)
    for wide in (False, True):
        drawn = operand.draw((50, 6), torch.Generator().manual_seed(0), wide=wide)
        parts = (drawn[:, ::2], drawn[:, 1::2]) if interleaved else drawn.chunk(2, -1)
        for (low, high), part in zip(((-8 if wide else -4, -0.5), (0.25, 2)), parts, strict=True):
            assert low < part.min() < part.max() < high
    assert operand.draw((3, 0), torch.Generator(), wide=False).shape == (3, 0)


@pytest.mark.parametrize("shapes", [((400, 30), (400, 30)), ((400, 30), (30,)), ((40, 1), (3,))])
def test_samples_escape_a_margin_that_is_excluded(shapes: tuple[tuple[int, ...], ...]) -> None:
    def exclude(x: Tensor, y: Tensor, **_: float) -> Tensor:
        return (x.unflatten(-1, (2, -1))[..., 0, :] - y).abs() < 0.05

    inputs = (Input("x", parts=2), Input("y"))
    case = dataclasses.replace(GATE, inputs=inputs, exclude=exclude)
    x, y = case.call(shapes).present
    assert not exclude(x, y).any()
    assert x.shape == (*shapes[0][:-1], 2 * shapes[0][-1])


def test_rows_of_a_reference_keep_the_stored_type() -> None:
    call = Call((torch.ones(2, 3, dtype=torch.bfloat16), torch.ones(1, dtype=torch.double)), {})
    x, y, _ = testing.rows(*call.cast(torch.double).present)
    value = torch.tensor(1.001, dtype=torch.double)
    assert testing.round_to(value, x) == 1
    assert testing.round_to(value, y) == value


def test_gradcheck_leaves_out_an_output_without_a_gradient() -> None:
    def two(x: Tensor, y: Tensor, *, scale: float) -> tuple[Tensor, Tensor]:
        return x.detach() * scale, gate(x, y, scale=scale)

    case = make_case(two, reference=two, outputs=(Output("value"), Output("out")))
    EVERY.test_gradcheck(case, "cpu")
    wrong = make_op(change_grad=lambda grad: grad * 1.05)
    case = make_case(lambda x, y, *, scale: (x.detach(), wrong(x, y, scale=scale)))
    with pytest.raises(GradcheckError):
        EVERY.test_gradcheck(case, "cpu")


def test_a_message_says_where_and_how_far() -> None:
    case = make_case(make_op(change=fail_in(FLOAT32, 1 + 1e-5)))
    with pytest.raises(
        AssertionError, match=r"gate: output 0: \d+ of 185 values are wrong; at \[\d, \d+\]"
    ):
        EVERY.test_forward(case, "cpu", FLOAT32, "contiguous")


def test_gradcheck_alone_misses_a_gradient_that_is_wrong_in_float32() -> None:
    EVERY.test_gradcheck(make_case(make_op(change_grad=fail_in(FLOAT32, 1.05))), "cpu")
