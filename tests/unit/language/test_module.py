"""The section `module`: names of torch.nn.Module, and modules of one build."""

from __future__ import annotations

import re

import pytest
from fusewise.generate import render_specs
from fusewise.language.errors import SpecError
from fusewise.language.names import name_problem
from fusewise.language.sections.module import MODULE_ATTRIBUTES
from fusewise.language.spec import parse_spec
from torch import nn

SCALE = """\
op: {op}
inputs: {{x: tensor, bias: tensor, weight: tensor = 1}}
outputs: {{out: x * weight + bias}}
module:
  name: Scale
  parameters:
    bias: {{shape: [rows, features], init: 'uniform(-1, 0.5)'}}
    weight: {{shape: [features, 2], init: normal(2)}}
"""


def test_sizes_stand_in_the_order_of_the_shapes() -> None:
    module = parse_spec(SCALE.format(op="scale")).module
    assert module is not None
    assert module.sizes == ("rows", "features")


def test_the_name_is_that_of_the_op_by_default() -> None:
    text = "op: my_norm_2\ninputs: {x: tensor}\noutputs: {out: x * x}\nmodule: {}\n"
    module = parse_spec(text).module
    assert module is not None
    assert module.name == "MyNorm2"


def test_the_attributes_of_a_module_are_known() -> None:
    """Of those that could be the name of an input, in this version of torch."""
    names = {*dir(nn.Module), *nn.Module.__annotations__, *vars(nn.Module())}
    valid = {name for name in names if re.fullmatch("[a-z]\\w*", name)}
    assert {name for name in valid if not name_problem(name)} <= MODULE_ATTRIBUTES


TWICE = """\
b.yaml:5:9: error: 'Scale' is the module of a.yaml already
    name: Scale
          ^~~~~
  hint: a package has one class of a name: give one of the two another 'name'"""


def test_two_modules_of_one_name() -> None:
    texts = {f"{op}.yaml": SCALE.format(op=op) for op in ("a", "b")}
    with pytest.raises(SpecError) as raised:
        render_specs(texts, "my_ops")
    assert str(raised.value) == TWICE
