"""GPU memory, and errors of CUDA."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
import torch

pytestmark = [
    pytest.mark.parametrize("device", ["cuda"]),
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def test_sums_that_are_stored_as_results_reserve_no_memory(
    device: str, package: ModuleType
) -> None:
    x = torch.randn(65536, 64, device=device, requires_grad=True)
    y = torch.randn(65536, 1, device=device, requires_grad=True)
    out = package.elementwise_mult(x, y)
    grad = torch.randn_like(out)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    gradients = torch.autograd.grad(out, (x, y), grad)
    held = sum(g.numel() * g.element_size() for g in gradients)
    assert torch.cuda.max_memory_allocated() - before <= held + 4096


@pytest.mark.parametrize("shape", [(), (5,), (3, 4, 5), (64, 3000), (1 << 25,)], ids=str)
def test_all_elements_are_one_row(device: str, package: ModuleType, shape: tuple[int, ...]) -> None:
    x = torch.randn(shape, device=device).requires_grad_()
    exact = x.detach().double().requires_grad_()
    out, norm = package.clip_by_norm(x, max_norm=0.5)
    wanted = torch.linalg.vector_norm(exact)
    scaled = exact * (0.5 / (wanted + 1e-6)).clamp(max=1)
    torch.testing.assert_close(norm, wanted.float(), rtol=1e-6, atol=0)
    torch.testing.assert_close(out, scaled.float(), rtol=2e-6, atol=0)
    again = package.clip_by_norm(x.detach().view(-1), max_norm=0.5)
    assert torch.equal(again[0], out.detach().view(-1))
    assert torch.equal(again[1], norm.detach())
    grad = torch.randn_like(out)
    (found,) = torch.autograd.grad((out * grad).sum() + norm, x)
    (expected,) = torch.autograd.grad((scaled * grad).sum() + wanted, exact)
    near = 1e-5 * expected.abs().max().item()
    torch.testing.assert_close(found, expected.float(), rtol=1e-4, atol=near)


def test_threads_start_one_kernel_with_different_shared_memory(
    device: str, package: ModuleType
) -> None:
    def run_often(x: torch.Tensor) -> torch.Tensor:
        for _ in range(4000):
            out = package.scaled_softmax(x)
        return out

    lengths = (24576, 32768, 36864, 65536)
    inputs = [torch.randn(4, n, device=device).bfloat16() for n in lengths]
    with ThreadPoolExecutor(len(inputs)) as pool:
        found = list(pool.map(run_often, inputs))
    for x, out in zip(inputs, found, strict=True):
        expected = torch.softmax(x.double(), dim=-1).bfloat16()
        torch.testing.assert_close(out, expected, rtol=2**-7, atol=0)


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


@pytest.mark.usefixtures("package")
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
