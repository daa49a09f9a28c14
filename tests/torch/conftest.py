from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def sample_ops() -> None:
    """Builds and loads the sample ops. One process builds them, and the others wait."""
    if shutil.which("g++") is None or shutil.which("ninja") is None:
        pytest.skip("needs g++ and ninja")
    import sample_ops

    sample_ops.load()


@pytest.fixture(scope="session")
def op_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of tests that load ops: all processes share what one of them has compiled."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "op_cache"


@pytest.fixture(scope="session")
def package() -> ModuleType:
    """The generated ops."""
    reason = "the package is not built"
    return pytest.importorskip("fusewise_ops", reason=reason, exc_type=ImportError)
