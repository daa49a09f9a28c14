"""Host time of one small call, beside torch.mul: what it costs to get to the kernel and back.

The op is `elementwise_mult`, which computes what torch.mul computes, on 4 x 4 tensors on the CPU
and 16 x 16 on a GPU. On a GPU only the host's part counts: work is queued, never waited for.

A second table takes a call of the op apart: allocating a result alone; a call on empty tensors,
which is dispatch, checks and planning without work; a call into `out=`, which allocates nothing.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import fusewise_ops
import measure
import torch
from torch import Tensor

SIDE = {"cpu": 4, "cuda": 16}
CALLS = {"cpu": 2000, "cuda": 200}  # in a measurement; a GPU's queue must not fill up

Binary = Callable[[Tensor, Tensor], Tensor]


def main() -> None:
    options = measure.parser(__doc__, rounds=51).parse_args()
    device = options.device
    functions: dict[str, Binary] = {
        "torch.mul": torch.mul,
        "fusewise_ops.elementwise_mult": fusewise_ops.elementwise_mult,
        "torch.ops.fusewise.elementwise_mult": torch.ops.fusewise.elementwise_mult,
    }
    modes = {"no grad": _no_grad, "recording": _recording, "forward + backward": _both}
    samples = {
        f"{mode}: {name}": _sample(make(function, device), device)
        for mode, make in modes.items()
        for name, function in functions.items()
    }
    samples |= {part: _sample(action, device) for part, action in _parts(device).items()}
    times = measure.interleaved(samples, options.rounds)

    side = SIDE[device]
    print(f"one call on {side} x {side}, host time in us: {measure.headline(device)}")
    header = ("", *(cell for mode in modes for cell in (mode, "ratio")))
    rows = []
    for name in functions:
        cells = [name]
        for mode in modes:
            (own,), (base,) = times[f"{mode}: {name}"], times[f"{mode}: torch.mul"]
            cells += [f"{own:.2f}", f"{own / base:.2f} x"]
        rows.append(cells)
    print(measure.table(header, rows))
    parts = {part: times[part][0] for part in _parts(device)}
    print("\n" + measure.table(("", "us"), [(part, f"{us:.2f}") for part, us in parts.items()]))
    numbers = {mode: {name: times[f"{mode}: {name}"][0] for name in functions} for mode in modes}
    measure.write(options.output, device, {"unit": "us", "host": numbers, "parts": parts})


def _parts(device: str) -> dict[str, measure.Action]:
    op = torch.ops.fusewise.elementwise_mult
    a, b = _tensors(device, grad=False)
    empty, out = a.new_empty(0, a.shape[1]), torch.empty_like(a)
    return {
        "allocation: torch.empty_like": lambda: torch.empty_like(a),
        "dispatch, checks: a call on empty tensors": lambda: op(empty, empty),
        "no allocation: a call into out=": lambda: op.out(a, b, out=out),
        "a call": lambda: op(a, b),
    }


def _tensors(device: str, *, grad: bool) -> tuple[Tensor, Tensor]:
    side = SIDE[device]
    a, b = (torch.randn(side, side, device=device, requires_grad=grad) for _ in range(2))
    return a, b


def _no_grad(function: Binary, device: str) -> measure.Action:
    a, b = _tensors(device, grad=False)
    return lambda: function(a, b)


def _recording(function: Binary, device: str) -> measure.Action:
    a, b = _tensors(device, grad=True)
    return lambda: function(a, b)


def _both(function: Binary, device: str) -> measure.Action:
    a, b = _tensors(device, grad=True)
    grad = torch.ones_like(a)
    return lambda: torch.autograd.grad(function(a, b), (a, b), grad)


def _sample(action: measure.Action, device: str) -> Callable[[], tuple[float]]:
    timer = timeit.Timer("action()", globals={"action": action})

    def sample() -> tuple[float]:
        measure.synchronize(device)
        return (timer.timeit(CALLS[device]) / CALLS[device] * 1e6,)

    return sample


if __name__ == "__main__":
    main()
