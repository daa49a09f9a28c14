"""A small transformer on fused ops, compared with eager PyTorch and trained on a toy task.

    python examples/transformer.py --device cpu

Matrix products, the embedding and the optimizer are PyTorch's. Everything else is an op of this
repository: norms with their residual sums, rotary embeddings, the causal softmax, the gated unit
and the cross entropy. The toy task is to repeat a sequence of random tokens.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import fusewise_ops
import torch
from torch import Tensor, nn
from torch.nn import functional

EPS = 1e-6
IGNORED = -100  # the target of a token that the loss leaves out


class EagerOps:
    """The same functions in PyTorch's own operations."""

    @staticmethod
    def rms_norm(x: Tensor, weight: Tensor, *, eps: float) -> Tensor:
        return functional.rms_norm(x, weight.shape, weight, eps)

    @staticmethod
    def add_rms_norm(
        x: Tensor, residual: Tensor, weight: Tensor, *, eps: float
    ) -> tuple[Tensor, Tensor]:
        added = x + residual
        return functional.rms_norm(added, weight.shape, weight, eps), added

    @staticmethod
    def rope(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat([x1 * cosine - x2 * sine, x2 * cosine + x1 * sine], dim=-1)

    @staticmethod
    def causal_softmax(x: Tensor, last: Tensor, *, scale: float) -> Tensor:
        keep = torch.arange(x.shape[-1], device=x.device) <= last[:, None]
        return torch.softmax((scale * x).masked_fill(~keep, -torch.inf), dim=-1)

    @staticmethod
    def silu_and_mul(x: Tensor) -> Tensor:
        gate, up = x.chunk(2, dim=-1)
        return functional.silu(gate) * up

    @staticmethod
    def cross_entropy(logits: Tensor, target: Tensor, *, ignore_index: int) -> Tensor:
        rows, targets = logits.flatten(0, 1), target.flatten()
        return functional.cross_entropy(rows, targets, reduction="none", ignore_index=ignore_index)


@dataclass(frozen=True)
class Sizes:
    batch: int = 32
    time: int = 64
    words: int = 64
    features: int = 128
    heads: int = 4
    layers: int = 2


class Block(nn.Module):
    """The weights of a layer: attention, a gated unit, and the norm after each."""

    def __init__(self, features: int) -> None:
        super().__init__()
        hidden = 3 * features
        self.qkv = nn.Linear(features, 3 * features, bias=False)
        self.attended = nn.Linear(features, features, bias=False)
        self.gate_and_up = nn.Linear(features, 2 * hidden, bias=False)
        self.down = nn.Linear(hidden, features, bias=False)
        self.norms = nn.ParameterList(torch.ones(features) for _ in range(2))


class Transformer(nn.Module):
    """A Llama-like decoder. `ops` is fusewise_ops, or EagerOps for comparison."""

    cosine: Tensor
    sine: Tensor
    positions: Tensor

    def __init__(self, sizes: Sizes, ops: Any = fusewise_ops) -> None:
        super().__init__()
        self.ops, self.heads = ops, sizes.heads
        self.embedding = nn.Embedding(sizes.words, sizes.features)
        self.first_norm = nn.Parameter(torch.ones(sizes.features))
        blocks = (Block(sizes.features) for _ in range(sizes.layers))
        self.blocks: Any = nn.ModuleList(blocks)
        self.head = nn.Linear(sizes.features, sizes.words, bias=False)
        pairs = sizes.features // sizes.heads // 2
        positions = torch.arange(sizes.time)
        angles = positions[:, None, None] * 1000.0 ** (-torch.arange(pairs) / pairs)
        self.register_buffer("cosine", angles.cos())
        self.register_buffer("sine", angles.sin())
        self.register_buffer("positions", positions)

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """The mean loss of the targets that are not IGNORED; all arguments are [batch, time]."""
        stream = self.embedding(tokens)
        x = self.ops.rms_norm(stream, self.first_norm, eps=EPS)
        for block in self.blocks:
            for part, norm in zip((self.attention, self.gated_unit), block.norms, strict=True):
                x, stream = self.ops.add_rms_norm(part(block, x), stream, norm, eps=EPS)
        losses = self.ops.cross_entropy(self.head(x), targets, ignore_index=IGNORED)
        return losses.sum() / (targets != IGNORED).sum()

    def attention(self, block: Block, x: Tensor) -> Tensor:
        q, k, v = block.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        q, k = (self.ops.rope(each, self.cosine, self.sine) for each in (q, k))
        scores = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)  # [batch, heads, time, time]
        scale = q.shape[-1] ** -0.5
        weights = self.ops.causal_softmax(scores, self.positions, scale=scale)
        return block.attended((weights @ v.transpose(1, 2)).transpose(1, 2).flatten(2))

    def gated_unit(self, block: Block, x: Tensor) -> Tensor:
        return block.down(self.ops.silu_and_mul(block.gate_and_up(x)))


