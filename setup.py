"""`python setup.py build_ext` compiles the ops of generated/, as `fusewise build` does.

pip installs the tool alone, which pyproject.toml describes: the project has no extension modules.
"""

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class BuildOps(build_ext):
    def run(self) -> None:
        sys.path.insert(0, str(ROOT / "generator"))
        from fusewise.cli import main

        main(["build", "--tree", str(ROOT / "generated")])


for stale in ROOT.glob("build/lib*"):  # setuptools would ship what was deleted since the last build
    shutil.rmtree(stale)

setup(cmdclass={"build_ext": BuildOps})
