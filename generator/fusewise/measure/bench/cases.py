"""The cases of `fusewise bench`: an op, its shapes and the tensors that are drawn for them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
import torch._functorch.config as functorch_config
from torch import Tensor

from fusewise.emit.views import Variant
from fusewise.language.model import Input, Shapes, Spec
from fusewise.measure.contenders import COMPILED, CONTENDERS, contenders_of
from fusewise.measure.layouts import Layout, lay_out
from fusewise.plan.cost import moved_bytes

DEFAULT_SHAPE = (8192, 8192)
FEWEST = 4  # of a dimension that is made smaller


@dataclass(frozen=True, slots=True)
class Setting:
    """How a run measures; also told to the processes that compile for it."""

    device: str
    dtype: str
    threads: int
    rounds: int
    against: Collection[str] = CONTENDERS
    layout: Layout = "contiguous"

    def prepare(self) -> None:
        torch.manual_seed(0)
        torch.set_num_threads(self.threads)
        if self.compiled:
            import torch._inductor.config as inductor_config  # takes a second

            inductor_config.cpp.threads = self.threads  # else code for other threads may be cached
        functorch_config.donated_buffer = False  # many backward passes follow one forward pass

    @property
    def itemsize(self) -> int:
        return getattr(torch, self.dtype).itemsize

    @property
    def contenders(self) -> list[str]:
        """Those of the run beside ours."""
        return [name for name in contenders_of(self.device) if name in self.against]

    @property
    def compiled(self) -> list[str]:
        return [name for name in COMPILED if name in self.contenders]


@dataclass(frozen=True, slots=True)
class Case:
    """An op at one choice of shapes."""

    spec: Spec
    shapes: Shapes

    @property
    def params(self) -> dict[str, float | int | bool]:
        return {param.name: param.cast(self.spec.usual(param)) for param in self.spec.keywords}

    def inputs(self, setting: Setting) -> dict[str, Tensor]:
        """Tensors of the shapes in the run's layout; those that have gradients want one."""
        kinds = {item.name: item for item in self.spec.inputs}
        found = {}
        for index, (name, shape) in enumerate(self.shapes):
            values = _draw(shape, kinds[name], self.spec.domain, setting)
            found[name] = lay_out(values, setting.layout, index)
            found[name].requires_grad_(values.is_floating_point())
        return found

    def bytes(self, variant: Variant, itemsize: int) -> dict[str, int]:
        """What the passes, and a step of both, must move."""
        shapes = dict(self.shapes)
        found = {
            source.name: moved_bytes(self.spec, source, plan, shapes, itemsize)
            for source, plan in variant.timed
        }
        return found | {"step": sum(found.values())} if len(found) > 1 else found


def cases_of(specs: Sequence[Spec], elements: Sequence[int] = ()) -> list[Case]:
    """The cases of all ops that are not composed; `elements` as `run` takes them."""
    return [
        Case(spec, shapes)
        for spec in specs
        if not spec.compose
        for shapes in _shapes(spec, elements)
    ]


def _shapes(spec: Spec, limits: Sequence[int]) -> list[Shapes]:
    """Those of the spec, or one that fits any op, made smaller for each of the limits."""
    found = spec.shapes or (tuple((item.name, _default(spec, item)) for item in spec.inputs),)
    if limits:
        found = [reduced(spec, shapes, most) for shapes in found for most in limits]
    return list(dict.fromkeys(found))


def _default(spec: Spec, item: Input) -> tuple[int, ...]:
    """Two dimensions, that of a row and another one, among others of size 1."""
    dims = spec.rows.dims
    span = range(min(-2, dims[0]), 0)
    sizes = dict.fromkeys(span if len(span) > len(dims) else (span[0] - 1, *span), 1)
    other = next(dim for dim in sizes if dim not in dims)
    sizes[other], sizes[dims[-1]] = DEFAULT_SHAPE
    sizes[-1] *= len(item.names)
    return tuple(n for dim, n in sizes.items() if item.extent == "element" or dim not in dims)


def reduced(spec: Spec, shapes: Shapes, most: int) -> Shapes:
    """The shapes with sizes halved, the leading ones first, until the largest tensor is in bounds.

    No dimension gets fewer than FEWEST elements, so the result may still be larger.
    """
    found = {name: list(shape) for name, shape in shapes}
    rank = len(spec.full_shape(found))
    rows = {item.name for item in spec.inputs if item.extent == "row"}
    reduced = spec.rows.dims
    for dim in range(-rank, 0):
        while _largest(spec, found) > most:
            loop = spec.full_shape(found)[dim]
            # sizes of packed tensors are multiples of the others' in the last dimension
            lacking = 0 if dim in reduced else dim + sum(other > dim for other in reduced)
            places = [(shape, lacking if name in rows else dim) for name, shape in found.items()]
            moved = [(shape, at) for shape, at in places if -len(shape) <= at < 0 and shape[at] > 1]
            if loop // 2 < FEWEST or (dim == -1 and any(shape[at] % 2 for shape, at in moved)):
                break
            for shape, at in moved:
                shape[at] //= 2
    return tuple((name, tuple(shape)) for name, shape in found.items())


def _largest(spec: Spec, shapes: Mapping[str, Sequence[int]]) -> int:
    return max([math.prod(spec.loop_shape(shapes)), *map(math.prod, shapes.values())])


def _draw(
    shape: Sequence[int], item: Input, domain: Mapping[str, Sequence[Fraction]], setting: Setting
) -> Tensor:
    """Numbers of the spec's domain, not far from zero where that goes far."""
    if item.dtype == "bool":
        return torch.rand(shape, device=setting.device) < 0.5
    if item.dtype == "int":
        return torch.randint(1, 10, shape, device=setting.device)
    low, high = map(float, domain.get(item.name) or domain.get(item.names[0]) or (-3, 3))
    if low < 3 and high > -3:
        low, high = max(low, -3.0), min(high, 3.0)
    values = torch.rand(shape, device=setting.device) * (high - low) + low
    return values.to(getattr(torch, setting.dtype))
