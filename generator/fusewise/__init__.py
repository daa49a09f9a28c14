"""Fusewise: a YAML formula becomes a fused, differentiable PyTorch op."""

from __future__ import annotations

__version__ = "0.1.0"

from fusewise.build.ninja import BuildError
from fusewise.language.errors import SpecError
from fusewise.load import load
from fusewise.op import op

__all__ = ["BuildError", "SpecError", "__version__", "load", "op"]
