"""An LLTM layer on the fused op, checked against plain PyTorch and trained on a toy task.

    python examples/lltm.py --device cpu

An LLTM is an LSTM without a forget gate: its cell keeps everything it has added up. The toy task
needs that. Each step of a sequence has a number and a mark, two steps are marked, and the answer is
the sum of their numbers.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

import torch
from fusewise_ops import lltm
from torch import Tensor, nn
from torch.nn import functional

State = tuple[Tensor, Tensor]


class LLTM(nn.Module):
    """One step of an LLTM: `new_h, new_cell = layer(x, (h, cell))`.

    `x` is [batch, input_features], `h` and `cell` are [batch, state_size].
    """

    def __init__(self, input_features: int, state_size: int) -> None:
        super().__init__()
        self.input_features = input_features
        self.state_size = state_size
        # rows: input gate, output gate, candidate cell; columns: the old state, then the input
        self.weights = nn.Parameter(torch.empty(3 * state_size, state_size + input_features))
        self.bias = nn.Parameter(torch.empty(3 * state_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.state_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor, state: State) -> State:
        return lltm(x, self.weights, self.bias, *state)


class PlainLLTM(LLTM):
    """The same layer in PyTorch's own operations, for comparison with the fused op."""

    def forward(self, x: Tensor, state: State) -> State:
        old_h, old_cell = state
        gates = functional.linear(torch.cat([old_h, x], dim=1), self.weights, self.bias)
        input_gate, output_gate, candidate = gates.chunk(3, dim=1)
        new_cell = old_cell + input_gate.sigmoid() * functional.elu(candidate)
        return output_gate.sigmoid() * new_cell.tanh(), new_cell


class Adder(nn.Module):
    """Reads a sequence [time, batch, 2] with an LLTM and gives one number for each example."""

    def __init__(self, state_size: int) -> None:
        super().__init__()
        self.cell = LLTM(2, state_size)
        self.answer = nn.Linear(state_size, 1)

    def forward(self, sequence: Tensor) -> Tensor:
        h = cell = sequence.new_zeros(sequence.shape[1], self.cell.state_size)
        for step in sequence:
            h, cell = self.cell(step, (h, cell))
        return self.answer(h).squeeze(1)


def batch(size: int, length: int, device: str) -> tuple[Tensor, Tensor]:
    """Sequences of numbers and marks, and the sums of the two marked numbers of each."""
    numbers = torch.rand(length, size, device=device)
    places = torch.rand(length, size, device=device).topk(2, dim=0).indices
    marks = torch.zeros_like(numbers).scatter_(0, places, 1.0)
    return torch.stack([numbers, marks], dim=2), (numbers * marks).sum(0)


def train(steps: int, device: str, length: int = 10) -> Iterator[float]:
    """Trains a new model, and yields the mean squared error before each step."""
    model = Adder(state_size=32).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        sequence, expected = batch(128, length, device)
        loss = functional.mse_loss(model(sequence), expected)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def results(layer: LLTM, x: Tensor, state: State) -> tuple[list[Tensor], list[Tensor]]:
    """The outputs of a layer, and the gradients of a loss of them in its inputs and parameters."""
    leaves = [tensor.detach().requires_grad_() for tensor in (x, *state)]
    new_h, new_cell = layer(leaves[0], (leaves[1], leaves[2]))
    value = new_h.square().sum() + 2 * new_cell.square().sum()
    gradients = torch.autograd.grad(value, [*leaves, *layer.parameters()])
    return [new_h, new_cell], list(gradients)


def difference(device: str, dtype: torch.dtype = torch.double) -> tuple[float, float]:
    """The largest difference of LLTM and PlainLLTM, in the outputs and in the gradients."""
    layer = LLTM(32, 128).to(device, dtype)
    plain = PlainLLTM(32, 128).to(device, dtype)
    plain.load_state_dict(layer.state_dict())
    x, h, cell = (torch.randn(16, n, device=device, dtype=dtype) for n in (32, 128, 128))
    pairs = zip(results(layer, x, (h, cell)), results(plain, x, (h, cell)), strict=True)
    forward, backward = (
        max((a - b).abs().max().item() for a, b in zip(ours, theirs, strict=True))
        for ours, theirs in pairs
    )
    return forward, backward


def main() -> None:
    parser = argparse.ArgumentParser(description="An LLTM on the fused op learns a toy task.")
    default = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", choices=("cpu", "cuda"), default=default)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    torch.manual_seed(0)

    forward, backward = difference(options.device)
    print("largest difference from plain PyTorch, float64:")
    print(f"  forward {forward:.1e}, gradients {backward:.1e}")

    print(f"mean squared error on {options.device}; guessing the mean gives 0.17:")
    losses = list(train(options.steps, options.device))
    window = max(1, len(losses) // 8)
    for start in range(0, len(losses), window):
        part = losses[start : start + window]
        print(f"  steps {start + 1:4}-{start + len(part):4}  {sum(part) / len(part):.4f}")


if __name__ == "__main__":
    main()
