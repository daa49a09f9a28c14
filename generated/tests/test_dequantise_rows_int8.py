# Generated from specs/quantised/dequantise_rows_int8.yaml by `fusewise generate`. Do not edit.
"""Tests of dequantise_rows_int8."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, scale, weight_scale=None, bias=None):
    """The formula as the spec has it."""
    scale = scale.unsqueeze(-1)
    weight_scale = scale.new_tensor(1) if weight_scale is None else weight_scale
    bias = scale.new_tensor(0) if bias is None else bias
    x, weight_scale, bias, index = testing.rows(x, weight_scale, bias)
    length = index.numel()
    return x.to(scale.dtype) * scale * weight_scale + bias


def oracle(x, scale, weight_scale=None, bias=None):
    """The reference that the spec gives."""
    weight_scale = scale.new_tensor(1) if weight_scale is None else weight_scale
    bias = scale.new_tensor(0) if bias is None else bias
    return x * torch.unsqueeze(scale, -1) * weight_scale + bias


CASE = OpCase(
    op=fusewise_ops.dequantise_rows_int8,
    dispatcher="fusewise::dequantise_rows_int8",
    inputs=(
        Input("x", kind="int", domain=(-100000.0, 100000.0)),
        Input("scale", domain=(0.001, 0.1), is_row=True),
        Input("weight_scale", domain=(0.001, 0.1), optional=True),
        Input("bias", optional=True),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("x", "scale", "weight_scale"),
    reference=reference,
    oracle=oracle,
    exact=True,
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestDequantiseRowsInt8(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
