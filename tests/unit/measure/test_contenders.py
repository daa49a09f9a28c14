"""What ops are compared with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from fusewise.language.spec import parse_spec
from fusewise.measure.contenders import contender
from torch import Tensor

GATE = """\
op: gate
inputs: {x: tensor, y: tensor}
outputs: {out: x * sigmoid(x) * y}
test: {domain: {x: [1, 2]}, reference: x * torch.sigmoid(x) * y}
shapes:
  - {x: [64, 32], y: [32]}
"""
STRAIGHT = """\
op: level
inputs: {x: tensor}
outputs: {out: 'straight_through(round(x), x)'}
test: {reference: torch.round(x)}
shapes:
  - {x: [8]}
"""


def test_a_reference_with_other_gradients_gives_way_to_the_formula() -> None:
    def formula(x: Tensor) -> Tensor:
        return x * 3

    module: Any = SimpleNamespace(
        _ops=SimpleNamespace(level=SimpleNamespace(decomposition=formula))
    )
    function = contender("eager", parse_spec(STRAIGHT), module, {})
    assert function is not None
    assert function(torch.ones(1)).item() == 3
    function = contender("eager", parse_spec(GATE), module, {})
    assert function is not None
    assert function(torch.zeros(1), torch.ones(1)).item() == 0