def sequences(sizes: Sizes, device: str) -> tuple[Tensor, Tensor]:
    """Random tokens that repeat after half of the time, and the token that follows each."""
    half = torch.randint(sizes.words, (sizes.batch, sizes.time // 2), device=device)
    tokens = torch.cat([half, half], dim=1)
    targets = tokens.roll(-1, dims=1)
    targets[:, : sizes.time // 2 - 1] = IGNORED  # nobody can know these
    return tokens, targets


def difference(sizes: Sizes, device: str, dtype: torch.dtype) -> tuple[float, float]:
    """The difference of the loss from eager PyTorch, and the largest one of any gradient.

    Each is relative to the largest magnitude of what is compared.
    """
    fused = Transformer(sizes).to(device, dtype)
    eager = Transformer(sizes, EagerOps).to(device, dtype)
    eager.load_state_dict(fused.state_dict())
    batch = sequences(sizes, device)
    losses = [model(*batch) for model in (fused, eager)]
    for loss in losses:
        loss.backward()
    pairs = zip(fused.parameters(), eager.parameters(), strict=True)
    gradients = max(relative(ours.grad, theirs.grad) for ours, theirs in pairs)
    return relative(*losses), gradients


def relative(ours: Any, theirs: Any) -> float:
    return ((ours - theirs).abs().max() / theirs.abs().max()).item()


def trainer(model: Callable[..., Tensor], sizes: Sizes, device: str) -> Callable[[], Tensor]:
    """A function that trains for a step on a new batch and returns the loss before it."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)  # type: ignore[attr-defined]

    def step() -> Tensor:
        loss = model(*sequences(sizes, device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def train(steps: int, sizes: Sizes, device: str) -> Iterator[float]:
    """Trains a new model, and yields the loss before each step."""
    step = trainer(Transformer(sizes).to(device), sizes, device)
    for _ in range(steps):
        yield step().item()


def milliseconds(step: Callable[[], Tensor], repeats: int) -> float:
    """The least time of a step, after two that are not counted."""
    times: list[float] = []
    for _ in range(2 + repeats):
        start = time.perf_counter()
        step().item()  # waits for the GPU
        times.append(time.perf_counter() - start)
    return 1e3 * min(times[2:])


def main() -> None:
    parser = argparse.ArgumentParser(description="A transformer on fused ops learns a toy task.")
    default = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", choices=("cpu", "cuda"), default=default)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=10, help="timed steps of each model")
    parser.add_argument("--compile", action="store_true", help="also time torch.compile of eager")
    for name, value in vars(Sizes()).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    sizes = Sizes(**{name: getattr(options, name) for name in vars(Sizes())})
    device = options.device
    torch.manual_seed(0)

    print("largest relative difference from eager PyTorch:")
    for dtype in (torch.float64, torch.float32):
        loss, gradients = difference(replace(sizes, batch=2), device, dtype)
        print(f"  {str(dtype)[6:]}  loss {loss:.1e}, gradients {gradients:.1e}")

    print(f"loss on {device}; guessing gives {torch.tensor(float(sizes.words)).log():.2f}:")
    losses = list(train(options.steps, sizes, device))
    window = max(1, len(losses) // 6)
    for start in range(0, len(losses), window):
        part = losses[start : start + window]
        print(f"  steps {start + 1:4}-{start + len(part):4}  {sum(part) / len(part):.4f}")

    print("time of a step, with the products and the optimizer:")
    eager = Transformer(sizes, EagerOps).to(device)
    models = {"fused ops": Transformer(sizes).to(device), "eager": eager}
    if options.compile:
        models["torch.compile"] = torch.compile(Transformer(sizes, EagerOps).to(device))  # type: ignore[assignment]
    for name, model in models.items():
        print(f"  {name:13} {milliseconds(trainer(model, sizes, device), options.repeats):8.2f} ms")


if __name__ == "__main__":
    main()
