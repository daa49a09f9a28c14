from __future__ import annotations

import pytest
import repository
from fusewise.pipeline import Compiled


@pytest.fixture(scope="session")
def compiled() -> tuple[Compiled, ...]:
    """All specs of the repository, through all stages."""
    return tuple(map(repository.compiled, repository.SPECS))
