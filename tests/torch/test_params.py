"""Params from Python: the values that ops accept, compared with the dispatcher and PyTorch."""

from __future__ import annotations

import decimal
import itertools
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.autograd.forward_ad as forward_ad
from sample_ops import OPS, C, runtime
from torch import Tensor

pytestmark = pytest.mark.usefixtures("sample_ops")

X = torch.tensor([1.0, -2.0], dtype=torch.double)
NAMES = {"scale": "a float", "count": "an int", "negate": "a bool"}

# Each of these has the same value as a float, an integer and a bool.
WHOLE = [1, True, np.int64(1), np.uint8(1), np.bool_(True), np.float32(1), np.array(1)]
WHOLE += [torch.tensor(1), torch.tensor(True), torch.tensor(1.0), torch.tensor([1])]
FLOATS = [0.25, np.float64(0.25), np.float32(0.25), np.float16(0.25), np.array(0.25)]
FLOATS += [torch.tensor(0.25), torch.tensor(0.25, dtype=torch.bfloat16), decimal.Decimal("0.25")]
FLOATS += [float("inf"), np.float32("nan"), 2**70, torch.tensor(2**60)]
NEITHER = ["1", None, 1j, [1], (1,), torch.tensor([1, 2]), torch.tensor(1.0, device="meta"), X]


def both(**params: Any) -> list[Any]:
    """The results of the Python function and of torch.ops; None for an error."""
    results: list[Any] = []
    for call in (C.shift, OPS.shift):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(call(X, **params))
        except (TypeError, RuntimeError, OverflowError):
            results.append(None)
    return results


@pytest.mark.parametrize(
    ("name", "value"),
    [*itertools.product(NAMES, WHOLE), *itertools.product(["scale"], FLOATS)],
    ids=repr,
)
def test_what_the_dispatcher_takes_is_taken(name: str, value: Any) -> None:
    ours, theirs = both(**{name: value})
    assert theirs is not None
    torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)


def test_integers_keep_all_their_bits() -> None:
    for value in (np.int64(2**62), torch.tensor(-(2**62)), np.int32(-7)):
        ours, theirs = both(count=value)
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", NEITHER, ids=repr)
def test_what_is_no_number_is_refused(name: str, value: Any) -> None:
    if (name, value) != ("negate", None) and not (name == "negate" and isinstance(value, complex)):
        assert both(**{name: value}) == [None, None]
    with pytest.raises(TypeError) as error:
        C.shift(X, **{name: value})
    assert str(error.value).startswith(f"shift(): {name} must be {NAMES[name]}, got ")


def test_what_would_change_is_refused() -> None:
    """The op raises, as PyTorch's functions do; the dispatcher would round towards zero."""
    for name, value, got in (
        ("count", 1.0, "float"),
        ("count", np.float32(1.5), "np.float32(1.5)"),
        ("count", torch.tensor(1.5), "tensor(1.5000)"),
        ("negate", 2, "2"),
        ("negate", 0.5, "0.5"),
        ("negate", None, "None"),
    ):
        with pytest.raises(TypeError) as error:
            C.shift(X, **{name: value})
        assert str(error.value) == f"shift(): {name} must be {NAMES[name]}, got {got}"


def test_a_gradient_is_not_lost_in_silence() -> None:
    text = (
        "shift(): scale is a param, which has no gradient, but got a Tensor that requires one; "
        "detach it"
    )
    scale = torch.tensor(2.0, requires_grad=True)
    cases = [scale, torch.nn.Parameter(scale.detach())]
    with forward_ad.dual_level():
        cases.append(forward_ad.make_dual(scale.detach(), torch.ones(())))
        for value in cases:
            with pytest.raises(TypeError) as error:
                C.shift(X, scale=value)
            assert str(error.value) == text
            with torch.device("cpu"), pytest.raises(TypeError, match="has no gradient"):
                C.shift(X, scale=value)  # a mode may take another path
    with pytest.raises(TypeError, match="has no gradient"):
        torch.func.grad(lambda s: C.shift(X, scale=s).sum())(scale.detach())
    with pytest.raises(TypeError, match="must be Number, not Tensor"):
        torch.nn.functional.softplus(X, beta=scale)  # type: ignore[arg-type]
    assert torch.equal(C.shift(X, scale=scale.detach()), 2 * X)


def test_no_batch_of_params() -> None:
    message = (
        r"shift\(\): scale is a param, of which vmap takes no batch; call the op for each value"
    )
    with pytest.raises(TypeError, match=message):
        torch.func.vmap(lambda scale: C.shift(X, scale=scale))(torch.randn(3))
    found = torch.func.vmap(lambda x: C.shift(x, scale=torch.tensor(2.0)))(X)
    assert torch.equal(found, C.shift(X, scale=2))


def test_subclasses_and_modes_see_params_as_they_are() -> None:
    from torch.overrides import TorchFunctionMode

    seen: list[Any] = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            seen.append(kwargs)
            return function(*args, **(kwargs or {}))

    class Sub(torch.Tensor):
        pass

    with Mode():
        C.shift(X, scale=np.float32(0.5))
    assert [type(value) for value in seen[0].values()] == [np.float32]
    assert type(C.shift(X, scale=torch.tensor(0.5).as_subclass(Sub))) is Sub
    with Mode(), pytest.raises(TypeError, match="count must be an int, got"):
        C.shift(X, count=np.float32(0.5))


