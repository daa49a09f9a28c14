"""Stand-ins for generated ops, in plain Python: right ones, and `make_op` for wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output
from torch import Tensor
from torch._dynamo.exc import Unsupported
from torch.autograd.gradcheck import GradcheckError
from torch.nn import functional
from torch.testing._internal.optests.generate_tests import OpCheckError

Change = Callable[[Tensor], Tensor]


def gate(x: Tensor, y: Tensor, *, scale: float = 1.0) -> Tensor:
    """The reference of the stand-in: swiglu, scaled."""
    return x * torch.sigmoid(x) * y * scale


def gate_gradients(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    s = torch.sigmoid(x)
    return grad * y * scale * (s + x * s * (1 - s)), grad * x * s * scale


def promoted(tensors: tuple[Tensor, ...]) -> torch.dtype:
    return sum(tensors, torch.zeros((), dtype=torch.bool)).dtype


def compute(function: Callable[..., Any], *tensors: Tensor) -> Any:
    """`function` as a kernel computes it: in float32 or float64."""
    wide = torch.float64 if promoted(tensors) == torch.float64 else torch.float32
    return function(*(tensor.to(wide) for tensor in tensors))


def decomposition(x: Tensor, y: Tensor, scale: float) -> Tensor:
    return compute(lambda x, y: gate(x, y, scale=scale), x, y).to(promoted((x, y)))


@torch.library.custom_op("standin::gate", mutates_args=())
def opaque(x: Tensor, y: Tensor, *, scale: float = 1.0) -> Tensor:
    return decomposition(x, y, scale)


@torch.library.custom_op("standin::gate_backward", mutates_args=())
def opaque_backward(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    grad_x, grad_y = gate_gradients(grad, x, y, scale)
    return grad_x.sum_to_size(x.shape).clone(), grad_y.sum_to_size(y.shape).clone()


def _setup(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)
    ctx.scale = keyword_only_inputs["scale"]


opaque.register_fake(lambda x, y, *, scale=1.0: decomposition(x, y, scale))
opaque.register_autograd(
    lambda ctx, grad: opaque_backward(grad, *ctx.saved_tensors, ctx.scale), setup_context=_setup
)


def _double_backward(ctx: Any, *grads: Any) -> Any:
    with torch.enable_grad():
        leaves = [tensor.detach().requires_grad_() for tensor in ctx.saved_tensors]
        outputs = gate_gradients(*leaves, ctx.scale)  # type: ignore[call-arg]
    return *torch.autograd.grad(outputs, leaves, grads), None


def _setup_backward(ctx: Any, inputs: Any, output: Any) -> None:
    *tensors, ctx.scale = inputs
    ctx.save_for_backward(*tensors)


opaque_backward.register_autograd(_double_backward, setup_context=_setup_backward)
opaque_backward.register_fake(lambda grad, x, y, scale: (torch.empty_like(x), torch.empty_like(y)))


def make_op(
    *,
    forward: Callable[..., Tensor] = decomposition,
    gradients: Callable[..., tuple[Tensor, Tensor]] = gate_gradients,
    change: Change = lambda out: out,
    change_grad: Change = lambda grad: grad,
    incoming: Change = lambda grad: grad,
    reduce: Callable[[Tensor, Tensor], Tensor] = lambda grad, x: grad.sum_to_size(x.shape),
    save: Callable[..., Any] = lambda ctx, *tensors: ctx.save_for_backward(*tensors),
    load: Callable[..., Any] = lambda ctx: ctx.saved_tensors,
    tangent: Change = lambda out: out,
) -> Callable[..., Tensor]:
    """The gate with a backward of its own; each argument is a place for a mistake."""

    class Gate(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Tensor, y: Tensor, scale: float) -> Tensor:
            return change(forward(x, y, scale))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            *tensors, ctx.scale = inputs
            save(ctx, *tensors)
            ctx.save_for_forward(*tensors)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            x, y = load(ctx)
            wide = compute(
                lambda grad, x, y: gradients(grad, x, y, ctx.scale), incoming(grads[0]), x, y
            )
            return *(
                change_grad(reduce(grad, t).to(t.dtype)) if needed else None
                for grad, t, needed in zip(wide, (x, y), ctx.needs_input_grad[:2], strict=True)
            ), None

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            x, y = ctx.saved_tensors
            slopes = gate_gradients(torch.ones_like(x + y), x, y, ctx.scale)
            terms = [s * t for s, t in zip(slopes, tangents[:2], strict=True) if t is not None]
            return tangent(sum(terms, torch.zeros_like(x + y)))

    def op(x: Tensor, y: Tensor, *, scale: float = 1.0, out: Tensor | None = None) -> Tensor:
        if torch.compiler.is_compiling():
            return decomposition(x, y, scale)
        if out is None:
            return Gate.apply(x, y, scale)  # type: ignore[return-value]
        if x.requires_grad or y.requires_grad:
            raise RuntimeError("out= does not support autograd")
        result = decomposition(x, y, scale)
        if out.shape != result.shape or out.dtype != result.dtype:
            raise RuntimeError("out has another shape or dtype")
        return out.copy_(result)

    return op


def make_case(op: Callable[..., Any], **facts: Any) -> OpCase:
    usual: dict[str, Any] = {
        "inputs": (Input("x", domain=(-100.0, 100.0)), Input("y")),
        "outputs": (Output("out"),),
        "reference": gate,
        "dispatcher": "standin::gate",
        "params": {"scale": (1.0, 0.3)},
        "saves": ("x", "y"),
    }
    return OpCase(op=op, **{**usual, **facts})


def packed_gate(x: Tensor, *, scale: float) -> Tensor:
    return gate(*x.chunk(2, dim=-1), scale=scale)


def add_bias(x: Tensor, bias: Tensor | None) -> Tensor:
    return torch.relu(x if bias is None else x + bias)


def add_bias_op(x: Tensor, bias: Tensor | None) -> Tensor:
    tensors = (x,) if bias is None else (x, bias)
    return compute(lambda x, bias=None: add_bias(x, bias), *tensors).to(promoted(tensors))


class WrittenRound(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.round()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 0.5


def composed(op: Callable[..., Any], reference: Callable[..., Any], **facts: Any) -> OpCase:
    """A case without a dispatcher: of an op made of PyTorch's own functions."""
    usual: dict[str, Any] = {"dispatcher": "", "params": {}, "saves": (), "reference": reference}
    return make_case(op, **{**usual, **facts})


