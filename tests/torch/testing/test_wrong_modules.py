"""The tests of modules: a right module passes all, a wrong one fails in some."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from fusewise.testing import Input, ModuleCase, ModuleTests, OpCase, Output
from torch import Tensor, nn

TESTS = [name for name in dir(ModuleTests) if name.startswith("test_")]


def scale(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, power: float = 2.0) -> Tensor:
    product = x.abs() ** power * weight
    return product if bias is None else product + bias


class Scale(nn.Module):
    """The right one. Attributes of the classes below are mistakes."""

    bias: nn.Parameter | None

    def __init__(
        self,
        features: int,
        *,
        power: float = 2.0,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.features = features
        self.power = power
        self.weight = nn.Parameter(torch.empty((features, 1), device=device, dtype=dtype))
        self.register_parameter("bias", None)
        if bias:
            self.bias = nn.Parameter(torch.empty((features, 1), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.uniform_(self.weight, -1, 1)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        return scale(x, self.weight, self.bias, power=self.power)

    def extra_repr(self) -> str:
        return f"features={self.features}, power={self.power}, bias={self.bias is not None}"


class IgnoresParam(Scale):
    def forward(self, x: Tensor) -> Tensor:
        return scale(x, self.weight, self.bias, power=3.0)


class SwapsParameters(Scale):
    def forward(self, x: Tensor) -> Tensor:
        assert self.bias is not None
        return scale(x, self.bias, self.weight, power=self.power)


class IgnoresBias(Scale):
    def forward(self, x: Tensor) -> Tensor:
        return scale(x, self.weight, power=self.power)


class Detaches(Scale):
    def forward(self, x: Tensor) -> Tensor:
        return scale(x, self.weight.detach(), self.bias, power=self.power)


class HoldsABuffer(Scale):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.register_buffer("mask", torch.ones(1))


class NeedsBias(Scale):
    def __init__(self, *args: Any, bias: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)


class ResetsNothing(Scale):
    def reset_parameters(self) -> None:
        pass


class StartsConstant(Scale):
    def reset_parameters(self) -> None:
        super().reset_parameters()
        nn.init.ones_(self.weight)


class IgnoresDtype(Scale):
    def __init__(self, *args: Any, dtype: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)


class IgnoresDevice(Scale):
    def __init__(self, *args: Any, device: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)


class StaysOnTheCpu(Scale):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.one = torch.ones(1)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * self.one.to(x.dtype)


class SharesItsCopies(Scale):
    def __deepcopy__(self, memo: Any) -> SharesItsCopies:
        return self


class PrintsNothing(Scale):
    def extra_repr(self) -> str:
        return ""


class BreaksTheGraph(Scale):
    def forward(self, x: Tensor) -> Tensor:
        print("forward")
        return super().forward(x)


WRONG = {
    IgnoresParam: "calls_the_op",
    SwapsParameters: "calls_the_op",
    IgnoresBias: "calls_the_op",
    Detaches: "calls_the_op",
    NeedsBias: "calls_the_op",
    HoldsABuffer: "keeps_its_state",
    SharesItsCopies: "keeps_its_state",
    ResetsNothing: "starts_with_its_initial_values",
    StartsConstant: "starts_with_its_initial_values",
    IgnoresDevice: "starts_with_its_initial_values",
    IgnoresDtype: "changes_its_dtype",
    StaysOnTheCpu: "changes_its_device",
    PrintsNothing: "prints_itself",
    BreaksTheGraph: "compiles",
}


def case_of(module: type[nn.Module]) -> ModuleCase:
    op = OpCase(
        op=scale,
        inputs=(Input("x"), Input("weight"), Input("bias", optional=True)),
        outputs=(Output("out"),),
        reference=scale,
        dispatcher="standin::scale",
        params={"power": (2.0, 1.0)},
    )
    return ModuleCase(
        case=op,
        create=module,
        sizes={"features": 12},
        shapes={"weight": ("features", 1), "bias": ("features", 1)},
        initial={"weight": (-1, 1), "bias": (0, 0)},
        text=f"{module.__name__}(features=12, power=2.0, bias=True)",
    )


def detached(x: Tensor, weight: Tensor, bias: Tensor | None = None, **params: float) -> Tensor:
    return scale(x, weight.detach(), bias, **params)


def test_a_parameter_that_the_op_detaches_has_no_gradient() -> None:
    class Detached(Scale):
        def forward(self, x: Tensor) -> Tensor:
            return detached(x, self.weight, self.bias, power=self.power)

    case = case_of(Detached)
    right = dataclasses.replace(case, case=dataclasses.replace(case.case, op=detached))
    run("test_module_calls_the_op", right)
    with pytest.raises(AssertionError):
        run("test_module_calls_the_op", dataclasses.replace(right, create=Scale))


def run(name: str, case: ModuleCase) -> None:
    options = {"device": "cpu"} if name == "test_module_calls_the_op" else {}
    getattr(ModuleTests(), name)(case, **options)


@pytest.mark.parametrize("name", TESTS)
def test_a_right_module_passes(name: str) -> None:
    run(name, case_of(Scale))


@pytest.mark.parametrize("module", WRONG, ids=lambda module: module.__name__)
def test_a_wrong_module_fails(module: type[nn.Module]) -> None:
    with pytest.raises(Exception):  # noqa: B017  what PyTorch raises differs
        run(f"test_module_{WRONG[module]}", case_of(module))


def shapes(*inputs: Input, **held: tuple[str | int, ...]) -> Iterator[tuple[int, ...]]:
    """The shapes of the tensors with which the tests of a module call the op."""
    op = OpCase(lambda *tensors: tensors[0], inputs, (Output("out"),), lambda x: x, "standin::op")
    sizes = {name: 12 for name in itertools.chain(*held.values()) if isinstance(name, str)}
    for tensor in ModuleCase(op, nn.Identity, sizes, held, {}, "").call().present:
        yield tuple(tensor.shape)


def test_other_inputs_get_shapes_that_suit_the_parameters() -> None:
    x, row = Input("x"), Input("row", is_row=True)
    packed = Input("gates", parts=3)
    assert list(shapes(x)) == [(3, 4)]
    assert list(shapes(x, Input("w"), w=("n",))) == [(3, 12), (12,)]
    assert list(shapes(x, Input("w"), w=("n", 1, 1))) == [(3, 12, 4, 4), (12, 1, 1)]
    assert list(shapes(x, Input("w"), w=())) == [(3, 4), ()]
    assert list(shapes(x, packed, gates=("n",))) == [(3, 4), (12,)]
    assert list(shapes(packed, Input("w"), w=("n",))) == [(3, 36), (12,)]
    assert list(shapes(x, row, row=("n",))) == [(3, 12, 4), (12,)]
    assert list(shapes(x, row, Input("w"), w=("n",))) == [(3, 12), (3,), (12,)]
