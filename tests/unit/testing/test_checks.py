"""The support of the generated tests: right ops pass every check, wrong ones are caught.

The ops here are stand-ins in plain Python. Each wrong one carries a mistake that was made in real
kernels, and that common test suites let through.
"""

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
from fusewise.testing.compare import check_gradients
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


def fail_in(dtype: torch.dtype, factor: float) -> Change:
    return lambda tensor: tensor * factor if tensor.dtype == dtype else tensor


def as_if_contiguous(grad: Tensor) -> Tensor:
    """What a kernel sees that takes the strides for granted."""
    size = grad.untyped_storage().nbytes() // grad.element_size()
    flat = grad.as_strided((size,), (1,), 0)
    index = torch.arange(grad.numel()).clamp(max=size - 1)
    return flat[index].view(grad.shape)


def bad_tail(every: int) -> Change:
    """The last element of a length that no vector divides."""

    def change(out: Tensor) -> Tensor:
        if out.dim() and out.shape[-1] % every == every - 1:
            out[..., -1] = 0
        return out

    return change


def bad_offset(x: Tensor, y: Tensor, scale: float) -> Tensor:
    aligned = x.storage_offset() != 3
    return decomposition(x if aligned else x + 0.01, y, scale)


def first_of(grad: Tensor, x: Tensor) -> Tensor:
    """The gradient of one copy, where the sum over all is due."""
    while grad.dim() > x.dim():
        grad = grad[0]
    for dim, size in enumerate(x.shape):
        grad = grad[(slice(None),) * dim + (slice(0, size),)]
    return grad


