"""The class of a module: the text that specs give, run with a function in place of the op."""

from __future__ import annotations

import ast
import inspect
import math
from typing import TYPE_CHECKING, Any

import torch
from fusewise.generate import render_specs
from torch import Tensor, nn
from torch.types import Device


def class_of(text: str, name: str) -> Any:
    """The class in the package of a spec; its op returns its arguments."""
    package = render_specs({"scale.yaml": text}, "my_ops")["my_ops/__init__.py"]
    tree = ast.parse(package)
    found = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    code = compile(ast.fix_missing_locations(ast.Module([future, *found], [])), "my_ops", "exec")
    names: dict[str, Any] = {"nn": nn, "torch": torch, "Tensor": Tensor, "Device": Device}
    names |= {"math": math, "TYPE_CHECKING": TYPE_CHECKING, "__name__": "my_ops"}
    names["scale"] = lambda *tensors, **params: (tensors, params)
    exec(code, names)
    return names[name]


def scale(inputs: str, formula: str, module: str, params: str = "{}") -> str:
    lines = [f"inputs: {{{inputs}}}", f"params: {params}", f"outputs: {{out: {formula}}}"]
    return "\n".join(["op: scale", *lines, f"module: {{{module}}}", ""])


def signature(cls: Any) -> str:
    return str(inspect.signature(cls)).replace("'", "")


FACTORY = "device: Device = None, dtype: torch.dtype | None = None"


def test_a_module_without_parameters() -> None:
    cls = class_of(scale("x: tensor", "x * x", ""), "Scale")
    assert signature(cls) == "(*args: Any, **kwargs: Any) -> None"
    assert repr(cls()) == "Scale()"
    assert cls()(1) == ((1,), {})


def test_a_module_of_params_alone() -> None:
    params = "{limit: float, power: int = 2, gated: bool = true}"
    text = scale("x: tensor", "x * power if gated else limit", "name: Scaled", params)
    cls = class_of(text, "Scaled")
    assert signature(cls) == "(*, limit: float, power: int = 2, gated: bool = True) -> None"
    assert repr(cls(limit=math.inf)) == "Scaled(limit=inf, power=2, gated=True)"
    assert cls(limit=1)(3) == ((3,), {"limit": 1, "power": 2, "gated": True})


def test_a_parameter_of_fixed_shape() -> None:
    text = scale("x: tensor, a: tensor", "a * x", "parameters: {a: {shape: [], init: -0.25}}")
    cls = class_of(text, "Scale")
    assert signature(cls) == f"(*, {FACTORY}) -> None"
    module = cls(dtype=torch.float64)
    assert repr(module) == "Scale()"
    assert module.a.dtype == torch.float64
    assert module.a.shape == ()
    assert module.a.item() == -0.25
    assert module(7) == ((7, module.a), {})


def test_other_inputs_keep_their_order() -> None:
    inputs = "a: tensor, x: tensor, b: tensor = 0, y: tensor = 1"
    init = "'uniform(2, 3)'"
    parameters = f"a: {{shape: [2, n], init: normal(3)}}, b: {{shape: [n, m], init: {init}}}"
    cls = class_of(scale(inputs, "a * x + b * y", f"parameters: {{{parameters}}}"), "Scale")
    assert signature(cls) == f"(n: int, m: int, *, b: bool = True, {FACTORY}) -> None"
    forward = "(self, x: Tensor, y: Tensor | None = None) -> Tensor"
    assert signature(cls.forward) == forward
    module = cls(100, 50)
    assert module(1, 2) == ((module.a, 1, module.b, 2), {})
    assert module.a.shape == (2, 100)
    assert 2 < module.a.std() < 4
    assert abs(module.a.mean()) < 1
    assert 2 <= module.b.min() < module.b.max() <= 3
    assert cls(2, 3, b=False).b is None
    assert list(cls(2, 3, b=False).state_dict()) == ["a"]


def test_the_facts_of_a_composed_op_suit_its_shapes() -> None:
    specs = {
        "gate.yaml": "op: gate\ninputs: {x: tensor, y: tensor}\noutputs: {out: x * y}\n",
        "projected.yaml": """\
op: projected
inputs: {x: tensor, weight: tensor, y: tensor, r: tensor}
compose: {h: 'linear(x, weight)', k: 'gate(h, y)', out: 'gate(k, r)'}
outputs: [out]
module:
  parameters:
    weight: {shape: [rows, columns], init: normal(0.02)}
    r: {shape: [1], init: 'uniform(-1, 0.5)'}
shapes:
  - {x: [16, 32], weight: [64, 32], y: [16, 64], r: [16]}
""",
    }
    text = render_specs(specs, "my_ops")["tests/test_projected.py"]
    assert "create=my_ops.Projected," in text
    assert 'sizes={"rows": 4, "columns": 2},' in text
    assert 'shapes={"weight": ("rows", "columns"), "r": (1,)},' in text
    assert 'initial={"weight": (-0.2, 0.2), "r": (-1, 0.5)},' in text
    assert 'text="Projected(rows=4, columns=2)",' in text
