"""The functions that run a pass over a loop, one for each device."""

from __future__ import annotations

from dataclasses import dataclass

from fusewise.emit.printing import wrapped
from fusewise.graph.passes import Pass
from fusewise.language.model import FLOAT8_DTYPES, FLOAT_DTYPES, Spec

# By the order of a pass: whether it sums gradients of broadcast inputs, and how often it runs.
RUN_CUDA = ("run_cuda_pointwise", "run_cuda_reduction", "run_cuda_reduction_strided")
# Of an op of one tensor, which broadcasts with no other.
RUN_CUDA_SAME_SHAPE = ("run_cuda_pointwise", "run_cuda_same_shape", "run_cuda_same_shape_strided")


@dataclass(frozen=True, slots=True)
class Runner:
    """A function that runs a pass over a loop: its name, and its body for each device.

    A device without a body has no such function.
    """

    name: str
    cpu: tuple[str, ...]
    cuda: tuple[str, ...]
    cuda_function: str = ""  # what the body calls


def body(function: str, arguments: str) -> tuple[str, ...]:
    """The body of a runner that calls a function of the runtime with template arguments."""
    return tuple(wrapped(f"return {function}<{arguments}>(loop, params, launch);", 2))


def cuda_function(spec: Spec, source: Pass) -> str:
    """The function of the runtime that runs a loop of a pass on a GPU."""
    broadcasts = len(spec.inputs) > 1
    return (RUN_CUDA if broadcasts else RUN_CUDA_SAME_SHAPE)[source.order]


def dtypes(source: Pass) -> str:
    """The list of dtype.h that the kernels of a pass are made for."""
    kinds = {tensor.dtype for tensor in source.reads}
    fixed = {tensor.dtype for tensor in source.writes}
    if fixed.intersection(FLOAT8_DTYPES):
        return "FloatsAndFloat8"
    if "float" in kinds or fixed.intersection(FLOAT_DTYPES):
        return "Floats"
    return "Numbers" if "number" in kinds else "Integers"
