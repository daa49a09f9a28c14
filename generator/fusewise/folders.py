"""The folders of the hand-written runtime and of the templates."""

from __future__ import annotations

from pathlib import Path


def runtime_dir() -> Path:
    """The hand-written C++ runtime: beside the package once installed, else in the repository."""
    return _data_dir("runtime")


def templates_dir() -> Path:
    """The templates: beside the package once installed, else in the repository."""
    return _data_dir("templates")


def _data_dir(name: str) -> Path:
    # not importlib.resources: it does not find folders that an editable install maps
    package = Path(__file__).resolve().parent
    installed = package / f"_{name}"
    return installed if installed.is_dir() else package.parents[1] / name
