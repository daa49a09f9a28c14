"""The errors of every op are within the bound of its spec."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fusewise.build.tree import spec_files
from fusewise.language.spec import load_spec
from fusewise.measure.accuracy import run

SPECS = map(load_spec, spec_files(Path(__file__).resolve().parents[2] / "specs"))
MEASURED = [spec for spec in SPECS if spec.compose is None]
FEW = {"float32": 200, "bfloat16": 50}


@pytest.mark.parametrize("spec", MEASURED, ids=lambda spec: spec.name)
def test_a_spec_keeps_its_bound(spec: Any) -> None:
    package = pytest.importorskip(
        "fusewise_ops", reason="the package is not built", exc_type=ImportError
    )
    found = run([spec], package, "cpu", lambda *_: None, FEW)
    assert found.failures == []
