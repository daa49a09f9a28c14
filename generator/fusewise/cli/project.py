"""The project that a verb works on: the folder of specs, the generated tree, the package."""

from __future__ import annotations

import importlib
import keyword
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from fusewise.build.extension import SUFFIX
from fusewise.build.settings import Settings
from fusewise.build.tree import Manifest
from fusewise.generate import spec_files
from fusewise.language.errors import did_you_mean

# Libraries in torch.ops, folders of a generated tree, and modules that would be hidden, since the
# path of modules begins with the tree: those of Python's start, of torch, of tests, of the tool.
_TAKEN = """
    aten prim prims quantized
    csrc tests
    sitecustomize usercustomize
    filelock fsspec functorch gmpy2 jinja2 markupsafe mpmath networkx numpy optree scipy sympy torch
    torchgen triton typing_extensions
    conftest cython_runtime exceptiongroup execnet expecttest hypothesis iniconfig packaging pluggy
    py pygments pytest tomli xdist
    annotated_doc click contourpy cycler dateutil elftools fusewise kiwisolver liger_kernel
    matplotlib ninja pkg_resources platformdirs pyparsing rich setuptools shellingham six typer yaml
    """
TAKEN_PACKAGES = frozenset(_TAKEN.split())


class UsageError(Exception):
    """A command names something that does not exist."""


def check_package(name: str) -> None:
    """Checks the name of a package.

    Raises:
        UsageError: no package may have this name.
    """
    if not re.fullmatch(r"[a-z]([a-z0-9_]*[a-z0-9])?", name):
        rule = "expected a lower-case letter, then letters and digits, with _ between them"
        raise UsageError(f"package is {name!r}: {rule}")
    if keyword.iskeyword(name) or name in TAKEN_PACKAGES | sys.stdlib_module_names:
        raise UsageError(f"package is {name!r}: that name is taken")


@dataclass(frozen=True, slots=True)
class Project:
    """The folder of a package's specs, its generated tree, its name and its version."""

    specs: Path
    tree: Path
    package: str
    version: str = ""

    @classmethod
    def find(cls, tree: Path, specs: Path | None = None, package: str | None = None) -> Project:
        """An argument that is None comes from pyproject.toml, else from the tree's manifest.

        Without both it is the default.

        Raises:
            SettingsError: pyproject.toml cannot be used.
            TreeError: the manifest is damaged.
            UsageError: no package may have this name, or pyproject.toml has another one.
        """
        settings = Settings.read(tree)
        manifest = Manifest.read(tree)
        if specs is None:
            specs = manifest.specs_folder(tree) if manifest else Path("specs")
        if settings.package:
            if package not in (None, settings.package):
                raise UsageError(f"package is {settings.package!r} in pyproject.toml")
            package = settings.package
        package = package or (manifest.package if manifest else "fusewise_ops")
        check_package(package)
        return cls(specs, tree, package, settings.version)

    @property
    def extension(self) -> Path:
        return self.tree / self.package / f"_C{SUFFIX}"

    def spec(self, op: str) -> Path:
        """The spec of an op, given by name or as a path.

        Raises:
            UsageError: there is none.
            SpecError: two specs are of the same op.
        """
        if os.path.lexists(op) and not Path(op).is_dir():  # also a link to nothing, or a pipe
            return Path(op)
        paths = {path.stem: path for path in spec_files(self.specs)}
        if op not in paths and op and Path(op).is_dir():
            raise UsageError(f"{op} is a folder: expected the name or the file of a spec")
        if op not in paths:
            raise UsageError(f"no spec {op!r} in {self.specs}{did_you_mean(op, paths)}")
        return paths[op]

    def root(self, path: Path) -> Path:
        """The folder of the specs that are built together with a file or folder of specs."""
        if Path(os.path.realpath(path)).is_relative_to(self.specs.resolve()):
            return self.specs
        return path.parent if path.is_file() else path

    def require_specs(self) -> list[Path]:
        """All specs of the package.

        Raises:
            UsageError: there is none.
            SpecError: two of them are of the same op.
        """
        if self.specs.is_file():
            raise UsageError(f"{self.specs} is a file: expected a folder of specs")
        files = spec_files(self.specs)
        if not files:
            raise UsageError(f"no specs (*.yaml) in {self.specs}; `fusewise new OP` writes one")
        return files

    def chosen_specs(self, ops: list[str] | None) -> list[Path]:
        """The specs of the given ops, or of all.

        Raises:
            UsageError, SpecError: as `spec`.
        """
        return [self.spec(op) for op in ops] if ops else self.require_specs()

    def load_package(self) -> ModuleType:
        """The built package, imported.

        Raises:
            UsageError: it is not built.
        """
        if not self.extension.exists():
            raise UsageError(f"{self.package} is not built: run `fusewise build`")
        sys.path.insert(0, str(self.tree.resolve()))
        return importlib.import_module(self.package)