def naive_gradients(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    s = torch.exp(x) / (1 + torch.exp(x))  # NaN from 89 on
    return grad * y * scale * (s + x * s * (1 - s)), grad * x * s * scale


def wrong_tail(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    grad_x, grad_y = gate_gradients(grad, x, y, scale)
    return torch.where(x.abs() > 20, 2 * grad_x, grad_x), grad_y


def detached(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    s = torch.sigmoid(x).detach()  # as a saved intermediate is
    return grad * y * scale * (s + x * s * (1 - s)), grad * x * s * scale


def ignore_scale(grad: Tensor, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    return gate_gradients(grad, x, y, 1.0)


def add_floor(x: Tensor, y: Tensor) -> Tensor:
    return x + y.floor()


def keep_copies(ctx: Any, x: Tensor, y: Tensor) -> None:
    ctx.copies = x.detach().clone(), y.detach().clone()


def moving_out(x: Tensor, y: Tensor, *, scale: float, out: Tensor) -> Tensor:
    return out.set_(decomposition(x, y, scale))  # type: ignore[arg-type]


def careless_out(x: Tensor, y: Tensor, *, scale: float, out: Tensor | None = None) -> Tensor:
    result = decomposition(x, y, scale)
    return result if out is None else out.copy_(result.detach())


def noise(grad: Tensor) -> Tensor:
    """The order of atomics."""
    return grad * (1 + torch.finfo(grad.dtype).eps * torch.randint(2, grad.shape))


def graph_break(x: Tensor, y: Tensor, *, scale: float) -> Tensor:
    torch._dynamo.graph_break()
    return decomposition(x, y, scale)


def under_autocast(x: Tensor, y: Tensor, *, scale: float) -> Tensor:
    out = decomposition(x, y, scale)
    return out.float() if torch.is_autocast_enabled("cpu") else out


def fake_says(change: Change) -> Callable[..., Tensor]:
    """Right on real tensors, another answer on fake ones."""

    def op(x: Tensor, y: Tensor, *, scale: float) -> Tensor:
        out = decomposition(x, y, scale)
        return change(out) if isinstance(out, torch._subclasses.FakeTensor) else out

    return op


def relu_at_0(x: Tensor) -> Tensor:
    return torch.where(x >= 0, x, 0 * x)


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
# What is wrong, the op, the check that sees it and its arguments.
WRONG: list[tuple[str, OpCase, str, dict[str, Any]]] = [
    (
        "float32 off by 1e-5",
        make_case(make_op(change=fail_in(FLOAT32, 1 + 1e-5))),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "float64 off by 2e-8",
        make_case(make_op(change=fail_in(FLOAT64, 1 + 2e-8))),
        "forward",
        {"dtype": FLOAT64, "layout": "contiguous"},
    ),
    (
        "bfloat16 not widened",
        make_case(make_op(forward=lambda x, y, scale: gate(x, y, scale=scale))),
        "forward",
        {"dtype": BFLOAT16, "layout": "contiguous"},
    ),
    (
        "wrong at offset 3",
        make_case(make_op(forward=bad_offset)),
        "forward",
        {"dtype": FLOAT32, "layout": "offset_3"},
    ),
    (
        "param is ignored",
        make_case(make_op(forward=lambda x, y, scale: decomposition(x, y, 1.0))),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "omitted input is not 0",
        dataclasses.replace(
            BIAS, op=lambda x, bias: add_bias(x, torch.ones(()) if bias is None else bias)
        ),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "integers become floats",
        dataclasses.replace(ADD_ONE, op=lambda x: x + 1.0),
        "forward",
        {"dtype": torch.int8, "layout": "contiguous"},
    ),
    (
        "halves swapped",
        dataclasses.replace(
            PACKED, op=lambda x, scale: gate(*reversed(x.chunk(2, -1)), scale=scale)
        ),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "another oracle",
        dataclasses.replace(GATE, oracle=lambda x, y, scale: functional.gelu(x) * y * scale),
        "forward",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    ("tail of 4", make_case(make_op(change=bad_tail(4))), "lengths", {"dtype": FLOAT32}),
    ("tail of 16", make_case(make_op(change=bad_tail(16))), "lengths", {"dtype": BFLOAT16}),
    (
        "NaN becomes 0",
        make_case(make_op(change=torch.nan_to_num)),
        "special_values",
        {"dtype": FLOAT32},
    ),
    (
        "infinity is clamped",
        make_case(make_op(change=lambda out: out.clamp(max=1e30))),
        "special_values",
        {"dtype": FLOAT32},
    ),
    (
        "dtype of the first",
        make_case(make_op(forward=lambda x, y, scale: decomposition(x, y, scale).to(x.dtype))),
        "promotion",
        {"dtypes": "float32_float64"},
    ),
    (
        "contiguous output",
        make_case(make_op(change=Tensor.contiguous)),
        "strides",
        {"layout": "transposed"},
    ),
    (
        "contiguous output",
        make_case(make_op(change=Tensor.contiguous)),
        "strides",
        {"layout": "channels_last"},
    ),
    ("fake strides", make_case(fake_says(Tensor.contiguous)), "strides", {"layout": "mixed"}),
    ("fake dtype", make_case(fake_says(Tensor.double)), "strides", {"layout": "contiguous"}),
    (
        "out= is replaced",
        make_case(lambda x, y, *, scale, out=None: decomposition(x, y, scale)),
        "out",
        {},
    ),
    (
        "out= is moved",
        make_case(
            lambda x, y, *, scale, out=None: (
                decomposition(x, y, scale)
                if out is None
                else moving_out(x, y, scale=scale, out=out)
            )
        ),
        "out",
        {},
    ),
    ("out= takes any dtype", make_case(careless_out), "out", {}),
    (
        "gradient x 1.01",
        make_case(make_op(change_grad=lambda grad: grad * 1.01)),
        "gradient",
        {"dtype": FLOAT64, "layout": "contiguous"},
    ),
    ("gradient x 1.01", make_case(make_op(change_grad=lambda grad: grad * 1.01)), "gradcheck", {}),
    (
        "gradient wrong in float32",
        make_case(make_op(change_grad=fail_in(FLOAT32, 1.0001))),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient wrong in bfloat16",
        make_case(make_op(change_grad=fail_in(BFLOAT16, 1.05))),
        "gradient",
        {"dtype": BFLOAT16, "layout": "contiguous"},
    ),
    (
        "gradient NaN in the tail",
        make_case(make_op(gradients=naive_gradients)),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient doubled in the tail",
        make_case(make_op(gradients=wrong_tail)),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient forgets the param",
        make_case(make_op(gradients=ignore_scale)),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient of the true derivative",
        dataclasses.replace(ROUND, op=lambda x: x.round()),
        "gradient",
        {"dtype": FLOAT32, "layout": "contiguous"},
    ),
    (
        "gradient tail",
        make_case(make_op(change_grad=bad_tail(8))),
        "gradient_lengths",
        {"dtype": FLOAT32},
    ),
    *[
        (
            "strides of grad ignored",
            make_case(make_op(incoming=as_if_contiguous)),
            "incoming",
            {"dtype": FLOAT32, "grad_layout": layout},
        )
        for layout in ("transposed", "rows", "narrowed", "sliced")
    ],
    (
        "sum is missing",
        make_case(make_op(reduce=first_of)),
        "broadcast",
        {"dtype": FLOAT32, "broadcast": "y_bias"},
    ),
    (
        "sum is missing",
        make_case(make_op(reduce=first_of)),
        "broadcast",
        {"dtype": FLOAT64, "broadcast": "x_channel"},
    ),
    (
        "sum in bfloat16",
        make_case(
            make_op(
                reduce=lambda grad, x: (
                    grad.to(x.dtype).cumsum(0)[-1].sum_to_size(x.shape)
                    if grad.dim() > x.dim()
                    else grad.sum_to_size(x.shape)
                )
            )
        ),
        "broadcast",
        {"dtype": BFLOAT16, "broadcast": "y_bias"},
    ),
    ("saved intermediate", make_case(make_op(gradients=detached)), "gradgradcheck", {}),
    ("saved intermediate", make_case(make_op(gradients=detached)), "third_order", {}),
    ("relu'(0) = 1", composed(relu_at_0, torch.relu, inputs=(Input("x"),)), "kinks", {}),
    (
        "gradient for all or none",
        make_case(
            make_op(
                load=lambda ctx: (
                    ctx.saved_tensors
                    if all(ctx.needs_input_grad[:2])
                    else [t * 2 for t in ctx.saved_tensors]
                ),
            )
        ),
        "subsets",
        {},
    ),
    *[
        (what, composed(op, reference, inputs=BOTH), "subsets", {})
        for what, op, reference in (
            ("zeros where none is due", lambda x, y: x + 0 * y, lambda x, y: x + 0 * y.detach()),
            ("none where zeros are due", lambda x, y: x + y.detach().floor(), add_floor),
        )
    ],
    (
        "copies are saved",
        make_case(make_op(save=keep_copies, load=lambda ctx: ctx.copies)),
        "saved",
        {},
    ),
    (
        "nothing is freed",
        make_case(make_op(save=keep_copies, load=lambda ctx: ctx.copies)),
        "second_backward",
        {},
    ),
    ("order of atomics", make_case(make_op(change_grad=noise)), "reproducible", {}),
    ("tangent x 2", make_case(make_op(tangent=lambda out: 2 * out)), "gradcheck", {}),
    *[
        (
            "tangent x 2",
            make_case(make_op(tangent=lambda out: 2 * out)),
            "func",
            {"transform": name},
        )
        for name in ("jvp", "jacfwd", "hessian")
    ],
    *[
        (
            "gradient x 1.01",
            make_case(make_op(change_grad=lambda grad: grad * 1.01)),
            "func",
            {"transform": name},
        )
        for name in ("grad", "vmap_grad", "jacrev")
    ],
    ("other fake strides", make_case(make_op(), dispatcher="standin::wrong_fake"), "opcheck", {}),
    ("no backward op", make_case(make_op(), dispatcher="standin::no_backward"), "opcheck", {}),
    ("graph break", make_case(graph_break), "compile", {"form": "static"}),
    (
        "wrong when dissolved",
        make_case(
            lambda x, y, *, scale: decomposition(x, y, scale) * (1 + torch.compiler.is_compiling())
        ),
        "compile",
        {"form": "dynamic"},
    ),
    (
        "wrong when opaque",
        make_case(make_op(), reference=lambda x, y, *, scale: gate(x, y, scale=scale) * 2),
        "compile",
        {"form": "opaque"},
    ),
    ("autocast casts", make_case(under_autocast), "mode", {"mode": "autocast"}),
    *[
        (
            "gradient x 1.01",
            make_case(make_op(change_grad=lambda grad: grad * 1.01)),
            "mode",
            {"mode": mode},
        )
        for mode in ("checkpoint", "save_on_cpu", "compiled_autograd")
    ],
    (
        "wrong in inference mode",
        make_case(
            lambda x, y, *, scale: (
                decomposition(x, y, scale) * (1 + torch.is_inference_mode_enabled())
            )
        ),
        "mode",
        {"mode": "inference_mode"},
    ),
    (
        "wrong when exported",
        make_case(
            lambda x, y, *, scale: decomposition(x, y, scale) * (1 + torch.compiler.is_compiling())
        ),
        "mode",
        {"mode": "export"},
    ),
]


@pytest.mark.parametrize(
    ("case", "check", "how"),
    [
        pytest.param(*row, id=f"{check}-{what}".replace(" ", "_"))
        for what, *row in WRONG
        for check in [row[1]]
    ],
)
def test_wrong_ops_are_caught(case: OpCase, check: str, how: dict[str, Any]) -> None:
    with pytest.raises(FOUND):
        getattr(EVERY, f"test_{check}")(case, device="cpu", **how)


def test_what_packs_an_input_or_an_output_is_packed() -> None:
    """It has no 0-dim form to test."""
    assert not GATE.packed
    assert dataclasses.replace(GATE, inputs=(Input("x", parts=2),)).packed
    assert dataclasses.replace(GATE, outputs=(Output("out", parts=2),)).packed


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
