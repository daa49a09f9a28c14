# Generated from specs/bias/layer_scale_residual.yaml by `fusewise generate`. Do not edit.
"""Tests of layer_scale_residual."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, ModuleCase, OpCase, Output


def reference(x, residual, gamma, keep=None):
    """The formula as the spec has it."""
    keep = x.new_tensor(1) if keep is None else keep
    return residual + keep * (gamma * x)


def oracle(x, residual, gamma, keep=None):
    """The reference that the spec gives."""
    keep = x.new_tensor(1) if keep is None else keep
    return residual + keep * (gamma * x)


CASE = OpCase(
    op=fusewise_ops.layer_scale_residual,
    dispatcher="fusewise::layer_scale_residual",
    inputs=(
        Input("x", domain=(-10.0, 10.0)),
        Input("residual", domain=(-10.0, 10.0)),
        Input("gamma", domain=(-1.0, 1.0)),
        Input("keep", domain=(0.0, 2.0), optional=True),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "gamma", "keep"),
    reference=reference,
    oracle=oracle,
    exact=True,
)
MODULE = ModuleCase(
    case=CASE,
    create=fusewise_ops.LayerScale,
    sizes={"channels": 12},
    shapes={"gamma": ("channels",)},
    initial={"gamma": (1e-05, 1e-05)},
    text="LayerScale(channels=12)",
)
pytest_generate_tests = testing.parametrise(CASE, MODULE)


class TestLayerScaleResidual(
    testing.Values,
    testing.Gradients,
    testing.Ties,
    testing.Caches,
    testing.ModuleTests,
):
    """What is checked stands in `fusewise.testing`."""
