"""Builds fusewise_ops._C; everything else about the package is in pyproject.toml."""

import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "generator"))

from fusewise.build.extension import build_extension  # noqa: E402
from fusewise.build.ninja import BuildError  # noqa: E402
from fusewise.build.toolchain import Toolchain  # noqa: E402
from fusewise.build.tree import TreeError, check_fresh  # noqa: E402


class NinjaBuildExt(build_ext):
    def build_extension(self, ext: Extension) -> None:
        package = ext.name.rpartition(".")[0]
        try:
            check_fresh(ROOT / "generated")
            toolchain = Toolchain.find()
            print(f"building {package}: {toolchain}")
            built = build_extension(
                package,
                ROOT / "generated" / "csrc",
                Path(self.get_ext_fullpath(ext.name)),
                work=ROOT / "build",
                toolchain=toolchain,
                report=lambda done, total, what: print(f"[{done}/{total}] {what}", flush=True),
            )
        except (BuildError, TreeError) as error:
            sys.exit(f"error: {error}")
        print(built.warnings, file=sys.stderr)


for stale in ROOT.glob("build/lib*"):  # setuptools would ship what was deleted since the last build
    shutil.rmtree(stale)

setup(
    ext_modules=[Extension("fusewise_ops._C", sources=[])],
    cmdclass={"build_ext": NinjaBuildExt},
)
