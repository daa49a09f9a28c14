# Generated from specs/bias/transducer_joint.yaml by `fusewise generate`. Do not edit.
"""Tests of transducer_joint."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(f, g):
    """The formula as the spec has it."""
    return torch.relu(f + g)


def oracle(f, g):
    """The reference that the spec gives."""
    return torch.relu(f + g)


CASE = OpCase(
    op=fusewise_ops.transducer_joint,
    dispatcher="fusewise::transducer_joint",
    inputs=(
        Input("f", domain=(-10.0, 10.0)),
        Input("g", domain=(-10.0, 10.0)),
    ),
    params={},
    outputs=(Output("out"),),
    saves=("out",),
    reference=reference,
    oracle=oracle,
    exact=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestTransducerJoint(testing.Values, testing.Gradients, testing.Ties, testing.Caches):
    """What is checked stands in `fusewise.testing`."""
