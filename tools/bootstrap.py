"""Creates the virtual environment for `make`: python3 tools/bootstrap.py .venv [--dev]

If this python3 has a recent torch, the environment uses it and downloads nothing large. Otherwise
pip installs torch. The project itself is not installed: a .pth file points at the sources.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

TORCH = "torch==2.13.0"
OLDEST_TORCH = (2, 11)
# module to import -> package to install
NEEDED = {
    "elftools": "pyelftools",
    "setuptools": "setuptools>=70.1",
    "ninja": "ninja",
    "filelock": "filelock",
    "jinja2": "jinja2",
    "mpmath": "mpmath",
    "platformdirs": "platformdirs",
    "rich": "rich",
    "sympy": "sympy",
    "typer": "typer",
    "yaml": "pyyaml",
}
if sys.version_info < (3, 11):
    NEEDED["tomli"] = "tomli"
TESTS = {
    "expecttest": "expecttest",
    "gmpy2": "gmpy2",  # mpmath computes with it, in two thirds of the time
    "hypothesis": "hypothesis",
    "jsonschema": "jsonschema",
    "markdown_it": "markdown-it-py",
    "matplotlib": "matplotlib",
    "numpy": "numpy",
    "pytest": "pytest",
    "xdist": "pytest-xdist",
}
CHECKS = {"ruff": "ruff", "pyright": "pyright[nodejs]"}
DOCS = {
    "furo": "furo",
    "matplotlib": "matplotlib",
    "myst_parser": "myst-parser",
    "sphinx": "sphinx",
}

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    venv = Path(sys.argv[1]).absolute()
    dev = "--dev" in sys.argv[2:]
    if sys.version_info < (3, 10):
        sys.exit("needs Python 3.10 or newer; name one: make PYTHON=python3.12")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        sys.exit(f"{sys.executable} has no Python.h: apt-get install python3-dev, or its like")
    torch = find_torch()
    python = venv / "bin" / "python"
    if not python.exists():
        site = ["--system-site-packages"] if torch else []
        subprocess.check_call([sys.executable, "-m", "venv", "--without-pip", *site, str(venv)])
    write_paths(python, torch)
    needed = {"torch": TORCH} | NEEDED | (CHECKS | DOCS if dev else {})
    if (packages := missing(python, needed)) and not install(python, packages):
        sys.exit(how_to_bring(packages))
    # packages that only tests use are optional
    if (extras := missing(python, TESTS)) and not install(python, extras):
        print(how_to_bring(extras), file=sys.stderr)
    (venv / ("dev" if dev else "ready")).touch()


def find_torch() -> Path | None:
    """The folder of this python3's torch, or None if it is missing, broken or too old."""
    try:
        import torch

        version = torch.__version__
    except Exception as error:  # a broken torch may raise anything
        print(f"no usable torch here ({error}); installing {TORCH}", flush=True)
        return None
    if tuple(int(n) for n in version.split(".")[:2]) < OLDEST_TORCH:
        print(f"torch {version} is too old; installing {TORCH}", flush=True)
        return None
    print(f"using torch {version}, which {sys.executable} has", flush=True)
    return Path(torch.__file__).parents[1]


def write_paths(python: Path, torch: Path | None) -> None:
    """Adds the sources to the environment's path, and writes the command `fusewise` to its bin."""
    command = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    library = Path(subprocess.check_output(command, text=True).strip()).resolve()
    # relative, so that a copy of the checkout does not work on the sources of this one
    paths = [os.path.relpath(ROOT / name, library) for name in ("generator", "generated")]
    if torch:  # if this python3 belongs to an environment, the new one does not see its packages
        paths += [path for path in sys.path if path.endswith("-packages")] + [str(torch)]
    (library / "fusewise.pth").write_text("".join(f"{path}\n" for path in dict.fromkeys(paths)))
    script = python.with_name("fusewise")
    # Worker processes import the script under another name, so it must not run main() then.
    start = 'if __name__ == "__main__":\n    main()\n'
    script.write_text(f"#!{python}\nfrom fusewise.cli import main\n\n{start}")
    script.chmod(0o755)


def missing(python: Path, modules: dict[str, str]) -> list[str]:
    """The packages of the modules that the environment cannot import."""
    code = (
        "import sys, importlib.util as u; print(*[m for m in sys.argv[1:] if not u.find_spec(m)])"
    )
    absent = subprocess.check_output([str(python), "-c", code, *modules], text=True).split()
    return [modules[module] for module in absent]


def install(python: Path, packages: list[str]) -> bool:
    print("installing", *packages, flush=True)
    pip = [str(python), "-m", "pip"]
    if not (works(*pip, "--version") or works(str(python), "-m", "ensurepip")):
        sys.exit(f"{sys.executable} has no pip: apt-get install python3-venv, or its like")
    # Python compiles the modules that it imports; compiling all of torch's takes half a minute
    command = [*pip, "install", "-q", "--no-compile", "--retries", "2", *packages]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if run.returncode:  # else its output is warnings that ask nobody here for anything
        sys.stderr.write(run.stdout.decode(errors="replace"))
    return run.returncode == 0


def works(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def how_to_bring(packages: list[str]) -> str:
    names = shlex.join(packages)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    download = f"pip download -d wheels --only-binary :all: --python-version {version} {names}"
    return f"""\
pip could not install {names} (see above). If there is no network here, then where there is one:
    {download}
and with the folder wheels brought here:
    PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels make build"""


if __name__ == "__main__":
    main()
