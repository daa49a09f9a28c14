"""Wheels of new projects: what setuptools is told, what is in them, and that they run alone."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fusewise import wheel
from fusewise.build.extension import SUFFIX
from fusewise.build.ninja import BuildError
from fusewise.build.toolchain import Toolchain

Command = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]
CPU = os.environ | {"FUSEWISE_CUDA": "0"}
BUILD_WHEEL = "from setuptools.build_meta import build_wheel; build_wheel('dist')"  # as pip does
# A process that has torch and the two packages, and nothing that a build needs.
USE = """
import importlib.util, shutil, sys, torch
assert not importlib.util.find_spec("fusewise")
assert not any(map(shutil.which, ("g++", "nvcc", "ninja")))
actual, torch.__version__ = torch.__version__, "3.0.1"
try:
    import my_ops
except ImportError as error:
    print(error)
torch.__version__ = actual
import my_ops, our_ops
print(my_ops.__version__, our_ops.__version__)
x, bias = torch.randn(4, 5).double().requires_grad_(), torch.randn(5).double().requires_grad_()
h = (x + bias).detach()
torch.testing.assert_close(my_ops.bias_silu(x, bias).detach(), h * torch.sigmoid(h))
torch.testing.assert_close(our_ops.bias_silu(x, bias).detach(), h * torch.sigmoid(2 * h))
torch.testing.assert_close(torch.ops.our_ops.bias_silu(x, bias), our_ops.bias_silu(x, bias))
for ops in (my_ops, our_ops):
    torch.autograd.gradcheck(ops.bias_silu, (x, bias))
"""


@pytest.fixture
def project(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, which is the current folder."""
    command("init", "my_ops")
    monkeypatch.chdir(tmp_path / "my_ops")
    return tmp_path / "my_ops"


