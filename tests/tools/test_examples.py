"""The example layer equals plain PyTorch, and learns."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.fixture(scope="module")
def example() -> ModuleType:
    """The module of examples/lltm.py, a script that is not on the path."""
    path = Path(__file__).resolve().parents[2] / "examples" / "lltm.py"
    found = importlib.util.spec_from_file_location("lltm_example", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


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
