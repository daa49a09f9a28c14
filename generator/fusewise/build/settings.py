"""The table [tool.fusewise] of the pyproject.toml beside a generated tree."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fusewise.language.errors import did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]

KEYS = ("package", "archs")


class SettingsError(Exception):
    """A pyproject.toml that cannot be used; str() says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project says of its package. All is empty without the table."""

    package: str = ""  # the Python module, and its namespace in torch.ops
    archs: str = ""  # GPU architectures of a wheel, in the form of FUSEWISE_ARCHS
    version: str = ""  # of [project]

    @classmethod
    def read(cls, tree: Path) -> Settings:
        """The settings of the project that has its generated tree at `tree`.

        Raises:
            SettingsError: the file is no TOML, or the table has other keys or types.
        """
        path = tree.resolve().parent / "pyproject.toml"
        shown = os.path.relpath(path)
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"{shown}: {error}") from None
        tool, project = (document.get(name, {}) for name in ("tool", "project"))
        table = tool.get("fusewise") if isinstance(tool, dict) else None
        if table is None:
            return cls()
        if not isinstance(table, dict):
            raise SettingsError(f"{shown}: fusewise is {table!r}: expected [tool.fusewise]")
        for key in table:
            if key not in KEYS:
                hint = did_you_mean(key, KEYS) or f"; it has {', '.join(KEYS)}"
                raise SettingsError(f"{shown}: [tool.fusewise] has no key {key!r}{hint}")
        version = project.get("version", "") if isinstance(project, dict) else ""
        values: dict[str, Any] = table | {"version": version}
        for key, value in values.items():
            if not isinstance(value, str):
                raise SettingsError(f"{shown}: {key} is {value!r}: expected a string")
        return cls(**values)