def test_symbolic_numbers() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    def function(x: Tensor) -> Tensor:
        return C.shift(x, scale=x.shape[0] * 0.5, count=x.shape[0])

    graph = make_fx(function, tracing_mode="symbolic")(X)
    torch.testing.assert_close(graph(X), X * 1.0 + 2)


@pytest.mark.parametrize("value", [np.float32(0.5), torch.tensor(0.5), 1, True], ids=repr)
@pytest.mark.parametrize("opaque", [False, True])
def test_params_of_a_graph(value: Any, opaque: bool) -> None:
    """torch.compile accepts the same params as for PyTorch's functions."""

    def function(x: Tensor, alpha: Any) -> Tensor:
        return runtime.call_compiled("bias_gelu", OPS.bias_gelu, x, alpha=alpha)

    torch._dynamo.reset()
    runtime.set_opaque(opaque)
    native = torch.compile(lambda x, a: torch.nn.functional.softplus(x, a), backend="aot_eager")
    native(X, value)
    compiled = torch.compile(function, backend="aot_eager")
    found = compiled(X, value)
    runtime.set_opaque(False)
    torch.testing.assert_close(found, C.bias_gelu(X, alpha=value))


def test_a_graph_loses_no_gradient_in_silence() -> None:
    def function(x: Tensor, alpha: Any) -> Tensor:
        return runtime.call_compiled("bias_gelu", OPS.bias_gelu, x, alpha=alpha)

    torch._dynamo.reset()
    compiled = torch.compile(function, backend="aot_eager")
    with pytest.raises(TypeError, match="alpha is a param, which has no gradient"):
        compiled(X, torch.tensor(0.5, requires_grad=True))


def test_messages_name_the_op_as_it_was_called() -> None:
    index, mask = torch.tensor([1, 2]), torch.tensor([True])
    for call in (C.dequantise_double, OPS.dequantise_double):
        with pytest.raises(RuntimeError, match=r"^dequantise: index must be an integer tensor"):
            call(X, mask)
    with pytest.raises(TypeError, match=r"^dequantise\(\): scale must be a float, got str"):
        C.dequantise_double(index, mask, scale="a")
    with pytest.raises(TypeError, match=r"^dequantise\(\) missing required argument 'mask'"):
        C.dequantise_double(index)


VARIANTS = {(1, False): "f__n_1_b_false", (2, True): "f__n_2_b_true"}


def test_choices_may_be_tensors() -> None:
    for n, b in ((2, True), (torch.tensor(2), True), (2, torch.tensor(True)), (np.int64(2), 1)):
        assert runtime.find_variant("f", VARIANTS, n=n, b=b) == "f__n_2_b_true"
    for n, shown in ((3, "3"), (torch.tensor(3), "3"), ("1", "'1'"), (X, repr(X))):
        with pytest.raises(ValueError) as error:
            runtime.find_variant("f", VARIANTS, n=n, b=True)
        assert str(error.value) == f"f: n is {shown}, expected one of 1, 2"
    learned = torch.tensor(2.0, requires_grad=True)
    with pytest.raises(ValueError, match="requires_grad=True"):
        runtime.find_variant("f", VARIANTS, n=learned, b=True)
    for unhashable in ([1], {}, {1}):
        with pytest.raises(ValueError, match=r"f: n is .*, expected one of 1, 2"):
            runtime.find_variant("f", VARIANTS, n=unhashable, b=True)


@pytest.mark.parametrize("name", ["op", "packet", "variants"])
def test_params_may_have_the_names_of_arguments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runtime.find_variant("f", {(1,): f"f__{name}_1"}, **{name: 1}) == f"f__{name}_1"
    packet = SimpleNamespace(default=lambda x, **params: (x, params))
    monkeypatch.setattr(runtime, "_opaque", {"f": True})
    assert runtime.call_compiled("f", packet, X, **{name: 2}) == (X, {name: 2})


@pytest.fixture
def opaque(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    monkeypatch.setattr(runtime, "_opaque", {})
    runtime.declare_ops("swiglu", "geglu", "silu")
    return runtime._opaque


def test_the_last_call_decides_which_ops_are_opaque(opaque: dict[str, bool]) -> None:
    assert not any(opaque.values())
    runtime.set_opaque(True)
    runtime.set_opaque(False, "swiglu")
    assert opaque == {"swiglu": False, "geglu": True, "silu": True}
    runtime.set_opaque(False)
    runtime.set_opaque(True, "silu", "geglu")
    assert opaque == {"swiglu": False, "geglu": True, "silu": True}
    runtime.set_opaque()
    assert all(opaque.values())


def test_names_of_no_op_are_refused(opaque: dict[str, bool]) -> None:
    with pytest.raises(ValueError) as error:
        runtime.set_opaque(True, "geglu", "swigul")
    assert str(error.value) == "set_opaque: there is no op 'swigul'; did you mean 'swiglu'?"
    with pytest.raises(ValueError) as error:
        runtime.set_opaque(False, "typo")
    assert str(error.value) == "set_opaque: there is no op 'typo'"
    with pytest.raises(TypeError) as type_error:
        runtime.set_opaque("swiglu")  # type: ignore[arg-type]
    assert str(type_error.value) == (
        "set_opaque: the first argument is True or False, got 'swiglu'"
    )
    assert not any(opaque.values()), "nothing changed"
