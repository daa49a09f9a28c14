"""The specs of the repository, which a process of the tests reads and compiles once."""

from __future__ import annotations

import functools
from pathlib import Path

from fusewise.generate import spec_files
from fusewise.language.spec import parse_spec
from fusewise.pipeline import Compiled, compile_spec

ROOT = Path(__file__).resolve().parents[2]
SPECS = {
    path.stem: parse_spec(path.read_text(), path.relative_to(ROOT).as_posix())
    for path in spec_files(ROOT / "specs")
}
PLAIN = [op for op, spec in SPECS.items() if not spec.compose]  # the ops that have passes
POINTWISE = [op for op in PLAIN if not SPECS[op].reduces]


@functools.cache
def compiled(op: str) -> Compiled:
    return compile_spec(SPECS[op], tuple(SPECS.values()))
