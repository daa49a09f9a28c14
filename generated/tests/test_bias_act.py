# Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
"""Tests of bias_act."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Choice, Input, ModuleCase, OpCase, Output


def reference(x, bias=None, *, act=3, alpha=0.2, gain=1, limit=torch.inf):
    """The formula as the spec has it."""
    bias = x.new_tensor(0) if bias is None else bias
    b = x + bias
    activated = (
        b if act == 1 else torch.relu(b) if act == 2 else torch.where(b > 0, b, alpha * b) if act ==
        3 else torch.tanh(b) if act == 4 else torch.sigmoid(b) if act == 5 else torch.where(b <= 0,
        1 * torch.expm1(b.clamp(max=0)), b) if act == 6 else torch.nn.functional.selu(b) if act == 7
        else -torch.nn.functional.logsigmoid(-b) if act == 8 else b * torch.sigmoid(b)
    )
    return torch.clamp(activated * gain, -limit, limit)


CASE = OpCase(
    op=fusewise_ops.bias_act,
    dispatcher="fusewise::bias_act",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("bias", domain=(-2.0, 2.0), optional=True),
    ),
    params={"alpha": (0.2, 0.5), "gain": (1, 1.25), "limit": (torch.inf, 4.5)},
    outputs=(Output("out"),),
    choices=(
        Choice("act_3", {"act": 3}, saves=("x", "bias")),
        Choice("act_1", {"act": 1}, saves=("x", "bias")),
        Choice("act_2", {"act": 2}, saves=("x", "bias")),
        Choice("act_4", {"act": 4}, saves=("x", "bias")),
        Choice("act_5", {"act": 5}, saves=("x", "bias")),
        Choice("act_6", {"act": 6}, saves=("x", "bias")),
        Choice("act_7", {"act": 7}, saves=("x", "bias")),
        Choice("act_8", {"act": 8}, saves=("x", "bias")),
        Choice("act_9", {"act": 9}, saves=("x", "bias")),
    ),
    reference=reference,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.BiasAct,
    sizes={"channels": 12},
    shapes={"bias": ("channels", 1, 1)},
    initial={"bias": (0, 0)},
    text="BiasAct(channels=12, act=3, alpha=0.2, gain=1, limit=inf, bias=True)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestBiasAct(testing.Values, testing.Gradients, testing.ModuleTests):
    """What is checked stands in `fusewise.testing`."""
