"""A tour of one new op: its spec, the backward derived from it, the check, and a timing.

Run by `make demo`, or in any environment with fusewise: python examples/tour.py
"""

from __future__ import annotations

import time
from pathlib import Path

import fusewise
import torch
from fusewise.language.spec import parse_spec
from fusewise.pipeline import compile_spec
from torch import Tensor
from torch.utils.benchmark import Timer

SPEC = """\
op: biased_mish
doc: Mish of a biased tensor, with one bias for each channel.
inputs:
  x: tensor
  bias: tensor
let:
  u: x + bias
outputs:
  out: u * tanh(softplus(u))
"""
# `make clean` empties it. The first run compiles the runtime too, a further op only itself.
CACHE = Path(__file__).resolve().parents[1] / "build"


def eager(x: Tensor, bias: Tensor) -> Tensor:
    return torch.nn.functional.mish(x + bias)


def title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def main() -> None:
    title("1. The spec")
    print(SPEC, end="")

    title("2. The passes that are derived from it")
    for stage in compile_spec(parse_spec(SPEC)).variants[0].passes:
        print(f"{stage}\n")

    title("3. The op, built and loaded as a module")
    start = time.perf_counter()
    ops = fusewise.load(SPEC, cache_dir=CACHE, verbose=True)
    print(f"ready after {time.perf_counter() - start:.1f} s")

    title("4. The check: against PyTorch, and by finite differences in double precision")
    x = torch.randn(8, 5, dtype=torch.double, requires_grad=True)
    bias = torch.randn(5, dtype=torch.double, requires_grad=True)
    torch.testing.assert_close(ops.biased_mish(x, bias), eager(x, bias))
    print("forward     equals torch.nn.functional.mish(x + bias)")
    torch.autograd.gradcheck(ops.biased_mish, (x, bias), check_forward_ad=True)
    print("gradcheck   passed, backward and forward mode, bias gradient summed")
    torch.autograd.gradgradcheck(ops.biased_mish, (x, bias))
    print("gradgrad    passed")

    device, dtype, shape = "cpu", torch.float32, (2048, 2048)
    if torch.cuda.is_available():
        device, dtype, shape = "cuda", torch.bfloat16, (16384, 8192)
    title(f"5. The timing: {device}, {dtype}, {shape[0]} x {shape[1]}, compared with eager")
    x = torch.randn(shape, device=device, dtype=dtype, requires_grad=True)
    bias = torch.randn(shape[1:], device=device, dtype=dtype, requires_grad=True)
    grad = torch.randn_like(x)

    def milliseconds(code: str, **names: object) -> float:
        timer = Timer(code, globals=names, num_threads=torch.get_num_threads())
        return timer.blocked_autorange(min_run_time=0.5).median * 1e3

    for direction in ("forward", "backward"):
        times: list[float] = []
        for op in (ops.biased_mish, eager):
            if direction == "forward":
                times.append(milliseconds("op(x, bias)", op=op, x=x.detach(), bias=bias.detach()))
            else:
                code = "torch.autograd.grad(out, (x, bias), grad, retain_graph=True)"
                names = {"torch": torch, "out": op(x, bias), "x": x, "bias": bias, "grad": grad}
                times.append(milliseconds(code, **names))
        fused, other = times
        print(f"{direction:9} {fused:8.3f} ms, eager {other:8.3f} ms: {other / fused:.1f} x")


if __name__ == "__main__":
    main()
