"""GPU memory, and errors of CUDA."""

from __future__ import annotations

import subprocess
import sys

import fusewise_ops
import pytest
import torch

pytestmark = [
    pytest.mark.parametrize("device", ["cuda"]),
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def test_sums_that_are_stored_as_results_reserve_no_memory(device: str) -> None:
    x = torch.randn(65536, 64, device=device, requires_grad=True)
    y = torch.randn(65536, 1, device=device, requires_grad=True)
    out = fusewise_ops.elementwise_mult(x, y)
    grad = torch.randn_like(out)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    gradients = torch.autograd.grad(out, (x, y), grad)
    held = sum(g.numel() * g.element_size() for g in gradients)
    assert torch.cuda.max_memory_allocated() - before <= held + 4096


ERRORS = """
import sys
import torch
import fusewise_ops

x = torch.randn(8, device=sys.argv[1])
fusewise_ops.swiglu(x, x)
torch.zeros(1, device=sys.argv[1])[torch.tensor([7], device=sys.argv[1])]
for act in (torch.cuda.synchronize, lambda: fusewise_ops.swiglu(x, x)):
    try:
        act()
        print("no error")
    except torch.AcceleratorError as error:
        print(error.error_code, str(error).splitlines()[0])
"""


def test_an_error_of_earlier_work_is_said_to_be_one(device: str) -> None:
    command = [sys.executable, "-c", ERRORS, device]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stdout + done.stderr
    theirs, ours = lines
    assert "device-side assert" in theirs
    code = theirs.split()[0]
    assert ours.startswith(f"{code} swiglu: CUDA error: "), ours
    assert ours.endswith("It is an error of work that was launched before, and found here"), ours
