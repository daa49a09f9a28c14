"""The examples equal plain PyTorch, and learn."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
import torch
from measure import ROOT, load_file

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """The module of examples/lltm.py, a script that is not on the path."""
    return load_file(ROOT / "examples/lltm.py", "lltm_example")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("batch", "features", "state"), [(16, 32, 128), (1, 1, 1), (3, 5, 7)])
def test_layer_equals_plain_pytorch(
    example: ModuleType, device: str, batch: int, features: int, state: int
) -> None:
    torch.manual_seed(0)
    place = {"device": device, "dtype": torch.double}
    layer = example.LLTM(features, state).to(**place)
    plain = example.PlainLLTM(features, state).to(**place)
    plain.load_state_dict(layer.state_dict())
    x = torch.randn(batch, features, **place)
    h, cell = torch.randn(batch, state, **place), torch.randn(batch, state, **place)
    ours = example.results(layer, x, (h, cell))
    theirs = example.results(plain, x, (h, cell))
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_training_lowers_the_loss(example: ModuleType, device: str) -> None:
    torch.manual_seed(0)
    losses = list(example.train(60, device, length=3))
    assert sum(losses[-10:]) / 10 < 0.13  # the constant mean has a loss of 1/6


def test_script(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["lltm.py", "--device", "cpu", "--steps", "2"])
    example.main()
    assert "steps    2-   2" in capsys.readouterr().out


@pytest.fixture(scope="module")
def transformer() -> ModuleType:
    return load_file(ROOT / "examples/transformer.py", "transformer_example")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_transformer_equals_eager_pytorch(
    transformer: ModuleType, device: str, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    sizes = transformer.Sizes(batch=2, time=12, words=11, features=24, heads=2, layers=2)
    bound = 1e3 * torch.finfo(dtype).eps
    assert max(transformer.difference(sizes, device, dtype)) < bound


@pytest.mark.parametrize("device", DEVICES)
def test_transformer_learns_to_repeat(transformer: ModuleType, device: str) -> None:
    torch.manual_seed(0)
    sizes = transformer.Sizes(batch=32, time=16, words=8, features=64, heads=2, layers=2)
    losses = list(transformer.train(45, sizes, device))
    assert losses[-1] < 0.5  # guessing gives 2.08


def test_transformer_script(
    transformer: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--device cpu --steps 2 --repeats 1 --batch 2 --time 8 --features 16 --layers 1"
    monkeypatch.setattr(sys, "argv", ["transformer.py", *options.split()])
    transformer.main()
    printed = capsys.readouterr().out
    assert "steps    2-   2" in printed
    assert "fused ops" in printed
