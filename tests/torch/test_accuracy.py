"""The errors of every op are within the bound of its spec."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fusewise.generate import spec_files
from fusewise.language.spec import load_spec
from fusewise.measure.accuracy.run import is_measured, run

SPECS = map(load_spec, spec_files(Path(__file__).resolve().parents[2] / "specs"))
MEASURED = list(filter(is_measured, SPECS))
FEW = {"float32": 200, "bfloat16": 50}
LENGTHS = (1, 7, 768, 65537)  # with one bound: errors do not grow with the length of a row


@pytest.mark.parametrize("spec", MEASURED, ids=lambda spec: spec.name)
def test_a_spec_keeps_its_bound(spec: Any, package: ModuleType) -> None:
    found = run([spec], package, "cpu", lambda *_: None, FEW, LENGTHS)
    assert found.failures == []
