"""What only a GPU shows: memory, and errors of CUDA."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

import fusewise_ops as ops


def test_sums_that_are_stored_as_results_reserve_no_memory() -> None:
    x = torch.randn(65536, 64, device="cuda", requires_grad=True)
    y = torch.randn(65536, 1, device="cuda", requires_grad=True)
    out = ops.elementwise_mult(x, y)
    grad = torch.randn_like(out)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    gradients = torch.autograd.grad(out, (x, y), grad)
    held = sum(g.numel() * g.element_size() for g in gradients)
    assert torch.cuda.max_memory_allocated() - before <= held + 4096


ERRORS = """
import torch
import fusewise_ops as ops
x = torch.randn(8, device="cuda")
ops.swiglu(x, x)
torch.zeros(1, device="cuda")[torch.tensor([7], device="cuda")]
for act in (torch.cuda.synchronize, lambda: ops.swiglu(x, x)):
    try:
        act()
        print("no error")
    except torch.AcceleratorError as error:
        print(type(error).__name__, error.error_code, str(error).splitlines()[0])
"""


def test_an_error_of_earlier_work_is_said_to_be_one() -> None:
    command = [sys.executable, "-c", ERRORS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stdout + done.stderr
    theirs, ours = lines
    assert "device-side assert" in theirs
    assert ours.startswith(theirs.partition("CUDA error")[0]), "the same class and code"
    assert ours.endswith("It is an error of work that was launched before, and found here"), ours
