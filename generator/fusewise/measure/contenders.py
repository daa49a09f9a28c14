"""Contenders of an op: eager PyTorch, torch.compile, and kernels written by hand."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from fusewise.language.choices import take_choices
from fusewise.language.formula import Call, walk
from fusewise.language.functions import FORMS
from fusewise.language.model import Spec

COMPILED: dict[str, dict[str, Any]] = {
    "compile": {},
    "max-autotune": {"mode": "max-autotune-no-cudagraphs"},  # the same as the default on a CPU
}
# Kernels of two tensors by op. Liger's GELU is the tanh form, which moves the same bytes.
HAND_WRITTEN = {
    "swiglu": ("liger_kernel.ops.swiglu", "LigerSiLUMulFunction"),
    "geglu": ("liger_kernel.ops.geglu", "LigerGELUMulFunction"),
}
CONTENDERS = ("eager", *COMPILED, "liger")


Function = Callable[..., Any]


def contenders_of(device: str) -> list[str]:
    """The names of the contenders to try on a device. They may still fail for an op."""
    there = {"eager", "compile"}
    if device == "cuda":
        there.add("max-autotune")
        there |= {"liger"} if importlib.util.find_spec("liger_kernel") else set()
    return [name for name in CONTENDERS if name in there]


def contender(
    name: str, spec: Spec, module: ModuleType, params: Mapping[str, Any]
) -> Function | None:
    """The function of a contender, with the op's signature; None if it has no such op."""
    if name == "liger":
        if spec.name not in HAND_WRITTEN:
            return None
        source, function = HAND_WRITTEN[spec.name]
        apply = getattr(importlib.import_module(source), function).apply
        return lambda x, y, **_: apply(x, y)
    find = eager_function if reference_learns(spec) else formula_function
    eager = find(spec, module, params)
    return eager if name == "eager" else torch.compile(eager, dynamic=False, **COMPILED[name])


def eager_function(spec: Spec, module: ModuleType, params: Mapping[str, Any]) -> Function:
    """Eager PyTorch for an op that is not composed: its reference, else its formula in ATen."""
    if spec.test.reference is not None:
        absent = {item.name: item.default for item in spec.inputs}
        names = [f"{n}={float(d.value) if d else None}" for n, d in absent.items()]
        text = ", ".join([*names, *(f"{param}=None" for param in params)])
        # This is not the user's text: the reader of the spec has parsed, checked and printed it.
        return eval(f"lambda {text}: {spec.test.reference}", {"torch": torch})
    return formula_function(spec, module, params)


def reference_learns(spec: Spec) -> bool:
    """True if autograd of the reference gives the op's gradients."""
    return not spec.is_surrogate and not any(
        isinstance(node, Call) and node.function in FORMS and FORMS[node.function].autograd_only
        for formula in spec.formulas
        for node in walk(formula)
    )


def formula_function(spec: Spec, module: ModuleType, params: Mapping[str, Any]) -> Function:
    """The formula in ATen calls; autograd gives the op's gradients if ATen can express them."""
    chosen = {param.name: params[param.name] for param in spec.params if param.choices}
    variant = next(choice for choice in take_choices(spec) if choice.arguments == chosen)
    decomposition = getattr(module._ops, variant.spec.name).decomposition

    def formula(*tensors: Tensor, **arguments: Any) -> Any:
        others = {name: value for name, value in arguments.items() if name not in chosen}
        return decomposition(*tensors, **others)

    return formula
