from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="session")
def sample_ops() -> None:
    """Builds and loads the sample ops. One process builds them, and the others wait."""
    if shutil.which("g++") is None or shutil.which("ninja") is None:
        pytest.skip("needs g++ and ninja")
    import sample_ops

    sample_ops.load()
