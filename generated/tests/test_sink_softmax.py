# Generated from specs/softmax/sink_softmax.yaml by `fusewise generate`. Do not edit.
"""Tests of sink_softmax."""

import fusewise_ops
import torch
from fusewise import testing
from fusewise.testing import Input, OpCase, Output


def reference(x, sink, *, scale=1):
    """The formula as the spec has it."""
    sink = sink.unsqueeze(-1)
    x, index = testing.rows(x)
    length = index.numel()
    largest = torch.maximum(torch.amax(scale * x, dim=-1, keepdim=True), sink).detach()
    e = torch.exp(scale * x - largest)
    share = 1 / (torch.sum(e, dim=-1, keepdim=True) + torch.exp(sink - largest))
    return e * share


def oracle(x, sink, *, scale=1):
    """The reference that the spec gives."""
    return (
        torch.exp(scale * x - torch.logaddexp(torch.logsumexp(scale * x, -1, keepdim=True),
        torch.unsqueeze(sink, -1)))
    )


CASE = OpCase(
    op=fusewise_ops.sink_softmax,
    dispatcher="fusewise::sink_softmax",
    inputs=(
        Input("x", domain=(-8.0, 8.0)),
        Input("sink", domain=(-8.0, 8.0), is_row=True),
    ),
    params={"scale": (1, 1.05)},
    outputs=(Output("out"),),
    saves=("x", "sink"),
    reference=reference,
    oracle=oracle,
    no_finite_differences="stop_grad change the gradient on purpose",
    reduces=True,
)
pytest_generate_tests = testing.parametrise(CASE)


class TestSinkSoftmax(testing.Values, testing.Gradients):
    """What is checked stands in `fusewise.testing`."""
