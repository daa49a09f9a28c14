"""One step of an LLTM, forward and backward: the benchmark of PyTorch's extension tutorial.

Batch 16, 32 features, state 128, float32. Wall time of a call, the device's work included, of the
layer on the fused op, of the same layer in plain PyTorch, and of torch.compile of the latter. As in
the tutorial, the forward pass is recorded for autograd, and the backward time holds the two sums
that make a number of the outputs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import measure
import torch
from torch import nn

BATCH, FEATURES, STATE = 16, 32, 128
CALLS = 50  # in a measurement


def main() -> None:
    options = measure.parser(__doc__, rounds=41).parse_args()
    device = options.device
    torch.manual_seed(0)
    example = measure.load_file(measure.ROOT / "examples" / "lltm.py", "lltm_example")
    plain = example.PlainLLTM(FEATURES, STATE).to(device)
    fused = example.LLTM(FEATURES, STATE).to(device)
    fused.load_state_dict(plain.state_dict())
    layers: dict[str, nn.Module | None] = {
        "fusewise_ops.lltm": fused,
        "plain PyTorch": plain,
        "torch.compile": measure.compiled(plain, lambda layer: _sample(layer, device)()),
    }
    samples = {name: _sample(layer, device) for name, layer in layers.items() if layer is not None}
    times = measure.interleaved(samples, options.rounds)

    print(f"LLTM {BATCH}/{FEATURES}/{STATE}, wall time in us: {measure.headline(device)}")
    ours = times["fusewise_ops.lltm"]
    header = ("", "forward", "ratio", "backward", "ratio")
    rows = [
        (name, *(cell for t, own in zip(pair, ours, strict=True) for cell in _cells(t, own)))
        for name, pair in times.items()
    ]
    print(measure.table(header, rows))
    numbers = {name: {"forward": pair[0], "backward": pair[1]} for name, pair in times.items()}
    measure.write(options.output, device, {"unit": "us", "wall": numbers})


def _sample(layer: nn.Module, device: str) -> Callable[[], tuple[float, float]]:
    x = torch.randn(BATCH, FEATURES, device=device)
    h, cell = torch.randn(BATCH, STATE, device=device), torch.randn(BATCH, STATE, device=device)

    def sample() -> tuple[float, float]:
        forward = backward = 0.0
        for _ in range(CALLS):
            layer.zero_grad()
            measure.synchronize(device)
            start = time.perf_counter()
            new_h, new_cell = layer(x, (h, cell))
            measure.synchronize(device)
            middle = time.perf_counter()
            (new_h.sum() + new_cell.sum()).backward()
            measure.synchronize(device)
            backward += time.perf_counter() - middle
            forward += middle - start
        return forward / CALLS * 1e6, backward / CALLS * 1e6

    return sample


def _cells(microseconds: float, own: float) -> tuple[str, str]:
    return f"{microseconds:.1f}", f"{microseconds / own:.2f} x"


if __name__ == "__main__":
    main()
