from __future__ import annotations

from pathlib import Path

import pytest
from fusewise.build.tree import spec_files
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def compiled() -> tuple[Compiled, ...]:
    """All specs of the repository, compiled by all stages."""
    paths = spec_files(ROOT / "specs")
    specs = [parse_spec(path.read_text(), path.relative_to(ROOT).as_posix()) for path in paths]
    return tuple(compile_spec(spec, specs) for spec in specs)
