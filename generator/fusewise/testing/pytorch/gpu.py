"""Tests on a GPU: agreement with the CPU, streams, CUDA graphs and several devices."""

from __future__ import annotations

import functools

import pytest
import torch

from fusewise.testing.case import Call, OpCase
from fusewise.testing.compare import (
    are_equal,
    check_gradients,
    check_values,
    compare,
    gradients,
    noise_dtype,
)
from fusewise.testing.gradients import incoming
from fusewise.testing.noise import noisy

FEATURES = ("stream", "graph", "other_device")


class GpuTests:
    def test_cuda_values(self, case: OpCase, gpu: str, dtype: torch.dtype) -> None:
        """The results of the GPU and the CPU agree within a few ulp."""
        call = case.call((33, 65), dtype, wide=True)
        on_gpu = call.to(gpu)
        kind = noise_dtype(case, call)
        run = functools.partial(Call.run, function=case.reference)
        noise = noisy(case, run, on_gpu, kind)[1] if call.floats else tuple
        compare(on_gpu.run(case.op), call.run(case.op), noise, f"{case.name}: cuda output")
        if dtype.is_floating_point and case.differentiable:
            grads = incoming(case, call)
            got = gradients(case.op, on_gpu, [None if g is None else g.to(gpu) for g in grads])
            want = gradients(case.op, call, grads)
            near = noisy(case, lambda c: gradients(case.expected, c, grads), on_gpu, kind)[1]
            compare(got, want, near, f"{case.name}: cuda gradient")

    def test_cuda(self, case: OpCase, gpu: str, feature: str) -> None:
        """The op works on a side stream, in a CUDA graph, or on a device that is not current."""
        {"stream": _check_stream, "graph": _check_graph, "other_device": _check_other_device}[
            feature
        ](case, gpu)


def _check_stream(case: OpCase, gpu: str) -> None:
    """The op waits for a slow producer on its own side stream."""
    dtype = torch.float32 if case.takes_floats else torch.int64
    call = case.call((64, 64), dtype, gpu)
    expected = call.run(case.op)
    grads = incoming(case, call) if case.differentiable else []
    expected_grads = gradients(case.op, call, grads) if case.differentiable else ()
    side = torch.cuda.Stream()
    for _ in range(20):
        late = call.map(torch.zeros_like)
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(2_000_000)
            for tensor, values in zip(late.present, call.present, strict=True):
                tensor.copy_(values)
            got = late.run(case.op)
            got_grads = gradients(case.op, late, grads) if case.differentiable else ()
        side.synchronize()
        for a, b in zip(got + got_grads, expected + expected_grads, strict=True):
            assert are_equal(a, b), "the op did not wait for its stream"


def _check_graph(case: OpCase, gpu: str) -> None:
    """Forward and backward can be captured, and a replay computes with new values."""
    dtype = torch.float32 if case.takes_floats else torch.int64
    call = case.call((16, 32), dtype, gpu)
    grads = incoming(case, call) if case.differentiable else []

    def step() -> tuple[torch.Tensor, ...]:
        with torch.no_grad():
            outputs = call.run(case.op)
        return outputs + (gradients(case.op, call, grads) if case.differentiable else ())

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = step()
    for tensor in call.present:
        tensor.copy_(tensor.flip(-1))
    graph.replay()
    for got, want in zip(captured, step(), strict=True):
        assert are_equal(got, want), "a replayed graph gives other values"


def _check_other_device(case: OpCase, gpu: str) -> None:
    """The op runs on the device of its tensors, even if another device is current."""
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    dtype = torch.float32 if case.takes_floats else torch.int64
    with torch.cuda.device(0):
        call = case.call((5, 7), dtype, f"{gpu}:1")
        check_values(case, call)
        if case.differentiable:
            check_gradients(case, call, incoming(case, call))
