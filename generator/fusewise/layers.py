"""The layers of the generator, lowest first.

A module imports from its own layer and from lower ones. `testing`, which generated tests call,
imports no layer, and no layer imports it.
"""

from __future__ import annotations

LAYERS = (
    "layers",
    "folders",
    "language",
    "graph",
    "numeric",
    "derive",
    "plan",
    "emit",
    "pipeline",
    "generate",
    "build",
    "schema",
    "explain",
    "measure",
    "report",
    "load",
    "op",
    "wheel",
    "cli",
)
# The layers whose code decides the generated text.
GENERATING = LAYERS[: LAYERS.index("pipeline") + 1]
