"""Modules of the package equal those of torch.nn that compute the same."""

from __future__ import annotations

import copy
import itertools

import fusewise_ops
import pytest
import torch
from torch import nn

PAIRS = [
    (fusewise_ops.RMSNorm(20, eps=1e-5), nn.RMSNorm(20, eps=1e-5)),
    (fusewise_ops.RMSNorm(20, weight=False), nn.RMSNorm(20, 1e-6, elementwise_affine=False)),
    (fusewise_ops.LayerNorm(20), nn.LayerNorm(20)),
    (fusewise_ops.LayerNorm(20, bias=False), nn.LayerNorm(20, bias=False)),
    (fusewise_ops.BiasGELU(20, bias=False), nn.GELU("tanh")),
]
TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 2e-2}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=repr)
def test_equals_torch(ours: nn.Module, theirs: nn.Module, dtype: torch.dtype) -> None:
    """Initial state, values and gradients; the state of either loads into the other."""
    ours, theirs = copy.deepcopy(ours).to(dtype), copy.deepcopy(theirs).to(dtype)
    for a, b in itertools.zip_longest(ours.state_dict().items(), theirs.state_dict().items()):
        assert a[0] == b[0]
        assert torch.equal(a[1], b[1])
    generator = torch.Generator().manual_seed(0)
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, generator=generator)
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(7, 20, generator=generator).to(dtype)
    results = []
    for module in (ours, theirs):
        leaf = x.clone().requires_grad_()
        output = module(leaf)
        output.sin().sum().backward()
        results.append([output, leaf.grad, *(p.grad for p in module.parameters())])
    tolerance = TOLERANCES[dtype]
    torch.testing.assert_close(*results, rtol=tolerance, atol=tolerance)


def test_an_optimizer_trains_a_module() -> None:
    torch.manual_seed(0)
    x = torch.linspace(-2, 2, 64).reshape(8, 1, 8)
    target = x + torch.sin(2 * x) ** 2 / 1.5
    module = fusewise_ops.SnakeBeta(1)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(module(x), target)
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-3
    torch.testing.assert_close(module.alpha.squeeze(), torch.tensor(2.0), rtol=0.02, atol=0)
