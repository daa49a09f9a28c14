"""Tests of a generated class of `torch.nn.Module` that calls an op."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fusewise.testing.case import Call, OpCase, is_differentiable
from fusewise.testing.compare import are_equal
from fusewise.testing.inputs import Input, Shape


@dataclass(frozen=True, slots=True)
class ModuleCase:
    """The facts about one module."""

    case: OpCase
    create: Callable[..., nn.Module]
    sizes: Mapping[str, int]
    """Samples of the sizes that the constructor takes."""
    shapes: Mapping[str, tuple[str | int, ...]]
    """The shape of each parameter, in numbers and names of sizes."""
    initial: Mapping[str, tuple[float, float]]
    """The interval of the initial values of each parameter."""
    text: str
    """How the module prints itself."""
    dims: tuple[int, ...] = (-1,)
    """The dimensions of a row, which ascend."""

    @property
    def op(self) -> Callable[..., Any]:
        """The function that the module calls: that of the case, with rows in their dimensions."""
        return getattr(self.case.op, "__wrapped__", self.case.op)

    @property
    def params(self) -> dict[str, Any]:
        """The usual values of all params."""
        chosen = dict(self.case.choices[0].params) if self.case.choices else {}
        return {**{name: values[0] for name, values in self.case.params.items()}, **chosen}

    @property
    def optional(self) -> list[str]:
        inputs = self.case.inputs
        return [
            operand.name for operand in inputs if operand.optional and operand.name in self.shapes
        ]

    def build(self, **options: Any) -> nn.Module:
        return self.create(*self.sizes.values(), **{**self.params, **options})

    def call(self, dtype: torch.dtype = torch.float32, device: str = "cpu") -> Call:
        """Samples for all inputs of the op, of shapes that suit the parameters."""
        held = {operand.name: self._loop_shape(operand) for operand in self.case.inputs}
        known = torch.broadcast_shapes(*(shape for shape in held.values() if shape is not None))
        known = (1,) * (-self.dims[0] - len(known)) + tuple(known)
        loop = (3, *(4 if size == 1 else size for size in known))
        row = (*(size for k, size in enumerate(loop, -len(loop)) if k not in self.dims), 1)
        usual = [row if operand.is_row else loop for operand in self.case.inputs]
        pairs = zip(held.values(), usual, strict=True)
        shapes = [other if shape is None else shape for shape, other in pairs]
        return self.case.call(shapes, dtype, device, variant=(self.params, frozenset()))

    def _loop_shape(self, operand: Input) -> Shape | None:
        """The shape of each part of a parameter in the loop; None for another input."""
        if operand.name not in self.shapes:
            return None
        sizes = self.shapes[operand.name]
        shape = tuple(self.sizes[size] if isinstance(size, str) else size for size in sizes)
        if operand.is_row:
            return (*shape, 1)  # whose last size the case drops
        return (*shape[:-1], shape[-1] // operand.parts) if operand.parts > 1 else shape

    def split(self, call: Call) -> tuple[dict[str, Tensor | None], list[Tensor | None]]:
        """The parameters of a call by name, and the other inputs."""
        by_name = dict(zip((o.name for o in self.case.inputs), call.tensors, strict=True))
        parameters = {name: by_name[name] for name in self.shapes}
        return parameters, [t for name, t in by_name.items() if name not in parameters]


class ModuleTests:
    def test_module_calls_the_op(self, module: ModuleCase, device: str) -> None:
        """Values and gradients are those of the op, also without an optional parameter."""
        for omitted in [[], *([name] for name in module.optional), module.optional]:
            call = module.call(torch.float32, device)
            names = [operand.name for operand in module.case.inputs]
            for name in omitted:
                call = replace(call, tensors=_without(call.tensors, names.index(name)))
            built = module.build(**dict.fromkeys(omitted, False), **_factory(module, device))
            parameters, others = module.split(call)
            _fill(built, parameters)
            leaves = call.leaves()
            outputs, wanted = _tuple(built(*others)), leaves.run(module.op)
            assert all(map(are_equal, outputs, wanted))
            expected, _ = module.split(leaves)
            for results in (outputs, wanted):
                _backward(results)
            for name, parameter in built.named_parameters():
                leaf = expected[name]
                assert leaf is not None
                if leaf.grad is None:  # the op detaches it
                    assert parameter.grad is None, name
                    continue
                assert parameter.grad is not None, f"no gradient reaches {name}"
                assert are_equal(parameter.grad, leaf.grad)

    def test_module_keeps_its_state(self, module: ModuleCase) -> None:
        """A loaded, copied or pickled module gives the same values; its keys are the inputs."""
        parameters, others = module.split(module.call())
        first = module.build()
        _fill(first, parameters)
        assert list(first.state_dict()) == list(module.shapes)
        loaded = module.build()
        loaded.load_state_dict(first.state_dict())
        for other in (loaded, copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
            assert all(map(are_equal, _tuple(other(*others)), _tuple(first(*others))))
            for ours, theirs in zip(first.parameters(), other.parameters(), strict=True):
                assert ours.data_ptr() != theirs.data_ptr()

    def test_module_starts_with_its_initial_values(self, module: ModuleCase) -> None:
        """`reset_parameters` gives them too, after a start on the meta device."""
        if not module.shapes:
            pytest.skip("it has no parameters")
        meta = module.build(device="meta")
        assert all(parameter.is_meta for parameter in meta.parameters())
        late = meta.to_empty(device="cpu")
        for parameter in late.parameters():
            nn.init.constant_(parameter, torch.nan)
        late.reset_parameters()  # type: ignore[operator]
        for built in (module.build(), late):
            for name, parameter in built.named_parameters():
                low, high = torch.tensor(module.initial[name])
                assert ((parameter >= low) & (parameter <= high)).all(), name
                assert low == high or parameter.std() > 0, name

    def test_module_changes_its_dtype(self, module: ModuleCase) -> None:
        """The constructor and `to` give all parameters the dtype."""
        for dtype in (torch.float64, torch.bfloat16):
            parameters, others = module.split(module.call(dtype))
            made, changed = module.build(**_factory(module, "cpu", dtype)), module.build().to(dtype)
            for built in (made, changed):
                assert all(parameter.dtype == dtype for parameter in built.parameters())
                _fill(built, parameters)
            assert all(map(are_equal, _tuple(made(*others)), _tuple(changed(*others))))

    def test_module_changes_its_device(self, module: ModuleCase) -> None:
        _, others = module.split(module.call())
        outputs = _tuple(module.build()(*others))
        moved = module.build().to("meta")
        meta = [None if other is None else other.to("meta") for other in others]
        for moved_output, output in zip(_tuple(moved(*meta)), outputs, strict=True):
            assert moved_output.is_meta
            assert moved_output.shape == output.shape

    def test_module_prints_itself(self, module: ModuleCase) -> None:
        assert repr(module.build()) == module.text

    def test_module_compiles(self, module: ModuleCase) -> None:
        """torch.compile captures the module as one graph with the same values."""
        torch.compiler.reset()
        parameters, others = module.split(module.call(torch.float64))
        built = module.build(**_factory(module, "cpu", torch.float64))
        _fill(built, parameters)
        compiled = torch.compile(built, fullgraph=True, backend="aot_eager")
        for ours, wanted in zip(_tuple(compiled(*others)), _tuple(built(*others)), strict=True):
            torch.testing.assert_close(ours, wanted, rtol=module.case.tolerance, atol=1e-12)


def _factory(module: ModuleCase, device: str, dtype: torch.dtype = torch.float32) -> dict[str, Any]:
    """The keywords that a module with parameters takes."""
    return {"device": device, "dtype": dtype} if module.shapes else {}


def _fill(module: nn.Module, values: Mapping[str, Tensor | None]) -> None:
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            value = values[name]
            assert value is not None
            assert parameter.shape == value.shape
            parameter.copy_(value)


def _tuple(outputs: Any) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)


def _without(tensors: Sequence[Tensor | None], index: int) -> tuple[Tensor | None, ...]:
    return (*tensors[:index], None, *tensors[index + 1 :])


def _backward(outputs: Sequence[Tensor]) -> None:
    terms = [out.sin().sum() for out in outputs if out.requires_grad and is_differentiable(out)]
    if terms:
        torch.stack(terms).sum().backward()
