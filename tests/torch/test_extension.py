"""Loading an extension: if it is built for another torch, loading fails before its code runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from fusewise.build.extension import SUFFIX, built_for
from sample_ops import C, runtime

NOTE = re.compile(rb"(?<=fusewise is built for torch )[\x20-\x7e]+(?=\0)")
pytestmark = pytest.mark.usefixtures("sample_ops")


def built() -> bytes:
    return Path(str(C.__file__)).read_bytes()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the extension of the package `some_ops`."""
    (tmp_path / "some_ops").mkdir()
    (tmp_path / "some_ops/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "some_ops", raising=False)
    return tmp_path / f"some_ops/_C{SUFFIX}"


def refusal(module: Path) -> str:
    with pytest.raises(ImportError) as error:
        runtime.load_extension("some_ops")
    assert str(module) not in Path("/proc/self/maps").read_text()
    assert "some_ops._C" not in sys.modules
    return str(error.value)


def test_the_note_names_the_torch_of_the_headers() -> None:
    (version,) = NOTE.findall(built())
    assert version.decode() == torch.__version__.split("+")[0]
    assert NOTE.search(built()[:4096]), "where it is found at once"
    target = built_for(Path(str(C.__file__)))
    assert target is not None
    assert target.torch == version.decode()


def test_one_of_another_torch_is_refused_unloaded(module: Path) -> None:
    module.write_bytes(NOTE.sub(lambda old: b"1.99.0".ljust(len(old[0]), b"x"), built()))
    assert refusal(module) == (
        "the extension of some_ops was built for torch 1.99, but this is torch "
        f"{torch.__version__}; install torch 1.99, or build it again with `fusewise build`"
    )


def test_with_another_torch_it_is_refused_unloaded(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module.write_bytes(built())
    version = ".".join(torch.__version__.split(".")[:2])
    monkeypatch.setattr(torch, "__version__", "3.0.1+cu140")
    assert refusal(module) == (
        f"the extension of some_ops was built for torch {version}, but this is torch 3.0.1+cu140; "
        f"install torch {version}, or build it again with `fusewise build`"
    )


@pytest.mark.parametrize("size", [None, 0, 4])
def test_one_that_does_not_say_is_refused_unloaded(module: Path, size: int | None) -> None:
    module.write_bytes(NOTE.sub(b"", built())[:size])
    assert refusal(module) == (
        "the extension of some_ops does not say which torch it was built for: "
        f"{module} is damaged, or of an older fusewise; build it again with `fusewise build`"
    )


def test_one_that_cannot_be_read(module: Path) -> None:
    module.symlink_to(module.parent)  # a folder cannot be read as a file
    assert refusal(module) == "the extension of some_ops is not built; run `fusewise build`"


def test_one_that_does_not_load(module: Path) -> None:
    module.write_bytes(b"fusewise is built for torch " + NOTE.findall(built())[0] + b"\0")
    text = refusal(module)
    start = f"the extension of some_ops does not load with torch {torch.__version__}; "
    assert text.startswith(f"{start}build it again with `fusewise build`. (")
    assert "file too short" in text or "invalid ELF header" in text


def test_none_is_built(module: Path) -> None:
    assert refusal(module) == "the extension of some_ops is not built; run `fusewise build`"


def test_an_import_does_not_load_what_few_calls_need(package: ModuleType) -> None:
    code = f"import sys; import torch; before = set(sys.modules); import {package.__name__}; " + (
        "print(*sorted(name for name in set(sys.modules) - before if name.startswith('torch')))"
    )
    path = str(Path(str(package.__file__)).parents[1])
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=path, capture_output=True, text=True, check=True
    )
    loaded = run.stdout.split()
    assert not {"torch._dynamo", "torch.distributed.tensor"} & set(loaded), loaded