ROUND_FACTS: dict[str, Any] = {
    "inputs": (Input("x"),),
    "surrogate": lambda grad, x: (grad * 0.5,),
    "no_finite_differences": "the backward is a surrogate",
}
BOTH = (Input("x"), Input("y"))
BIAS_INPUTS = (Input("x"), Input("bias", optional=True))
GATE = make_case(make_op())
PACKED = composed(
    lambda x, *, scale: compute(lambda x: packed_gate(x, scale=scale), x).to(x.dtype),
    packed_gate,
    inputs=(Input("x", parts=2),),
    params={"scale": (1.0, 0.3)},
)
BIAS = composed(add_bias_op, add_bias, inputs=BIAS_INPUTS)
ADD_ONE = composed(lambda x: x + 1, lambda x: x + 1, inputs=(Input("x", "number"),))
LINEAR = composed(
    functional.linear,
    lambda x, w, b: x @ w.T + b,
    inputs=(Input("x", shape=(2, 3)), Input("w", shape=(4, 3)), Input("b", shape=(4,))),
)
ROUND = composed(lambda x: WrittenRound.apply(x), torch.round, **ROUND_FACTS)


class Every(testing.Values, testing.Gradients, testing.Caches, testing.Ties):
    """All tests of an op."""


EVERY = Every()


def fail_in(dtype: torch.dtype, factor: float) -> Change:
    return lambda tensor: tensor * factor if tensor.dtype == dtype else tensor


def bad_tail(every: int) -> Change:
    """The last element of a length that no vector divides."""

    def change(out: Tensor) -> Tensor:
        if out.dim() and out.shape[-1] % every == every - 1:
            out[..., -1] = 0
        return out

    return change


@torch.library.custom_op("standin::no_backward", mutates_args=())
def no_backward(x: Tensor, y: Tensor, *, scale: float = 1.0) -> Tensor:
    return decomposition(x, y, scale)


@torch.library.custom_op("standin::wrong_fake", mutates_args=())
def wrong_fake(x: Tensor, y: Tensor, *, scale: float = 1.0) -> Tensor:
    return decomposition(x, y, scale)


no_backward.register_fake(lambda x, y, *, scale=1.0: decomposition(x, y, scale))
wrong_fake.register_fake(lambda x, y, *, scale=1.0: x.new_empty(x.shape))
BFLOAT16, FLOAT32, FLOAT64 = torch.bfloat16, torch.float32, torch.float64
FOUND = (AssertionError, pytest.fail.Exception, GradcheckError, OpCheckError, Unsupported)
# What is wrong, the op, the check that catches it, and the arguments of the check.
Wrong = list[tuple[str, OpCase, str, dict[str, Any]]]


def each_wrong(rows: Wrong) -> pytest.MarkDecorator:
    """A case each: a wrong op, the check that catches it, and the arguments of the check."""
    return pytest.mark.parametrize(
        ("case", "check", "how"),
        [
            pytest.param(case, check, how, id=f"{check}-{wrong}".replace(" ", "_"))
            for wrong, case, check, how in rows
        ],
    )


def check_is_caught(case: OpCase, check: str, how: dict[str, Any]) -> None:
    with pytest.raises(FOUND):
        getattr(EVERY, f"test_{check}")(case, device="cpu", **how)
