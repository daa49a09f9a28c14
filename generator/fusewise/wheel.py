"""Wheels of a project: what its setup.py passes to setuptools."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path
from typing import Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

from fusewise.build.extension import build_extension
from fusewise.build.ninja import BuildError
from fusewise.build.settings import Settings, SettingsError
from fusewise.build.toolchain import Toolchain, torch_release
from fusewise.build.tree import TreeError, check_fresh
from fusewise.language.errors import SpecError

TREE = Path("generated")


def setup_arguments() -> dict[str, Any]:
    """The arguments of `setuptools.setup` for the project in this folder.

    A wheel works with one release of torch, that of this environment. Its version ends in that
    release, and it requires that release.

    Raises:
        SystemExit: the tree is stale, the project is damaged, or there is no compiler.
    """
    try:
        check_fresh(TREE)
        settings, toolchain = _settings()
    except SpecError as error:
        raise SystemExit(str(error)) from None
    except (BuildError, SettingsError, TreeError) as error:
        raise SystemExit(f"error: {error}") from None
    package = settings.package
    release = torch_release(toolchain.torch_version)
    return {
        "packages": [package],
        "package_dir": {package: str(TREE / package)},
        "package_data": {package: ["py.typed"]},
        "ext_modules": [Extension(f"{package}._C", sources=[])],
        "cmdclass": {"build_py": _CopyPackage, "build_ext": _BuildOps},
        "install_requires": [f"torch=={release}.*"],
        "options": {"egg_info": {"tag_build": f"+torch{release}"}},
    }


class _CopyPackage(build_py):
    def run(self) -> None:
        # setuptools would ship what a former name of the package has left there
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class _BuildOps(build_ext):
    def build_extension(self, ext: Extension) -> None:
        settings, toolchain = _settings()
        self.announce(f"building {settings.package}: {toolchain}", logging.INFO)
        try:
            built = build_extension(
                settings.package,
                TREE / "csrc",
                Path(self.get_ext_fullpath(ext.name)),
                work=Path("build"),
                toolchain=toolchain,
                report=self._report,
            )
        except BuildError as error:
            raise SystemExit(f"error: {error}") from None
        if built.warnings:
            self.warn(built.warnings)

    def _report(self, done: int, total: int, what: str) -> None:
        self.announce(f"[{done}/{total}] {what}", logging.INFO)


def _settings() -> tuple[Settings, Toolchain]:
    settings = Settings.read(TREE)
    if not settings.package:
        raise SettingsError("pyproject.toml: [tool.fusewise] has no package")
    archs = {"FUSEWISE_ARCHS": settings.archs} if settings.archs else {}
    return settings, Toolchain.find(archs | dict(os.environ))