def refusal(project: Path) -> str:
    """The error of a build of the extension."""
    command = [sys.executable, "setup.py", "build_ext"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    return done.stderr


@pytest.mark.usefixtures("project")
def test_a_wheel_requires_the_torch_that_it_is_compiled_for() -> None:
    arguments = wheel.setup_arguments()
    release = ".".join(Toolchain.find().torch_version.split(".")[:2])
    assert arguments["packages"] == ["my_ops"]
    assert arguments["install_requires"] == [f"torch=={release}.*"]
    assert arguments["options"]["egg_info"]["tag_build"] == f"+torch{release}"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("named", [None, "75"])
def test_the_environment_wins_over_the_architectures_of_a_project(
    monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    environs: list[Mapping[str, str]] = []

    def find(environ: Mapping[str, str]) -> Toolchain:
        environs.append(environ)
        raise BuildError("no compiler")

    monkeypatch.delenv("FUSEWISE_ARCHS", raising=False)
    if named:
        monkeypatch.setenv("FUSEWISE_ARCHS", named)
    monkeypatch.setattr(wheel.Toolchain, "find", find)
    with pytest.raises(SystemExit, match="error: no compiler"):
        wheel.setup_arguments()
    assert environs[0]["FUSEWISE_ARCHS"] == (named or "80 90")


def test_a_stale_project_is_not_built(project: Path) -> None:
    spec = project / "specs/bias_silu.yaml"
    spec.write_text(spec.read_text().replace("let:", "\nlet:"))
    expected = (
        "error: generated is stale; run `fusewise generate`:\n  specs/bias_silu.yaml changed\n"
    )
    assert refusal(project) == expected


def test_a_project_with_two_specs_of_one_op_is_not_built(project: Path) -> None:
    shutil.copytree(project / "specs", project / "specs/again")
    with pytest.raises(SystemExit, match=r"^specs/bias_silu\.yaml:1:1: error: "):
        wheel.setup_arguments()


def test_another_package_is_generated_first(project: Path) -> None:
    text = (project / "pyproject.toml").read_text()
    (project / "pyproject.toml").write_text(text.replace('package = "my_ops"', 'package = "ours"'))
    expected = "error: generated is stale; run `fusewise generate`:\n"
    assert refusal(project) == expected + "  pyproject.toml: package changed\n"


def test_a_project_without_a_package(project: Path) -> None:
    text = (project / "pyproject.toml").read_text()
    (project / "pyproject.toml").write_text(text.replace('package = "my_ops"', ""))
    assert refusal(project) == "error: pyproject.toml: [tool.fusewise] has no package\n"


def run(*command: str, folder: Path, environ: Mapping[str, str] = CPU) -> str:
    """The output of a Python process."""
    command = (sys.executable, *command)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=folder, env=environ, check=False, **streams)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two new projects, of which each has built a wheel. They share object files."""
    folder = tmp_path_factory.mktemp("projects")
    objects = ROOT / "build" / Toolchain.find(CPU).tag
    objects.mkdir(parents=True, exist_ok=True)
    for name in ("my_ops", "our_ops"):
        run("-m", "fusewise", "init", name, folder=folder)
        (folder / name / "build").mkdir()
        (folder / name / "build" / objects.name).symlink_to(objects)
    spec = folder / "our_ops/specs/bias_silu.yaml"
    text = spec.read_text().replace("sigmoid(h)", "sigmoid(2 * h)")
    spec.write_text("\n".join(line for line in text.splitlines() if "reference" not in line))
    run("-m", "fusewise", "build", "specs", folder=folder / "our_ops")
    for name in ("my_ops", "our_ops"):
        run("-c", BUILD_WHEEL, folder=folder / name)
    return folder


def wheel_of(project: Path) -> Path:
    (found,) = project.glob("dist/*.whl")
    return found


@pytest.mark.slow
def test_the_contents_of_a_wheel(projects: Path) -> None:
    release = ".".join(Toolchain.find(CPU).torch_version.split(".")[:2])
    version = f"my_ops-0.1.0+torch{release}"
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    path = wheel_of(projects / "my_ops")
    assert path.name == f"{version}-{python}-{python}-linux_{platform.machine()}.whl"
    with zipfile.ZipFile(path) as file:
        names = {name for name in file.namelist() if ".dist-info/" not in name}
        metadata = file.read(f"{version}.dist-info/METADATA").decode()
    module = f"my_ops/_C{SUFFIX}"
    assert names == {"my_ops/__init__.py", "my_ops/_runtime.py", "my_ops/py.typed", module}
    assert f"\nRequires-Dist: torch=={release}.*\n" in metadata


@pytest.mark.slow
def test_two_wheels_run_where_nothing_can_be_built(projects: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    (site,) = (tmp_path / "venv/lib").glob("*/site-packages")
    for name in ("my_ops", "our_ops"):
        zipfile.ZipFile(wheel_of(projects / name)).extractall(site)
    # their .pth files are not read, one of which has the sources of fusewise
    packages = [path for path in sys.path if path.endswith("-packages")]
    (site / "torch.pth").write_text("\n".join(packages))
    environ = {"PATH": str(python.parent)}
    done = subprocess.run(
        [python, "-c", USE], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    release = ".".join(Toolchain.find(CPU).torch_version.split(".")[:2])
    assert done.stdout == (
        f"the extension of my_ops was built for torch {release}, but this is torch 3.0.1; install "
        f"torch {release}, or build it again with `fusewise build`\n0.1.0 0.1.0\n"
    )


@pytest.mark.slow
def test_the_tests_of_a_project(projects: Path) -> None:
    project = projects / "my_ops"
    quick = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    out = run("-m", "fusewise", "test", "bias_silu", *quick, "-k", "special_values", folder=project)
    assert " passed" in out
    assert "1 passed" in run("-m", "pytest", *quick, "tests", folder=project)


@pytest.mark.slow
def test_a_wheel_has_nothing_of_a_former_name(projects: Path) -> None:
    project = projects / "my_ops"
    (old,) = project.glob("build/lib*")
    (old / "old_ops").mkdir()
    (old / "old_ops/__init__.py").touch()
    run("-c", BUILD_WHEEL, folder=project)
    assert "old_ops/__init__.py" not in zipfile.ZipFile(wheel_of(project)).namelist()
