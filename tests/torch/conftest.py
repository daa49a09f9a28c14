from __future__ import annotations

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
def op_cache() -> Path:
    """The cache of tests that load ops. The package is built there too, with the same runtime."""
    return Path(__file__).parents[2] / "build"


@pytest.fixture(scope="session")
def package() -> ModuleType:
    """The generated ops."""
    reason = "the package is not built"
    return pytest.importorskip("fusewise_ops", reason=reason, exc_type=ImportError)
