"""The project that a verb works on: the folder of specs, the generated tree, the package."""

from __future__ import annotations

import importlib
import keyword
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from fusewise.build.extension import SUFFIX
from fusewise.build.tree import Manifest, spec_files
from fusewise.language.errors import did_you_mean

# Names of libraries in torch.ops, and of modules that a generated package imports.
TAKEN_PACKAGES = {"aten", "fusewise", "prim", "prims", "quantized", "torch"}


class UsageError(Exception):
    """A command names something that does not exist."""


@dataclass(frozen=True, slots=True)
class Project:
    """The folder of a package's specs, its generated tree and its name."""

    specs: Path
    tree: Path
    package: str

    @classmethod
    def find(cls, tree: Path, specs: Path | None = None, package: str | None = None) -> Project:
        """An argument that is None comes from the tree's manifest, or else is the default."""
        manifest = Manifest.read(tree)
        if specs is None:
            known = (
                Path(os.path.relpath(tree.resolve().parent)) / manifest.folder if manifest else None
            )
            specs = known or Path("specs")
        package = package or (manifest.package if manifest else "fusewise_ops")
        if not package.isidentifier() or not package.islower():
            raise UsageError(f"package is {package!r}: expected lower-case letters, digits, _")
        if keyword.iskeyword(package) or package in TAKEN_PACKAGES:
            raise UsageError(f"package is {package!r}: that name is taken")
        return cls(specs, tree, package)

    @property
    def extension(self) -> Path:
        return self.tree / self.package / f"_C{SUFFIX}"

    def spec(self, op: str) -> Path:
        """The spec of an op, given by name or as a path."""
        if Path(op).is_file():
            return Path(op)
        paths = {path.stem: path for path in spec_files(self.specs)}
        if op not in paths:
            raise UsageError(f"no spec {op!r} in {self.specs}{did_you_mean(op, paths)}")
        return paths[op]

    def root(self, path: Path) -> Path:
        """The folder of the specs that are built together with a file or folder of specs."""
        if path.resolve().is_relative_to(self.specs.resolve()):
            return self.specs
        return path if path.is_dir() else path.parent

    def require_specs(self) -> list[Path]:
        files = spec_files(self.specs)
        if not files:
            raise UsageError(f"no specs (*.yaml) in {self.specs}; `fusewise new OP` writes one")
        return files

    def chosen_specs(self, ops: list[str] | None) -> list[Path]:
        return [self.spec(op) for op in ops] if ops else self.require_specs()

    def load_package(self) -> ModuleType:
        if not self.extension.exists():
            raise UsageError(f"{self.package} is not built: run `fusewise build`")
        sys.path.insert(0, str(self.tree.resolve()))
        return importlib.import_module(self.package)
