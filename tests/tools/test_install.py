"""The wheel that pip makes of this repository: the tool alone, for any machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ["LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"]
SPEC = "op: gate\ninputs:\n  x: tensor\noutputs:\n  out: x * sigmoid(x)\n"


def run(*command: str, folder: Path, path: Path | None = None) -> str:
    environ = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    environ |= {"PYTHONPATH": str(path)} if path else {}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made of a copy, since the build writes beside its sources."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in SHIPPED:
        shutil.copy(ROOT / name, copy)
    for name in ("generator", "runtime", "templates"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    (copy / "build/lib/fusewise").mkdir(parents=True)
    (copy / "build/lib/fusewise/deleted.py").touch()
    code = "from setuptools.build_meta import build_wheel; build_wheel('dist')"
    run("-c", code, folder=copy)
    (found,) = (copy / "dist").glob("*.whl")
    return found


def test_it_holds_the_tool_and_nothing_built(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    folders = {"fusewise": "generator/fusewise", "_runtime": "runtime", "_templates": "templates"}
    expected: set[str] = set()
    for name, folder in folders.items():
        place = name if name == "fusewise" else f"fusewise/{name}"
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                expected.add(f"{place}/{path.relative_to(ROOT / folder).as_posix()}")
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert found == expected


def test_it_works_where_it_was_installed(wheel: Path, tmp_path: Path) -> None:
    site, project = tmp_path / "site", tmp_path / "project"
    zipfile.ZipFile(wheel).extractall(site)
    (project / "specs").mkdir(parents=True)
    (project / "specs/gate.yaml").write_text(SPEC)
    run("-m", "fusewise", "generate", "--package", "my_ops", folder=project, path=site)
    assert (project / "generated/csrc/gate/gate_cuda.cu").exists()
    assert "def gate(" in (project / "generated/my_ops/__init__.py").read_text()
    code = "import fusewise; from fusewise.folders import runtime_dir; print(runtime_dir())"
    assert run("-c", code, folder=project, path=site).strip() == str(site / "fusewise/_runtime")


def test_the_demo_builds_nothing_but_its_op(tmp_path: Path) -> None:
    (tmp_path / "ready").touch()
    command = ["make", "--no-print-directory", "-n", "demo", f"VENV={tmp_path}"]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert planned == f"{tmp_path}/bin/python examples/tour.py\n"


def test_setup_py_builds_the_ops_of_the_tree() -> None:
    code = (
        "import sys; sys.argv = ['setup.py', 'build_ext']\n"
        "sys.path.insert(0, 'generator')\n"
        "import fusewise.cli; fusewise.cli.main = print\n"
        "exec(open('setup.py').read(), {'__file__': 'setup.py', '__name__': '__main__'})"
    )
    assert run("-c", code, folder=ROOT).splitlines()[-1] == str(
        ["build", "--tree", str(ROOT / "generated")]
    )
